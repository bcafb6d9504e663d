#include "report/listing.hpp"

#include <algorithm>

namespace evo::report {
namespace {

/// More than the sources that the document holds, so that each of these has its trial.
constexpr std::size_t kept_of_the_fastest = 200;

}  // namespace

void Listing::add(engine::TrialRecord&& trial) {
  const auto row = static_cast<Number>(index_.size());
  note_family(trial);
  note_fastest(trial);
  const bool first_way =
      !trial.evidence.empty() && ways_.insert(trial.template_name + ' ' + trial.reason).second;
  const bool leads = lead_.add(trial) != engine::Lead::Step::stays;
  if (row == 0 || first_way || leads) kept_.push_back(row);
  if (holds_all()) {
    held_.push_back(std::move(trial));
  } else {
    held_ = {};
  }
}

Listing::Number Listing::number_of(const std::string& variant) {
  const auto [found, added] = numbers_.try_emplace(variant, static_cast<Number>(known_.size()));
  if (added) known_.emplace_back();
  return found->second;
}

void Listing::note_family(const engine::TrialRecord& trial) {
  const auto row = static_cast<Number>(index_.size());
  const Number variant = number_of(trial.variant);
  if (known_[variant].first_row == none) {
    const auto latency = trial.latency();
    known_[variant] = {row, latency ? latency->microseconds : 0};
  }
  index_.push_back(trial.index);
  variant_.push_back(variant);
  device_until_.push_back((device_until_.empty() ? 0 : device_until_.back()) + trial.device_seconds);
  duplicates_.push_back(trial.status == model::Status::duplicate);
  for (const std::string& parent : trial.parents) parents_.push_back(number_of(parent));
  parents_end_.push_back(static_cast<Number>(parents_.size()));
}

void Listing::note_fastest(const engine::TrialRecord& trial) {
  const auto latency = trial.correct() ? trial.latency() : std::nullopt;
  if (!latency) return;
  fastest_.emplace_back(latency->microseconds, static_cast<Number>(index_.size() - 1));
  std::push_heap(fastest_.begin(), fastest_.end());
  if (fastest_.size() <= kept_of_the_fastest) return;
  std::pop_heap(fastest_.begin(), fastest_.end());
  fastest_.pop_back();
}

std::optional<double> Listing::latency_us(const std::string& variant) const {
  const auto found = numbers_.find(variant);
  if (found == numbers_.end() || !(known_[found->second].latency_us > 0)) return std::nullopt;
  return known_[found->second].latency_us;
}

double Listing::device_seconds_until(std::int64_t index) const {
  const auto at = std::lower_bound(index_.begin(), index_.end(), index);
  if (at == index_.end() || *at != index) return 0;
  return device_until_[static_cast<std::size_t>(at - index_.begin())];
}

std::pair<const Listing::Number*, const Listing::Number*> Listing::parents_of(Number row) const {
  const Number begin = row == 0 ? 0 : parents_end_[row - 1];
  return {parents_.data() + begin, parents_.data() + parents_end_[row]};
}

/// All ancestors as session::ancestors() has them, and the way over first parents, which may lead over a
/// duplicate.
void Listing::keep_ancestors(Number variant, std::vector<bool>& keep) const {
  std::vector<bool> family(known_.size(), false);
  family[variant] = true;
  for (std::size_t row = index_.size(); row-- > 0;) {
    if (!family[variant_[row]] || duplicates_[row]) continue;
    keep[row] = true;
    const auto [begin, end] = parents_of(static_cast<Number>(row));
    for (const Number* parent = begin; parent != end; ++parent) family[*parent] = true;
  }
  std::vector<bool> passed(known_.size(), false);
  while (!passed[variant] && known_[variant].first_row != none) {
    passed[variant] = true;
    const Number row = known_[variant].first_row;
    keep[row] = true;
    const auto [begin, end] = parents_of(row);
    if (begin != end) variant = *begin;
  }
}

std::vector<std::int64_t> Listing::wanted(std::optional<std::int64_t> champion) const {
  std::vector<bool> keep(index_.size(), false);
  for (const Number row : kept_) keep[row] = true;
  for (const auto& [latency, row] : fastest_) keep[row] = true;
  if (!champion && lead_.champion()) champion = lead_.champion()->index;
  if (champion) {
    const auto at = std::lower_bound(index_.begin(), index_.end(), *champion);
    if (at != index_.end() && *at == *champion) {
      const auto row = static_cast<std::size_t>(at - index_.begin());
      keep[row] = true;
      keep_ancestors(variant_[row], keep);
    }
  }
  const std::size_t each = most_ == 0 ? trials() : (trials() + most_ - 1) / most_;
  std::vector<std::int64_t> indices;
  for (std::size_t row = 0; row < keep.size(); ++row)
    if (keep[row] || row % each == 0) indices.push_back(index_[row]);
  return indices;
}

}  // namespace evo::report
