// The command line, in CLI11: the only file that includes it.
#include <cstdio>
#include <optional>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "cli/completion.hpp"
#include "cli/misspelt.hpp"
#include "cli/options.hpp"
#include "model/error.hpp"
#include "model/target.hpp"
#include "session/version.hpp"

namespace evo::cli {
namespace {

constexpr const char* footer =
    R"(Exit codes: 0 done, 1 failed, 2 usage, 3 invalid configuration, 4 environment,
5 no valid candidate, 6 verification failed, 7 and 8 of evo compare, 130 interrupted after a clean checkpoint.
Data goes to stdout, progress and logs to stderr. NO_COLOR is respected.
The virtual device checks kernels that are bound for NVIDIA GPUs; its latencies are modelled, never measured.)";

void add_common(CLI::App& verb, terminal::CommonOptions& common, bool reports = true) {
  if (reports) verb.add_flag("--json", common.json, "Print one JSON document on stdout");
  verb.add_flag("-q,--quiet", common.quiet, "No progress, errors only");
  verb.add_flag("-v,--verbose", common.verbose, "More detail on stderr; twice for everything");
}

void add_look(CLI::App& verb, LookOptions& look) {
  verb.add_flag("--plain", look.plain, "Lines of progress also on a terminal, instead of the live panel");
  auto& serve = *verb.add_flag(
      "--serve", look.serve, "The page of evo serve, read-only, on this machine, as long as the run goes on");
  verb.add_option("--port", look.port, "Port of --serve (default: 8719, or another if that is taken)")
      ->needs(&serve);
}

CLI::Option& add_farm_address(CLI::App& verb, FarmOptions& farm, const std::string& help) {
  CLI::Option& url = *verb.add_option("--farm", farm.url, help);
  verb.add_option("--token-file", farm.token_file, "File with the farm's token, readable by you alone")
      ->needs(&url);
  verb.add_option("--ca", farm.ca_file, "PEM file of who signed the certificate of a tls:// farm")
      ->needs(&url);
  return url;
}

void add_run(CLI::App& app, Options& options) {
  auto& verb = *app.add_subcommand("run", "Evolve the kernels of an experiment");
  RunOptions& run = options.run;
  verb.add_option("experiment", run.experiment, "experiments/NAME.yaml")->required();
  verb.add_option("--run-dir", run.run_dir, "Run folder to create (default: runs/NAME-TIME)");
  verb.add_option("--seed", run.seed, "Seed of the search");
  verb.add_option("--input-seed", run.input_seed, "Fixes the entropy of input data (for tests)");
  verb.add_option("--device", run.device, "auto, virtual, cuda:N, cuda:0,2 or cuda:all");
  verb.add_option("-j,--threads", run.threads, "Trials in flight (default: one per core)")
      ->check(CLI::Range(1, 1024));
  verb.add_option("--set", run.set, "Override a key of the experiment: search.seed=7")->take_all();
  verb.add_flag("--dry-run", run.dry_run, "Read and check everything, print the plan, run nothing");
  verb.add_flag("--explain", run.explain, "Say for every trial why it ended as it did");
  add_look(verb, run.look);
  add_farm_address(verb, run.farm, "Run the trials on this farm's workers: nats://HOST:PORT");
  add_common(verb, options.common);
}

/// What is said about a kernel whose problem nobody wrote.
void add_intake_options(CLI::App& verb, intake::Request& r) {
  verb.add_option("--entry", r.entry, "The kernel, as C++ names it: k, ns::k, 'k<float, {TILE}>'");
  verb.add_option(
      "--reference", r.reference,
      "Naive kernel that says what is right: FILE.cu, or FILE.cu:ENTRY; EVO_REAL, or float, is double");
  verb.add_option("--axis", r.axes, "A size and its value: n=1048576, 'n=4096,8192 multiple_of=64'")
      ->take_all();
  verb.add_option("--gene", r.genes, "A choice and its values: BLOCK=64,128,256")->take_all();
  verb.add_option(
          "--arg", r.arguments,
          "What is not inferred of a parameter, or of a struct's member: 'y: inout f32[n]', 'd.rows: n'")
      ->take_all();
  verb.add_option("--constraint", r.constraints, "What genes keep to: 'BLOCK * ITEMS <= 2048'")->take_all();
  verb.add_option("--grid", r.grid, "Blocks: 'ceil_div(n, BLOCK * ITEMS)', 'ceil_div(n, BX), m'");
  verb.add_option("--block", r.block, "Threads of a block: BLOCK, 'BX, BY'");
  verb.add_option("--smem", r.dynamic_smem, "Dynamic shared memory in bytes: '4 * BLOCK'");
  verb.add_option("--reference-grid", r.reference_grid, "Blocks of the reference");
  verb.add_option("--reference-block", r.reference_block, "Threads of a block of the reference");
}

void add_intake_verbs(CLI::App& app, Options& options) {
  NewOptions& n = options.new_;
  auto& fresh = *app.add_subcommand(
      "new", "Write a problem folder for a kernel's source: genes, roles, launch inferred");
  fresh.add_option("kernel", n.intake.kernel, "CUDA source file")->required();
  add_intake_options(fresh, n.intake);
  fresh.add_option("-o,--output", n.output, "Folder to write (default: the kernel's name)");
  fresh.add_flag("--force", n.force, "Overwrite files that are there");
  fresh.add_option("--target", n.intake.target, "GPU model of the experiment");
  add_common(fresh, options.common);

  TuneOptions& t = options.tune;
  auto& tune =
      *app.add_subcommand("tune", "Evolve a kernel's source from one line, without a problem folder");
  tune.add_option("kernel", t.intake.kernel, "CUDA source file")->required();
  add_intake_options(tune, t.intake);
  tune.add_option("--device", t.intake.device, "auto, virtual, cuda:N, cuda:0,2 or cuda:all");
  tune.add_option("--target", t.intake.target, "GPU model: a name in targets/, or a file");
  tune.add_option("--trials", t.intake.trials, "Trials at most")->check(CLI::Range(1, 1000000000));
  tune.add_option("--run-dir", t.run_dir, "Run folder to create (default: runs/NAME-TIME)");
  tune.add_option("--seed", t.seed, "Seed of the search");
  tune.add_option("--input-seed", t.input_seed, "Fixes the entropy of input data (for tests)");
  tune.add_option("-j,--threads", t.threads, "Trials in flight (default: one per core)")
      ->check(CLI::Range(1, 1024));
  tune.add_option("--set", t.set, "Override a key of the experiment: search.strategy=random")->take_all();
  tune.add_flag("--explain", t.explain, "Say for every trial why it ended as it did");
  add_look(tune, t.look);
  add_common(tune, options.common);
}

void add_import(CLI::App& app, Options& options) {
  ImportOptions& i = options.import_;
  auto& verb = *app.add_subcommand(
      "import", "Write a problem folder for a T1 file (Kernel Tuner, KTT) or a FlashInfer-Bench definition");
  verb.add_option("file", i.file, "JSON file")->required();
  verb.add_option("-o,--output", i.output, "Folder to write")->required();
  verb.add_option("--workloads", i.workloads, "Workloads of a definition, a JSON document a line");
  verb.add_flag("--force", i.force, "Overwrite files that are there");
  add_common(verb, options.common);
}

void add_run_folder_verbs(CLI::App& app, Options& options) {
  auto& resume = *app.add_subcommand("resume", "Continue an interrupted run");
  resume.add_option("run", options.resume.run, "Run folder")->required();
  resume.add_option("-j,--threads", options.resume.threads, "Trials in flight")->check(CLI::Range(1, 1024));
  add_look(resume, options.resume.look);
  add_farm_address(resume, options.resume.farm, "Run the trials on this farm's workers: nats://HOST:PORT");
  add_common(resume, options.common);

  auto& replay = *app.add_subcommand("replay", "Regenerate every proposal and verdict of a run and compare");
  replay.add_option("run", options.replay.run, "Run folder")->required();
  replay.add_option("variant", options.replay.variant, "Only this variant");
  replay.add_option("-j,--threads", options.replay.threads, "Trials in flight")->check(CLI::Range(1, 1024));
  add_common(replay, options.common);

  auto& lineage = *app.add_subcommand("lineage", "Who descended from whom");
  lineage.add_option("run", options.lineage.run, "Run folder")->required();
  lineage.add_option("variant", options.lineage.variant,
                     "Only the ancestors of this variant ('champion' works)");
  add_common(lineage, options.common);

  auto& insights = *app.add_subcommand("insights", "What the run learnt about the space");
  insights.add_option("run", options.insights.run, "Run folder")->required();
  insights.add_option("--merge", options.insights.merge,
                      "Further runs of the same problem: effects are estimated over all of them together");
  insights.add_option("--generation", options.insights.generation, "What was known after this generation")
      ->check(CLI::NonNegativeNumber);
  insights.add_flag("--all", options.insights.all, "All that was found, and each gene's marginal effects");
  insights.add_flag("--markdown", options.insights.markdown, "Print Markdown");
  insights.add_option("--plot", options.insights.plot, "Write the strongest effects as a picture: FILE.svg");
  add_common(insights, options.common);

  auto& exported =
      *app.add_subcommand("export", "Write a proven variant as source, header, self-test, provenance");
  exported.add_option("run", options.export_.run, "Run folder")->required();
  exported.add_option("variant", options.export_.variant, "Variant (default: the champion)");
  exported
      .add_option("-o,--output", options.export_.output, "Folder to write; a file for the tuners' formats")
      ->required();
  exported
      .add_option("--format", options.export_.format,
                  "files; one-file: all of it in one .cu; or all trials as kernel-tuner-cache or t4")
      ->check(CLI::IsMember({"files", "one-file", "kernel-tuner-cache", "t4"}))
      ->capture_default_str();
  exported.add_option("--template", options.export_.template_name, "Whose trials, for the tuners' formats");
  add_common(exported, options.common);
}

void add_report(CLI::App& app, Options& options) {
  ReportOptions& r = options.report;
  auto& report = *app.add_subcommand("report", "Write runs as one HTML page that needs no network");
  report.add_option("runs", r.runs, "Run folders; several are compared")->required();
  report.add_option("-o,--output", r.output, "File to write (default: report.html)");
  report.add_option("--bench", r.benches, "What evo bench --json printed, in a file: shown beside the run")
      ->allow_extra_args(false);
  report.add_option("--card", r.card,
                    "Write the share card of the run instead of the page: SVG, 1200 x 675; with -o both");
  report.add_flag("--watch", r.watch, "Write it again whenever the run goes on, until it ends");
  add_common(report, options.common);

  ServeOptions& s = options.serve;
  auto& serve = *app.add_subcommand("serve", "The same page live over HTTP, read-only, on this machine");
  serve.add_option("runs", s.runs, "Run folders; several are compared")->required();
  serve.add_option("--bench", s.benches, "As for report")->allow_extra_args(false);
  serve.add_option("--host", s.host, "Address to listen on (default: 127.0.0.1); others need a token");
  serve.add_option("--port", s.port, "Port to listen on (default: 8719; 0: any that is free)");
  serve.add_option("--token", s.token,
                   "What every request has to bring (default: none here, drawn elsewhere)");
  add_common(serve, options.common, false);

  auto& watch =
      *app.add_subcommand("watch", "The live panel of a run, from another shell, until the run ends");
  watch.add_option("run", options.watch.run, "Run folder")->required();
  watch.add_flag("--plain", options.watch.plain, "A line a generation also on a terminal");
  add_common(watch, options.common, false);

  auto& runs = *app.add_subcommand("runs", "The run folders below a directory");
  runs.add_option("folder", options.runs.folder, "Directory (default: runs)");
  add_common(runs, options.common);
}

/// What `check` and `diagnose` take about a source; returns the option --problem.
CLI::Option& add_source_options(CLI::App& verb, CheckOptions& c) {
  CLI::Option& problem =
      *verb.add_option("--problem", c.problem, "Problem: a name or the folder of a problem.yaml");
  verb.add_option("--template", c.kernel,
                  "Template whose genes and launch plan it takes (default: the first)");
  verb.add_option("--genes", c.genes, "A=1,B=2; others keep their initial value")->delimiter(',');
  verb.add_option("--workload", c.workloads, "axis=value,...; repeat for several")->take_all();
  verb.add_option("--target", c.target,
                  fmt::format("GPU model: a name in targets/, here or of evo, or a file (default: {})",
                              model::default_target));
  verb.add_option("--accuracy", c.accuracy_class, "Accuracy class (default: the problem's first)");
  verb.add_option("--input-seed", c.input_seed, "Fixes the entropy of input data");
  verb.add_option("--set", c.set, "Override a setting of the experiment: gates.max_spill_bytes=4096")
      ->take_all();
  return problem;
}

constexpr const char* barriers_help =
    "Where the kernel is right, take out each barrier in turn: needed, or redundant on all that was executed";

void add_ladder_verbs(CLI::App& app, Options& options) {
  auto& validate =
      *app.add_subcommand("validate", "Prove the baseline alone, through the whole correctness ladder");
  validate.add_option("experiment", options.validate.experiment, "experiments/NAME.yaml")->required();
  validate.add_option("--device", options.validate.device, "auto, virtual or cuda:N");
  validate.add_option("--input-seed", options.validate.input_seed, "Fixes the entropy of input data");
  validate.add_option("--set", options.validate.set, "Override a key of the experiment")->take_all();
  validate.add_flag("--barriers", options.validate.barriers, barriers_help);
  add_common(validate, options.common);

  CheckOptions& c = options.check;
  auto& check = *app.add_subcommand("check", "Take any kernel source up the ladder");
  check.add_option("source", c.source, "CUDA source file")->required();
  add_source_options(check, c);
  add_intake_options(check, options.check_intake);
  check.add_option("--device", c.device, "auto, virtual or cuda:N");
  check.add_flag("--barriers", options.check_barriers, barriers_help);
  add_common(check, options.common);
}

void add_bench(CLI::App& app, Options& options) {
  BenchOptions& b = options.bench;
  auto& bench = *app.add_subcommand(
      "bench", "Measure champion, baseline and other libraries side by side on one device");
  bench.add_option("subject", b.subject, "Run folder, or experiments/NAME.yaml (its baseline alone)");
  bench.add_option("--variant", b.variants, "Also this variant of the run; repeat for several")->take_all();
  bench.add_option("--device", b.device, "auto, virtual or cuda:N (default: the run's)");
  bench.add_option("--rounds", b.rounds, "Interleaved rounds")->check(CLI::Range(1, 1000));
  bench
      .add_option_function<std::string>(
          "--sweep", [&b](const std::string& name) { b.sweep = name; },
          "Also the workloads of this sweep of the problem, or of its first, in TFLOP/s")
      ->expected(0, 1)
      ->type_name("[NAME]");
  bench.add_flag("--no-comparators", b.no_comparators, "Only evo's own kernels (and what --cudnn adds)");
  bench.add_flag(
      "--cudnn", b.cudnn,
      "Also what evo itself brings for the problem, such as cuDNN's graph API (libcudnn.so.9), which "
      "otherwise takes part only where comparator.py cannot");
  bench.add_option("--python", b.python, "Python that runs the problem's comparator.py");
  bench.add_option("--plot", b.plot, "Write the latencies as bars with intervals: FILE.svg");
  bench
      .add_option(
          "--aa", b.aa,
          "Instead: this many renamed copies of the experiment's baseline up the ladder (exit code 6 if one "
          "is wrong or faster)")
      ->check(CLI::Range(1, 1000000));
  bench.add_flag("--attacks", options.attacks.wanted,
                 "Instead: which gate catches each fixture of the attack suite (exit code 6 if one ends "
                 "otherwise than declared)");
  bench.add_flag(
      "--bugs", options.attacks.bugs,
      "Instead: which gate catches each bug of the table of known bugs, as edits of the templates");
  bench.add_option("--attack-folder", options.attacks.folder,
                   "Folder of the suite (default: suites/attacks; of --bugs suites/bugs)");
  bench
      .add_option("--only", options.attacks.only,
                  "Attacks, bugs or shapes of the sweep whose name has this, or with this id")
      ->take_all();
  bench
      .add_option("--seeds", options.attacks.seeds,
                  "Each attack or bug on this many input seeds: it is as expected if it is for every one")
      ->check(CLI::Range(1, 100000));
  bench.add_option("--input-seed", options.attacks.input_seed,
                   "What the seeds of --attacks and --bugs come from (default: drawn, and printed)");
  bench.add_option("-j,--threads", options.attacks.threads, "Attacks or copies at a time")
      ->check(CLI::Range(1, 1024))
      ->each([&b](const std::string& value) { b.threads = std::stoi(value); });
  add_common(bench, options.common);
}

void add_compare(CLI::App& app, Options& options) {
  CompareOptions& c = options.compare;
  auto& compare = *app.add_subcommand(
      "compare", "Is kernel B slower than kernel A? Exit code 0 no, 7 yes, 8 cannot tell, 6 one is wrong");
  compare
      .add_option(
          "a", c.first,
          "RUN or RUN@VARIANT, a folder of evo export, a file of evo baseline save, an experiment.yaml "
          "(its baseline), or a CUDA source")
      ->required();
  compare.add_option("b", c.second, "The same; a source takes problem, template and genes of A")->required();
  compare.add_option("--threshold", c.threshold, "Percent by which B may be slower (default: 3)")
      ->check(CLI::Range(0.01, 1000.0));
  compare.add_option("--error", c.error, "Chance that an interval misses the truth (default: 0.01)")
      ->check(CLI::Range(1e-6, 0.5));
  compare.add_option("--seconds", c.seconds, "About how long a workload may take (default: 60)")
      ->check(CLI::Range(1.0, 86400.0));
  compare.add_flag("--cold", c.cold, "Buffers that do not fit the L2 together");
  compare.add_flag("--markdown", c.markdown, "Print a table for a pull request");
  add_source_options(compare, c.source);
  compare.add_option("--device", c.source.device, "auto, virtual or cuda:N");
  add_common(compare, options.common);

  CompareOptions& b = options.baseline;
  auto& baseline = *app.add_subcommand("baseline", "Store a kernel with its samples for evo compare");
  auto& save =
      *baseline.add_subcommand("save", "Time a kernel and write it with its samples, as nvbench JSON");
  baseline.require_subcommand(1);
  save.add_option("subject", b.first, "As A of evo compare")->required();
  save.add_option("-o,--output", b.output, "File to write; its samples go to FILE-bin/")->required();
  save.add_option("--seconds", b.seconds, "About how long a workload may take (default: 60)")
      ->check(CLI::Range(1.0, 86400.0));
  save.add_flag("--cold", b.cold, "Buffers that do not fit the L2 together");
  add_source_options(save, b.source);
  save.add_option("--device", b.source.device, "auto, virtual or cuda:N");
  add_common(save, options.common);
}

void add_profile(CLI::App& app, Options& options) {
  ProfileOptions& p = options.profile;
  auto& verb = *app.add_subcommand(
      "profile", "What a kernel does with the GPU, counted, and what limits it; modelled counts beside");
  verb.add_option("subject", p.subject,
                  "RUN or RUN@VARIANT, a folder of evo export, a file of evo baseline save, an "
                  "experiment.yaml (its baseline), or a CUDA source")
      ->required();
  verb.add_option("variant", p.variant, "Of a run: id or prefix, baseline (default: the champion)");
  verb.add_flag("--ncu", p.ncu, "Count with ncu, not with CUPTI");
  verb.add_flag("--all", p.all, "Every stall and source line");
  add_source_options(verb, p.source);
  verb.add_option("--device", p.source.device, "auto, virtual (modelled counts alone) or cuda:N");
  add_common(verb, options.common);
}

void add_characterize(CLI::App& app, Options& options) {
  CharacterizeOptions& c = options.characterize;
  session::CharacterizeRequest& r = c.request;
  auto& verb = *app.add_subcommand(
      "characterize", "A kernel over a grid of shapes: latency, share of the roofline, speed-up, plots");
  verb.add_option("subject", r.subject,
                  "RUN or RUN@VARIANT, a folder of evo export, a file of evo baseline save, an "
                  "experiment.yaml (its baseline), or a CUDA source")
      ->required();
  verb.add_option("--axis", r.axes,
                  "An axis of the grid and its values: n=128,512 or n=128..4096 (doubling); repeat for "
                  "several (default: the subject's workloads)")
      ->allow_extra_args(false);
  verb.add_option("--baseline", r.baseline,
                  "What it is timed in turn with, named as the subject is (default: a run's own baseline)");
  verb.add_flag("--no-baseline", r.no_baseline, "The subject alone")->excludes("--baseline");
  verb.add_option("--rounds", r.rounds, "Rounds in turn on a GPU (default: 16)")->check(CLI::Range(4, 1000));
  verb.add_flag("--cold", r.cold, "Buffers that do not fit the L2 together");
  verb.add_flag("--no-comparators", r.no_comparators, "Only evo's own kernels (and what --cudnn adds)");
  verb.add_flag("--cudnn", r.cudnn, "As for evo bench");
  verb.add_option("--python", r.python, "Python that runs the problem's comparator.py");
  verb.add_flag("--measure-ceilings", r.measure_ceilings_again,
                "Measure the device's ceilings again, although they are known");
  verb.add_option("-o,--output", c.output, "Write the plots: FILE.svg");
  verb.add_flag("--markdown", c.markdown, "Print Markdown");
  verb.add_option("--problem", r.source.problem,
                  "Problem of a source: a name or the folder of a problem.yaml");
  verb.add_option("--template", r.source.kernel,
                  "Template whose genes and launch plan a source takes (default: the first)");
  verb.add_option("--genes", r.source.genes, "A=1,B=2; others keep their initial value")->delimiter(',');
  verb.add_option("--target", r.source.target, "GPU model (default: the subject's)");
  verb.add_option("--set", r.source.set, "Override a setting of the experiment: gates.launch_timeout_ms=9000")
      ->allow_extra_args(false);
  verb.add_option("--accuracy", r.source.accuracy_class, "Accuracy class of a source");
  verb.add_option("--input-seed", r.source.input_seed, "Fixes the entropy of input data");
  verb.add_option("--device", r.source.device, "auto, virtual or cuda:N");
  add_common(verb, options.common);
}

void add_diagnose(CLI::App& app, Options& options) {
  DiagnoseOptions& d = options.diagnose;
  auto& verb = *app.add_subcommand(
      "diagnose",
      "Explain why a variant, or any kernel source, fails: smallest shape, first wrong stage, line, cause");
  verb.add_option("subject", d.source.source, "Run folder; with --problem: CUDA source file")->required();
  verb.add_option("variant", d.variant, "Variant of the run: an id, a prefix of one, baseline or champion");
  add_source_options(verb, d.source);
  verb.add_option("-o,--output", d.output,
                  "Folder for the post-mortem, the tiles as .npy and the reproducer");
  verb.add_flag("--markdown", d.markdown, "Print the post-mortem as Markdown");
  verb.add_option("--seconds", d.seconds, "About how long it may take (default: 60)")
      ->check(CLI::Range(1.0, 86400.0));
  add_common(verb, options.common);
}

void add_farm(CLI::App& app, Options& options) {
  auto& farm = *app.add_subcommand("farm", "A server that runs and workers on several machines meet at");
  farm.require_subcommand(1);
  FarmUpOptions& u = options.farm_up;
  auto& up = *farm.add_subcommand("up", "Start a nats-server for a farm, in the foreground");
  up.add_option("--host", u.host, "Address to listen on; others than the loopback need tokens")
      ->capture_default_str();
  up.add_option("--port", u.port, "Port to listen on")->capture_default_str();
  up.add_option("--folder", u.folder, "Folder of its configuration, its tokens and what is queued")
      ->capture_default_str();
  up.add_flag("--tokens", u.tokens, "Ask for tokens on the loopback too");
  auto& certificate = *up.add_option("--cert", u.certificate, "PEM file: speak TLS with this certificate");
  auto& key = *up.add_option("--key", u.key, "PEM file: its key");
  certificate.needs(&key);
  key.needs(&certificate);
  add_common(up, options.common, false);
  auto& status = *farm.add_subcommand("status", "What is queued, and who is there");
  add_farm_address(status, options.farm, "nats://HOST:PORT (default: nats://127.0.0.1:4222)");
  add_common(status, options.common);
  FarmMetricsOptions& m = options.farm_metrics;
  auto& metrics = *farm.add_subcommand("metrics", "The same over HTTP for Prometheus, until it is stopped");
  add_farm_address(metrics, options.farm, "nats://HOST:PORT (default: nats://127.0.0.1:4222)");
  metrics.add_option("--host", m.host, "Address to listen on; whoever reaches it may read")
      ->capture_default_str();
  metrics.add_option("--port", m.port, "Port to listen on; 0: one that is free")->capture_default_str();
  add_common(metrics, options.common, false);
}

void add_tool_verbs(CLI::App& app, Options& options) {
  auto& doctor = *app.add_subcommand("doctor", "What this machine can do, and what to install");
  doctor.add_flag(
      "--evaluator", options.doctor.evaluator,
      "Ask the evaluator for verdicts that are known: null candidates, a right kernel, a fast and a slow "
      "one, every argument (exit code 6 if one is wrong)");
  doctor.add_option("--problem", options.doctor.problem, "Problem of --evaluator (default: vector_add)");
  doctor.add_option("--device", options.doctor.device, "Device of --evaluator: auto, virtual or cuda:N");
  add_common(doctor, options.common);

  auto& cache = *app.add_subcommand("cache", "Show or clear the artifact cache");
  cache.add_flag("--clear", options.cache.clear, "Remove every entry");
  add_common(cache, options.common);

  auto& completion = *app.add_subcommand("completion", "Print a completion script");
  completion.add_option("shell", options.completion_shell, "bash, zsh or fish")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh", "fish"}));

  WorkerOptions& w = options.worker;
  auto& worker = *app.add_subcommand("worker", "Serve device jobs: of a farm, or of the evo that started it");
  auto& url = add_farm_address(worker, w.farm, "Take jobs from this farm: nats://HOST:PORT");
  worker.add_option("-j,--threads", w.threads, "Jobs of a farm at a time (default: one per core)")
      ->needs(&url)
      ->check(CLI::Range(1, 1024));
  worker.add_option("--jobs", w.jobs, "Leave the farm after so many jobs")->needs(&url);
  worker.add_option("--idle", w.idle_s, "Leave the farm after so many seconds without a job")
      ->needs(&url)
      ->check(CLI::Range(1, 1000000000));
  worker.add_option("--wait", w.wait_s, "Wait so many seconds for a server that is not up yet (default: 10)")
      ->needs(&url)
      ->check(CLI::Range(0, 1000000000));
  worker.add_option("--price", w.price, "What an hour of this machine costs: evo farm status adds it up")
      ->needs(&url)
      ->check(CLI::NonNegativeNumber);
  auto& stdio = *worker.add_flag("--stdio", w.stdio, "Framed messages on stdin and stdout");
  auto& device = *worker.add_option("--device", w.device, "cuda:N, of --stdio");
  stdio.needs(&device)->excludes(&url);
  device.needs(&stdio);
  add_common(worker, options.common, false);

  add_farm(app, options);

  // Internal: the compile pool starts it.
  app.add_subcommand("compile-worker", "")->group("");
  auto& launches = *app.add_subcommand("launch-job", "")->group("");
  launches.add_option("--device", options.launch.device)->required();
  launches.add_option("--counters", options.launch.counters)->check(CLI::IsMember({"none", "cupti"}));
  launches.add_option("file", options.launch.file)->required();
}

std::vector<const CLI::App*> shown_verbs(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App* verb) { return !verb->get_group().empty(); });
}

