#include "intake/index_codes.hpp"

#include <algorithm>
#include <utility>

#include "intake/launch_text.hpp"

namespace evo::intake {
namespace {

constexpr std::uint64_t most_while_indexing = 600'000'000;
/// Odd: times 256 or more it is no 0 in 32 bits, as a power of two would be.
constexpr std::int64_t beyond_all = 16'777'213;

/// Of so many axes, three times each is more than a look may take.
constexpr std::size_t many_axes = 4;

std::int64_t greatest_of(const std::string& dtype) {
  if (dtype == "i8") return 127;
  if (dtype == "u8") return 255;
  if (dtype == "i16") return 32767;
  if (dtype == "u16") return 65535;
  return beyond_all;
}

/// The size that has these values at two sets of sizes.
std::optional<std::string> size_of(const std::vector<ShapeCandidate>& candidates, const ProbeRun& other,
                                   std::int64_t here, std::int64_t there) {
  if (here == there) return std::nullopt;
  for (const ShapeCandidate& each : candidates) {
    if (each.elements == here && other.elements_of(each.shape) == there) return product_of(each.shape);
  }
  return std::nullopt;
}

}  // namespace

IndexCode::IndexCode(const Draft& draft, const model::Artifact& artifact, Probed whose, std::int64_t scale,
                     bool reversed)
    : draft_(draft), whose_(whose), run_(draft, artifact, whose, scale, reversed) {}

bool IndexCode::start() {
  if (!run_.ready()) return false;
  std::int64_t most = 1;
  bytes_.assign(draft_.arguments.size(), 0);
  for (std::size_t i = 0; i < bytes_.size(); ++i) {
    if (draft_.arguments[i].role == "scalar") continue;
    const auto elements = run_.elements_of(draft_.arguments[i].shape);
    if (!elements || *elements > (std::int64_t{2} << 20)) return false;
    bytes_[i] = *elements * run_.element_bytes(i);
    most = std::max(most, *elements);
  }
  const bool launched = whose_ == Probed::reference ? launch_reference(draft_, run_, most)
                                                    : run_.set_launch(draft_.launch.grid, draft_.launch.block,
                                                                      draft_.launch.dynamic_smem);
  if (!launched) return false;
  for (const ProbeFill fill : {ProbeFill::zeros, ProbeFill::ones}) {
    if (run_.fits(bytes_, fill)) fills_.push_back(fill);
  }
  return !fills_.empty();
}

bool IndexCode::tired() const {
  return run_.spent() > most_while_indexing;
}

std::optional<std::int64_t> IndexCode::greatest(ProbeRun::Held held) {
  std::optional<std::int64_t> greatest;
  if (!run_.takes(held.argument)) return greatest;
  const std::int64_t beyond = greatest_of(draft_.arguments[held.argument].dtype);
  for (const ProbeFill fill : fills_) {
    const auto good = [&](std::int64_t number) {
      held.last = number;
      run_.hold(held);
      const bool fits = !tired() && run_.fits(bytes_, fill);
      run_.hold(std::nullopt);
      return fits;
    };
    if (good(beyond) || !good(0)) continue;
    std::int64_t least = 0, most = beyond;  // the one is good, the other is not
    while (least + 1 < most) {
      const std::int64_t middle = least + (most - least) / 2;
      (good(middle) ? least : most) = middle;
    }
    greatest = std::min(greatest.value_or(least), least);
  }
  return greatest;
}

bool IndexCode::takes_less_than_zero(std::size_t argument) {
  if (!run_.takes(argument)) return true;
  run_.hold(ProbeRun::Held{argument, -1, false});
  const bool fits =
      std::ranges::all_of(fills_, [&](ProbeFill fill) { return !tired() && run_.fits(bytes_, fill); });
  run_.hold(std::nullopt);
  return fits;
}

IndexCodes::IndexCodes(const Draft& draft, const model::Artifact& kernel, const model::Artifact* reference)
    : draft_(draft), kernel_(kernel), reference_(reference) {
  start(here_, 1);
  if (here_.empty()) return;
  if (draft_.axes.size() >= many_axes) start(there_, 1, true);
  // With an axis that is a multiple of 96 three times the scale are the same sizes; of 105, seven times.
  for (const std::int64_t factor : {3, 5, 7, 11, 13}) {
    if (sizes_differ() || draft_.axes.size() >= many_axes) break;
    Codes larger;
    start(larger, factor);
    if (larger.empty()) break;
    there_ = std::move(larger);
  }
  candidates_ = size_candidates(draft_, here_.front()->run());
}

bool IndexCodes::sizes_differ() const {
  return !there_.empty() && std::ranges::all_of(draft_.axes, [&](const DraftAxis& axis) {
    // Those of compile time are what they are.
    return axis.compile_time ||
           here_.front()->run().value_of(axis.name) != there_.front()->run().value_of(axis.name);
  });
}

/// The same sizes for both, small ones: each number is a launch.
void IndexCodes::start(Codes& codes, std::int64_t factor, bool stepped) const {
  for (const Probed whose : {Probed::reference, Probed::kernel}) {
    if (whose == Probed::reference && reference_ == nullptr) continue;
    const std::int64_t scale = scales_of(draft_, Probed::reference).front() * factor;
    auto code = std::make_unique<IndexCode>(draft_, whose == Probed::kernel ? kernel_ : *reference_, whose,
                                            scale, factor != 1);
    if (stepped) code->step();
    if (code->start()) codes.push_back(std::move(code));
  }
}

std::optional<std::int64_t> IndexCodes::greatest(const Codes& codes, const ProbeRun::Held& held) const {
  std::optional<std::int64_t> least;
  for (const auto& code : codes) {
    const auto one = code->greatest(held);
    if (code->tired()) return std::nullopt;
    if (one) least = std::min(least.value_or(*one), *one);
  }
  return least;
}

std::optional<std::int64_t> IndexCodes::greatest_here(const ProbeRun::Held& held) const {
  return greatest(here_, held);
}

std::optional<IndexCodes::Last> IndexCodes::last(const ProbeRun::Held& held) const {
  const auto here = greatest(here_, held), there = greatest(there_, held);
  if (!here || !there || *here < 1 || *there < 1) return std::nullopt;
  // 0 to n - 1 is said by n; offsets go to n itself, and counts may.
  const auto size = size_of(candidates_, there_.front()->run(), *here + 1, *there + 1);
  Last last{"", size_of(candidates_, there_.front()->run(), *here, *there).value_or("")};
  if (*here == *there && *here <= 65536) {
    if (sizes_differ()) last.number = std::to_string(*here);
  } else if (size && size->ends_with(" + 1")) {
    last.number = size->substr(0, size->size() - 4);
  } else if (size) {
    last.number = *size + " - 1";
  } else {
    last.number = last.size;
  }
  return last;
}

bool IndexCodes::reference_takes_more(const ProbeRun::Held& held) const {
  if (here_.size() < 2) return false;
  const auto reference = here_.front()->greatest(held), kernel = here_.back()->greatest(held);
  const bool tired = here_.front()->tired() || here_.back()->tired();
  return !tired && kernel && (!reference || *reference > *kernel);
}

bool IndexCodes::take_less_than_zero(std::size_t argument) const {
  const auto takes = [&](const auto& code) { return code->takes_less_than_zero(argument); };
  return std::ranges::all_of(here_, takes) && std::ranges::all_of(there_, takes);
}

bool stay_in_bounds(const Draft& draft, const model::Artifact& kernel, const model::Artifact* reference,
                    bool larger) {
  const bool many = draft.axes.size() >= many_axes;
  const std::int64_t scale = scales_of(draft, Probed::reference).front() * (larger && !many ? 3 : 1);
  IndexCode one(draft, kernel, Probed::kernel, scale, larger && !many);
  if (larger && many) one.step();
  if (one.start() && !one.holds()) return false;
  if (reference == nullptr) return true;
  IndexCode other(draft, *reference, Probed::reference, scale, larger && !many);
  if (larger && many) other.step();
  return !other.start() || other.holds();
}

}  // namespace evo::intake
