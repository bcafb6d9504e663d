// The launch of the reference, where nobody has told it.
#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "intake/draft_maker.hpp"
#include "intake/launch_guess.hpp"
#include "intake/reference_launch.hpp"
#include "model/expression.hpp"

namespace evo::intake {

const DraftArgument* DraftMaker::largest_array() const {
  model::Environment sizes;
  for (const DraftAxis& axis : draft_.axes) sizes.insert_or_assign(axis.name, axis.values.front());
  const auto count = [&](const DraftArgument& argument) -> std::int64_t {
    const auto expression = model::Expression::parse(elements_of(argument));
    const auto value =
        expression ? expression->evaluate_integer(sizes) : tl::make_unexpected(expression.error());
    return value ? *value : 0;
  };
  const DraftArgument* largest = nullptr;
  std::int64_t most = 0;
  for (const DraftArgument& argument : draft_.arguments) {
    if (argument.role == "scalar" || argument.role == "workspace" || argument.shape.empty()) continue;
    if (count(argument) <= most) continue;
    most = count(argument);
    largest = &argument;
  }
  return largest;
}

bool DraftMaker::launch_reference_over_inputs() {
  const bool adds =
      std::ranges::any_of(reference_use_.pointers, [](const PointerUse& use) { return use.atomic; });
  if (!adds || reference_use_.y) return false;
  const DraftArgument* largest = largest_array();
  if (largest == nullptr || largest->role != "input") return false;
  draft_.reference_grid = {fmt::format("ceil_div({}, 256)", elements_of(*largest))};
  draft_.reference_block = {"256"};
  draft_.reference_guessed = true;
  draft_.notes.push_back(
      fmt::format("the reference adds to outputs: it gets a thread for each element of {} "
                  "(--reference-grid, --reference-block)",
                  largest->name));
  return true;
}

bool DraftMaker::launch_reference_alone() {
  if (!reference_artifact_ || !reference_use_.alone) return false;
  draft_.reference_grid = {"1"};
  draft_.reference_block = {"1"};
  draft_.notes.push_back(
      "the reference asks for no threadIdx or blockIdx: one thread runs it (--reference-grid, "
      "--reference-block)");
  return true;
}

bool DraftMaker::launch_reference_like_kernel() {
  const bool outputs_told = std::ranges::all_of(draft_.arguments, [&](const DraftArgument& argument) {
    return (argument.role != "output" && argument.role != "inout") || told_shape(argument.name);
  });
  if (!reference_artifact_ || (request_.grid.empty() && !(outputs_told && reference_use_.y))) return false;
  tell("running the reference at small sizes, for its launch");
  auto launch = launch_like_kernel(draft_, *reference_artifact_, reference_use_, reference_text_);
  if (!launch) return false;
  draft_.reference_grid = std::move(launch->grid);
  draft_.reference_block = std::move(launch->block);
  draft_.reference_guessed = true;
  like_kernel_ = fmt::format(
      "the reference is launched as the kernel: grid {}, block {} (--reference-grid, --reference-block)",
      fmt::join(draft_.reference_grid, ", "), fmt::join(draft_.reference_block, ", "));
  draft_.notes.push_back(like_kernel_);
  return true;
}

void DraftMaker::ask_reference_launch_again() {
  if (like_kernel_.empty()) return;
  // Indices that all are 0 or 1 hide the elements that too few threads leave.
  const auto indices = [](const DraftArgument& argument) {
    return std::ranges::any_of(argument.keys, [](const auto& key) { return key.first == "fill"; });
  };
  if (std::ranges::none_of(draft_.arguments, indices)) return;
  tell("running the reference at small sizes, for its launch");
  if (launch_like_kernel(draft_, *reference_artifact_, reference_use_, reference_text_)) return;
  std::erase(draft_.notes, like_kernel_);
  like_kernel_.clear();
  draft_.reference_grid.clear();
  draft_.reference_block.clear();
  draft_.reference_guessed = false;
  if (reference_use_.y) cover_reference();
}

void DraftMaker::collect_other_launches() {
  const bool known = !request_.reference_grid.empty() || reference_use_.alone;
  if (known || !reference_artifact_ || !open_.empty()) return;
  const auto add = [&](DraftReferenceLaunch launch) {
    const bool same = launch.grid == draft_.reference_grid ||
                      std::ranges::any_of(draft_.other_launches,
                                          [&](const auto& each) { return each.grid == launch.grid; });
    if (!same) draft_.other_launches.push_back(std::move(launch));
  };
  if (reference_use_.y) {
    if (auto launch = covering_launch()) add(std::move(*launch));
    return;
  }
  add({});
  // One that goes by what it reads.
  const DraftArgument* largest = largest_array();
  if (largest != nullptr) add({{fmt::format("ceil_div({}, 256)", elements_of(*largest))}, {"256"}});
}

std::optional<DraftReferenceLaunch> DraftMaker::covering_launch() const {
  const DraftArgument* output = largest_output(draft_);
  if (output == nullptr) return std::nullopt;
  std::string side = output->shape.front();
  for (std::size_t i = 1; i < output->shape.size(); ++i)
    side = fmt::format("max({}, {})", side, output->shape[i]);
  const std::string blocks = fmt::format("ceil_div({}, 16)", side);
  return DraftReferenceLaunch{{blocks, blocks}, {"16", "16"}};
}

void DraftMaker::cover_reference() {
  auto launch = covering_launch();
  if (!launch) return;
  draft_.reference_grid = std::move(launch->grid);
  draft_.reference_block = std::move(launch->block);
  draft_.reference_guessed = true;
  draft_.notes.push_back(
      "the reference asks for y: it gets 16 x 16 threads a block, as many blocks a side as the longest of "
      "the output (--reference-grid, --reference-block)");
}

}  // namespace evo::intake
