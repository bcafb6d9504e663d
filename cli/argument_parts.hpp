// The parts of parse_arguments(), by verbs. The only files that know CLI11 are those that include this.
#pragma once

#include <CLI/CLI.hpp>

#include "cli/options.hpp"

namespace evo::cli {

/// --json (for verbs that report), -q, -v.
void add_common(CLI::App& verb, terminal::CommonOptions& common, bool reports = true);
/// --plain, --serve, --port.
void add_look(CLI::App& verb, LookOptions& look);
/// --farm, --token-file, --ca. Returns the first of them.
CLI::Option& add_farm_address(CLI::App& verb, FarmOptions& farm, const std::string& help);

/// What `check` and `diagnose` take about a source; returns the option --problem.
CLI::Option& add_source_options(CLI::App& verb, CheckOptions& c);

// Verbs of runs.
void add_run(CLI::App& app, Options& options);
void add_run_folder_verbs(CLI::App& app, Options& options);
void add_report(CLI::App& app, Options& options);
// Verbs of kernels that somebody brings.
void add_intake_verbs(CLI::App& app, Options& options);
void add_import(CLI::App& app, Options& options);
void add_ladder_verbs(CLI::App& app, Options& options);
void add_diagnose(CLI::App& app, Options& options);
// Verbs that measure and compare.
void add_bench(CLI::App& app, Options& options);
void add_compare(CLI::App& app, Options& options);
void add_characterize(CLI::App& app, Options& options);
void add_profile(CLI::App& app, Options& options);
/// Of the farm, of this machine, and of what evo starts itself.
void add_tool_verbs(CLI::App& app, Options& options);

}  // namespace evo::cli
