#include "source/apply.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstdlib>

#include <fmt/format.h>

namespace evo::source {
namespace {

/// FNV-1a over the tokens.
std::string hash_of(const Program& program, Span span) {
  std::uint64_t hash = 14695981039346656037ULL;
  const auto add = [&](unsigned char c) { hash = (hash ^ c) * 1099511628211ULL; };
  for (std::size_t i = span.begin; i < span.end; ++i) {
    for (const char c : program.tokens[i].text) add(static_cast<unsigned char>(c));
    add(0);
  }
  return fmt::format("{:08x}", static_cast<std::uint32_t>(hash ^ (hash >> 32)));
}

std::vector<std::size_t> path_of(const Program& program, std::size_t node) {
  std::vector<std::size_t> path;
  for (std::size_t at = node; program.nodes[at].parent != none; at = program.nodes[at].parent)
    path.push_back(program.position(at));
  std::reverse(path.begin(), path.end());
  return path;
}

struct Anchor {
  std::string_view function, hash;
  std::vector<std::size_t> path;
  bool statement = false;
};

Anchor parse(std::string_view text) {
  Anchor anchor;
  const std::size_t sharp = text.rfind('#');
  if (sharp == std::string_view::npos) return anchor;
  anchor.hash = text.substr(sharp + 1);
  std::string_view rest = text.substr(0, sharp);
  const std::size_t slash = rest.find('/');
  anchor.function = rest.substr(0, slash);
  if (slash == std::string_view::npos) return anchor;
  anchor.statement = true;
  rest.remove_prefix(slash + 1);
  while (!rest.empty()) {
    const std::string_view number = rest.substr(0, rest.find('.'));
    std::size_t value = 0;
    std::from_chars(number.data(), number.data() + number.size(), value);
    anchor.path.push_back(value);
    rest.remove_prefix(std::min(rest.size(), number.size() + 1));
  }
  return anchor;
}

std::size_t find_function(const Program& program, std::string_view name) {
  for (std::size_t i = 0; i < program.functions.size(); ++i) {
    if (program.functions[i].name == name) return i;
  }
  return none;
}

/// Steps between two paths: of different depth are far apart.
std::size_t distance(const std::vector<std::size_t>& a, const std::vector<std::size_t>& b) {
  constexpr std::size_t level = 64;
  std::size_t sum = level * (std::max(a.size(), b.size()) - std::min(a.size(), b.size()));
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i)
    sum += a[i] > b[i] ? a[i] - b[i] : b[i] - a[i];
  return sum;
}

}  // namespace

std::string text_of(const Edit& edit) {
  return edit.operation + " " + edit.anchor + " " + edit.payload;
}

std::optional<Edit> edit_from_text(std::string_view text) {
  const std::size_t first = text.find(' ');
  const std::size_t second = first == std::string_view::npos ? first : text.find(' ', first + 1);
  if (second == std::string_view::npos || first == 0) return std::nullopt;
  Edit edit{std::string(text.substr(0, first)), std::string(text.substr(first + 1, second - first - 1)),
            std::string(text.substr(second + 1))};
  if (edit.anchor.find('#') == std::string::npos || edit.payload.empty()) return std::nullopt;
  return edit;
}

std::string anchor_of(const Program& program, std::size_t node) {
  const Node& it = program.nodes[node];
  std::string path;
  for (const std::size_t step : path_of(program, node))
    path += fmt::format("{}{}", path.empty() ? "" : ".", step);
  return fmt::format("{}/{}#{}", program.functions[it.function].name, path, hash_of(program, it.span));
}

std::string anchor_of(const Program& program, const Function& function) {
  return fmt::format("{}#{}", function.name, hash_of(program, function.head));
}

std::size_t node_at(const Program& program, std::string_view anchor) {
  const Anchor wanted = parse(anchor);
  const std::size_t function = wanted.statement ? find_function(program, wanted.function) : none;
  if (function == none) return none;
  std::size_t best = none, best_distance = 0;
  for (std::size_t i = 0; i < program.nodes.size(); ++i) {
    const Node& node = program.nodes[i];
    if (node.function != function || hash_of(program, node.span) != wanted.hash) continue;
    const std::size_t here = distance(path_of(program, i), wanted.path);
    if (best == none || here < best_distance) best = i, best_distance = here;
  }
  return best;
}

std::size_t function_at(const Program& program, std::string_view anchor) {
  const Anchor wanted = parse(anchor);
  if (wanted.statement) return none;
  const std::size_t found = find_function(program, wanted.function);
  if (found == none || hash_of(program, program.functions[found].head) != wanted.hash) return none;
  return found;
}

}  // namespace evo::source
