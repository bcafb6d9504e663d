// What a reply declares as a gene of its text.
#include <algorithm>

#include <fmt/format.h>
#include <boost/json.hpp>

#include "llm/reply.hpp"

namespace evo::llm {
namespace {

namespace json = boost::json;

constexpr std::size_t longest_name = 40, most_gene_values = 32, longest_condition = 200;
constexpr std::int64_t largest_gene_value = std::int64_t{1} << 40;

tl::unexpected<Refusal> no_gene(std::string message) {
  return tl::make_unexpected(Refusal{"bad_gene", "NEW_GENE: " + std::move(message)});
}

/// A macro in front of all text must not be a word of the language: those have small letters.
bool is_macro_name(std::string_view name) {
  return source::is_identifier(name) && name.size() <= longest_name && name.front() >= 'A' &&
         name.front() <= 'Z' &&
         std::none_of(name.begin(), name.end(), [](char c) { return c >= 'a' && c <= 'z'; });
}

}  // namespace

Read<source::TextGene> read_new_gene(std::string_view text) {
  boost::system::error_code failed;
  const json::value parsed = json::parse(text, failed);
  if (failed || !parsed.is_object())
    return no_gene(R"(say {"name": "UNROLL", "value": 4, "values": [1, 2, 4]} on one line)");
  source::TextGene gene;
  for (const auto& [key, value] : parsed.as_object()) {
    if (key == "name" && value.is_string()) {
      gene.name = value.as_string();
    } else if (key == "value" && value.is_int64()) {
      gene.value = value.as_int64();
    } else if (key == "constraint" && value.is_string()) {
      gene.condition = value.as_string();
    } else if (key == "values" && value.is_array()) {
      for (const json::value& one : value.as_array()) {
        if (!one.is_int64() || std::abs(one.as_int64()) > largest_gene_value)
          return no_gene("values are integers");
        gene.values.push_back(one.as_int64());
      }
    } else {
      return no_gene(fmt::format("'{}' is no key, or not of its type: name, value, values, constraint",
                                 std::string(key)));
    }
  }
  if (!is_macro_name(gene.name))
    return no_gene(fmt::format("'{}' is no name in capitals, such as UNROLL_K", gene.name));
  std::vector<std::int64_t> sorted = gene.values;
  std::ranges::sort(sorted);
  if (sorted.size() < 2 || sorted.size() > most_gene_values ||
      std::ranges::adjacent_find(sorted) != sorted.end())
    return no_gene(fmt::format("values are 2 to {} different integers", most_gene_values));
  if (!std::ranges::binary_search(sorted, gene.value))
    return no_gene(fmt::format("the value {} is none of its values", gene.value));
  // They stand in one line with the rest of the edit.
  const bool one_line = gene.condition.find_first_of("\n\r") == std::string::npos;
  if (gene.condition.size() > longest_condition || !one_line ||
      gene.condition.find(" then ") != std::string::npos)
    return no_gene("the constraint is one short expression");
  return gene;
}

}  // namespace evo::llm
