// The command line as a whole: what all verbs have, and words that are wrong.
#include <algorithm>
#include <cstdio>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/argument_parts.hpp"
#include "cli/misspelt.hpp"
#include "cli/options.hpp"
#include "model/error.hpp"
#include "session/version.hpp"
#include "terminal/completion.hpp"

namespace evo::cli {
namespace {

constexpr const char* footer =
    R"(Exit codes: 0 done, 1 failed, 2 usage, 3 invalid configuration, 4 environment,
5 no valid candidate, 6 verification failed, 7 and 8 of evo compare, 130 interrupted after a clean checkpoint.
Data goes to stdout, progress and logs to stderr. NO_COLOR is respected.
The virtual device checks kernels that are bound for NVIDIA GPUs; its latencies are modelled, never measured.)";

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
  if (verbs.empty()) {
    const auto word = first_option(app.remaining());
    if (!word) return std::nullopt;
    return unknown_option("evo", *word, {"--help", "--version"});
  }
  const std::vector<std::string> left = verbs.front()->remaining(true);
  const auto word = first_option(left);
  const auto kernel =
      std::find_if(left.begin(), left.end(), [](const auto& each) { return each.ends_with(".cu"); });
  const std::string verb = verbs.front()->get_name();
  if (!word && kernel != left.end() && (verb == "tune" || verb == "check" || verb == "new"))
    return fmt::format("{} takes one kernel, and '{}' is another file: --reference {}?", verb, *kernel,
                       *kernel);
  if (!word) return std::nullopt;
  std::vector<std::string> options;
  for (const CLI::Option* option : verbs.front()->get_options()) {
    for (const std::string& name : option->get_lnames()) options.push_back("--" + name);
  }
  return unknown_option(verbs.front()->get_name(), *word, options);
}

/// What CLI11 has found, with the verb, and all that is missing at once.
std::string told_of(const CLI::App& app, const CLI::ParseError& error) {
  const CLI::App* verb = &app;
  std::string words = "evo";
  while (!verb->get_subcommands().empty()) {
    verb = verb->get_subcommands().front();
    words += " " + verb->get_name();
  }
  const bool bare = verb == &app;
  if (verb->get_require_subcommand_min() > 0) {
    std::vector<std::string> names;
    for (const CLI::App* each : shown_verbs(*verb)) names.push_back(each->get_name());
    return fmt::format("{} needs a verb: {}", bare ? "it" : words.substr(4), fmt::join(names, ", "));
  }
  std::vector<std::string> missing;
  if (dynamic_cast<const CLI::RequiredError*>(&error) != nullptr) {
    for (const CLI::Option* option : verb->get_options()) {
      if (!option->get_required() || option->count() > 0) continue;
      missing.push_back(fmt::format("{} ({})", option->get_name(), option->get_description()));
    }
  }
  if (missing.empty())
    return fmt::format("{}: {}; '{} --help' lists the options", words.substr(4), error.what(), words);
  return fmt::format("{} needs {}; '{} --help' lists the options", words.substr(4),
                     fmt::join(missing, " and "), words);
}

ParseResult usage_error(const std::string& message) {
  fmt::print(stderr, "evo: {}\n", message);
  return {static_cast<int>(model::ExitCode::usage), {}};
}

}  // namespace

void add_common(CLI::App& verb, terminal::CommonOptions& common, bool reports) {
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
  verb.add_option("--token-file", farm.token_file,
                  "File with the farm's token, or with an NKey's seed and public key; readable by you alone")
      ->needs(&url);
  verb.add_option("--ca", farm.ca_file, "PEM file of who signed the certificate of a tls:// farm")
      ->needs(&url);
  return url;
}

ParseResult parse_arguments(int argc, const char* const* argv) {
  ParseResult result;
  CLI::App app{
      "evo evolves CUDA kernels: it proves a variant directly before it times it, and logs how it came "
      "about."};
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
    if (!wanted) return usage_error(told_of(app, error));
    app.exit(error);
    result.exit_code = static_cast<int>(model::ExitCode::done);
    return result;
  }
  result.options.verb = app.get_subcommands().front()->get_name();
  if (result.options.verb == "farm")
    result.options.farm_verb = app.get_subcommands().front()->get_subcommands().front()->get_name();
  if (result.options.verb == "completion") {
    std::vector<terminal::VerbWords> verbs;
    for (const CLI::App* verb : shown_verbs(app)) {
      terminal::VerbWords words{verb->get_name(), verb->get_description(), {}};
      for (const CLI::Option* option : verb->get_options()) {
        for (const std::string& name : option->get_lnames()) words.flags.push_back("--" + name);
      }
      verbs.push_back(std::move(words));
    }
    fmt::print("{}", terminal::completion_script(result.options.completion_shell, verbs));
    result.exit_code = static_cast<int>(model::ExitCode::done);
  }
  return result;
}

}  // namespace evo::cli
