#include "intake/overloads.hpp"

#include <algorithm>
#include <cstdlib>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "diagnose/tokens.hpp"
#include "intake/pieces.hpp"

namespace evo::intake {
namespace {

std::string bare(const std::string& type) {
  std::string text = type;
  std::erase_if(text, [](char c) { return c == ' ' || c == '\t' || c == '\n'; });
  return text;
}

std::vector<std::string> types_of(const KernelText& kernel) {
  std::vector<std::string> types;
  for (const Parameter& each : kernel.parameters) types.push_back(bare(each.type));
  return types;
}

/// The arm of each #if that the line is in, by the line of the #if.
std::map<int, int> arms_at(const std::string& source, int line) {
  std::vector<std::pair<int, int>> open;
  const std::vector<diagnose::Token> tokens = diagnose::tokens_of(source);
  for (std::size_t i = 0; i + 1 < tokens.size() && tokens[i].line < line; ++i) {
    if (!tokens[i].directive || !tokens[i].first || !tokens[i].is("#")) continue;
    const std::string& word = tokens[i + 1].text;
    if (word == "if" || word == "ifdef" || word == "ifndef") open.emplace_back(tokens[i].line, 0);
    if (!open.empty() && (word == "else" || word == "elif")) ++open.back().second;
    if (!open.empty() && word == "endif") open.pop_back();
  }
  return {open.begin(), open.end()};
}

/// Whether the line is in the first arm of an #if that asks for __CUDA_ARCH__ < N, N no more than evo's
/// oldest target has.
bool for_old_cards(const std::string& source, int line) {
  constexpr int oldest = 800;
  const std::map<int, int> arms = arms_at(source, line);
  const std::vector<diagnose::Token> tokens = diagnose::tokens_of(source);
  for (std::size_t i = 0; i + 2 < tokens.size(); ++i) {
    const auto arm = arms.find(tokens[i].line);
    if (!tokens[i].directive || arm == arms.end() || arm->second != 0) continue;
    bool either = false;
    for (const diagnose::Token& token : tokens)
      either = either || (token.line == tokens[i].line && token.is("||"));
    const int number = std::atoi(tokens[i + 2].text.c_str());
    if (!either && tokens[i].is("__CUDA_ARCH__") && tokens[i + 1].is("<") && number > 0 && number <= oldest)
      return true;
  }
  return false;
}

bool side_by_side(const std::map<int, int>& a, const std::map<int, int>& b) {
  return std::ranges::all_of(a, [&](const auto& arm) {
    const auto other = b.find(arm.first);
    return other == b.end() || other->second == arm.second;
  });
}

}  // namespace

std::vector<KernelText> with_parameters(const std::vector<KernelText>& kernels,
                                        const std::vector<std::string>& types) {
  // With the parameters' names or without: the last word of `const float3*` is no name.
  const auto is = [](const std::string& type, const std::string& wanted) {
    return bare(read_parameter(wanted).type) == type || bare(read_parameter(wanted + " p").type) == type;
  };
  std::vector<KernelText> same;
  std::ranges::copy_if(kernels, std::back_inserter(same), [&](const KernelText& kernel) {
    return std::ranges::equal(types_of(kernel), types, is);
  });
  return same;
}

std::vector<KernelText> overloads_in(const std::string& source, const std::vector<KernelText>& kernels) {
  std::vector<KernelText> different;
  for (const KernelText& kernel : kernels) {
    const auto arms = arms_at(source, kernel.line);
    // Templates that differ in their own parameters are chosen by those.
    const bool known = std::ranges::any_of(different, [&](const KernelText& other) {
      return types_of(other) == types_of(kernel) || other.name != kernel.name ||
             other.templates.size() != kernel.templates.size() ||
             !side_by_side(arms_at(source, other.line), arms);
    });
    if (!known) different.push_back(kernel);
  }
  return different;
}

std::vector<KernelText> for_todays_cards(const std::string& source, std::vector<KernelText> kernels) {
  std::vector<KernelText> kept;
  std::ranges::copy_if(kernels, std::back_inserter(kept),
                       [&](const KernelText& kernel) { return !for_old_cards(source, kernel.line); });
  return kept.empty() ? kernels : kept;
}

std::string with_types(const KernelText& kernel, const std::vector<std::string>& arguments) {
  std::vector<std::string> types;
  for (const Parameter& each : kernel.parameters) types.push_back(each.type);
  return fmt::format("{}{}({})", kernel.name,
                     arguments.empty() ? std::string() : fmt::format("<{}>", fmt::join(arguments, ", ")),
                     fmt::join(types, ", "));
}

std::string without_other_overloads(std::string source, const std::vector<KernelText>& chosen) {
  if (chosen.empty()) return source;
  const std::vector<Piece> pieces = pieces_of(source);
  std::vector<const Piece*> others;
  for (const KernelText& kernel : kernels_of(source)) {
    if (kernel.name != chosen.front().name) continue;
    if (std::ranges::any_of(chosen, [&](const auto& each) { return each.begin == kernel.begin; })) continue;
    for (const Piece& piece : pieces) {
      if (piece.begin <= kernel.begin && piece.end >= kernel.end) others.push_back(&piece);
    }
  }
  for (const Piece* piece : others) {
    for (std::size_t i = piece->begin; i < piece->end; ++i) {
      if (source[i] != '\n') source[i] = ' ';
    }
  }
  return source;
}

std::string without_other_declarations(std::string text, const std::string& name,
                                       const std::vector<std::string>& types) {
  if (text.find("__global__") == std::string::npos) return text;
  const std::vector<Piece> pieces = pieces_of(text);
  for (const KernelText& kernel : declared_kernels_of(text)) {
    const bool meant = std::ranges::equal(types_of(kernel), types, {}, {}, bare);
    if (kernel.name != name || meant) continue;
    for (const Piece& piece : pieces) {
      if (piece.begin <= kernel.begin && piece.end >= kernel.end) blank_piece(text, piece.begin, piece.end);
    }
  }
  return text;
}

}  // namespace evo::intake
