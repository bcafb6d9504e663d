#include "intake/other_platforms.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <string_view>
#include <vector>

#include "diagnose/tokens.hpp"

namespace evo::intake {
namespace {

std::string_view stripped(std::string_view text) {
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.front())) != 0) text.remove_prefix(1);
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back())) != 0) text.remove_suffix(1);
  return text;
}

std::string_view name_at(std::string_view text) {
  std::size_t end = 0;
  while (end < text.size() && (std::isalnum(static_cast<unsigned char>(text[end])) != 0 || text[end] == '_'))
    ++end;
  return text.substr(0, end);
}

/// A macro that the compilers of other makers, or builds for these, define.
bool is_foreign(std::string_view name) {
  constexpr std::array<std::string_view, 14> names{"__HIP_PLATFORM_AMD__",
                                                   "__HIP_PLATFORM_HCC__",
                                                   "__HIP_DEVICE_COMPILE__",
                                                   "__HIPCC__",
                                                   "__HIP__",
                                                   "__HCC__",
                                                   "__AMDGCN__",
                                                   "TORCH_HIP_VERSION",
                                                   "USE_ROCM",
                                                   "USE_HIP",
                                                   "GGML_USE_HIP",
                                                   "GGML_USE_MUSA",
                                                   "USE_MUSA",
                                                   "__MUSACC__"};
  return std::ranges::find(names, name) != names.end();
}

/// What `defined(X)`, `!defined(X)` and several of the former with || between them come to where no other
/// platform is there; nothing where the condition asks for anything else.
std::optional<bool> condition_value(std::string_view condition) {
  condition = stripped(condition);
  const bool negated = condition.starts_with("!");
  if (negated) condition = stripped(condition.substr(1));
  for (bool first = true; !condition.empty(); first = false) {
    if (!first) {
      if (negated || !condition.starts_with("||")) return std::nullopt;
      condition = stripped(condition.substr(2));
    }
    if (!condition.starts_with("defined")) return std::nullopt;
    condition = stripped(condition.substr(7));
    const bool bracket = condition.starts_with("(");
    if (bracket) condition = stripped(condition.substr(1));
    const std::string_view name = name_at(condition);
    if (!is_foreign(name)) return std::nullopt;
    condition = stripped(condition.substr(name.size()));
    if (bracket) {
      if (!condition.starts_with(")")) return std::nullopt;
      condition = stripped(condition.substr(1));
    }
  }
  return negated;
}

/// One #if that is open.
struct Open {
  bool decided = false;  ///< a branch before is the one that is taken
  bool dead = false;     ///< the branch at hand is never taken
};

class BranchReader {
 public:
  /// Whether the line is to be left out.
  bool leaves_out(std::string_view line) {
    const bool within = std::ranges::any_of(open_, &Open::dead);
    if (continued_) {
      continued_ = line.ends_with("\\");
      return within_directive_;
    }
    const std::string_view text = stripped(line);
    if (!text.starts_with("#")) return within;
    continued_ = line.ends_with("\\");
    const std::string_view rest = stripped(text.substr(1)), word = name_at(rest);
    const std::string_view condition = stripped(rest.substr(word.size()));
    bool own = false;  // a directive of an #if that stays
    if (word == "if" || word == "ifdef" || word == "ifndef") {
      open_.push_back({});
      decide(word, condition);
    } else if ((word == "elif" || word == "else" || word == "endif") && !open_.empty()) {
      const bool was = open_.back().dead;
      open_.back().dead = false;
      own = was && std::ranges::none_of(open_, &Open::dead);
      if (word == "endif")
        open_.pop_back();
      else if (open_.back().decided)
        open_.back().dead = true;
      else if (word == "elif")
        decide("if", condition);
    }
    within_directive_ = within && !own;
    return within_directive_;
  }

 private:
  void decide(std::string_view word, std::string_view condition) {
    std::optional<bool> value;
    if (word == "if")
      value = condition_value(condition);
    else if (is_foreign(name_at(condition)))
      value = word == "ifndef";
    if (!value) return;
    open_.back().dead = !*value;
    open_.back().decided = *value;
  }

  std::vector<Open> open_;
  bool continued_ = false, within_directive_ = false;
};

}  // namespace

bool without_cell_magic(std::string& text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string::npos || text.compare(first, 2, "%%") != 0) return false;
  text.erase(first, std::min(text.find('\n', first), text.size()) - first);
  return true;
}

std::string without_other_platforms(const std::string& text) {
  std::string left;
  left.reserve(text.size());
  BranchReader reader;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line(text.data() + at, end - at);
    if (!reader.leaves_out(line)) left += line;
    if (end < text.size()) left += '\n';
    at = end + 1;
  }
  return left;
}

std::string as_for_nvcc(const std::string& text) {
  std::string result = text;
  const std::vector<diagnose::Token> tokens = diagnose::tokens_of(text);
  for (auto token = tokens.rbegin(); token != tokens.rend(); ++token) {
    if (token->directive && token->is("__NVCC__"))
      result.replace(token->begin, token->text.size(), "__CUDACC__");
  }
  return result;
}

}  // namespace evo::intake
