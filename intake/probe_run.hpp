// Runs a draft's kernel, or its reference, at small sizes on the virtual device: where it goes, what it
// leaves.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "evaluators/devices/virtual/virtual_device.hpp"
#include "intake/draft.hpp"
#include "model/artifact.hpp"
#include "model/expression.hpp"
#include "model/variant.hpp"

namespace evo::intake {

/// Whose code runs: the candidate's takes its own parameters; the reference takes all of the problem's, with
/// double for what floats.
enum class Probed : std::uint8_t { kernel, reference };

/// What arrays hold before: zeros; ones; or neighbours that are not alike, integers 0 or 1. Of an array of
/// integers whose fill: says between which numbers they lie, the least, the greatest, or those between.
enum class ProbeFill : std::uint8_t { zeros, ones, mixed };

/// Thread instructions that a launch may take where no more are granted.
constexpr std::uint64_t most_of_a_launch = 20'000'000;
/// Thread instructions of all looks at one code: seconds, also where many arrays have many axes.
constexpr std::uint64_t most_of_shape_looks = 2'200'000'000;

/// One launch after another of the same code at one set of sizes. The genome is the first one.
class ProbeRun {
 public:
  /// Sizes of axes are primes that say which a product is one of, times `scale` and what the axis is a
  /// multiple of; `reversed`: the first axis has the largest. The axis `least` has the least size that it
  /// can.
  ProbeRun(const Draft& draft, const model::Artifact& artifact, Probed whose, std::int64_t scale,
           bool reversed = false, std::optional<std::size_t> least = std::nullopt);

  /// False where the sizes cannot be chosen, or the module not be loaded: nothing can be run then.
  [[nodiscard]] bool ready() const { return ready_; }
  /// Other sizes than those: one an axis, in the draft's order; those of compile time stay.
  void set_sizes(const std::vector<std::int64_t>& sizes);
  /// Each size becomes the next one that its axis may have, so many times; those of compile time stay.
  void step_sizes(const std::vector<std::int64_t>& times);
  [[nodiscard]] const model::Environment& sizes() const { return environment_; }
  /// An expression over axes and genes.
  [[nodiscard]] std::optional<std::int64_t> value_of(const std::string& expression) const;
  /// Product of a shape; nothing where one of its sizes has no value.
  [[nodiscard]] std::optional<std::int64_t> elements_of(const std::vector<std::string>& shape) const;
  /// Bytes of an element of the argument, as this code has it.
  [[nodiscard]] std::int64_t element_bytes(std::size_t argument) const;
  /// Whether this code gets the argument.
  [[nodiscard]] bool takes(std::size_t argument) const;

  bool set_launch(const std::vector<std::string>& grid, const std::vector<std::string>& block,
                  const std::string& dynamic_smem);
  void set_launch(std::array<std::uint32_t, 3> grid, std::array<std::uint32_t, 3> block);

  /// An array whose elements are all `last` or, `ascending`, go from 0 to it, whatever the filling.
  struct Held {
    std::size_t argument = 0;
    std::int64_t last = 0;
    bool ascending = false;
    std::int64_t elements = 0;  ///< so many ascend, and the others are `last`; 0: all
    std::int64_t column = -1;   ///< of each row that alone, and the others as ever; -1: all
  };
  void hold(std::optional<Held> held) { held_ = held; }
  /// The same of an array that keeps it from now on, whatever hold() says of others.
  void keep(Held held) { kept_.push_back(held); }

  /// Thread instructions that a launch may take.
  void set_budget(std::uint64_t instructions) { budget_ = instructions; }
  /// Whether the last launch was stopped since it took more.
  [[nodiscard]] bool ran_out() const { return ran_out_; }
  /// Thread instructions of the last launch that stayed in bounds.
  [[nodiscard]] std::uint64_t thread_instructions() const { return threads_; }
  /// Launches are counted from now on, which takes longer, and end once all blocks together have taken what a
  /// launch may. `sampled`: of many blocks some run, which say what all would take, and whether these stay in
  /// bounds.
  void count(bool sampled) {
    count_ = true;
    sampled_ = sampled;
  }
  /// Instructions of warps in the last counted launch that stayed in bounds, of all its blocks.
  [[nodiscard]] std::uint64_t warp_instructions() const { return warps_; }
  /// Whether a launch stays in bounds with these many bytes an argument.
  bool fits(const std::vector<std::int64_t>& bytes, ProbeFill fill);
  /// Of each output and inout, the elements that the launch left as they were, whatever they were: 1 for
  /// each. Of several fillings, what all leave. Nothing where it cannot be run.
  std::optional<std::vector<std::vector<std::uint8_t>>> left_alone(const std::vector<std::int64_t>& bytes,
                                                                   unsigned fillings = 4);