/// The first word is neither an option nor a verb: says so, with the nearest verb.
std::optional<std::string> wrong_verb(const CLI::App& app, int argc, const char* const* argv) {
  if (argc < 2 || argv[1][0] == '-' || argv[1][0] == '\0') return std::nullopt;
  for (const CLI::App* verb : app.get_subcommands([](const CLI::App*) { return true; })) {
    if (verb->get_name() == argv[1]) return std::nullopt;
  }
  std::vector<std::string> names;
  for (const CLI::App* verb : shown_verbs(app)) names.push_back(verb->get_name());
  return unknown_verb(argv[1], names);
}

/// After a parse that failed: the option that the verb does not have, if there is one. CLI11 tells of what is
/// missing first, which a misspelt option often is the reason of.
std::optional<std::string> wrong_option(const CLI::App& app) {
  const auto verbs = app.get_subcommands();
  if (verbs.empty()) return std::nullopt;
  const auto word = first_option(verbs.front()->remaining(true));
  if (!word) return std::nullopt;
  std::vector<std::string> options;
  for (const CLI::Option* option : verbs.front()->get_options()) {
    for (const std::string& name : option->get_lnames()) options.push_back("--" + name);
  }
  return unknown_option(verbs.front()->get_name(), *word, options);
}

ParseResult usage_error(const std::string& message) {
  fmt::print(stderr, "evo: {}\n", message);
  return {static_cast<int>(model::ExitCode::usage), {}};
}

}  // namespace

