// From a genome to a source, a launch plan and bound arguments.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "model/problem.hpp"
#include "model/target.hpp"
#include "model/value_range.hpp"
#include "model/verdict.hpp"

namespace evo::model {

/// Genome + final source, named by its content hash.
struct Variant {
  std::string id;  ///< first 16 hexadecimal digits of the hash of template, source and launch model
  std::string template_name;
  Genome genome;
  std::string source;                  ///< what NVRTC gets; #line keeps the template's own line numbers
  std::vector<std::string> options{};  ///< of the compiler, besides evo's own
  /// The program that makes the source failed: the compile gate's verdict.
  std::optional<Failure> failure{};
};

/// A tensor map, resolved: what cuTensorMapEncodeTiled takes besides the address.
struct TensorMapPlan {
  std::string name;
  std::uint32_t argument = 0;  ///< index of the viewed array among the case's arguments
  DType dtype = DType::f16;
  std::vector<std::uint64_t> sizes;    ///< elements, the contiguous dimension first
  std::vector<std::uint64_t> strides;  ///< bytes, from the second dimension on
  std::vector<std::uint32_t> box;      ///< elements
  std::uint32_t swizzle = 0;           ///< bytes: 0, 32, 64, 128
  /// False where the array's strides allow no map (a distance that is no multiple of 16 bytes) or it is
  /// empty: the parameter is then 128 zero bytes, and the kernel has to copy in another way.
  bool encodable = true;

  friend bool operator==(const TensorMapPlan&, const TensorMapPlan&) = default;
};

/// A variable of the module that holds the contents of an array when the first kernel of a plan starts.
struct SymbolPlan {
  std::uint32_t argument = 0;  ///< index among the case's arguments
  std::string name;            ///< as C++ names it

  friend bool operator==(const SymbolPlan&, const SymbolPlan&) = default;
};

/// A struct that a kernel takes by value: the case's arguments from `first` on are its members, pointers and
/// scalars, at these offsets in bytes.
struct StructPlan {
  std::uint32_t first = 0, bytes = 0;
  std::vector<std::uint32_t> offsets;

  friend bool operator==(const StructPlan&, const StructPlan&) = default;
};

/// A scalar that has another value in this launch than in the case: it follows a loop of launches.
struct ScalarPlan {
  std::uint32_t argument = 0;  ///< index in the case
  std::int64_t value = 0;

  friend bool operator==(const ScalarPlan&, const ScalarPlan&) = default;
};

/// What a launch needs besides buffers; all resolved numbers. Several kernels in a row are one plan, the
/// first of them with the others in `then`.
struct LaunchPlan {
  std::array<std::uint32_t, 3> grid{1, 1, 1};
  std::array<std::uint32_t, 3> block{1, 1, 1};
  std::uint32_t dynamic_smem = 0;  ///< bytes
  /// Kernel parameters after the case's arguments, in this order.
  std::vector<TensorMapPlan> tensor_maps{};
  std::uint32_t kernel = 0;  ///< 0: Artifact::entry; i: the i-th of Artifact::others, counted from 1
  /// Of the case's arguments, those that the kernel takes, in the order of its parameters. None: all.
  std::optional<std::vector<std::uint32_t>> arguments{};
  /// Of the first kernel's plan only: filled before it starts. One that the module lacks is left out.
  std::vector<SymbolPlan> symbols{};
  /// Of the arguments that the kernel takes, those that make up one parameter. One of whose members only some
  /// are taken is none.
  std::vector<StructPlan> structs{};
  std::vector<ScalarPlan> scalars{};
  /// Kernels that start behind this one, in order, each when the one before has ended. Theirs are empty.
  std::vector<LaunchPlan> then{};
};

/// The plan and those in its `then`, in the order in which they start.
[[nodiscard]] std::vector<const LaunchPlan*> kernels_of(const LaunchPlan& plan);
/// Threads of all kernels of the plan.
[[nodiscard]] double threads_in(const LaunchPlan& plan);
/// The plan as text: equal for plans that no device can tell apart.
[[nodiscard]] std::string text_of(const LaunchPlan& plan);

/// A kernel parameter with its sizes resolved for one workload.
struct BoundArgument {
  std::string name;
  ArgumentRole role = ArgumentRole::input;
  DType dtype = DType::f16;
  std::vector<std::int64_t> shape, strides;  ///< elements
  double scalar_float = 0;                   ///< role scalar, f32/f64
  std::int64_t scalar_integer = 0;           ///< role scalar, integer types
  /// Role scalar, integer types: what it can be at any size that the problem allows, as far as that is known.
  std::optional<ValueRange> scalar_range{};
  bool zeroed = false;              ///< holds zeros before every launch
  bool keeps_unwritten = false;     ///< Argument::keeps_unwritten
  bool reproducible = true;         ///< Argument::reproducible
  std::optional<BoundFill> fill{};  ///< in every input set that set_fills does not name
  std::map<std::string, BoundFill, std::less<>> set_fills{};
  std::int64_t alignment = 0;             ///< Argument::alignment
  std::optional<TextureModel> texture{};  ///< Argument::texture; its shape is fine (texture_objection)
  Reduction reduce = Reduction::none;     ///< Argument::reduce
  std::int64_t slices = 1;                ///< of `shape`, one behind the other, that the kernel writes

  /// As the kernel has it: with the slices as the first dimension, and nothing to reduce.
  [[nodiscard]] BoundArgument unreduced() const;

  /// How its contents are drawn in the input set of this name; null: as the set's kind has it.
  [[nodiscard]] const BoundFill* fill_in(std::string_view set) const;

