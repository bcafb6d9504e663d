// The command line of verbs of runs.
#include "cli/argument_parts.hpp"

namespace evo::cli {

void add_run(CLI::App& app, Options& options) {
  auto& verb = *app.add_subcommand("run", "Evolve the kernels of an experiment");
  RunOptions& run = options.run;
  verb.add_option("experiment", run.experiment, "experiments/NAME.yaml")->required();
  verb.add_option("--run-dir", run.run_dir, "Run folder to create (default: runs/NAME-TIME)");
  verb.add_option("--seed", run.seed, "Seed of the search");
  verb.add_option("--input-seed", run.input_seed, "Fixes the entropy of input data (for tests)");
  verb.add_option("--device", run.device,
                  "auto, virtual, cuda:N, cuda:0,2, cuda:all, or farm: GPUs of the workers of --farm");
  verb.add_option("-j,--threads", run.threads, "Trials in flight (default: one per core)")
      ->check(CLI::Range(1, 1024));
  verb.add_option(
          "--idle-checks", run.idle_checks,
          "Compare the champion with up to so many of its genes put back while a GPU has nothing else to "
          "do; the search does not look at it (default: 0)")
      ->check(CLI::Range(0, 100000));
  verb.add_option("--set", run.set, "Override a key of the experiment: search.seed=7")->take_all();
  verb.add_flag("--dry-run", run.dry_run, "Read and check everything, print the plan, run nothing");
  verb.add_flag("--explain", run.explain, "Say for every trial why it ended as it did");
  add_look(verb, run.look);
  add_farm_address(verb, run.farm, "Run the trials on this farm's workers: nats://HOST:PORT");
  add_common(verb, options.common);
}

void add_run_folder_verbs(CLI::App& app, Options& options) {
  auto& resume = *app.add_subcommand(
      "resume", "Continue an interrupted run, or test what one that has ended claims: --insight-checks");
  resume.add_option("run", options.resume.run, "Run folder")->required();
  resume.add_option("-j,--threads", options.resume.threads, "Trials in flight")->check(CLI::Range(1, 1024));
  resume.add_option("--idle-checks", options.resume.idle_checks, "As of run, over all of its sessions")
      ->check(CLI::Range(0, 100000));
  resume
      .add_option(
          "--insight-checks", options.resume.insight_checks,
          "As budget.insight_checks: up to so many controlled comparisons of the champion, in all sessions; "
          "genes that do nothing go back")
      ->check(CLI::Range(0, 100000));
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

  auto& show = *app.add_subcommand("show", "One trial of a run: latencies, comparison, clocks, raw samples");
  show.add_option("run", options.show.run, "Run folder")->required();
  show.add_option("variant", options.show.variant, "Variant (default: the champion)");
  show.add_option("--trial", options.show.trial, "The trial of this number instead")
      ->check(CLI::NonNegativeNumber);
  show.add_flag("--samples", options.show.samples, "Print the raw samples, comma-separated");
  add_common(show, options.common);

  auto& insights = *app.add_subcommand("insights", "What the run learnt about the space");
  insights.add_option("run", options.insights.run, "Run folder")->required();
  insights.add_option("--merge", options.insights.merge,
                      "Further runs of the same problem: effects are estimated over all of them together");
  insights.add_option("--generation", options.insights.generation, "What was known after this generation")
      ->check(CLI::Range(0, 1000000000));
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

}  // namespace evo::cli
