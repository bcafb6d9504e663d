#include "config/gene_loader.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>

#include <fmt/format.h>

#include "config/compile_options.hpp"
#include "config/define_loader.hpp"
#include "config/keys.hpp"
#include "config/nearest.hpp"

namespace evo::config {
namespace {

constexpr std::int64_t least_integer = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t greatest_integer = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t most_values = 100'000;  ///< of a range

/// "0.5", "1e-3", "2": as C++ spells a real number, so that 1 divided by it is no integer division.
std::optional<std::string> real_text(std::string text) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size() || !std::isfinite(number)) return std::nullopt;
  // The shortest text of the number: 0.50 and 0.5 are one value.
  text = fmt::format("{}", number);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

bool is_integer(const std::string& text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc{} && end == text.data() + text.size();
}

/// A text that stands in the source as it is: a type, say.
bool is_plain_text(const std::string& text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](unsigned char c) {
    return std::isprint(c) != 0 && c != ',' && c != '=' && c != '{' && c != '}';
  });
}

model::Value read_value(const Reader& reader, const model::Gene& gene) {
  if (gene.real) {
    if (auto text = real_text(reader.text())) return *text;
    reader.fail(fmt::format("'{}' is no number, and other values of the gene are", reader.text()));
  }
  model::Value value = reader.value();
  const auto* name = std::get_if<std::string>(&value);
  if (name == nullptr) return value;
  if (*name == "true" || *name == "false") return std::int64_t{*name == "true"};
  if (gene.use != model::GeneUse::macro) {
    if (is_plain_text(*name)) return value;
    reader.fail(fmt::format("a gene's value has no ',', '=', '{{' or '}}'; '{}' has", *name));
  }
  if (!is_macro_name(*name)) {
    reader.fail(
        fmt::format("a gene's value is a number, true, false or a name; '{}' is none of them{}", *name,
                    is_plain_text(*name)
                        ? " (a type or another text needs as: text, or as: template and {NAME} in the entry)"
                        : ""));
  }
  return value;
}

void add_value(const Reader& reader, model::Value value, model::Gene& gene) {
  if (gene.index_of(value)) reader.fail(fmt::format("the value {} occurs twice", model::to_string(value)));
  if (!gene.values.empty() && gene.values.front().index() != value.index())
    reader.fail("the values of a gene are all numbers or all names");
  gene.values.push_back(std::move(value));
}

void read_list(const Reader& values, model::Gene& gene) {
  const std::vector<Reader> items = values.items();
  const auto number = [](const Reader& item) { return real_text(item.text()).has_value(); };
  const auto real = [&](const Reader& item) { return number(item) && !is_integer(item.text()); };
  gene.real = std::any_of(items.begin(), items.end(), real);
  for (const Reader& item : items) add_value(item, read_value(item, gene), gene);
}

/// {from: 32, to: 1024, step: 32}
void read_range(const Reader& range, model::Gene& gene) {
  range.expect_keys({"from", "to", "step"});
  const std::int64_t from = range.at("from").integer(least_integer, greatest_integer);
  const std::int64_t to = range.at("to").integer(least_integer, greatest_integer);
  const auto step_key = range.find("step");
  const std::int64_t step = step_key ? step_key->integer(1, greatest_integer) : 1;
  if (to < from) range.at("to").fail(fmt::format("{} is below the range's begin, {}", to, from));
  const std::uint64_t count =
      (static_cast<std::uint64_t>(to) - static_cast<std::uint64_t>(from)) / static_cast<std::uint64_t>(step);
  if (count >= most_values)
    range.fail(fmt::format("a range of more than {} values; give it a larger step", most_values));
  for (std::uint64_t i = 0; i <= count; ++i)
    gene.values.emplace_back(from + static_cast<std::int64_t>(i) * step);
}

/// {powers_of_two: [16, 128]}: 16, 32, 64, 128.
void read_powers(const Reader& powers, model::Gene& gene) {
  const std::vector<Reader> ends = powers.items();
  if (ends.size() != 2) powers.fail("expected the least and the greatest value, as in [16, 128]");
  const std::int64_t least = ends[0].integer(1, greatest_integer),
                     greatest = ends[1].integer(1, greatest_integer);
  if (greatest < least) ends[1].fail(fmt::format("{} is below the least value, {}", greatest, least));
  for (const Reader& end : ends) {
    const std::int64_t value = end.integer(1, greatest_integer);
    if ((value & (value - 1)) != 0) end.fail(fmt::format("{} is no power of two", value));
  }
  for (std::int64_t value = least;; value *= 2) {
    gene.values.emplace_back(value);
    if (value == greatest) return;
  }
}