  /// Elements from the first to the last addressed one (0 for an empty shape).
  [[nodiscard]] std::int64_t extent() const;
};

/// One workload of a variant, ready to run: plain data that can cross a wire.
struct Case {
  std::string name;  ///< the workload's
  double weight = 1;
  std::map<std::string, std::int64_t, std::less<>> axes;
  std::vector<BoundArgument> arguments;
  LaunchPlan launch;
  double flops = 0, bytes = 0;
  std::optional<LaunchPlan> reference_launch{};  ///< of the problem's reference kernel, where it has one
  bool reference_by_element = false;             ///< in that launch, thread i writes element i of an output
  bool reference_guessed = false;                ///< ReferenceKernel::guessed, or there is no launch in it
  /// The scalar that has a value which nobody declared, and for which the oracle may have no answer.
  std::optional<std::size_t> undeclared_scalar{};
  /// Thread instructions for a reference kernel on data that nobody declared, which it may take for counts of
  /// a loop; 0: as many as it needs.
  std::uint64_t reference_budget = 0;
  std::optional<DType> computes_in{};  ///< as Problem has it
};

/// The template's space with compile-time axes and the target's limits (smem_limit, max_threads, warp_size)
/// bound. smem_limit = 0 takes the target's opt-in limit.
[[nodiscard]] Space bind_space(const Problem& problem, const Template& kernel,
                               const std::map<std::string, std::int64_t, std::less<>>& compile_time_axes,
                               const TargetProfile& target, std::int64_t smem_limit = 0);

/// What expressions of the template's space see: the genes' values and what the space fixes.
[[nodiscard]] Environment environment_of(const Space& bound_space, const Genome& genome);

/// Source text with the genes (and compile-time axes) as macros in front. An integer gene is `#define BLOCK_M
/// 64`; a symbolic gene G with values a, b gives `#define G_a 0`, `#define G_b 1`, `#define G G_a`.
[[nodiscard]] std::string render_source(const Template& kernel, const Space& bound_space,
                                        const Genome& genome);
/// Launches that a genome's plan makes, in order; pointers into `kernel`. Errors: a `when` that is no number
/// (file and line), or that leaves no launch.
[[nodiscard]] Expected<std::vector<const LaunchModel*>> launches_of(const Template& kernel,
                                                                    const Space& bound_space,
                                                                    const Genome& genome);
/// A launch in its turn.
struct LaunchStep {
  const LaunchModel* launch = nullptr;
  Environment loops;  ///< value of each loop around it
};
constexpr std::size_t most_launches = 10000;  ///< of one plan
/// What `launches` make where the environment has the genes and all axes, in order: each as often as its
/// loops say. Errors (file and line): a value that is no number, a step of 0, more than most_launches, none
/// at all.
[[nodiscard]] Expected<std::vector<LaunchStep>> launch_steps(const std::vector<const LaunchModel*>& launches,
                                                             const Environment& environment);
/// Each loop's name with its first value, as `environment` has it: what a scalar that follows one is without
/// it. A loop whose bounds have none there is left out.
[[nodiscard]] Environment first_turns(const Template& kernel, const Environment& environment);
/// Does the scalar's value name a loop of a template?
[[nodiscard]] bool follows_loop(const Problem& problem, const ScalarValue& scalar);
/// Names of the kernels that the genome launches, each once, in the order in which they start first, with
/// {NAME} replaced as in render_entry(): LaunchPlan::kernel counts in it. Empty where launches_of() is an
/// error.
[[nodiscard]] std::vector<std::string> render_entries(const Template& kernel, const Space& bound_space,
                                                      const Genome& genome);
/// The kernel of one of the template's launches, with {NAME} replaced.
[[nodiscard]] std::string render_launch_entry(const Template& kernel, const LaunchModel& launch,
                                              const Space& bound_space, const Genome& genome);
/// The kernel that the genome launches first, with {NAME} replaced by the value of that gene or compile-time
/// axis.
[[nodiscard]] std::string render_entry(const Template& kernel, const Space& bound_space,
                                       const Genome& genome);
[[nodiscard]] Variant make_variant(const Template& kernel, const Space& bound_space, const Genome& genome);

/// What differs in a case from what the problem's expressions say, by the argument's index.
struct CaseChanges {
  std::map<std::size_t, std::vector<std::int64_t>> strides;  ///< of arrays, in elements
  std::map<std::size_t, double> scalars;                     ///< integers where the argument is one
  std::optional<std::size_t> undeclared_scalar{};            ///< as Case has it
  [[nodiscard]] bool empty() const { return strides.empty() && scalars.empty(); }
};

/// Resolves shapes, strides, scalars and the launch plan. Errors name the expression's file and line
/// (division by zero, negative sizes, grid or block out of the CUDA limits, a box that no tensor map takes).
[[nodiscard]] Expected<Case> bind_case(const Problem& problem, const Template& kernel,
                                       const Space& bound_space, const Genome& genome,
                                       const Workload& workload, const CaseChanges& changes = {});
/// Static shared memory as the template predicts it, in bytes: of the first kernel that the genome launches.
[[nodiscard]] Expected<std::int64_t> predicted_static_smem(const Template& kernel, const Space& bound_space,
                                                           const Genome& genome);
/// The same of each kernel of render_entries(), in that order: the largest of its launches';
/// nothing where one of them predicts nothing.
[[nodiscard]] Expected<std::vector<std::optional<std::int64_t>>> predicted_static_smem_of_all(
    const Template& kernel, const Space& bound_space, const Genome& genome);

}  // namespace evo::model
