#include "intake/first_genome.hpp"

#include <algorithm>
#include <charconv>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "model/error.hpp"
#include "model/expression.hpp"

namespace evo::intake {
namespace {

constexpr std::size_t most_tried = 200'000;

model::Value value_of(const std::string& text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error == std::errc{} && end == text.data() + text.size()) return number;
  if (text == "true" || text == "false") return std::int64_t{text == "true"};
  return text;
}

/// The genes' values at each step, the last gene fastest; the initial value of each first.
class Combinations {
 public:
  explicit Combinations(const std::vector<DraftGene>& genes) : at_(genes.size()) {
    for (const DraftGene& gene : genes) {
      std::vector<std::string> values = gene.values;
      const auto first = std::find(values.begin(), values.end(), gene.initial);
      if (first != values.end()) std::rotate(values.begin(), first, first + 1);
      values_.push_back(std::move(values));
    }
  }
  [[nodiscard]] const std::string& value(std::size_t gene) const { return values_[gene][at_[gene]]; }
  bool next() {
    for (std::size_t i = at_.size(); i-- > 0;) {
      if (++at_[i] < values_[i].size()) return true;
      at_[i] = 0;
    }
    return false;
  }

 private:
  std::vector<std::vector<std::string>> values_;
  std::vector<std::size_t> at_;
};

model::Environment environment_of(const std::vector<DraftGene>& genes, const Combinations& at) {
  model::Environment environment{{"max_threads", std::int64_t{1024}}, {"warp_size", std::int64_t{32}}};
  for (std::size_t i = 0; i < genes.size(); ++i)
    environment.insert_or_assign(genes[i].name, value_of(at.value(i)));
  return environment;
}

}  // namespace

void choose_first_genome(Draft& draft) {
  std::vector<model::Expression> constraints;
  for (const std::string& text : draft.constraints) {
    if (auto expression = model::Expression::parse(text)) constraints.push_back(std::move(*expression));
  }
  Combinations at(draft.genes);
  for (std::size_t tried = 0; tried < most_tried; ++tried) {
    const model::Environment environment = environment_of(draft.genes, at);
    const bool legal =
        std::all_of(constraints.begin(), constraints.end(), [&](const model::Expression& constraint) {
          const auto holds = constraint.evaluate_integer(environment);
          return !holds || *holds != 0;
        });
    if (legal) {
      for (std::size_t i = 0; i < draft.genes.size(); ++i) draft.genes[i].initial = at.value(i);
      return;
    }
    if (!at.next()) break;
  }
  throw model::Exception(
      model::ExitCode::usage,
      fmt::format("no combination of the genes' values keeps to the constraints: {}; the "
                  "block is taken for {}: --block says another",
                  fmt::join(draft.constraints, "; "), fmt::join(draft.launch.block, ", ")));
}

void limit_block(Draft& draft) {
  std::string threads;
  for (const std::string& side : draft.launch.block)
    threads +=
        (threads.empty() ? "" : " * ") + (side.find(' ') == std::string::npos ? side : "(" + side + ")");
  const auto expression = model::Expression::parse(threads);
  if (!expression || expression->names().empty()) return;
  Combinations at(draft.genes);
  for (std::size_t tried = 0; tried < most_tried; ++tried) {
    const auto count = expression->evaluate_integer(environment_of(draft.genes, at));
    if (count && *count > 1024) {
      draft.constraints.push_back(threads + " <= 1024");
      return;
    }
    if (!at.next()) return;
  }
}

}  // namespace evo::intake
