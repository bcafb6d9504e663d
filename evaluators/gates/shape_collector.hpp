// The shapes that a candidate is to be checked on, as they come together: what fits is kept, each once.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <set>
#include <vector>

#include "evaluators/gates/drawn_shapes.hpp"

namespace evo::evaluators::gates {

/// Neither compile-time nor with a list of legal values.
[[nodiscard]] bool is_free(const model::Axis& axis);
/// A free axis of fewer than 16 values: each is shown.
[[nodiscard]] bool has_few_values(const model::Axis& axis);
inline constexpr std::int64_t few_values = 16;

/// What a case at a number of the code may cost.
inline constexpr double named_flops = 16777216, named_threads = 8388608;  // 2^24, 2^23

class ShapeCollector {
 public:
  /// The first workload of the experiment, axes that it leaves out at their initial values.
  ShapeCollector(const TemplateContext& context, const model::Genome& genome);

  /// Each axis at, above and below what the code compares with (an index beyond it needs two more), and where
  /// the grid has a block of that number: a path for just one size, or from some size on, has no other reason
  /// to be taken. No draws: what else is drawn stays.
  void name_constants(const std::vector<std::int64_t>& constants);

  /// Three axes or more all of one size, a path for what is a cube; two or more at whole tiles of 128 (or 64,
  /// 32, 16) up to their maxima, of different numbers and of one: a path without tests of edges. Then all
  /// axes at 7680 (or a half, a quarter, ... of that: 240), which tiles of most sizes divide, and one below.
  /// Draws of its own.
  void add_regular(std::uint64_t entropy);
  /// Each axis with `alone` at sizes from there down to its maximum, each about a quarter of the one before,
  /// the other axes small: what a kernel has room for ends somewhere, and it may not tell. Of a search (not
  /// 0) one of them, which `chosen_by` chooses. Draws of its own: what else is drawn stays.
  /// Elsewhere two of them beyond 16 bits at once as well, where that is cheap and no array has both.
  void show_alone(std::uint64_t entropy, std::uint64_t chosen_by);

  /// Each axis at, one below and one above two tiles of the launch (as the plan grows with the axis) of more
  /// than 256 elements, and of the code's `numbers`, for an inner loop's; of three axes or more each at one
  /// above whole tiles while the others have an interior. Light shapes only; no draws.
  void show_tiles(const std::vector<std::int64_t>& numbers);

 protected:
  static constexpr std::int64_t usual_bytes = std::int64_t{64} << 20;  ///< of a case's arrays
  [[nodiscard]] model::Expected<model::Case> bind(const model::Workload& workload) const;
  /// No output may share elements; views with 64-bit strides are the problem's own to declare.
  [[nodiscard]] bool fits(const model::Workload& asked, std::int64_t most_bytes = usual_bytes) const;
  /// False: it does not fit, or is there.
  bool add(CaseUse use, model::Workload asked, std::int64_t most_bytes = usual_bytes);
  /// The first workload, all free axes at 1 but the largest, which is 3, and this one.
  [[nodiscard]] model::Workload one_long(const model::Axis& axis, std::int64_t size) const;
  /// legal_value(), up to the axis's `alone` where it has one.
  [[nodiscard]] static std::int64_t legal_alone(const model::Axis& axis, std::int64_t value);
  [[nodiscard]] bool few_enough(const model::LaunchPlan& plan) const;

  /// The free axes but the largest, in their order: value(0), value(1), ...
  template <class Value>
  void set_others(model::Workload& workload, const Value& value) const {
    std::size_t index = 0;
    for (const model::Axis& axis : problem_.axes) {
      if (is_free(axis) && &axis != largest_) workload.axes[axis.name] = legal_value(axis, value(index++));
    }
  }

  const TemplateContext& context_;
  const model::Problem& problem_;
  const model::Genome& genome_;
  model::Workload first_;
  const model::Axis* largest_ = nullptr;
  std::vector<DrawnShape> shapes_;
  bool blocks_wait_ = false;

 private:
  void show_pairs(std::uint64_t entropy);
  struct AxisTiles {
    const model::Axis* axis = nullptr;
    std::set<std::int64_t>
        tiles;  ///< elements that a block takes; none where the grid does not follow the axis
  };
  bool add_light(CaseUse use, model::Workload workload, double most_flops, double most_threads);
  [[nodiscard]] std::set<std::int64_t> tiles_of(const model::Axis& axis) const;
  std::size_t next_to_tiles(const model::Axis& axis, std::int64_t tile, std::size_t most);
  void one_above_tiles(const std::vector<AxisTiles>& all);
  void all_at(std::int64_t constant);
  [[nodiscard]] std::optional<model::Workload> alone_at(const model::Axis& axis, std::int64_t size) const;
  [[nodiscard]] std::int64_t blocks_beyond(const model::Axis& axis, std::int64_t number) const;

  std::size_t shapes_named_ = 0;
};

}  // namespace evo::evaluators::gates
