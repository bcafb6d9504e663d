#include <algorithm>
#include <chrono>
#include <filesystem>
#include <map>
#include <memory>
#include <unordered_map>

#include <fmt/format.h>
#include <boost/json.hpp>

#include "bench/search/landscape.hpp"
#include "evaluators/process/capture.hpp"

namespace evo::bench {
namespace {

namespace json = boost::json;

[[noreturn]] void fail(const std::string& file, const std::string& message) {
  throw model::Exception(model::ExitCode::invalid_configuration, fmt::format("{}: {}", file, message));
}

std::string unpacked(const std::string& file) {
  if (!std::filesystem::exists(file)) fail(file, "no such file");
  const auto gzip = evaluators::process::find_program("gzip");
  if (!gzip) throw model::Exception(model::ExitCode::environment, "gzip is not on the path");
  const auto captured = evaluators::process::run_captured({gzip->string(), "-dc", file},
                                                          std::chrono::minutes(2), std::size_t{1} << 30);
  if (captured.exit_code != 0) fail(file, "gzip could not unpack it");
  return captured.output;
}

model::Value value_of(const json::value& from) {
  if (from.is_string()) return std::string(from.as_string());
  if (from.is_bool()) return std::int64_t{from.as_bool()};
  return from.to_number<std::int64_t>();
}

std::string literal(const model::Value& value) {
  return value.index() == 0 ? model::to_string(value) : "'" + model::to_string(value) + "'";
}

/// Exactly the genomes of `legal` (positions of values), as one expression: a tree of decisions, gene by
/// gene, in which values with the same consequences share a branch.
std::string membership(const std::vector<model::Gene>& genes,
                       const std::vector<std::vector<std::size_t>>& legal, std::size_t depth,
                       std::size_t all_below) {
  if (legal.empty()) return "0";
  if (legal.size() == all_below) return "1";
  const model::Gene& gene = genes[depth];
  std::map<std::string, std::vector<std::size_t>> branches;
  for (std::size_t i = 0; i < gene.values.size(); ++i) {
    std::vector<std::vector<std::size_t>> inside;
    for (const auto& genome : legal) {
      if (genome[depth] == i) inside.push_back(genome);
    }
    branches[membership(genes, inside, depth + 1, all_below / gene.values.size())].push_back(i);
  }
  if (branches.size() == 1) return branches.begin()->first;
  std::string text;
  std::size_t left = branches.size();
  for (const auto& [branch, values] : branches) {
    if (--left == 0) return text + branch;
    std::string condition;
    for (const std::size_t i : values) {
      condition +=
          fmt::format("{}{} == {}", condition.empty() ? "" : " or ", gene.name, literal(gene.values[i]));
    }
    text += fmt::format("{} ? {} : ", condition, branch);
  }
  return text;
}

struct Recording {
  std::vector<model::Gene> genes;
  std::vector<std::vector<std::size_t>> legal;
  std::unordered_map<std::string, std::optional<double>> latencies;  // by Genome::text()
};

Recording read(const std::string& file) {
  const json::object root = json::parse(unpacked(file)).as_object();
  const json::object& cache = root.at("cache").as_object();
  Recording recording;
  for (const json::value& key : root.at("tune_params_keys").as_array()) {
    model::Gene gene;
    gene.name = std::string(key.as_string());
    for (const auto& [text, entry] : cache) {
      const model::Value value = value_of(entry.at(key.as_string()));
      if (!gene.index_of(value)) gene.values.push_back(value);
    }
    std::sort(gene.values.begin(), gene.values.end());
    gene.initial = gene.values.front();
    if (gene.values.size() > 1) recording.genes.push_back(std::move(gene));
  }
  for (const auto& [text, entry] : cache) {
    model::Genome genome;
    std::vector<std::size_t> positions;
    for (const model::Gene& gene : recording.genes) {
      genome.set(gene.name, value_of(entry.at(gene.name)));
      positions.push_back(*gene.index_of(genome.at(gene.name)));
    }
    recording.legal.push_back(std::move(positions));
    const json::value& time = entry.at("time");
    std::optional<double> latency;
    // Old caches have 1e20 for a failure, newer ones a word.
    if (time.is_number() && time.to_number<double>() < 1e19) latency = time.to_number<double>();
    recording.latencies.emplace(genome.text(), latency);
  }
  return recording;
}

}  // namespace

Landscape recorded_landscape(const std::string& file) try {
  Recording recording = read(file);
  std::size_t all = 1;
  for (const model::Gene& gene : recording.genes) all *= gene.values.size();
  auto condition = model::Expression::parse(membership(recording.genes, recording.legal, 0, all), file);
  if (!condition) fail(file, condition.error().text());

  Landscape landscape;
  const std::string base = std::filesystem::path(file).filename().string();
  landscape.name = base.substr(0, base.find(".json"));
  engine::SearchTemplate entry;
  entry.kernel_template.name = "kernel";
  entry.space = model::Space(recording.genes, {{*condition, "it was not recorded"}});
  landscape.space.templates.push_back(std::move(entry));
  for (const auto& [text, latency] : recording.latencies) {
    if (latency && (landscape.optimum == 0 || *latency < landscape.optimum)) landscape.optimum = *latency;
  }
  landscape.latency =
      [table = std::make_shared<decltype(recording.latencies)>(std::move(recording.latencies))](
          const std::string&, const model::Genome& genome) { return table->at(genome.text()); };
  return landscape;
} catch (const boost::system::system_error& error) {
  fail(file, error.what());
} catch (const std::out_of_range&) {
  fail(file, "a key of Kernel Tuner's cache format is missing");
}

}  // namespace evo::bench
