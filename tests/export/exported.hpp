// A folder to export into, and what is exported: the tests of export/ share them.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "config/loader.hpp"
#include "export/exporter.hpp"
#include "tests/support/targets.hpp"

namespace evo::exporting {

namespace fs = std::filesystem;

inline std::string read(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  EXPECT_TRUE(in) << path;
  return {std::istreambuf_iterator<char>(in), {}};
}

class Export : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "evo_export_XXXXXX").string();
    folder_ = ::mkdtemp(pattern.data());
  }
  void TearDown() override { fs::remove_all(folder_); }

  static ExportRequest request(const std::string& name = "scalar", const std::string& target = "l4") {
    const std::string kernels = std::string(EVO_SOURCE_DIR) + "/kernels";
    auto problem = config::load_problem("attention_forward", {{kernels}});
    if (!problem) throw std::runtime_error(problem.error().text());
    ExportRequest request;
    request.problem = *problem;
    request.kernel_template = *request.problem.find_template(name);
    request.target = tests::shipped_target(target);
    request.bound_space =
        model::bind_space(request.problem, request.kernel_template, {{"head_dim", 64}}, request.target);
    request.variant =
        model::make_variant(request.kernel_template, request.bound_space, request.bound_space.initial());
    request.workloads = {{"s512", 1, {{"batch", 2}, {"heads", 8}, {"seq", 512}, {"causal", 1}}},
                         {"s1000", 2, {{"batch", 1}, {"heads", 4}, {"seq", 1000}}}};
    request.accuracy_class = "fp32-softmax";
    auto& from = request.provenance;
    from.evo_version = "0.1.0";
    from.experiment = "s512_l4";
    from.run = "runs/x";
    from.lineage_sha256 = "abc";
    from.status = "better";
    from.device_kind = "virtual";
    from.device_name = "virtual";
    from.toolchain = "NVRTC 13.0.88";
    from.latencies = {{"s512", 1, {model::LatencyKind::modelled, 100, std::nullopt, 0, "virtual model v2"}}};
    from.baseline_latencies = {
        {"s512", 1, {model::LatencyKind::modelled, 150, std::nullopt, 0, "virtual model v2"}}};
    from.lineage = {
        {"aaaa", {}, "baseline", "", 0, 0, "scalar", request.variant.genome, "proven", std::nullopt},
        {request.variant.id,
         {"aaaa"},
         "mutate_gene",
         "because \"x\"",
         3,
         7,
         "scalar",
         request.variant.genome,
         "better",
         from.latencies[0].latency}};
    return request;
  }

  int shell(const std::string& command, std::string* output = nullptr) const {
    const std::string line = "cd '" + folder_.string() + "' && " + command + " > out.txt 2>&1";
    const int status = std::system(line.c_str());
    if (output != nullptr) *output = read(folder_ / "out.txt");
    return status;
  }

  fs::path folder_;
};

/// A problem of `folder`, with an oracle that is a kernel.
inline ExportRequest example(const std::string& name, const std::string& folder = "/examples/") {
  auto problem = config::load_problem(std::string(EVO_SOURCE_DIR) + folder + name, {});
  if (!problem) throw std::runtime_error(problem.error().text());
  ExportRequest request;
  request.problem = *problem;
  request.kernel_template = request.problem.templates.at(0);
  request.target = tests::shipped_target("l4");
  request.bound_space = model::bind_space(request.problem, request.kernel_template, {}, request.target);
  request.variant =
      model::make_variant(request.kernel_template, request.bound_space, request.bound_space.initial());
  request.workloads = {{"one", 1, {}}};
  for (const auto& axis : request.problem.axes) request.workloads[0].axes[axis.name] = *axis.initial;
  request.accuracy_class = request.problem.tolerances.at(0).accuracy_class;
  return request;
}

}  // namespace evo::exporting
