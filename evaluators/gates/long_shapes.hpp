// Shapes with an axis, or all of them, longer than what tiles, small counters and floats span.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "evaluators/gates/shape_collector.hpp"
#include "model/random.hpp"

namespace evo::evaluators::gates {

class LongShapes : public ShapeCollector {
 public:
  LongShapes(const TemplateContext& context, const model::Genome& genome, std::uint64_t entropy)
      : ShapeCollector(context, genome),
        stream_({.seed = entropy, .generation = 0, .slot = 0, .purpose = "shapes"}) {}

 protected:
  static constexpr std::int64_t beyond_8_bits = 257;
  /// What a case with all axes large may cost.
  static constexpr double all_axes_flops = 33554432;  // 2^25

  /// One axis after the other beyond ten tiles and 8 bits, beyond 16 bits where that is cheap, and between.
  void stretch();

  /// All axes at once beyond 8 bits, where that is cheap: a product of two sizes that overflows shows.
  void stretch_all();

  /// A grid of more than 256 blocks, where each does some work: who counts blocks by the threads of one, or
  /// in 8 bits, shows. Also where blocks may wait, since a last block adds up what all have left. An axis
  /// that is shown alone goes beyond its maximum for it.
  void many_blocks();

  /// All axes at the `max` that the problem declares, and each of them alone, where that costs little: a
  /// count or a product of two that is too large from somewhere on shows there, if at all.
  void at_maxima();

  /// The first axis that may be so long, beyond the whole numbers that a float holds: an index or a count in
  /// one is off there, and where a block has 256 elements, one of blocks in 16 bits overflows.
  void beyond_floats(const std::vector<std::string>& reduced);

  /// A drawn number from 0 to `end` - 1.
  std::int64_t below(std::int64_t end);

  model::RandomStream stream_;

 private:
  /// Where the axis ends before `value`, a drawn value in its last quarter: its end may be a round number.
  std::int64_t below_maximum(const model::Axis& axis, std::int64_t value);

  /// Few operations, threads and bytes?
  [[nodiscard]] bool cheap(const model::Workload& workload) const;

  /// Or the product of two axes of one array, which each alone is too short for: an index of rows and
  /// columns. Up to their `max`: what an axis has alone holds beside small sizes.
  void beyond_floats_of_two(const std::vector<std::string>& reduced);
};

}  // namespace evo::evaluators::gates