void read_values(const Reader& values, model::Gene& gene) {
  if (values.is_map()) {
    if (const auto powers = values.find("powers_of_two")) {
      values.expect_keys({"powers_of_two"});
      read_powers(*powers, gene);
    } else {
      if (!values.find("from")) values.expect_keys({"from", "to", "step", "powers_of_two"});
      read_range(values, gene);
    }
  } else {
    read_list(values, gene);
  }
  if (gene.values.empty()) values.fail("a gene needs at least one value");
  if (gene.tile && gene.symbolic()) values.fail("the values of a tile are integers");
}

/// `options: {0: [], 1: [--use_fast_math]}`: a value of the gene each; without `values` they are its values.
void read_option_lists(const Reader& options, model::Gene& gene) {
  const bool own = gene.values.empty();
  for (const std::string& name : options.keys()) {
    const Reader list = options.at(name);
    model::Value value = name;
    if (is_integer(name)) {
      std::int64_t number = 0;
      std::from_chars(name.data(), name.data() + name.size(), number);
      value = number;
    } else if (name == "true" || name == "false") {
      value = std::int64_t{name == "true"};
    } else if (gene.real) {
      value = real_text(name).value_or(name);
    }
    if (own) {
      if (!is_integer(name) && !is_macro_name(name))
        list.fail(fmt::format("'{}' is no value that a gene can have: a number or a name", name));
      add_value(list, value, gene);
    }
    const auto position = gene.index_of(value);
    if (!position) list.fail(fmt::format("{} is none of the gene's values", name));
    gene.options.resize(gene.values.size());
    std::vector<std::string>& mine = gene.options[*position];
    if (list.is_scalar()) {
      mine.push_back(read_option(list));
    } else {
      for (const Reader& item : list.items()) mine.push_back(read_option(item));
    }
  }
  if (gene.values.empty())
    options.fail("expected a list of options for each value, as {0: [], 1: [--use_fast_math]}");
}

/// How the value reaches the compiler, before the values are read: texts are legal where no macro is made.
void read_use(const Reader& reader, model::Gene& gene, std::vector<model::Define>& defines) {
  const auto define = reader.find("define"), as = reader.find("as");
  const bool options = reader.find("options").has_value();
  if (options || define) gene.use = model::GeneUse::none;
  if (as) {
    const std::string word = as->choice({"macro", "text", "template", "define", "none"}, "use of a gene");
    if (word == "define" && !define)
      as->fail("as: define needs the key define, as in define: \"X = 2 * TILE\"");
    if (define && word != "define") as->fail(fmt::format("a gene with a define is as: define, not {}", word));
    if (word == "macro") gene.use = model::GeneUse::macro;
    if (word == "text") gene.use = model::GeneUse::text;
    if (word == "template") gene.use = model::GeneUse::entry;
    if (word == "none") gene.use = model::GeneUse::none;
  }
  if (define) defines.push_back(read_named_define(*define));
}

}  // namespace

bool is_macro_name(const std::string& name) {
  return !name.empty() && !std::isdigit(static_cast<unsigned char>(name[0])) &&
         std::all_of(name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) || c == '_'; });
}

model::Gene read_gene(const std::string& name, const Reader& reader, std::vector<model::Define>& defines) {
  if (!is_macro_name(name)) reader.fail("a gene is a macro, such as BLOCK_M");
  model::Gene gene;
  gene.name = name;
  const bool range = reader.is_map() && (reader.find("from") || reader.find("powers_of_two"));
  if (reader.is_sequence() || range) {
    read_values(reader, gene);
    gene.initial = gene.values.front();
    return gene;
  }
  reader.expect_keys(key_names(gene_keys()));
  if (const auto role = reader.find("role")) {
    const std::string word = role->choice({"tuning", "tile", "sync"}, "role");
    if (word == "sync") gene.role = model::GeneRole::sync;
    gene.tile = word == "tile";
  }
  read_use(reader, gene, defines);
  const auto options = reader.find("options");
  if (!options || reader.find("values")) read_values(reader.at("values"), gene);
  if (options) read_option_lists(*options, gene);
  const auto initial = reader.find("initial");
  gene.initial = initial ? read_value(*initial, gene) : gene.values.front();
  if (!gene.index_of(gene.initial))
    initial->fail(fmt::format("{} is none of the gene's values", model::to_string(gene.initial)));
  if (const auto description = reader.find("description")) gene.description = description->text();
  return gene;
}

model::Value read_value_of(const model::Gene& gene, const Reader& reader) {
  return read_value(reader, gene);
}

}  // namespace evo::config
