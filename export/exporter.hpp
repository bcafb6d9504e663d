// Writes a variant for use outside of evo: source, launch plan, self-test, provenance.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "model/artifact.hpp"
#include "model/error.hpp"
#include "model/measurement.hpp"
#include "model/problem.hpp"
#include "model/target.hpp"
#include "model/variant.hpp"

namespace evo::exporting {

/// One ancestor, or the variant itself.
struct LineageStep {
  std::string variant;
  std::vector<std::string> parents;
  std::string operator_name;
  std::string rationale;
  int generation = 0;
  int slot = 0;
  std::string template_name;
  model::Genome genome;
  std::string status;
  std::optional<model::Latency> latency;
};

/// What a final verdict says beside its decision: the same two otherwise, or the variant against another
/// library.
struct BesideFigure {
  std::string against;  ///< "baseline", or the library's name
  std::string cache;    ///< "hot" or "cold"
  std::string failure;  ///< why there is no figure; empty otherwise
  std::string decision;
  double speedup = 0;
  std::optional<std::array<double, 2>> interval{};
  std::size_t pairs = 0;  ///< 0: modelled
};

/// The final verdict of a run: the variant against the baseline.
struct FinalFigure {
  std::string decision;  ///< "promoted", "tie", "correct_slower", "not_valid"
  double speedup = 0;
  std::optional<std::array<double, 2>> interval;  ///< of the speed-up; nullopt when modelled
  double confidence = 0, margin = 0;
  std::size_t pairs = 0;
  std::string cache = "hot";  ///< what a timed launch found in the L2
  std::vector<BesideFigure> beside{};
};

/// Where the variant comes from and how it was judged; what the ledger knows.
struct Provenance {
  std::string evo_version;
  std::string experiment;
  std::string run;  ///< name of the run folder
  std::string lineage_sha256;
  std::string status;  ///< of the variant's trial
  std::string device_kind, device_name, driver;
  std::string toolchain;  ///< "NVRTC 13.0.88"
  std::string problem_hash;
  std::uint64_t seed = 0, input_seed = 0;
  std::string baseline_variant;
  std::vector<model::WorkloadLatency> latencies;           ///< of the variant
  std::vector<model::WorkloadLatency> baseline_latencies;  ///< of the baseline, obtained in the same way
  /// What the end of the run said of the variant; nullopt where it was not asked.
  std::optional<FinalFigure> final_figure{};
  std::vector<LineageStep> lineage;  ///< oldest first, the variant last
  std::optional<model::ResourceUsage> resources;
  std::string code_hash;  ///< of the artifact that was proven
};

/// What the oracle answers to one drawn input, for problems whose oracle cannot be compiled into a self-test.
struct RecordedAnswer {
  struct Bound {
    double rms = 0, largest = 0;
  };
  model::Workload workload;
  std::string input_set;
  std::vector<std::vector<std::byte>> inputs;  ///< one an argument, as evaluators/oracle draws them
  std::vector<std::vector<double>> outputs;    ///< one an argument, row-major
  /// One an argument: how far off a kernel may be, in units of the output; empty: the class's bounds alone.
  std::vector<Bound> allowed;
};

/// One file holds NAME.h, the headers and the source, and can be handed on alone.
enum class Form : std::uint8_t { files, one_file };

struct ExportRequest {
  Form form = Form::files;
  model::Problem problem;
  model::Template kernel_template;
  model::Space bound_space;
  model::Variant variant;
  std::vector<model::Workload> workloads;  ///< of the experiment
  model::TargetProfile target;
  std::string accuracy_class;
  std::string name;  ///< stem of the files; empty = the kernel's entry
  Provenance provenance;
  std::vector<RecordedAnswer> answers{};  ///< taken where needs_answers()
  std::string no_answers{};               ///< why there are none
  /// Of a variant that adds up in tensor cores, by the name of each of selftest_cases(): what they may be off
  /// by besides a plain kernel, as a share of the outputs. Empty: it does not.
  std::map<std::string, double> cut_off{};
};

/// Has the problem nothing that a self-test could launch as its reference? It is then written from the
/// request's answers.
[[nodiscard]] bool needs_answers(const model::Problem& problem, const std::string& accuracy_class);

/// Workloads of the request and odd shapes of the problem, bound, as a self-test may run them: it has its
/// arrays as a whole, on the host too, so that views that reach further stay with evo's own gates. Error: one
/// that cannot be bound.
[[nodiscard]] model::Expected<std::vector<model::Case>> selftest_cases(const ExportRequest& request);

/// ExportRequest::cut_off of the case; 0 where it has none.
[[nodiscard]] double cut_off_of(const ExportRequest& request, const model::Case& bound);

/// Writes into `folder`, creating it: NAME.cu (genes fixed; its headers beside it), NAME.h (launch plan as
/// constexpr functions of the axes, checked against the plans that were run, and launch()), CMakeLists.txt,
/// provenance.json; and selftest.cu where the problem has a kernel to check against (its oracle, or a
/// reference.cu beside it) or the request has answers. Files of the same names are replaced. Any entry will
/// do, extern "C" or not. Error: a folder that cannot be written, an expression or workload that cannot be
/// bound, an unknown accuracy class. Form::one_file: NAME.cu, which needs no other file, and provenance.json.
[[nodiscard]] model::Expected<void> write_export(const ExportRequest& request,
                                                 const std::filesystem::path& folder);

}  // namespace evo::exporting