ParseResult parse_arguments(int argc, const char* const* argv) {
  ParseResult result;
  CLI::App app{
      "evo evolves CUDA kernels: it proves a variant right before it times it, and logs how it came about."};
  app.name("evo");
  app.footer(footer);
  app.set_version_flag("--version", session::version_text());
  app.require_subcommand(1);
  add_run(app, result.options);
  add_intake_verbs(app, result.options);
  add_import(app, result.options);
  add_run_folder_verbs(app, result.options);
  add_report(app, result.options);
  add_ladder_verbs(app, result.options);
  add_bench(app, result.options);
  add_compare(app, result.options);
  add_characterize(app, result.options);
  add_profile(app, result.options);
  add_diagnose(app, result.options);
  add_tool_verbs(app, result.options);
  if (const auto message = wrong_verb(app, argc, argv)) return usage_error(*message);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    const bool wanted = error.get_exit_code() == 0;  // --help, --version
    const auto message = wanted ? std::nullopt : wrong_option(app);
    if (message) return usage_error(*message);
    app.exit(error);
    result.exit_code = static_cast<int>(wanted ? model::ExitCode::done : model::ExitCode::usage);
    return result;
  }
  result.options.verb = app.get_subcommands().front()->get_name();
  if (result.options.verb == "farm")
    result.options.farm_verb = app.get_subcommands().front()->get_subcommands().front()->get_name();
  if (result.options.verb == "completion") {
    std::vector<VerbWords> verbs;
    for (const CLI::App* verb : shown_verbs(app)) {
      VerbWords words{verb->get_name(), verb->get_description(), {}};
      for (const CLI::Option* option : verb->get_options()) {
        for (const std::string& name : option->get_lnames()) words.flags.push_back("--" + name);
      }
      verbs.push_back(std::move(words));
    }
    fmt::print("{}", completion_script(result.options.completion_shell, verbs));
    result.exit_code = static_cast<int>(model::ExitCode::done);
  }
  return result;
}

}  // namespace evo::cli
