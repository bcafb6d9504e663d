#include "llm/reply.hpp"

#include <gtest/gtest.h>

#include "model/edits.hpp"
#include "source/apply.hpp"
#include "source/line_edits.hpp"

namespace evo::llm {
namespace {

constexpr const char* head = "HYPOTHESIS: why\nFACTOR: 1.5x\n";

std::string block(const std::string& search, const std::string& replace) {
  return "<<<<<<< SEARCH\n" + search + "\n=======\n" + replace + "\n>>>>>>> REPLACE\n";
}

/// The reason why the text is no reply, or no change of `parent`; "" if it is one.
std::string reason_of(const std::string& text, const std::string& parent = "a;\nb;\nb;\n") {
  const auto reply = read_reply(text);
  if (!reply) return reply.error().reason;
  const auto child = apply_reply(*reply, parent);
  return child ? "" : child.error().reason;
}

TEST(Reply, SaysWhatItExpects) {
  const auto reply = read_reply(std::string("Some thoughts.\n") + head + block("a;", "c;"));
  ASSERT_TRUE(reply);
  EXPECT_EQ(reply->hypothesis, "why");
  EXPECT_DOUBLE_EQ(reply->factor, 1.5);
  EXPECT_EQ(apply_reply(*reply, "a;\nb;\n").value(), "c;\nb;\n");
  EXPECT_EQ(reason_of(block("a;", "c;")), "no_prediction");
  EXPECT_EQ(reason_of("HYPOTHESIS: x\nFACTOR: -2\n" + block("a;", "c;")), "no_prediction");
  EXPECT_EQ(reason_of("HYPOTHESIS: x\nFACTOR: nan\n" + block("a;", "c;")), "no_prediction");
}

TEST(Reply, IsNeverSilentlyInert) {
  EXPECT_EQ(reason_of(std::string(head) + "Just make it faster."), "no_change_given");
  EXPECT_EQ(reason_of(head + block("nowhere;", "c;")), "unmatched_block");
  EXPECT_EQ(reason_of(head + block("b;", "c;")), "ambiguous_block");
  EXPECT_EQ(reason_of(head + block("a;", "a;")), "no_change");
  EXPECT_EQ(reason_of(head + block(" ", "a;")), "bad_block");
  EXPECT_EQ(reason_of(std::string(head) + "<<<<<<< SEARCH\na;\n=======\nc;\n"), "bad_block");
  EXPECT_EQ(reason_of(std::string(head) + "<<<<<<< SEARCH\na;\n"), "bad_block");
  EXPECT_EQ(reason_of(std::string(head) + "FILE:\n```cuda\nx;\n"), "bad_block");
  EXPECT_EQ(reason_of(std::string(head) + "FILE:\nx;\n"), "bad_block");
  EXPECT_EQ(reason_of(std::string(head) + "GENES: {1}\n"), "bad_block");
  EXPECT_EQ(reason_of(std::string(head) + "NEW_GENE: {}\n"), "bad_gene");
  EXPECT_EQ(reason_of(head + block("a;", "c;") + "FILE:\n```\nx;\n```\n"), "bad_block");
}

TEST(Reply, UnmatchedBlockNamesTheNearestLines) {
  const auto reply = read_reply(head + block("for (int i = 0; i < m; ++i) sum += x[i];", ""));
  const auto child = apply_reply(*reply, "int n;\nfor (int i = 0; i < n; ++i) sum += x[i];\n");
  ASSERT_FALSE(child);
  EXPECT_NE(child.error().message.find("line 2"), std::string::npos) << child.error().message;
  EXPECT_NE(child.error().message.find("i < n"), std::string::npos) << child.error().message;
}

// A block of the middle of a line would otherwise change what nobody pointed at.
TEST(Reply, MatchesWholeLinesOnly) {
  EXPECT_EQ(reason_of(head + block("b;", "c;"), "ab;\n"), "unmatched_block");
}

TEST(Reply, DeclaresGenesOfItsText) {
  const auto declares = [](const std::string& gene) {
    return read_reply(head + block("a;", "UNROLL;") + "NEW_GENE: " + gene + "\n");
  };
  const auto reply =
      declares(R"({"name": "UNROLL", "value": 2, "values": [1, 2, 4], "constraint": "UNROLL <= TILE"})");
  ASSERT_TRUE(reply);
  ASSERT_EQ(reply->new_genes.size(), 1u);
  EXPECT_EQ(reply->new_genes[0], (source::TextGene{"UNROLL", 2, {1, 2, 4}, "UNROLL <= TILE", {}}));
  for (const char* bad :
       {"", "[1]", R"({"name": "UNROLL"})", R"({"name": "UNROLL", "value": 3, "values": [1, 2]})",
        R"({"name": "UNROLL", "value": 1, "values": [1]})",
        R"({"name": "UNROLL", "value": 1, "values": [1, 1]})",
        R"({"name": "UNROLL", "value": 1, "values": [1, 2.5]})",
        R"({"name": "float", "value": 1, "values": [1, 2]})",
        R"({"name": "A B", "value": 1, "values": [1, 2]})",
        R"({"name": "__A", "value": 1, "values": [1, 2]})",
        R"({"name": "A\n#define B", "value": 1, "values": [1, 2]})",
        R"({"name": "A", "value": 1, "values": [1, 2], "x": 1})",
        R"({"name": "A", "value": 1, "values": [1, 2], "constraint": "1\n2"})",
        R"({"name": "A", "value": 1, "values": [1, 2], "constraint": "1 then delete"})"}) {
    const auto refused = declares(bad);
    EXPECT_EQ(refused ? "" : refused.error().reason, "bad_gene") << bad;
  }
  EXPECT_EQ(reason_of(std::string(head) + R"(NEW_GENE: {"name": "A", "value": 1, "values": [1, 2]})" + "\n"),
            "unused_gene");
  const std::string twice = R"(NEW_GENE: {"name": "A", "value": 1, "values": [1, 2]})"
                            "\n";
  EXPECT_EQ(reason_of(head + block("a;", "A;") + twice + twice), "bad_gene");
}

TEST(Contract, KeepsTheLaunchAndTheMacros) {
  const std::string prelude = "#define THREADS 64\n#line 1 \"k.cu\"\n";
  const std::string kernel = "extern \"C\" __global__ void k(const float* x, int n) { }\n";
  const auto reason = [&](const std::string& text) {
    const auto refusal = contract_violation(prelude + kernel, prelude + text, {"k"});
    return refusal ? refusal->reason : std::string();
  };
  EXPECT_EQ(reason(kernel), "");
  EXPECT_EQ(
      reason(
          "extern \"C\" __global__ void __launch_bounds__(64) k(const float* __restrict__ x, int n) { }\n"),
      "");
  EXPECT_EQ(reason("#define FAST 1\n" + kernel), "");
  EXPECT_EQ(reason("extern \"C\" __global__ void k(const float* x, long n) { }\n"), "contract_changed");
  EXPECT_EQ(reason("extern \"C\" __global__ void k2(const float* x, int n) { }\n"), "contract_changed");
  EXPECT_EQ(reason("__global__ void k(const float* x, int n) { }\n"), "contract_changed");
  EXPECT_EQ(reason("#include \"/etc/passwd\"\n" + kernel), "contract_changed");
  EXPECT_EQ(reason("#line 900\n" + kernel), "contract_changed");
  EXPECT_EQ(reason("#undef THREADS\n" + kernel), "macro_changed");
  EXPECT_EQ(reason("#define THREADS 1\n" + kernel), "macro_changed");
  EXPECT_EQ(reason("#  define \\\nTHREADS 1\n" + kernel), "macro_changed");
  EXPECT_EQ(reason("#if 0\n" + kernel + "#endif\n"), "contract_changed");
}

TEST(LineEdits, MakeTheTextAndSurviveOtherMacros) {
  const std::string before = "a\nb\nc\nd\ne\n", after = "a\nB\n\\n\nc\ne\nf\n";
  const source::Edits edits = source::line_edits(before, after, "llm:m", 16);
  EXPECT_EQ(edits.size(), 3u);
  source::Edits stored;
  for (const source::Edit& edit : edits) stored.push_back(*source::edit_from_text(source::text_of(edit)));
  const auto without_marks = [](std::string text) {
    for (std::size_t at = text.find("#line 3\n"); at != std::string::npos; at = text.find("#line 3\n"))
      text.erase(at, 8);
    const std::size_t at = text.find("#line 5\n");
    return at == std::string::npos ? text : text.erase(at, 8);
  };
  for (const std::string prelude :
       {"", "#define A 1\n#line 1 \"k\"\n", "#define A 2\n#define B\n#line 1 \"k\"\n"}) {
    const source::Edited edited = source::apply_edits(prelude + before, stored);
    EXPECT_TRUE(edited.dropped.empty());
    EXPECT_EQ(without_marks(edited.text), prelude + after);
  }
  EXPECT_EQ(source::apply_edits("a\nx\nc\nd\ne\n", stored).dropped.size(), 1u);
  EXPECT_EQ(source::line_edits(before, after, "llm:m", 1).size(), 1u);
  EXPECT_TRUE(source::line_edits(before, before, "llm:m", 16).empty());
}

}  // namespace
}  // namespace evo::llm