  /// What one array holds after a launch; nothing where it cannot be run.
  std::optional<std::vector<std::byte>> contents(const std::vector<std::int64_t>& bytes, std::size_t argument,
                                                 unsigned seed);

  /// What an array holds: `first`, and each element another of so many numbers, upwards or downwards.
  struct Soil {
    std::int64_t first = 0, numbers = 1;
  };
  /// What all arrays hold after a launch before which `argument` held these; nothing where it cannot be run.
  std::optional<std::vector<std::vector<std::byte>>> contents_from(const std::vector<std::int64_t>& bytes,
                                                                   std::size_t argument, Soil soil,
                                                                   unsigned seed);

  /// Of `fill: {integers: [0, n - 1]}` and its like: the ends, for an array of integers.
  [[nodiscard]] std::optional<std::pair<std::int64_t, std::int64_t>> told_range(std::size_t argument) const;

  /// Thread instructions of all launches, those that failed counted as a good share of what they may take.
  [[nodiscard]] std::uint64_t spent() const { return spent_; }
  /// Of the launch that is set.
  /// Null where it is no texture or surface, or a reference's: that takes pointers.
  [[nodiscard]] std::shared_ptr<const evaluators::devices::TextureBinding> object_of(
      std::size_t argument) const;
  [[nodiscard]] std::uint64_t blocks() const;
  [[nodiscard]] const std::array<std::uint32_t, 3>& grid() const { return plan_.grid; }
  [[nodiscard]] const std::array<std::uint32_t, 3>& block() const { return plan_.block; }
  [[nodiscard]] std::uint32_t threads_of_a_block() const {
    return plan_.block[0] * plan_.block[1] * plan_.block[2];
  }

 private:
  void bind(std::int64_t scale, bool reversed, std::optional<std::size_t> least);
  void fill(std::size_t argument, ProbeFill how, unsigned seed, std::vector<std::byte>& bytes) const;
  void fill_whole(std::size_t argument, ProbeFill how, unsigned seed, std::vector<std::byte>& bytes) const;
  /// What is held or told of columns, over what the array holds.
  void fill_columns(std::size_t argument, ProbeFill how, unsigned seed, std::vector<std::byte>& bytes) const;
  void put_number(std::int64_t number, std::size_t argument, std::size_t element,
                  std::vector<std::byte>& bytes) const;
  /// The ends of `fill: {integers: [0, n - 1]}` and its like.
  [[nodiscard]] std::optional<std::pair<std::int64_t, std::int64_t>> range_of(const std::string& fill) const;
  void fill_structs(std::size_t argument, ProbeFill how, unsigned seed, std::vector<std::byte>& bytes) const;
  /// Of `fill: {ends: [begins, n]}` and `{lengths: ...}`: where these rows begin, and where the last may end.
  struct Rows {
    std::size_t begins = 0;
    std::int64_t end = 0;
    bool ends = false;  ///< else lengths
  };
  [[nodiscard]] std::optional<Rows> told_rows(std::size_t argument) const;
  /// False: it is told no such rows.
  bool fill_rows(std::size_t argument, ProbeFill how, unsigned seed, std::vector<std::byte>& bytes) const;
  static bool begins_with_zeros(const DraftArgument& argument);
  /// An output of integers, of any bits: a 0 or a 1 that was written is not one that was left.
  void scatter(std::size_t argument, unsigned seed, std::vector<std::byte>& bytes) const;
  [[nodiscard]] std::vector<std::byte> scalar(const DraftArgument& argument) const;
  [[nodiscard]] double real_value(const std::string& text) const;
  bool launch(const std::vector<std::int64_t>& bytes, ProbeFill how, unsigned seed,
              std::vector<std::vector<std::byte>>* before, std::vector<std::vector<std::byte>>* after);

  const Draft& draft_;
  Probed whose_;
  evaluators::devices::VirtualDevice device_;
  evaluators::devices::ModuleId module_ = 0;
  model::Environment environment_;
  model::LaunchPlan plan_;
  std::optional<Held> held_;
  std::vector<Held> kept_;
  std::optional<std::pair<std::size_t, Soil>> soiled_;
  std::uint64_t spent_ = 0, largest_ = 0, warps_ = 0, threads_ = 0, budget_ = most_of_a_launch;
  bool ready_ = false, ran_out_ = false, count_ = false, sampled_ = false;
};

}  // namespace evo::intake
