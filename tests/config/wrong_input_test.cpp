// Every key of every table, misspelt and with a value of the wrong type: an error with the file, a line and,
// of a misspelt one, the correct word. A key that is added to a table is asked about without a change here.
#include <filesystem>
#include <fstream>
#include <functional>
#include <optional>
#include <set>
#include <span>
#include <variant>

#include <gtest/gtest.h>

#include "config/keys.hpp"
#include "config/loader.hpp"
#include "tests/config/files.hpp"

namespace evo::config {
namespace {

constexpr const char* full_problem = R"yaml(name: full
axes:
  n: {min: 1, max: 4096, initial: 64}
  width: {compile_time: true, allowed: [1, 2, 4], initial: 2}
args:
  - {name: x, role: input, dtype: f32, shape: [n, width], fill: {uniform: [0, 1]}}
  - {name: image, role: input, dtype: f32, shape: [n, n], texture: {filter: linear}}
  - {name: drawn, role: output, dtype: f32, shape: [n, n], surface: {channels: 1}}
  - {name: y, role: output, dtype: f32, shape: [n, width]}
  - {name: n, role: scalar, dtype: i32, value: n}
oracle: {kernel: reference.cu, entry: reference}
input_sets: [{name: normal, kind: normal}]
tolerances: [{class: loose, relative_frobenius: 0.01, max_abs_over_rms: 1}]
work: {flops: n, bytes: 8 * n}
check_workloads: [{name: one, n: 1}]
stages: [{name: S, formula: scores, rows: n, columns: n}]
comparators: [{name: other, command: ["true"]}]
rules: [causes.yaml]
templates:
  plain:
    source: plain.cu
    entry: copy
    genes: {THREADS: {values: [32, 64], initial: 64}}
    constraints: [{require: THREADS >= 32, reason: a warp}]
    starts: [{name: small, genes: {THREADS: 32}}]
    launch:
      grid: ["ceil_div(n, THREADS)"]
      block: [THREADS]
      tensor_maps: [{name: map, argument: x, box: [4, 8]}]
  steps:
    source: {command: ["true"]}
    genes: {BLOCK: {values: [32, 64]}}
    launches: [{entry: copy, grid: [n], block: [BLOCK]}, {repeat: {k: n}, launches: [{entry: copy, grid: [n], block: [BLOCK]}]}]
)yaml";

constexpr const char* full_causes = R"yaml(rules: [{name: off_by_one, cause: an index}]
suspects: [{rule: off_by_one, pattern: "i \\+ 1", why: one further}]
)yaml";

constexpr const char* full_experiment = R"yaml(name: try
problem: full
workloads: [{name: w, n: 64}]
target: l4
device: virtual
templates: [plain]
baseline: {template: plain, genes: {THREADS: 32}}
search: {population: 4, generations: 3, seed: 9, screen: {pool: 2}}
budget: {}
gates: {}
)yaml";

using Step = std::variant<const char*, std::size_t>;

struct Section {
  const char* name;
  std::span<const Key> keys;
  const char* file;
  std::vector<Step> path;
};

void PrintTo(const Section& section, std::ostream* out) {
  *out << section.name;
}

