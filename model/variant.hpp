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

/// What a launch needs besides buffers; all resolved numbers.
struct LaunchPlan {
  std::array<std::uint32_t, 3> grid{1, 1, 1};
  std::array<std::uint32_t, 3> block{1, 1, 1};
  std::uint32_t dynamic_smem = 0;  ///< bytes
  /// Kernel parameters after the case's arguments, in this order.
  std::vector<TensorMapPlan> tensor_maps{};
};

/// A kernel parameter with its sizes resolved for one workload.
struct BoundArgument {
  std::string name;
  ArgumentRole role = ArgumentRole::input;
  DType dtype = DType::f16;
  std::vector<std::int64_t> shape, strides;  ///< elements
  double scalar_float = 0;                   ///< role scalar, f32/f64
  std::int64_t scalar_integer = 0;           ///< role scalar, integer types
  bool zeroed = false;                       ///< role workspace: holds zeros before every launch

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
};

/// The template's space with compile-time axes and the target's limits (smem_limit, max_threads, warp_size)
/// bound. smem_limit = 0 takes the target's opt-in limit.
[[nodiscard]] Space bind_space(const Problem& problem, const Template& kernel,
                               const std::map<std::string, std::int64_t, std::less<>>& compile_time_axes,
                               const TargetProfile& target, std::int64_t smem_limit = 0);

/// Source text with the genes (and compile-time axes) as macros in front. An integer gene is `#define BLOCK_M
/// 64`; a symbolic gene G with values a, b gives `#define G_a 0`, `#define G_b 1`, `#define G G_a`.
[[nodiscard]] std::string render_source(const Template& kernel, const Space& bound_space,
                                        const Genome& genome);
/// The template's entry with {NAME} replaced by the value of that gene or compile-time axis.
[[nodiscard]] std::string render_entry(const Template& kernel, const Space& bound_space,
                                       const Genome& genome);
[[nodiscard]] Variant make_variant(const Template& kernel, const Space& bound_space, const Genome& genome);

/// What differs in a case from what the problem's expressions say, by the argument's index.
struct CaseChanges {
  std::map<std::size_t, std::vector<std::int64_t>> strides;  ///< of arrays, in elements
  std::map<std::size_t, double> scalars;                     ///< integers where the argument is one
  [[nodiscard]] bool empty() const { return strides.empty() && scalars.empty(); }
};

/// Resolves shapes, strides, scalars and the launch plan. Errors name the expression's file and line
/// (division by zero, negative sizes, grid or block out of the CUDA limits, a box that no tensor map takes).
[[nodiscard]] Expected<Case> bind_case(const Problem& problem, const Template& kernel,
                                       const Space& bound_space, const Genome& genome,
                                       const Workload& workload, const CaseChanges& changes = {});
/// Static shared memory as the template predicts it, in bytes.
[[nodiscard]] Expected<std::int64_t> predicted_static_smem(const Template& kernel, const Space& bound_space,
                                                           const Genome& genome);

}  // namespace evo::model
