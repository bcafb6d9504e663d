#include "source/text_gene.hpp"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace evo::source {
namespace {

constexpr std::string_view gene_word = "gene ", values_word = " of ", condition_word = " if ",
                           action_word = " then ";

std::optional<std::int64_t> integer_in(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (code != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// Takes what stands in front of `word`, and the word, off the text.
std::optional<std::string_view> taken(std::string_view& text, std::string_view word) {
  const std::size_t at = text.find(word);
  if (at == std::string_view::npos) return std::nullopt;
  const std::string_view head = text.substr(0, at);
  text.remove_prefix(at + word.size());
  return head;
}

}  // namespace

bool is_identifier(std::string_view text) {
  const auto letter = [](char c) { return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_'; };
  if (text.empty() || !letter(text.front())) return false;
  return std::all_of(text.begin(), text.end(), [&](char c) { return letter(c) || (c >= '0' && c <= '9'); });
}

std::string gene_anchor(std::string_view name) {
  return fmt::format("@gene#{}", name);
}

std::string payload_of(const TextGene& gene) {
  std::string text =
      fmt::format("{}{}={}{}{}", gene_word, gene.name, gene.value, values_word, fmt::join(gene.values, ","));
  if (!gene.condition.empty()) text += std::string(condition_word) + gene.condition;
  if (!gene.action.empty()) text += std::string(action_word) + gene.action;
  return text;
}

std::optional<TextGene> gene_of(const Edit& edit) {
  std::string_view rest = edit.payload;
  if (!rest.starts_with(gene_word)) return std::nullopt;
  rest.remove_prefix(gene_word.size());
  TextGene gene;
  const auto name = taken(rest, "=");
  const auto value = taken(rest, values_word);
  if (!name || !value || !is_identifier(*name)) return std::nullopt;
  gene.name = *name;
  std::string_view declared = rest;
  if (const auto before = taken(rest, action_word)) {
    declared = *before;
    gene.action = rest;
  }
  std::string_view listed = declared;
  if (const auto before = taken(declared, condition_word)) {
    listed = *before;
    gene.condition = declared;
  }
  while (true) {
    const std::size_t comma = listed.find(',');
    const auto one = integer_in(listed.substr(0, comma));
    if (!one) return std::nullopt;
    gene.values.push_back(*one);
    if (comma == std::string_view::npos) break;
    listed.remove_prefix(comma + 1);
  }
  const auto chosen = integer_in(*value);
  if (!chosen || std::ranges::find(gene.values, *chosen) == gene.values.end()) return std::nullopt;
  gene.value = *chosen;
  return gene;
}

Edit with_value(const Edit& edit, std::int64_t value) {
  TextGene gene = *gene_of(edit);
  gene.value = value;
  return {edit.operation, edit.anchor, payload_of(gene)};
}

}  // namespace evo::source
