// What the command line says, as plain values: one struct a verb.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "intake/request.hpp"
#include "session/characterize.hpp"
#include "session/source_experiment.hpp"
#include "terminal/common_options.hpp"

namespace evo::cli {

/// The farm that a run or a worker is of; no URL: none.
struct FarmOptions {
  std::string url, token_file, ca_file;
};

/// `evo farm up`
struct FarmUpOptions {
  std::string host = "127.0.0.1", folder = "farm", certificate, key, run_nkey;
  std::vector<std::string> worker_nkeys;
  std::uint16_t port = 4222;
  bool tokens = false;
  int max_connections = 16384;
  std::int64_t max_disk_mib = 0;  ///< 0: as the disk has it
  std::int64_t max_memory_mib = 256;
};

/// `evo farm token`
struct FarmTokenOptions {
  std::string name, folder = "farm";
  bool revoke = false;
};

/// `evo farm metrics`
struct FarmMetricsOptions {
  std::string host = "127.0.0.1";
  std::uint16_t port = 9464;
};

/// How a run that goes on is looked at.
struct LookOptions {
  bool plain = false;                 ///< lines instead of the panel
  bool serve = false;                 ///< the page over HTTP on this machine, as long as the run goes on
  std::optional<std::uint16_t> port;  ///< of it; without: 8719, or any that is free
};

struct RunOptions {
  LookOptions look;
  std::string experiment;
  std::string run_dir;
  std::optional<std::uint64_t> seed, input_seed;
  std::string device;
  int threads = 0;               ///< 0 = one per core
  std::vector<std::string> set;  ///< dotted.key=value
  bool dry_run = false;
  bool explain = false;
  FarmOptions farm;
  std::int64_t idle_checks = 0;  ///< comparisons while a GPU has nothing else to do
};

/// `evo new`
struct NewOptions {
  intake::Request intake;
  std::string output;  ///< folder; "": the kernel's name
  bool force = false;
};

/// `evo tune`
struct TuneOptions {
  LookOptions look;
  intake::Request intake;
  std::string run_dir;
  std::optional<std::uint64_t> seed, input_seed;
  std::vector<std::string> set;
  int threads = 0;
  bool explain = false;
};

/// `evo import`
struct ImportOptions {
  std::string file, output, workloads;
  bool force = false;
};

struct ResumeOptions {
  LookOptions look;
  std::string run;
  int threads = 0;
  FarmOptions farm;
  std::int64_t idle_checks = 0;
  std::int64_t insight_checks = 0;  ///< in the place of a smaller budget.insight_checks
};

struct ReplayOptions {
  std::string run, variant;
  int threads = 0;
};

struct LineageOptions {
  std::string run, variant;
};

/// `evo show`
struct ShowOptions {
  std::string run, variant;
  std::optional<std::int64_t> trial;
  bool samples = false;
};

struct InsightsOptions {
  std::string run;
  std::vector<std::string> merge;  ///< further runs of the same problem
  std::string plot;                ///< SVG; "": none
  std::optional<int> generation;   ///< nullopt: the last
  bool all = false, markdown = false;
};

struct ReportOptions {
  std::vector<std::string> runs;
  std::vector<std::string> benches;  ///< files that evo bench --json wrote
  std::string output;                ///< "": report.html
  bool watch = false;
  std::string card;  ///< file for the share card; "": none
};

struct ServeOptions {
  std::vector<std::string> runs, benches;
  std::string host = "127.0.0.1";
  std::uint16_t port = 8719;
  std::string token;
};

/// `evo watch`
struct WatchOptions {
  std::string run;
  bool plain = false;
};

struct RunsOptions {
  std::string folder = "runs";
};

struct ExportOptions {
  std::string run, variant, output;
  std::string format = "files";  ///< "files", "one-file", "kernel-tuner-cache", "t4"
  std::string template_name;     ///< of the trials that the last two write
};

struct ValidateOptions {
  std::string experiment, device;
  std::vector<std::string> set;
  std::optional<std::uint64_t> input_seed;
  bool barriers = false;
};

using CheckOptions = session::SourceRequest;

struct BenchOptions {
  std::string subject;                ///< run folder or experiment
  std::vector<std::string> variants;  ///< besides champion and baseline
  std::string device, python = "python3";
  std::optional<std::string> sweep;  ///< its name; "": the problem's first
  bool no_comparators = false;
  bool cudnn = false;  ///< cuDNN's graph API beside the comparators, not only in place of them
  int rounds = 8;
  std::string plot;  ///< SVG; "": none
  int aa = 0;        ///< > 0: so many renamed copies of the baseline instead
  int threads = 0;   ///< of the copies; 0 = one per core
};

/// `evo compare` and, with `first` and `output` alone, `evo baseline save`
struct CompareOptions {
  std::string first, second, output;
  CheckOptions source;   ///< of sides that are sources; its workloads, target and device are for both
  double threshold = 3;  ///< percent
  double error = 0.01;   ///< of all intervals together
  double seconds = 60;   ///< a workload
  std::string cache;     ///< "hot" or "cold"; empty: as the first side's own timings
  bool markdown = false;
};

/// `evo characterize`
struct CharacterizeOptions {
  session::CharacterizeRequest request;
  std::string output;  ///< SVG; "": none
  std::string cache;   ///< "hot" or "cold"; empty: as the subject's own timings
  bool markdown = false;
};

/// With --problem, `source.source` is a kernel's file; without, a run folder.
struct DiagnoseOptions {
  CheckOptions source;
  std::string variant, output;
  bool markdown = false;
  double seconds = 60;
};

struct DoctorOptions {
  bool offline = false;
  bool evaluator = false;
  std::string problem, device;  ///< of the evaluator's self-test
};

/// `evo bench --attacks`, `evo bench --bugs`
struct AttackOptions {
  bool wanted = false;
  bool bugs = false;              ///< the table of bugs instead of the suite of attacks
  std::string folder, device;     ///< device: that of BenchOptions
  std::vector<std::string> only;  ///< parts of names, or ids
  std::string share;              ///< "1/3"; empty: all
  int threads = 0;
  int seeds = 1;                            ///< input seeds that each fixture runs on
  std::optional<std::uint64_t> input_seed;  ///< what they come from; drawn if it is not given
};

struct CacheOptions {
  bool clear = false;
};

struct WorkerOptions {
  bool stdio = false;
  std::string shared;
  std::string device;
  FarmOptions farm;
  int threads = 0;         ///< of a farm's worker; 0 = one per core
  std::uint64_t jobs = 0;  ///< of a farm's worker; 0 = stays
  int idle_s = 0;          ///< of a farm's worker; 0 = stays
  int wait_s = 10;         ///< of a farm's worker, for a server that is not up yet
  double price = 0;        ///< of a farm's worker: what an hour of this machine costs
};

/// The internal `evo launch-job`, what compute-sanitizer and profilers watch, and `evo comparator-job`.
struct LaunchOptions {
  std::string device, file, counters;
  int launches = 0;
};

/// `evo profile`
struct ProfileOptions {
  std::string subject, variant;
  CheckOptions source;  ///< of a source; its workloads, target and device are for all
  bool ncu = false;     ///< not CUPTI
  int launches = 0;     ///< that are counted; 0: by their length
  bool all = false;     ///< every source line and stall
};

/// Everything that was parsed; `verb` says which struct counts.
struct Options {
  std::string verb;
  terminal::CommonOptions common;
  RunOptions run;
  NewOptions new_;
  TuneOptions tune;
  ImportOptions import_;
  ResumeOptions resume;
  ReplayOptions replay;
  LineageOptions lineage;
  ShowOptions show;
  InsightsOptions insights;
  ReportOptions report;
  ServeOptions serve;
  RunsOptions runs;
  WatchOptions watch;
  ExportOptions export_;
  ValidateOptions validate;
  CheckOptions check;
  bool check_barriers = false;   ///< `evo check --barriers`
  intake::Request check_intake;  ///< of check without a problem
  BenchOptions bench;
  CompareOptions compare, baseline;
  CharacterizeOptions characterize;
  ProfileOptions profile;
  DiagnoseOptions diagnose;
  DoctorOptions doctor;
  AttackOptions attacks;
  CacheOptions cache;
  WorkerOptions worker;
  LaunchOptions launch;
  std::string farm_verb;  ///< "up", "status", "metrics"
  FarmOptions farm;       ///< of `evo farm status` and `metrics`
  FarmMetricsOptions farm_metrics;
  FarmUpOptions farm_up;
  FarmTokenOptions farm_token;
  std::string completion_shell;
};

/// Parses the arguments. Returns an exit code instead of options when there is nothing left to do
/// (--help, --version: 0; a usage error: 2, told on stderr).
struct ParseResult {
  std::optional<int> exit_code;
  Options options;
};
[[nodiscard]] ParseResult parse_arguments(int argc, const char* const* argv);

}  // namespace evo::cli
