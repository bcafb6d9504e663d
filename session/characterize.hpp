// `evo characterize`: one kernel over a grid of shapes.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "session/bench.hpp"
#include "session/characterization.hpp"
#include "session/compared.hpp"
#include "session/evaluation_stack.hpp"

namespace evo::session {

/// Arrays of shapes that are proven together: a ladder may hold all of them at a time.
inline constexpr std::int64_t together_bytes = std::int64_t{1} << 31;

struct CharacterizeRequest {
  std::string subject;   ///< as the sides of `evo compare`
  std::string baseline;  ///< the same; empty: a run's own, and none for all else
  bool no_baseline = false;
  std::vector<std::string> axes;  ///< see read_grid()
  SourceRequest source;           ///< of a subject that is a source; its target and device are for all
  int rounds = 16;                ///< in turn, on a GPU
  bool cold = false;
  bool no_comparators = false, cudnn = false;
  std::string python = "python3";
  bool measure_ceilings_again = false;
  std::int64_t part_bytes =
      together_bytes;  ///< arrays of shapes that are proven, then timed, before the next
};

/// What is characterised: kernels that have the grid's shapes as workloads.
struct CharacterizeSubject {
  std::vector<Compared> kernels;  ///< the subject, then the baseline where there is one
  std::string no_baseline;        ///< why there is none
  std::vector<Compared> others;   ///< the problem's comparators that are kernels, at the same shapes
  std::vector<GridAxis> grid;
  std::vector<GridShape> shapes;
};

/// Axes that the grid does not name have the values of the subject's first workload; without a grid the
/// shapes are the subject's workloads. Throws model::Exception: (usage) for what the request names and nobody
/// knows, (invalid_configuration) for files that cannot be read.
[[nodiscard]] CharacterizeSubject read_characterize_subject(const CharacterizeRequest& request);

/// What became of one kernel at one shape on the ladder.
struct ProvenShape {
  std::optional<ShapeRefusal> refused;
  std::optional<model::Latency> latency;  ///< of the ladder's latency gate, where it is not refused
};

/// The stack of an experiment whose workloads are shapes of one grid.
using StackOf = std::function<std::unique_ptr<EvaluationStack>(const model::Experiment&)>;

/// Takes `kernel` up the ladder at every shape. Shapes that are legal go up together, once for each set of
/// compile-time axes and 2 GiB of arrays; where that fails, in halves, until each has a verdict of its own.
[[nodiscard]] std::vector<ProvenShape> prove_shapes(const Compared& kernel,
                                                    const std::vector<GridShape>& shapes,
                                                    const StackOf& stack_of, const Tell& tell,
                                                    const std::stop_token& stop = {});

/// The parts of a characterization that need no device: names, grid, work and refusals of `proven` (one list
/// a kernel, as in `subject`; none: nothing is proven yet).
[[nodiscard]] Characterization begin_characterization(const CharacterizeSubject& subject,
                                                      const std::vector<std::vector<ProvenShape>>& proven);

/// On the virtual device: the latencies are those of the ladder, modelled.
[[nodiscard]] Characterization characterize_modelled(const CharacterizeSubject& subject,
                                                     const StackOf& stack_of, const Tell& tell,
                                                     const std::stop_token& stop = {});

/// Where it is timed, besides what BenchDevice has.
struct CharacterizeDevice {
  BenchDevice bench;
  Ceilings ceilings;
  GpuWatch::Look look{};
  std::string no_state{};  ///< why there is nothing to look at
};

/// What became of every kernel of the subject at some of its shapes: a list a kernel, an entry a shape.
using ProofsOf = std::function<std::vector<std::vector<ProvenShape>>(const std::vector<GridShape>&)>;

/// Times every shape that the ladder has proven, in turn with baseline and comparators. Shapes are asked of
/// `proofs_of` a few at a time (CharacterizeRequest::part_bytes), and timed before the next: what is stopped
/// has what was done.
[[nodiscard]] Characterization characterize_measured(const CharacterizeSubject& subject,
                                                     const CharacterizeRequest& request,
                                                     const ProofsOf& proofs_of, CharacterizeDevice on,
                                                     const std::stop_token& stop, const Tell& tell);

/// All of it on the GPU `device` ("cuda:N"): the ladder in workers, then the rounds. Throws
/// model::Exception(environment) when NVRTC or the GPU is missing.
[[nodiscard]] Characterization characterize_on_gpu(const CharacterizeSubject& subject,
                                                   const CharacterizeRequest& request,
                                                   const DeviceChoice& device, const std::stop_token& stop,
                                                   const Tell& tell);

}  // namespace evo::session
