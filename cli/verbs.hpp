// One function a verb; each returns the process's exit code and throws model::Exception for what ends it.
#pragma once

#include "cli/options.hpp"

namespace evo::cli {

int run_command(const Options& options);
int new_command(const Options& options);
int tune_command(const Options& options);
int import_command(const Options& options);
int resume_command(const Options& options);
int replay_command(const Options& options);
int lineage_command(const Options& options);
int show_command(const Options& options);
int insights_command(const Options& options);
int report_command(const Options& options);
int serve_command(const Options& options);
int watch_command(const Options& options);
int runs_command(const Options& options);
int export_command(const Options& options);
int validate_command(const Options& options);
int check_command(const Options& options);
int bench_command(const Options& options);
int compare_command(const Options& options);
int baseline_command(const Options& options);
int characterize_command(const Options& options);
int profile_command(const Options& options);
int diagnose_command(const Options& options);
int doctor_command(const Options& options);
int cache_command(const Options& options);
int farm_command(const Options& options);
int worker_command(const Options& options);
int compile_worker_command(const Options& options);
int launch_job_command(const Options& options);
int comparator_job_command(const Options& options);

}  // namespace evo::cli
