// The command line of the farm, of this machine, and of what evo starts itself.
#include "cli/argument_parts.hpp"

namespace evo::cli {
namespace {

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
  auto& tokens = *up.add_flag("--tokens", u.tokens, "Ask for tokens on the loopback too");
  auto& of_workers = *up.add_option("--worker-nkey", u.worker_nkeys,
                                    "Public NKey of workers (U...), in place of tokens; may be repeated")
                          ->allow_extra_args(false);
  auto& of_runs = *up.add_option("--run-nkey", u.run_nkey, "Public NKey of runs (U...)");
  of_workers.needs(&of_runs)->excludes(&tokens);
  of_runs.needs(&of_workers)->excludes(&tokens);
  auto& certificate = *up.add_option("--cert", u.certificate, "PEM file: speak TLS with this certificate");
  auto& key = *up.add_option("--key", u.key, "PEM file: its key");
  certificate.needs(&key);
  key.needs(&certificate);
  up.add_option("--max-connections", u.max_connections,
                "Connections at a time; evo worker -j N has up to 2 N + 1")
      ->check(CLI::Range(8, 1000000))
      ->capture_default_str();
  up.add_option("--max-disk", u.max_disk_mib,
                "MiB of disk for jobs, results and code (default: 8192, or 3/4 of what is free)")
      ->check(CLI::Range(128, 100000000));
  up.add_option("--max-memory", u.max_memory_mib, "MiB of memory for signs of who is there")
      ->check(CLI::Range(1, 1000000))
      ->capture_default_str();
  add_common(up, options.common, false);
  FarmTokenOptions& t = options.farm_token;
  auto& token = *farm.add_subcommand("token", "Make a token of one worker's own, or take one back");
  token.add_option("name", t.name, "Whose; with --revoke and without a name: the token that workers share");
  token.add_option("--folder", t.folder, "Folder of the farm's server, on its machine")
      ->capture_default_str();
  token.add_flag("--revoke", t.revoke,
                 "Take it back: whoever is connected with it is put out, and compiles that runs share are "
                 "forgotten");
  add_farm_address(token, options.farm, "With --revoke: nats://HOST:PORT (default: what is in the folder)");
  add_common(token, options.common, false);
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

}  // namespace

void add_tool_verbs(CLI::App& app, Options& options) {
  auto& doctor = *app.add_subcommand("doctor", "What this machine can do, and what to install");
  doctor.add_flag(
      "--evaluator", options.doctor.evaluator,
      "Ask the evaluator for verdicts that are known: null candidates, a correct kernel, a fast and a slow "
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
  worker
      .add_option("-j,--threads", w.threads,
                  "Jobs of a farm at a time, or threads of one of --stdio (default: one per core)")
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
      ->check(CLI::Range(0.0, 1e9));
  auto& stdio = *worker.add_flag("--stdio", w.stdio, "Framed messages on stdin and stdout");
  auto& device = *worker.add_option("--device", w.device,
                                    "Of a farm: take the jobs of these GPUs and no others, cuda:N, cuda:0,2 "
                                    "or cuda:all; of --stdio: cuda:N");
  stdio.needs(&device)->excludes(&url);
  // Internal: a folder of the evo that started it.
  worker.add_option("--shared", w.shared, "")->needs(&stdio)->group("");
  add_common(worker, options.common, false);

  add_farm(app, options);

  // Internal: the compile pool starts it.
  app.add_subcommand("compile-worker", "")->group("");
  auto& launches = *app.add_subcommand("launch-job", "")->group("");
  launches.add_option("--device", options.launch.device)->required();
  launches.add_option("--counters", options.launch.counters)
      ->check(CLI::IsMember({"none", "cupti", "samples"}));
  launches.add_option("--launches", options.launch.launches)->check(CLI::Range(0, 99));
  launches.add_option("file", options.launch.file)->required();
  auto& comparators = *app.add_subcommand("comparator-job", "")->group("");
  comparators.add_option("--device", options.launch.device)->required();
  comparators.add_option("file", options.launch.file)->required();
}

}  // namespace evo::cli
