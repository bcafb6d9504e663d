// Published files with their host code.
#include "evaluators/compile/host_code.hpp"

#include <gtest/gtest.h>

#include "evaluators/compile/host_code_compiler.hpp"
#include "tests/support/fake_compiler.hpp"

namespace evo::evaluators::compile {
namespace {

const std::string published = R"(#include <vector>
#include "helper.h"
/* int main() { */
template <int N>
__global__ void k(float* x) { if (x) { x[0] = N; } }
namespace a { namespace b {
__device__ float twice(float x) { return 2 * x; }
static void check(cudaError_t error) {
  if (error) printf("{");
}
} }
extern "C" {
int launch(float* x) { a::b::check(run<<<1, 2>>>(x)); return 0; }
}
struct Config { int n; void set(int m) { n = m; } };
const float table[] = {1, 2, 3};
cudaStream_t stream;
int main(int argc, char** argv) {
#if DEBUG
  debug();
#endif
  return launch(nullptr);
}
)";

TEST(HostCode, DefaultsOfATemplateAreNoValues) {
  const std::string text =
      "template <typename T, int N = 4, bool B = (N > 2)>\n__host__ __device__ int f(T x) { return N; }\n"
      "void g() { f(1); }\nint h;\n";
  const auto all = declarations_of(text);
  ASSERT_EQ(all.size(), 3U);
  EXPECT_TRUE(all[0].device);
  EXPECT_EQ(all[0].last_line, 2);
  EXPECT_FALSE(all[1].device);
}

std::string text_of(const Declaration& each) {
  return published.substr(each.begin, each.end - each.begin);
}

TEST(HostCode, DeclarationsAreThoseOfNamespaceScope) {
  const auto all = declarations_of(published);
  ASSERT_EQ(all.size(), 8U);
  EXPECT_TRUE(text_of(all[0]).starts_with("template <int N>") && all[0].device);
  EXPECT_EQ(all[0].first_line, 4);
  EXPECT_EQ(all[0].last_line, 5);
  EXPECT_TRUE(text_of(all[1]).starts_with("__device__ float twice") && all[1].device);
  EXPECT_TRUE(text_of(all[2]).starts_with("static void check") && !all[2].device && !all[2].launches);
  EXPECT_EQ(all[2].last_line, 10);
  EXPECT_TRUE(text_of(all[3]).starts_with("int launch") && all[3].launches);
  EXPECT_EQ(text_of(all[4]), "struct Config { int n; void set(int m) { n = m; } };");
  EXPECT_EQ(text_of(all[5]), "const float table[] = {1, 2, 3};");
  EXPECT_EQ(text_of(all[6]), "cudaStream_t stream;");
  EXPECT_TRUE(all[7].is_main);
  EXPECT_EQ(all[7].first_line, 18);
  EXPECT_EQ(all[7].last_line, 23);
}

TEST(HostCode, IsToldFromCodeForTheDevice) {
  EXPECT_TRUE(has_host_code(published));
  EXPECT_TRUE(has_host_code("void f() { k<<<1, 1>>>(); }"));
  EXPECT_FALSE(has_host_code("__global__ void main_kernel(int* x) { x[0] = 1 << 3; }  // k<<<1, 1>>>()"));
  EXPECT_FALSE(has_host_code("__global__ void k(int domain) { const char* s = \"<<<\"; }"));
}

TEST(HostCode, BlanksKeepLinesAndDirectives) {
  std::string text = published;
  const auto all = declarations_of(text);
  blank(text, all[7].begin, all[7].end);
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), std::count(published.begin(), published.end(), '\n'));
  EXPECT_EQ(text.find("argc"), std::string::npos);
  EXPECT_NE(text.find("#if DEBUG\n"), std::string::npos);
  EXPECT_NE(text.find("#endif\n"), std::string::npos);
}

/// Like NVRTC: an error for each function without an annotation, and for each header that is not there.
tl::expected<model::Artifact, model::Failure> like_nvrtc(const CompileRequest& request) {
  model::Failure failure{model::Status::compile_error, "source_error", {}};
  for (const char* header : {"vector", "helper.h"}) {
    if (request.headers.contains(header)) continue;
    failure.reason = "include_not_found";
    failure.evidence.push_back(
        {"error", std::string("cannot open source file \"") + header + "\"", "a.cu", 1, {}});
    return tl::unexpected(failure);
  }
  const std::size_t own = request.source.find("#line 1");
  int line = 0;
  for (std::size_t at = own == std::string::npos ? 0 : request.source.find('\n', own) + 1;
       at < request.source.size();) {
    ++line;
    const std::size_t end = std::min(request.source.find('\n', at), request.source.size());
    const std::string text = request.source.substr(at, end - at);
    for (const char* wrong : {"check(", "launch(", "cudaStream_t", "main(int", "oops"}) {
      if (text.find(wrong) != std::string::npos)
        failure.evidence.push_back({"error", "host", "a.cu", line, {}});
    }
    at = end + 1;
  }
  if (!failure.evidence.empty()) return tl::unexpected(failure);
  return tests::FakeCompiler::plain(request);
}