std::vector<Section> sections() {
  const char* problem = "kernels/full/problem.yaml";
  const char* causes = "kernels/full/causes.yaml";
  const char* experiment = "experiments/try.yaml";
  const std::size_t first = 0;
  return {
      {"problem", problem_keys(), problem, {}},
      {"axis", axis_keys(), problem, {"axes", "n"}},
      {"argument", argument_keys(), problem, {"args", first}},
      {"fill", fill_keys(), problem, {"args", first, "fill"}},
      {"texture", texture_keys(), problem, {"args", std::size_t{1}, "texture"}},
      {"surface", surface_keys(), problem, {"args", std::size_t{2}, "surface"}},
      {"oracle", oracle_keys(), problem, {"oracle"}},
      {"input_set", input_set_keys(), problem, {"input_sets", first}},
      {"tolerance", tolerance_keys(), problem, {"tolerances", first}},
      {"stage", stage_keys(), problem, {"stages", first}},
      {"comparator", comparator_keys(), problem, {"comparators", first}},
      {"template", template_keys(), problem, {"templates", "plain"}},
      {"source", source_keys(), problem, {"templates", "steps", "source"}},
      {"gene", gene_keys(), problem, {"templates", "plain", "genes", "THREADS"}},
      {"constraint", constraint_keys(), problem, {"templates", "plain", "constraints", first}},
      {"start", start_keys(), problem, {"templates", "plain", "starts", first}},
      {"launch", launch_keys(), problem, {"templates", "plain", "launch"}},
      {"step", launch_step_keys(), problem, {"templates", "steps", "launches", first}},
      {"tensor_map", tensor_map_keys(), problem, {"templates", "plain", "launch", "tensor_maps", first}},
      {"rule", rule_keys(), causes, {"rules", first}},
      {"suspect", suspect_keys(), causes, {"suspects", first}},
      {"experiment", experiment_keys(), experiment, {}},
      {"baseline", baseline_keys(), experiment, {"baseline"}},
      {"search", search_keys(), experiment, {"search"}},
      {"screen", screen_keys(), experiment, {"search", "screen"}},
      {"budget", budget_keys(), experiment, {"budget"}},
      {"gates", gate_keys(), experiment, {"gates"}},
      {"target", target_keys(), "targets/own.yaml", {}},
  };
}

/// Nothing that the type allows.
YAML::Node wrong_value(const Key& entry) {
  const std::string_view type = entry.type;
  if (type == "integer" || type == "number" || type == "boolean" || type == "object")
    return YAML::Node("zzz");
  if (type == "name" || type == "list") return YAML::Load("[[[1]]]");
  return YAML::Load("{zzz: [1]}");
}

struct WrongInput : ::testing::TestWithParam<Section> {
  testing::Files files;
  SearchPath path = files.search_path();

  WrongInput() {
    path.known = {{"copy"}, {{"normal", {"mean", "deviation", "exact"}}}, {"scores"}};
    files.write("kernels/full/problem.yaml", full_problem);
    files.write("kernels/full/causes.yaml", full_causes);
    files.write("kernels/full/plain.cu", "extern \"C\" __global__ void copy() {}\n");
    files.write("kernels/full/reference.cu", "__global__ void reference() {}\n");
    files.write("experiments/try.yaml", full_experiment);
    std::ifstream target(EVO_SOURCE_DIR "/targets/l4.yaml");
    std::string text{std::istreambuf_iterator<char>(target), {}};
    text.replace(text.find("name: l4"), 8, "name: own");
    files.write("targets/own.yaml", text);
    if (std::string_view(GetParam().name) == "target")
      files.edit("experiments/try.yaml", "target: l4", "target: ../targets/own.yaml");
  }

  /// Of reading everything after a change of the section; nullopt: it was read.
  template <class Change>
  std::optional<model::Error> error_after(const Change& change) {
    const Section& section = GetParam();
    const std::string before = files.read(section.file);
    const YAML::Node root = YAML::Load(before);
    YAML::Node at = root;
    for (const Step& step : section.path) {
      const YAML::Node next = std::visit([&](const auto& key) { return at[key]; }, step);
      at.reset(next);
    }
    change(at);
    YAML::Emitter out;
    out << root;
    files.write(section.file, std::string(out.c_str()) + "\n");
    const auto read = load_experiment(files.path("experiments/try.yaml"), {}, path);
    files.write(section.file, before);
    if (read) return std::nullopt;
    return read.error();
  }
  void expect_place(const std::optional<model::Error>& error, const std::string& what) {
    ASSERT_TRUE(error) << what << " was read";
    const std::string name = std::filesystem::path(GetParam().file).filename();
    EXPECT_NE(error->file.find(name), std::string::npos) << what << ": " << error->text();
    EXPECT_GT(error->line, 0) << what << ": " << error->text();
  }
};

