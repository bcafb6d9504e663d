// Macros that open and close namespaces, and what a text is without them.
#include "intake/namespace_macros.hpp"

#include <algorithm>

#include <gtest/gtest.h>

#include "intake/host_code.hpp"
#include "intake/reachable.hpp"

namespace evo::intake {
namespace {

const std::string opened =
    "#define LIB_OPEN namespace lib { namespace inner {\n#define LIB_CLOSE }}\n#define CHECK(x) { x; }\n"
    "#define WRAP(x) namespace x {\n";

TEST(NamespaceMacros, AreThoseWhoseBracesAreOpen) {
  const std::map<std::string, std::string> found = brace_macros(opened);
  ASSERT_EQ(found.size(), 3U);
  EXPECT_EQ(found.at("LIB_OPEN"), "namespace lib { namespace inner {");
  EXPECT_EQ(found.at("LIB_CLOSE"), "} }");
  EXPECT_EQ(found.at("WRAP"), "") << "it takes an argument";
}

TEST(NamespaceMacros, OfTwoBranchesNoneIsTheBody) {
  EXPECT_EQ(brace_macros("#if A\n#define OPEN namespace a {\n#else\n#define OPEN namespace b {\n#endif\n")
                .at("OPEN"),
            "");
  EXPECT_EQ(brace_macros("#if A\n#define OPEN namespace a {\n#else\n#define OPEN\n#endif\n").at("OPEN"), "");
}

TEST(NamespaceMacros, AreSpelledOutLineByLine) {
  const std::string source = opened + "LIB_OPEN\n__global__ void k() {}\nLIB_CLOSE\n";
  const std::string plain = with_namespaces_spelled_out(source, brace_macros(source));
  EXPECT_EQ(std::ranges::count(plain, '\n'), std::ranges::count(source, '\n'));
  EXPECT_TRUE(plain.ends_with("namespace lib { namespace inner {\n__global__ void k() {}\n} }\n"));
  EXPECT_EQ(with_namespaces_spelled_out("OPEN x;", {{"OPEN", "struct a {"}}), "OPEN x;") << "no namespace";
  EXPECT_TRUE(has_lone_macro(source));
  EXPECT_FALSE(has_lone_macro("#define LIB_OPEN namespace lib {\nint LIB_OPEN;\nvoid f() {\n}\n"));
}

// What stands behind the macro goes without it, and what is called with it keeps its name.
TEST(NamespaceMacros, BelongToNoDeclaration) {
  for (const bool defined : {true, false}) {
    std::string source = "LIB_OPEN_NAMESPACE\nvoid host() {}\n__global__ void k() {}\nLIB_CLOSE_NAMESPACE\n";
    if (!defined) source += "LIB_OPEN_NAMESPACE::type other() { return {}; }\n";
    std::map<std::string, std::string> headers;
    if (defined)
      headers["n.h"] = "#define LIB_OPEN_NAMESPACE namespace lib {\n#define LIB_CLOSE_NAMESPACE }\n";
    (void)keep_reachable(source, headers, {"k"});
    EXPECT_NE(source.find("LIB_OPEN_NAMESPACE\n"), std::string::npos) << source;
    EXPECT_NE(source.find("LIB_CLOSE_NAMESPACE"), std::string::npos) << source;
    EXPECT_EQ(source.find("host"), std::string::npos) << source;
    EXPECT_EQ(source.find("other"), std::string::npos) << source;
  }
  std::string qualified = "STD_NAMESPACE::size_t unused() { return 1; }\n__global__ void k() {}\n";
  std::map<std::string, std::string> none;
  (void)keep_reachable(qualified, none, {"k"});
  EXPECT_EQ(qualified.find("STD_NAMESPACE"), std::string::npos) << qualified;
  std::string source = "BEGIN\nvoid host() {}\n__global__ void k() {}\nEND\n";
  std::map<std::string, std::string> headers{{"n.h", "#define BEGIN namespace lib {\n#define END }\n"}};
  (void)keep_reachable(source, headers, {"k"});
  EXPECT_TRUE(source.starts_with("BEGIN\n")) << source;
}

}  // namespace
}  // namespace evo::intake
