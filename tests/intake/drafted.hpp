// What evo new, check and tune infer of a kernel before anything is run: drafts, with the real compiler in
// this process and small launches on the virtual device. Seconds at most, where a run of evo takes ten times
// as long.
#pragma once

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <unistd.h>

#include "intake/make_draft.hpp"
#include "model/error.hpp"
#include "tests/kernels/on_ladder.hpp"

namespace evo::intake {

struct Drafts : ::testing::Test {
  Drafts() {
    std::string pattern = (std::filesystem::temp_directory_path() / "evo-draft-XXXXXX").string();
    folder = ::mkdtemp(pattern.data());
    request.genes = {"BLOCK=64,128"};
    request.block = "BLOCK";
    request.device = "virtual";
  }
  ~Drafts() override {
    std::error_code ignored;
    std::filesystem::remove_all(folder, ignored);
  }
  void SetUp() override {
    if (tests::nvrtc() == nullptr) GTEST_SKIP() << "needs NVRTC";
  }

  /// Throws model::Exception, as make_draft() does. Sizes that nobody bounds go up to twice their values:
  /// those up to millions that evo would choose are no part of these questions.
  Draft of(const std::string& kernel, const std::string& reference, const std::vector<std::string>& axes,
           const std::vector<std::string>& arguments = {}) {
    request.kernel = written("k.cu", kernel);
    request.reference = written("r.cu", reference);
    request.axes = axes;
    for (std::string& axis : request.axes) {
      if (axis.find("max=") == std::string::npos && axis.find("multiple_of=") == std::string::npos)
        axis += " max=" + std::to_string(2 * std::stoll(axis.substr(axis.find('=') + 1)));
    }
    request.arguments = arguments;
    tests::InProcessCompiler compiler;
    return make_draft(compiler, request, Purpose::run);
  }
  /// The same code is the kernel and its reference: `head` its parameters, `body` what follows.
  Draft both(const std::string& head, const std::string& body, const std::vector<std::string>& axes,
             const std::vector<std::string>& arguments = {}) {
    const std::string code = head + " {\n  " + body + "}\n";
    return of("__global__ void k" + code, "__global__ void reference" + code, axes, arguments);
  }
  /// What evo says where it has to be told something; empty where it has not.
  template <class Make>
  static std::string asked(const Make& make) {
    try {
      (void)make();
    } catch (const model::Exception& error) {
      EXPECT_EQ(error.code(), model::ExitCode::usage) << error.what();
      return error.what();
    }
    return {};
  }

  [[nodiscard]] std::string written(const std::string& name, const std::string& text) const {
    const std::string file = (folder / name).string();
    std::ofstream(file) << text;
    return file;
  }

  std::filesystem::path folder;
  Request request;
};

inline const DraftArgument& argument_of(const Draft& draft, const std::string& name) {
  return *std::ranges::find(draft.arguments, name, &DraftArgument::name);
}
inline std::vector<std::string> shape_of(const Draft& draft, const std::string& name) {
  return argument_of(draft, name).shape;
}
/// "" where the argument has no such key.
inline std::string key_of(const Draft& draft, const std::string& name, const std::string& key) {
  for (const auto& [each, value] : argument_of(draft, name).keys) {
    if (each == key) return value;
  }
  return {};
}
inline std::string text_of(const Draft& draft, const std::string& file) {
  return std::ranges::find(draft.files, file, &DraftFile::name)->text;
}

using Sizes = std::vector<std::string>;
inline const std::string own_element = "const int i = blockIdx.x * blockDim.x + threadIdx.x;\n";

}  // namespace evo::intake
