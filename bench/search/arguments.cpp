#include "bench/search/arguments.hpp"

#include <algorithm>
#include <charconv>
#include <functional>
#include <map>

#include <fmt/format.h>

#include "model/error.hpp"

namespace evo::bench {
namespace {

constexpr const char* usage =
    "usage: evo-search [options] [FILE.json.gz ...]\n"
    "  FILE                 recorded spaces in Kernel Tuner's cache format\n"
    "  --experiment YAML    the templates of an experiment, with made-up latencies\n"
    "  --instances N        how many such landscapes (4)\n"
    "  --strategies A,B     (random,local,genetic,surrogate); genetic+archive: with an archive of behaviour\n"
    "                       genetic+screen=M: screened by the model M: exact, 0.85 (a rank correlation), "
    "noise, genes "
    "(misleads),\n"
    "                       inverse\n"
    "                       genetic+preset=P: knows free or insight only (docs/concepts/search.md)\n"
    "  --pool N, --explore X of the screening (4, 0.1)\n"
    "  --axes A,B           of the archives (sectors,conflicts,occupancy,instructions)\n"
    "  --archive-share X    of parents from cells (0.5)\n"
    "  --trials A,B         when the best so far is looked at (50,100,200,400)\n"
    "  --seeds N            runs of each (20)\n"
    "  --population N, --window N, --elite N, --mutation X, --tournament N   of the search (20, 1, 2, 0.15, "
    "3)\n"
    "  --mutators A=X,B=Y   weights of operators, of every strategy; others: the strategy's defaults\n";

template <class T>
T number(const std::string& text) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) {
    throw model::Exception(model::ExitCode::usage, fmt::format("'{}' is no number\n{}", text, usage));
  }
  return value;
}

std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> parts(1);
  for (const char c : text) {
    if (c == ',') {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  return parts;
}

}  // namespace

Arguments parse_arguments(int argc, char** argv) {
  Arguments arguments;
  arguments.search.population = 20;
  arguments.search.max_in_flight = 1;
  const std::map<std::string, std::function<void(const std::string&)>> options{
      {"--experiment", [&](const std::string& v) { arguments.experiment = v; }},
      {"--instances", [&](const std::string& v) { arguments.instances = number<std::int64_t>(v); }},
      {"--strategies", [&](const std::string& v) { arguments.strategies = split(v); }},
      {"--pool", [&](const std::string& v) { arguments.pool = number<int>(v); }},
      {"--explore", [&](const std::string& v) { arguments.explore = number<double>(v); }},
      {"--axes", [&](const std::string& v) { arguments.axes = split(v); }},
      {"--archive-share", [&](const std::string& v) { arguments.search.archive_share = number<double>(v); }},
      {"--trials",
       [&](const std::string& v) {
         arguments.marks.clear();
         for (const std::string& part : split(v)) arguments.marks.push_back(number<std::int64_t>(part));
       }},
      {"--seeds", [&](const std::string& v) { arguments.seeds = number<std::int64_t>(v); }},
      {"--population", [&](const std::string& v) { arguments.search.population = number<int>(v); }},
      {"--window", [&](const std::string& v) { arguments.search.max_in_flight = number<int>(v); }},
      {"--tournament", [&](const std::string& v) { arguments.search.tournament = number<int>(v); }},
      {"--elite", [&](const std::string& v) { arguments.search.elite = number<int>(v); }},
      {"--mutation", [&](const std::string& v) { arguments.search.mutation = number<double>(v); }},
      {"--mutators",
       [&](const std::string& v) {
         for (const std::string& part : split(v)) {
           const std::size_t equal = std::min(part.find('='), part.size());
           arguments.search.mutators[part.substr(0, equal)] =
               number<double>(part.substr(std::min(equal + 1, part.size())));
         }
       }},
  };
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (!word.starts_with("--")) {
      arguments.files.push_back(word);
      continue;
    }
    const auto option = options.find(word);
    if (option == options.end() || i + 1 == argc) throw model::Exception(model::ExitCode::usage, usage);
    option->second(argv[++i]);
  }
  if (arguments.files.empty() && arguments.experiment.empty())
    throw model::Exception(model::ExitCode::usage, usage);
  std::sort(arguments.marks.begin(), arguments.marks.end());
  return arguments;
}

}  // namespace evo::bench
