// The command line of verbs that measure and compare.
#include "cli/argument_parts.hpp"

namespace evo::cli {
namespace {

/// --cold and --hot; `whose` says whose timings decide where neither is given.
void add_cache(CLI::App& verb, std::string& cache, const std::string& whose) {
  CLI::Option* cold = verb.add_flag_callback(
      "--cold", [&cache] { cache = "cold"; },
      "Buffers that do not fit the L2 together (default: as " + whose + " own timings, gates.cache)");
  verb.add_flag_callback(
          "--hot", [&cache] { cache = "hot"; }, "Buffers that fit it")
      ->excludes(cold);
}

}  // namespace

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
  bench.add_option("--python", b.python,
                   "Python that runs the problem's comparators, where they are Python files");
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
  bench.add_option("--share", options.attacks.share,
                   "Of --attacks and --bugs every Nth fixture from the Kth on, as K/N");
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
  compare.add_option("b", c.second, "B, the same kinds; a source takes problem, template and genes of A")
      ->required();
  compare.add_option("--threshold", c.threshold, "Percent by which B may be slower (default: 3)")
      ->check(CLI::Range(0.01, 1000.0));
  compare.add_option("--error", c.error, "Chance that an interval misses the truth (default: 0.01)")
      ->check(CLI::Range(1e-6, 0.5));
  compare.add_option("--seconds", c.seconds, "About how long a workload may take (default: 60)")
      ->check(CLI::Range(1.0, 86400.0));
  add_cache(compare, c.cache, "A's");
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
  add_cache(save, b.cache, "the subject's");
  add_source_options(save, b.source);
  save.add_option("--device", b.source.device, "auto, virtual or cuda:N");
  add_common(save, options.common);
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
  add_cache(verb, c.cache, "the subject's");
  verb.add_flag("--no-comparators", r.no_comparators, "Only evo's own kernels (and what --cudnn adds)");
  verb.add_flag("--cudnn", r.cudnn, "As for evo bench");
  verb.add_option("--python", r.python,
                  "Python that runs the problem's comparators, where they are Python files");
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
  verb.add_option(
          "--launches", p.launches,
          "Of a GPU: count so many launches, each alone, and take medians (default: 15 of short ones, "
          "fewer from 7 ms on; 1: one launch behind one)")
      ->check(CLI::Range(1, 99));
  verb.add_flag("--all", p.all, "Every stall and source line");
  add_source_options(verb, p.source);
  verb.add_option("--device", p.source.device, "auto, virtual (modelled counts alone) or cuda:N");
  add_common(verb, options.common);
}

}  // namespace evo::cli
