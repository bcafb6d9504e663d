// What `evo characterize` found, as values.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "evaluators/measure/statistics.hpp"
#include "model/measurement.hpp"
#include "model/variant.hpp"
#include "session/bench_report.hpp"
#include "session/ceilings.hpp"
#include "session/gpu_state.hpp"
#include "session/shape_grid.hpp"

namespace evo::session {

/// Whose latency it is.
enum class Role : std::uint8_t { subject, baseline, comparator };
[[nodiscard]] std::string_view name_of(Role role);

/// One contender at one shape.
struct ShapeFigure {
  std::string contender;  ///< "champion", "kernel", "baseline", "cudnn"
  Role role = Role::subject;
  std::optional<model::Latency> latency;  ///< nullopt: there is none
  std::string unavailable;                ///< why; empty otherwise
  /// How many times as fast as this one the subject is, rounds in turn, 95 %; modelled: the interval is the
  /// ratio itself. nullopt for the subject, and where one of the two has no latency.
  std::optional<evaluators::measure::RatioInterval> speedup;
};

/// Why a shape has no speed.
struct ShapeRefusal {
  /// Of the ladder; "oracle" where nothing says what is correct, "timing" for what went wrong later.
  std::string gate;
  std::string reason;
};

struct CharacterizedShape {
  GridShape shape;
  double flops = 0, bytes = 0;  ///< by the problem's work model; 0: it says nothing
  std::optional<ShapeRefusal> refused;
  std::vector<ShapeFigure> figures;  ///< the subject first; none where the shape is refused
  std::string memory_roof;           ///< "dram" or "l2": which roof the subject's bytes have to pass
  std::optional<RoofShare> share;    ///< of the subject
  std::optional<GpuState> state;     ///< while it was timed

  /// nullptr where the shape is refused.
  [[nodiscard]] const ShapeFigure* subject() const;
  [[nodiscard]] const ShapeFigure* find(std::string_view contender) const;
};

/// A kernel as it was named.
struct CharacterizedKernel {
  std::string given, kind, label, template_name, variant;
  model::Genome genome;
};

struct Characterization {
  std::string problem, target, accuracy_class;
  CharacterizedKernel subject;
  std::optional<CharacterizedKernel> baseline;
  std::string no_baseline;   ///< why there is none; empty otherwise
  std::string latency_kind;  ///< "measured" or "modelled"
  std::string device_kind, device_name, driver, uuid, toolchain, method;
  std::string arithmetic;  ///< the ceiling of the problem's arithmetic, see arithmetic_of()
  bool cold = false;       ///< timed on buffers that do not fit the L2 together
  int rounds = 0;          ///< 0: modelled
  std::vector<GridAxis> grid;
  std::map<std::string, std::int64_t, std::less<>> fixed;  ///< the other axes
  std::vector<BenchComparator> comparators;
  Ceilings ceilings;
  std::string no_state;  ///< why the state of the GPU is not told; empty: it is
  std::vector<CharacterizedShape> shapes;

  [[nodiscard]] bool all_refused() const;
};

}  // namespace evo::session
