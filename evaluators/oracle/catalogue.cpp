#include "evaluators/oracle/catalogue.hpp"

#include <stdexcept>
#include <utility>

#include "evaluators/oracle/named.hpp"

namespace evo::evaluators::oracle {
namespace {

template <class Entry>
void append(std::vector<Entry>& all, std::span<const Entry> more) {
  for (const Entry& entry : more) {
    if (find_named(all, entry.name) != nullptr)
      throw std::logic_error("the catalogue has two entries called " + std::string(entry.name));
    all.push_back(entry);
  }
}

}  // namespace

Catalogue::Catalogue() {
  add(generic_oracles(), generic_input_kinds(), {});
}

void Catalogue::add(std::span<const Oracle> oracles, std::span<const InputKind> kinds,
                    std::span<const StageFormula> formulas) {
  append(oracles_, oracles);
  append(kinds_, kinds);
  append(formulas_, formulas);
}

void Catalogue::add(std::string name, std::shared_ptr<const ComputedOracle> oracle) {
  std::erase_if(oracles_, [&](const Oracle& entry) { return entry.name == name; });
  computed_ = std::make_shared<const Computed>(Computed{std::move(name), std::move(oracle)});
  Oracle entry{computed_->name, "the problem's own", nullptr};
  entry.computed = computed_->oracle.get();
  oracles_.push_back(entry);
}

const ComputedOracle* Catalogue::problem_oracle() const {
  return computed_ == nullptr ? nullptr : computed_->oracle.get();
}

const Oracle* Catalogue::find_oracle(std::string_view name) const {
  return find_named(oracles_, name);
}
const InputKind* Catalogue::find_input_kind(std::string_view name) const {
  return find_named(kinds_, name);
}
const StageFormula* Catalogue::find_stage_formula(std::string_view name) const {
  return find_named(formulas_, name);
}

std::vector<std::string> Catalogue::oracle_names() const {
  return names_of(oracles_);
}
std::vector<std::string> Catalogue::input_kind_names() const {
  return names_of(kinds_);
}
std::vector<std::string> Catalogue::stage_formula_names() const {
  return names_of(formulas_);
}

model::Expected<InputBuffers> make_inputs(const InputSource& source, const model::Case& bound,
                                          const InputKey& key) {
  return make_inputs(source.known, bound, source.set, key);
}

}  // namespace evo::evaluators::oracle