TEST_P(WrongInput, TheFilesThemselvesAreRight) {
  const auto error = error_after([](YAML::Node&) {});
  EXPECT_FALSE(error) << error->text();
}

TEST_P(WrongInput, AMisspeltKeyIsToldWithTheRightOne) {
  for (const Key& entry : GetParam().keys) {
    const std::string correct(entry.name), wrong = correct.front() + correct;
    const auto error = error_after([&](YAML::Node& section) { section[wrong] = "zzz"; });
    expect_place(error, wrong);
    if (!error) continue;
    EXPECT_NE(error->message.find("'" + correct + "'"), std::string::npos) << error->text();
    EXPECT_NE(error->message.find(wrong), std::string::npos) << error->text();
  }
}

TEST_P(WrongInput, AValueOfAnotherTypeIsToldWithItsPlace) {
  for (const Key& entry : GetParam().keys) {
    const auto error =
        error_after([&](YAML::Node& section) { section[std::string(entry.name)] = wrong_value(entry); });
    expect_place(error, std::string(entry.name));
  }
}

TEST_P(WrongInput, ANumberOutOfRangeIsToldWithItsPlace) {
  for (const Key& entry : GetParam().keys) {
    if (entry.minimum == 0 && entry.maximum == 0) continue;
    for (const double wrong : {entry.minimum - 1, entry.maximum + 1}) {
      if (wrong > 1e15) continue;  // beyond what a double counts by ones
      const auto error = error_after(
          [&](YAML::Node& section) { section[std::string(entry.name)] = static_cast<std::int64_t>(wrong); });
      expect_place(error, std::string(entry.name) + " " + std::to_string(wrong));
      if (!error) continue;
      EXPECT_NE(error->text().find(entry.name), std::string::npos) << error->text();
    }
  }
}

TEST_P(WrongInput, AnUnknownWordIsToldWithTheNearestOne) {
  for (const Key& entry : GetParam().keys) {
    const std::string correct(entry.choices.substr(0, entry.choices.find('|')));
    if (correct.size() < 4) continue;  // of shorter ones another word is as near
    const auto error =
        error_after([&](YAML::Node& section) { section[std::string(entry.name)] = correct + "x"; });
    expect_place(error, std::string(entry.name) + " " + correct + "x");
    if (!error) continue;
    EXPECT_NE(error->message.find("'" + correct + "'"), std::string::npos) << error->text();
  }
}

// A table that problem.yaml learns has to be asked about above.
TEST(WrongInputTables, AreAllThatTheSchemasHave) {
  std::set<std::set<std::string>> asked;
  std::set<std::string> launches;
  for (const Section& section : sections()) {
    const std::vector<std::string> names = key_names(section.keys);
    asked.insert({names.begin(), names.end()});
    if (section.name == std::string_view("launch") || section.name == std::string_view("step"))
      launches.insert(names.begin(), names.end());
  }
  asked.insert(launches);  // a step has the keys of a launch, too
  for (const char* file : {"/schema/problem.schema.json", "/schema/target.schema.json"}) {
    const std::function<void(const YAML::Node&)> walk = [&](const YAML::Node& node) {
      if (node.IsMap() && node["properties"] && node["properties"].IsMap() && node["type"]) {
        std::set<std::string> names;
        for (const auto& entry : node["properties"]) names.insert(entry.first.as<std::string>());
        EXPECT_TRUE(asked.contains(names)) << file << ": the table that begins with " << *names.begin();
      }
      if (node.IsScalar() || node.IsNull()) return;
      for (const auto& entry : node) walk(node.IsMap() ? entry.second : YAML::Node(entry));
    };
    walk(YAML::LoadFile(std::string(EVO_SOURCE_DIR) + file));
  }
}

INSTANTIATE_TEST_SUITE_P(Tables, WrongInput, ::testing::ValuesIn(sections()),
                         [](const auto& instance) { return std::string(instance.param.name); });

}  // namespace
}  // namespace evo::config
