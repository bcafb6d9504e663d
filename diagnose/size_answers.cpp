// What the outputs would be if an axis were shorter or longer.
#include <optional>
#include <set>

#include <fmt/format.h>

#include "diagnose/answer_list.hpp"
#include "evaluators/oracle/elements.hpp"
#include "evaluators/oracle/layout.hpp"

namespace evo::diagnose {

namespace oracle = evaluators::oracle;
using model::ArgumentRole;
using model::BoundArgument;
using Coordinates = AnswerList::Coordinates;

namespace {

std::optional<std::size_t> flat_in(const BoundArgument& argument, const Coordinates& at) {
  std::int64_t flat = 0;
  for (std::size_t d = 0; d < at.size(); ++d) {
    if (at[d] >= argument.shape[d]) return std::nullopt;
    flat = flat * argument.shape[d] + at[d];
  }
  return static_cast<std::size_t>(flat);
}

void ask_size(AnswerList& list, const std::string& axis, std::int64_t value) {
  model::Workload workload;
  workload.axes = list.seen().bound.axes;
  const std::int64_t now = workload.axes.at(axis);
  workload.axes[axis] = value;
  auto bound = model::bind_case(list.subject().problem, list.subject().kernel_template, list.subject().space,
                                list.subject().candidate.genome, workload);
  if (!bound || bound->flops > most_answer_flops || oracle::has_64bit_strides(*bound)) return;
  oracle::InputBuffers inputs(bound->arguments.size());
  bool in_shape = false;
  for (std::size_t i = 0; i < bound->arguments.size(); ++i) {
    const BoundArgument &to = bound->arguments[i], &from = list.seen().bound.arguments[i];
    in_shape = in_shape || to.shape != from.shape;
    if (to.role == ArgumentRole::scalar && oracle::is_floating(to.dtype))
      bound->arguments[i].scalar_float = from.scalar_float;
    if (to.role != ArgumentRole::input) continue;
    const std::vector<double> values = oracle::load_array(from, list.seen().inputs[i]);
    inputs[i].assign(static_cast<std::size_t>(oracle::buffer_bytes(to)), std::byte{0});
    const std::vector<std::int64_t> offsets = oracle::element_offsets(to);
    for (std::size_t e = 0; e < offsets.size(); ++e) {
      const auto at = flat_in(from, oracle::coordinates_of(to, static_cast<std::int64_t>(e)));
      if (at)
        oracle::store_element(to.dtype, values[*at],
                              inputs[i].data() + offsets[e] * model::size_of(to.dtype));
    }
  }
  if (!in_shape) return;
  const auto outputs = list.oracle().compute(*bound, inputs);
  if (!outputs) return;
  const BoundArgument &to = bound->arguments[list.output()],
                      &from = list.seen().bound.arguments[list.output()];
  std::vector<double> expected(list.actual().size(), 0);
  std::vector<bool> mask(list.actual().size(), false);
  for (std::size_t e = 0; e < (*outputs)[list.output()].size(); ++e) {
    const auto at = flat_in(from, oracle::coordinates_of(to, static_cast<std::int64_t>(e)));
    if (!at) continue;
    expected[*at] = (*outputs)[list.output()][e];
    mask[*at] = true;
  }
  list.weigh(value < now ? "elements_dropped" : "padding_counted", axis,
             value < now ? fmt::format("only the first {} of {}={} count", value, axis, now)
                         : fmt::format("{} zeros past the end of {}={} count too", value - now, axis, now),
             expected, mask);
}

}  // namespace

/// The answer to a smaller or larger problem, of which the outputs have a part: what lies past a bound does
/// not count, or zeros past the end do.
void ask_sizes(AnswerList& list, const std::string& axis) {
  const std::int64_t now = list.seen().bound.axes.at(axis);
  std::set<std::int64_t> tried;
  for (const std::int64_t tile : {1, 2, 4, 8, 16, 32, 64, 128, 256}) {
    const std::int64_t less = tile == 1 ? now - 1 : now / tile * tile;
    const std::int64_t more = tile == 1 ? now + 1 : (now + tile - 1) / tile * tile;
    if (less > 0 && less < now && tried.insert(less).second) ask_size(list, axis, less);
    if (more > now && tried.insert(more).second) ask_size(list, axis, more);
    if (tile > 1 && now - tile > 0 && tried.insert(now - tile).second) ask_size(list, axis, now - tile);
  }
}

}  // namespace evo::diagnose
