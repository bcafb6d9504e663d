// Words of a problem file that the evaluators give a meaning to are checked on reading, against the list
// handed in.
#include <gtest/gtest.h>

#include "config/loader.hpp"
#include "config/stages.hpp"
#include "tests/config/files.hpp"

namespace evo::config {
namespace {

struct KnownNames : ::testing::Test {
  testing::Files files;
  SearchPath path = files.search_path();

  KnownNames() {
    path.known = {{"copy", "attention_forward"},
                  {{"normal", {"sigma", "mean", "exact"}}, {"ones", {"exact"}}, {"spike", {}}},
                  {"attention_scores", "attention_weights"}};
    files.edit("kernels/copy/problem.yaml", "templates:\n",
               "stages:\n  - {name: S, formula: attention_scores, rows: n, columns: n}\ntemplates:\n");
  }
  std::string error_after(const std::string& from, const std::string& to) {
    files.edit("kernels/copy/problem.yaml", from, to);
    const auto problem = load_problem("copy", path);
    files.edit("kernels/copy/problem.yaml", to, from);
    return problem ? "no error" : problem.error().text();
  }
};

#define EXPECT_HAS(text, part) EXPECT_NE((text).find(part), std::string::npos) << (text)

TEST_F(KnownNames, RightOnesAreTaken) {
  const auto problem = load_problem("copy", path);
  ASSERT_TRUE(problem) << problem.error().text();
  EXPECT_EQ(problem->oracle, "copy");
  EXPECT_EQ(problem->input_sets.at(0).parameters.at("sigma"), 2);
}

TEST_F(KnownNames, AMisspeltOracle) {
  EXPECT_HAS(
      error_after("oracle: copy", "oracle: attention_forwad"),
      "problem.yaml:10:9: oracle: unknown oracle 'attention_forwad' (did you mean 'attention_forward'?)");
  EXPECT_HAS(error_after("oracle: copy", "oracle: xyzzy"), "; known: copy, attention_forward");
}

TEST_F(KnownNames, AMisspeltKind) {
  EXPECT_HAS(error_after("kind: normal", "kind: normel"),
             "problem.yaml:12:26: input_sets[0].kind: unknown input kind 'normel' (did you mean 'normal'?)");
}

TEST_F(KnownNames, AMisspeltParameter) {
  EXPECT_HAS(error_after("sigma: 2", "sigam: 2"),
             "problem.yaml:12:34: unknown key 'input_sets[0].sigam' (did you mean 'sigma'?)");
  EXPECT_HAS(error_after("kind: ones", "kind: ones, sigma: 2"), "unknown key 'input_sets[1].sigma'");
  EXPECT_EQ(error_after("kind: ones", "kind: ones, exact: 1"), "no error");
}

TEST_F(KnownNames, AMisspeltFormula) {
  EXPECT_HAS(error_after("formula: attention_scores", "formula: attention_score"),
             "problem.yaml:21:24: stages[0].formula: unknown formula 'attention_score' (did you mean "
             "'attention_scores'?)");
}

TEST_F(KnownNames, AnExperimentTellsThePlaceInItsProblem) {
  files.edit("kernels/copy/problem.yaml", "oracle: copy", "oracle: cpoy");
  const auto experiment = load_experiment(files.path("experiments/try.yaml"), {}, path);
  ASSERT_FALSE(experiment);
  EXPECT_HAS(experiment.error().text(),
             "problem.yaml:10:9: oracle: unknown oracle 'cpoy' (did you mean 'copy'?)");
}

TEST_F(KnownNames, AnEmptyListIsNotChecked) {
  path.known = {};
  EXPECT_EQ(error_after("oracle: copy", "oracle: anything"), "no error");
  EXPECT_EQ(error_after("kind: normal, sigma", "kind: strange, omega"), "no error");
  EXPECT_EQ(error_after("formula: attention_scores", "formula: any"), "no error");
}

TEST_F(KnownNames, AKindIsNeededAndAParameterIsANumber) {
  EXPECT_HAS(error_after("kind: ones", "sort: ones"), "the key 'kind' is missing");
  EXPECT_HAS(error_after("sigma: 2", "sigma: two"), "input_sets[0].sigma: expected a number, not 'two'");
}

struct MissingExperiment : ::testing::Test {
  testing::Files files;
  std::string error(const std::string& file, std::vector<std::string> folders = {}) {
    SearchPath path = files.search_path();
    path.experiment_folders = std::move(folders);
    return load_experiment(file, {}, path).error().text();
  }
};

TEST_F(MissingExperiment, TheNearestOneBesideItIsNamed) {
  EXPECT_HAS(error(files.path("experiments/tri.yaml")),
             "tri.yaml: cannot be read: No such file or directory (did you mean '" +
                 files.path("experiments/try.yaml") + "'?)");
  EXPECT_EQ(error(files.path("experiments/quickstart.yaml")).find("did you mean"), std::string::npos);
}

TEST_F(MissingExperiment, ANameAloneMeansOneOfTheFolders) {
  EXPECT_HAS(error("try", {files.path("nowhere"), files.path("experiments")}),
             "(did you mean '" + files.path("experiments/try.yaml") + "'?)");
}

TEST_F(MissingExperiment, AFileThatIsThereIsNotTakenForMisspelt) {
  std::filesystem::create_directories(files.path("experiments/tri.yaml"));
  EXPECT_EQ(error(files.path("experiments/tri.yaml")).find("did you mean"), std::string::npos);
}

}  // namespace
}  // namespace evo::config