CompileRequest published_request(const std::string& source) {
  CompileRequest request;
  request.source = "#define N 4\n#line 1 \"a.cu\"\n" + source;
  request.source_file = "a.cu";
  request.entry = "k";
  return request;
}

TEST(HostCodeCompiler, LeavesOutWhatIsForTheHostAndNothingElse) {
  tests::FakeCompiler inner(like_nvrtc);
  HostCodeCompiler compiler(inner);
  ASSERT_TRUE(compiler.compile(published_request(published)));
  const std::string kept = inner.requests().back().source;
  for (const char* device : {"__global__ void k", "twice", "struct Config", "table"})
    EXPECT_NE(kept.find(device), std::string::npos) << device;
  for (const char* host : {"printf", "<<<", "argc"}) EXPECT_EQ(kept.find(host), std::string::npos) << host;
  // The next variant of the file compiles at once.
  const std::size_t before = inner.requests().size();
  CompileRequest next = published_request(published);
  next.source.replace(next.source.find("N 4"), 3, "N 8");
  ASSERT_TRUE(compiler.compile(next));
  EXPECT_EQ(inner.requests().size(), before + 1);
}

TEST(HostCodeCompiler, LeavesOutKernelsThatNobodyLaunchesWhereTheyDoNotCompile) {
  const std::string source =
      published +
      "__global__ __launch_bounds__(64, 2) void other(int n) { oops(); }\n__global__ void third() {}\n";
  tests::FakeCompiler inner(like_nvrtc);
  HostCodeCompiler compiler(inner);
  ASSERT_TRUE(compiler.compile(published_request(source)));
  const std::string kept = inner.requests().back().source;
  EXPECT_EQ(kept.find("oops"), std::string::npos);
  EXPECT_NE(kept.find("third"), std::string::npos);
  CompileRequest launched = published_request(source);
  launched.other_entries = {"a::other<3>(int)"};
  EXPECT_FALSE(HostCodeCompiler(inner).compile(launched));
}

TEST(HostCodeCompiler, ASpecialisationOfTheLaunchedKernelStays) {
  tests::FakeCompiler inner(like_nvrtc);
  const std::string source = published + "template <> __global__ void k<64>(float* x) { oops(); }\n";
  CompileRequest launched = published_request(source);
  launched.entry = "k<64>";
  EXPECT_FALSE(HostCodeCompiler(inner).compile(launched)) << "without it another kernel would be proven";
}

TEST(HostCodeCompiler, AnErrorOfDeviceCodeStaysOne) {
  tests::FakeCompiler inner(like_nvrtc);
  HostCodeCompiler compiler(inner);
  std::string wrong = published;
  wrong.replace(wrong.find("return 2 * x"), 12, "return oops;");
  const auto failed = compiler.compile(published_request(wrong));
  ASSERT_FALSE(failed);
  ASSERT_EQ(failed.error().evidence.size(), 1U) << "host code is not held against it";
  EXPECT_EQ(failed.error().evidence[0].line, 7);
}

TEST(HostCodeCompiler, WithoutHostCodeASourceIsCompiledOnceAsItIs) {
  tests::FakeCompiler inner(like_nvrtc);
  HostCodeCompiler compiler(inner);
  const auto failed = compiler.compile(published_request("#include <vector>\n__global__ void k() {}\n"));
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().reason, "include_not_found");
  EXPECT_EQ(inner.requests().size(), 1U);
}

TEST(HostCodeCompiler, AKernelThatAMacroMakesIsNotLost) {
  const auto answer = [](const CompileRequest& request) -> tl::expected<model::Artifact, model::Failure> {
    if (request.source.find("KERNEL(k)") == std::string::npos)
      return tl::unexpected(model::Failure{model::Status::compile_error, "no_entry", {}});
    return tl::unexpected(
        model::Failure{model::Status::compile_error, "source_error", {{"error", "wrong", "a.cu", 2, {}}}});
  };
  tests::FakeCompiler inner(answer);
  HostCodeCompiler compiler(inner);
  const auto failed =
      compiler.compile(published_request("int main() { k<<<1, 1>>>(); }\nKERNEL(k) { wrong; }\n"));
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().reason, "source_error");
}

}  // namespace
}  // namespace evo::evaluators::compile
