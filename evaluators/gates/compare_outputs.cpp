#include "evaluators/gates/compare_outputs.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <iterator>
#include <span>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "evaluators/gates/tensor_sums.hpp"
#include "evaluators/oracle/blurred.hpp"
#include "evaluators/oracle/compare.hpp"
#include "evaluators/oracle/comparison_options.hpp"
#include "evaluators/oracle/exact_words.hpp"
#include "evaluators/oracle/layout.hpp"
#include "evaluators/oracle/undecided.hpp"

namespace evo::evaluators::gates {
namespace {

using model::ArgumentRole;
using model::Status;

/// Of make_inputs(): what stands between the elements of an argument that it fills.
constexpr std::uint32_t given_gap_pattern = 0xffffffff;

/// What is further off than this is not off by the luck of the moves that were asked.
constexpr double most_times_bound = 100;

constexpr std::array<std::string_view, 6> reasons_by_weight{
    "guard_overwritten", "input_modified", "gap_overwritten", "unwritten", "non_finite", "mismatch"};

std::size_t weight(const std::string& reason) {
  return static_cast<std::size_t>(std::find(reasons_by_weight.begin(), reasons_by_weight.end(), reason) -
                                  reasons_by_weight.begin());
}

/// Keeps the evidence of both and the heavier reason.
void merge(std::optional<model::Failure>& all, model::Failure more) {
  if (!all) {
    all = std::move(more);
    return;
  }
  if (weight(more.reason) < weight(all->reason)) {
    all->reason = more.reason;
    all->evidence.insert(all->evidence.begin(), more.evidence.begin(), more.evidence.end());
  } else {
    all->evidence.insert(all->evidence.end(), more.evidence.begin(), more.evidence.end());
  }
}

std::optional<model::Failure> judge_input(const model::BoundArgument& argument,
                                          const std::vector<std::byte>& before,
                                          std::span<const std::byte> after) {
  if (before.empty() || std::memcmp(before.data(), after.data(), before.size()) == 0) return std::nullopt;
  const auto [first, other] = std::mismatch(before.begin(), before.end(), after.begin(), after.end());
  return fail(Status::wrong, "input_modified",
              fmt::format("{}: the kernel wrote to an input, first at byte {}", argument.name,
                          first - before.begin()));
}

std::string tolerance_text(const oracle::CompareOptions& options) {
  const model::Tolerance& tolerance = options.tolerance;
  std::string text = fmt::format("{} {:.4g} {:.4g}", tolerance.accuracy_class, tolerance.relative_frobenius,
                                 tolerance.max_abs_over_rms);
  if (tolerance.reference_factor) {
    text += fmt::format(" {:.4g} x plain + {:.4g}", tolerance.reference_factor->factor,
                        tolerance.reference_factor->absolute);
  }
  return options.exact ? text + " exact" : text;
}

/// What passes as doubles may differ in the low bits of its integers.
std::optional<model::Failure> judge_words(const model::Tolerance& tolerance,
                                          const model::BoundArgument& argument, std::size_t index,
                                          std::span<const std::byte> actual,
                                          const oracle::ReferenceData& reference,
                                          const oracle::CompareOptions& options) {
  const std::span<const std::uint8_t> written = options.written;
  // Sums and sorted outputs are compared in an order that is not the array's.
  if (argument.reduce != model::Reduction::none) return std::nullopt;
  if (index >= reference.words.size() || reference.words[index].empty()) return std::nullopt;
  if (!tolerance.automatic && !oracle::is_exact_class(tolerance)) return std::nullopt;
  auto found = oracle::difference_of_words(argument, actual, reference.words[index], written);
  if (!found) return std::nullopt;
  if (const auto defined =
          oracle::with_undefined(argument, index, actual, reference.outputs, reference.words[index],
                                 reference.inputs, reference.undefined, options))
    found = oracle::difference_of_words(argument, *defined, reference.words[index], written);
  if (!found) return std::nullopt;
  const auto text = [&](std::int64_t word) {
    return argument.dtype == model::DType::u64 ? fmt::to_string(static_cast<std::uint64_t>(word))
                                               : fmt::to_string(word);
  };
  return fail(
      Status::wrong, "mismatch",
      fmt::format("{}: {} of {} elements are wrong in bits that a double does not hold; {}[{}] is {}, should "
                  "be {}",
                  argument.name, found->count, reference.words[index].size(), argument.name,
                  fmt::join(found->coordinates, ","), text(found->actual), text(found->expected)),
      {{"wrong_share", fmt::format("{:.4g}", static_cast<double>(found->count) /
                                                 static_cast<double>(reference.words[index].size()))}});
}

std::optional<model::Failure> judge_output(const Bounds& bounds, const model::Case& bound, std::size_t index,
                                           std::span<const std::byte> actual,
                                           const oracle::ReferenceData& reference, const Snapshot& snapshot) {
  const model::BoundArgument& argument = bound.arguments[index];
  oracle::CompareOptions options = oracle::options_for(bounds.tolerance, reference, index);
  options.relative = bounds.relative;
  if (options.plain_errors)
    options.plain_errors =
        with_cut_off(*options.plain_errors, argument, bounds.truncation, reference.outputs[index]);
  if (model::is_given(argument.role)) {
    options.given = reference.inputs[index];
    options.poison = given_gap_pattern;
  } else {
    options.poison = snapshot.patterns[index];
    options.zeroed = argument.zeroed;
  }
  if (index < snapshot.written.size()) options.written = snapshot.written[index];
  oracle::Comparison result = oracle::compare(argument, actual, reference.outputs[index], options);
  std::vector<std::byte> defined;
  if (!result.pass && (result.reason == "mismatch" || result.reason == "non_finite")) {
    const auto words = index < reference.words.size() ? std::span<const std::int64_t>(reference.words[index])
                                                      : std::span<const std::int64_t>();
    if (auto other = oracle::with_undefined(argument, index, actual, reference.outputs, words,
                                            reference.inputs, reference.undefined, options)) {
      defined = std::move(*other);
      actual = defined;  // for what is granted besides, too
      result = oracle::compare(argument, actual, reference.outputs[index], options);
    }
  }
  if (!result.pass && !options.exact && !oracle::is_exact_class(bounds.tolerance) && reference.rows.empty() &&
      (result.reason == "mismatch" || result.reason == "unwritten")) {  // -96, say, is a poison, too
    const auto granted = oracle::with_undecided(argument, index, actual, reference.outputs, options.written,
                                                reference.inputs, reference.nearby);
    if (granted) result = oracle::compare(argument, actual, *granted, options);
  }
  if (!result.pass && !options.exact && !oracle::is_exact_class(bounds.tolerance) && reference.rows.empty() &&
      options.written.empty() && result.reason == "mismatch") {
    const auto granted =
        oracle::with_blurred(argument, index, actual, reference.outputs, reference.inputs, reference.blurred);
    if (granted) result = oracle::compare(argument, actual, *granted, options);
  }
  if (!result.pass && !options.exact && !oracle::is_exact_class(bounds.tolerance) &&
      options.written.empty() && result.reason == "mismatch" && result.times_bound <= most_times_bound) {
    const auto granted =
        oracle::with_blurred(argument, index, actual, reference.outputs, reference.inputs, reference.moved);
    oracle::Comparison again = result;
    if (granted) again = oracle::compare(argument, actual, *granted, options);
    // Of a mismatch the reference's own numbers are told.
    if (again.pass) result = again;
  }
  if (result.pass) return judge_words(bounds.tolerance, argument, index, actual, reference, options);
  return fail(Status::wrong, result.reason, result.text(argument.name),
              {{"relative_frobenius", fmt::format("{:.4g}", result.relative_frobenius)},
               {"max_abs_over_rms", fmt::format("{:.4g}", result.max_abs_over_rms)},
               {"wrong_share", fmt::format("{:.4g}", result.wrong_share)},
               {"times_bound", fmt::format("{:.4g}", result.times_bound)},
               {"tolerance", tolerance_text(options)},
               {"judged", reference.rows.empty() ? std::string("all rows")
                                                 : fmt::format("{} sampled rows of {}", reference.rows.size(),
                                                               oracle::row_count(argument))}});
}

oracle::InputDigests::Digests digests_of(const devices::Device& device, const oracle::ReferenceData& given) {
  oracle::InputDigests::Digests digests;
  for (const auto& input : given.inputs)
    digests.push_back(input.empty() ? std::nullopt : device.digest(std::as_bytes(std::span(input))));
  return digests;
}

/// Of bytes by argument; no input that the device knows to be as it was has any.
Snapshot snapshot_of(std::vector<devices::HostBytes> bytes, const oracle::InputDigests::Digests& known,
                     const CaseBuffers& buffers) {
  Snapshot snapshot;
  snapshot.bytes = std::move(bytes);
  for (std::size_t i = 0; i < snapshot.bytes.size(); ++i)
    snapshot.unchanged.push_back(i < known.size() && known[i] && snapshot.bytes[i].span().empty());
  snapshot.patterns = buffers.patterns();
  return snapshot;
}

}  // namespace

const oracle::InputDigests::Digests& input_digests(const devices::Device& device,
                                                   const oracle::ReferenceData& given) {
  return given.digests.or_make([&] { return digests_of(device, given); });
}

Snapshot take_snapshot(const JobContext& context, const CaseBuffers& buffers, Guards guards,
                       const oracle::ReferenceData* given) {
  oracle::InputDigests::Digests known;
  if (given != nullptr) known = input_digests(context.device, *given);
  const devices::DeviceLock lock = context.device.lock_device();
  auto contents = buffers.read_all(guards, known);
  if (!contents) {
    Snapshot none;
    none.patterns = buffers.patterns();
    none.damage = std::move(contents.error());
    return none;
  }
  Snapshot snapshot = snapshot_of(std::move(contents->bytes), known, buffers);
  snapshot.guards = std::move(contents->guards);
  return snapshot;
}

Outcome<std::vector<Snapshot>> take_snapshots(const JobContext& context, std::span<const CaseBuffers> sets,
                                              std::span<const oracle::ReferenceData* const> given) {
  std::vector<devices::BufferPiece> wanted;
  std::vector<std::size_t> pieces;
  for (std::size_t i = 0; i < sets.size(); ++i) {
    const auto of_set = sets[i].pieces(input_digests(context.device, *given[i]));
    wanted.insert(wanted.end(), of_set.begin(), of_set.end());
    pieces.push_back(of_set.size());
  }
  auto contents = context.device.read_with_guards(wanted);
  if (!contents) return tl::make_unexpected(std::move(contents.error()));
  if (auto intact = contents->guards(); !intact) return tl::make_unexpected(std::move(intact.error()));
  std::vector<Snapshot> snapshots;
  auto next = contents->bytes.begin();
  for (std::size_t i = 0; i < sets.size(); ++i) {
    const auto end = next + static_cast<std::ptrdiff_t>(pieces[i]);
    auto bytes = sets[i].by_argument({std::make_move_iterator(next), std::make_move_iterator(end)});
    snapshots.push_back(snapshot_of(std::move(bytes), input_digests(context.device, *given[i]), sets[i]));
    next = end;
  }
  return snapshots;
}

std::optional<model::Failure> judge(const Bounds& bounds, const model::Case& bound, const Snapshot& snapshot,
                                    const oracle::ReferenceData& reference, const Details& details) {
  std::optional<model::Failure> all = snapshot.damage;
  if (snapshot.guards) {
    if (auto intact = snapshot.guards(); !intact) merge(all, std::move(intact.error()));
  }
  for (std::size_t i = 0; i < snapshot.bytes.size(); ++i) {
    const model::BoundArgument& argument = bound.arguments[i];
    const bool only_read = argument.role == ArgumentRole::input;
    if (!only_read && !model::is_judged(argument.role)) continue;
    if (only_read && i < snapshot.unchanged.size() && snapshot.unchanged[i]) continue;
    std::span<const std::byte> bytes = snapshot.bytes[i].span();
    // Where two variants take turns on a buffer, the other may have more slices.
    if (argument.reduce != model::Reduction::none)
      bytes = bytes.first(std::min(bytes.size(), static_cast<std::size_t>(oracle::buffer_bytes(argument))));
    auto failure = only_read ? judge_input(argument, reference.inputs[i], bytes)
                             : judge_output(bounds, bound, i, bytes, reference, snapshot);
    if (failure) merge(all, std::move(*failure));
  }
  if (all) return located(std::move(*all), details);
  return std::nullopt;
}

}  // namespace evo::evaluators::gates
