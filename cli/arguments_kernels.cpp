// The command line of verbs of kernels that somebody brings.
#include <fmt/format.h>

#include "cli/argument_parts.hpp"
#include "model/target.hpp"

namespace evo::cli {
namespace {

constexpr const char* barriers_help =
    "Where the kernel is correct, take out each barrier in turn: needed, or redundant on all that was "
    "executed";

/// What is said about a kernel whose problem nobody wrote.
void add_intake_options(CLI::App& verb, intake::Request& r) {
  verb.add_option("--entry", r.entry, "The kernel, as C++ names it: k, ns::k, 'k<float, {TILE}>'");
  verb.add_option(
      "--reference", r.reference,
      "Naive kernel that says what is correct: FILE.cu, or FILE.cu:ENTRY; EVO_REAL, or float, is double");
  verb.add_option("--axis", r.axes, "A size and its value: n=1048576, 'n=4096,8192 multiple_of=64'")
      ->take_all();
  verb.add_option("--gene", r.genes, "A choice and its values: BLOCK=64,128,256")->take_all();
  verb.add_option("--arg", r.arguments,
                  "What is not inferred of a parameter, or of a struct's member: 'y: inout f32[n]', "
                  "'d.rows: n', 'done: workspace u32[1] zeroed', 'alpha: 1.5', "
                  "'id: {fill: {integers: [0, n - 1]}}'")
      ->take_all();
  verb.add_option("--constraint", r.constraints, "What genes keep to: 'BLOCK * ITEMS <= 2048'")->take_all();
  verb.add_option("--unreached", r.unreached,
                  "A line that no launch runs, and why: '76: no tile waits that long'; or 'FILE:LINE: why'")
      ->take_all();
  verb.add_option("--equal-writes", r.equal_writes,
                  "Why threads that write the same number to one place are meant, and no race");
  verb.add_option(
          "--compute", r.compute,
          "The 16-bit type that kernels may compute in, f16 or bf16: they may be off by its roundings "
          "(default: float, outputs rounded once)")
      ->check(CLI::IsMember({"f16", "bf16"}));
  verb.add_option("--grid", r.grid, "Blocks: 'ceil_div(n, BLOCK * ITEMS)', 'ceil_div(n, BX), m'");
  verb.add_option("--block", r.block, "Threads of a block: BLOCK, 'BX, BY'");
  verb.add_option("--smem", r.dynamic_smem, "Dynamic shared memory in bytes: '4 * BLOCK'");
  verb.add_option("--reference-grid", r.reference_grid, "Blocks of the reference");
  verb.add_option("--reference-block", r.reference_block, "Threads of a block of the reference");
}

}  // namespace

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

}  // namespace evo::cli
