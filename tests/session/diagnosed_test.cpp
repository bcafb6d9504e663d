// What evo diagnose is asked about, and where it runs.
#include "session/diagnosed.hpp"

#include <gtest/gtest.h>

#include <functional>

#include "model/error.hpp"

namespace evo::session {
namespace {

constexpr const char* diagnosed_source = EVO_SOURCE_DIR "/suites/attacks/controls/add_plain.cu";
constexpr const char* diagnosed_problem = EVO_SOURCE_DIR "/suites/attacks/problems/vector_add";

SourceRequest of_source() {
  SourceRequest request;
  request.source = diagnosed_source;
  request.problem = diagnosed_problem;
  return request;
}

model::ExitCode diagnosed_code(const std::function<void()>& body) {
  try {
    body();
  } catch (const model::Exception& error) {
    return error.code();
  }
  return model::ExitCode::done;
}

TEST(Diagnosed, ASourceStandsBesideTheTemplatesOwnText) {
  const Diagnosed chosen = choose_diagnosed(of_source(), "");
  const model::Template& kernel = chosen.experiment.problem.templates.front();
  EXPECT_EQ(chosen.template_name, "plain");
  ASSERT_TRUE(chosen.source);
  EXPECT_EQ(*chosen.source, read_source_experiment(of_source()).experiment.problem.templates.front().source);
  EXPECT_EQ(kernel.source, read_source_experiment(of_source()).template_source) << "what it is compared with";
  EXPECT_NE(chosen.source_file.find("add_plain.cu"), std::string::npos);
  EXPECT_EQ(chosen.genome, chosen.experiment.baseline);
  EXPECT_EQ(chosen.title + chosen.verdict, "") << "no run said anything";
}

TEST(Diagnosed, ASourceAndAVariantDoNotGoTogether) {
  EXPECT_EQ(diagnosed_code([] { (void)choose_diagnosed(of_source(), "champion"); }), model::ExitCode::usage);
}

TEST(Diagnosed, AFileWithoutAProblemIsNoRun) {
  SourceRequest request = of_source();
  request.problem.clear();
  EXPECT_EQ(diagnosed_code([&] { (void)choose_diagnosed(request, "champion"); }), model::ExitCode::usage);
}

TEST(Diagnosed, TheVirtualDeviceIsTakenWhereItSeesAll) {
  model::Experiment experiment;
  experiment.device = "auto";
  EXPECT_EQ(device_to_diagnose_on(experiment, false).id, "virtual");
  experiment.device = "virtual";
  EXPECT_EQ(device_to_diagnose_on(experiment, true).id, "virtual") << "the experiment may use no GPU";
  EXPECT_EQ(device_to_diagnose_on(experiment, true).note, "") << "nor is one looked for";
}

TEST(Diagnosed, AFactoryMakesTheDeviceThatWasChosen) {
  const auto make = device_factory({"virtual", {}}, choose_diagnosed(of_source(), "").experiment.target);
  EXPECT_EQ(make()->info().kind, "virtual");
}

}  // namespace
}  // namespace evo::session
