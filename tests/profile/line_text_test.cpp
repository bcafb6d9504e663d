// Which text stands at a counted line.
#include "evaluators/profile/line_text.hpp"

#include <gtest/gtest.h>

namespace evo::evaluators::profile {
namespace {

std::vector<std::string> texts_of(const std::vector<std::pair<std::string, int>>& places,
                                  const std::string& source) {
  model::CounterReading reading;
  reading.kernels.emplace_back();
  for (const auto& [file, line] : places) reading.kernels[0].lines.push_back({file, line, 1});
  add_line_texts(reading, source, "add.cu", {{"tile.cuh", "#pragma once\nint tile;\n"}});
  std::vector<std::string> texts;
  for (const model::LineCount& line : reading.kernels[0].lines) texts.push_back(line.text);
  return texts;
}

TEST(LineText, IsThatOfTheFilesOwnNumbering) {
  const std::string source =
      "#define TILE 16\n#line 1 \"add.cu\"\nvoid f() {\n\t  c = a + b;  \r\n}\n#line 40 \"made.py\"\nint "
      "made;\n";
  EXPECT_EQ(texts_of({{"add.cu", 2}, {"add.cu", 1}, {"tile.cuh", 2}, {"made.py", 40}}, source),
            (std::vector<std::string>{"c = a + b;", "void f() {", "int tile;", "int made;"}));
  EXPECT_EQ(texts_of({{"add.cu", 9}, {"other.cuh", 1}, {"", 0}}, source),
            (std::vector<std::string>{"", "", ""}))
      << "beyond the end, of nobody's file, without a line";
}

// CUPTI tells paths of the machine that compiled.
TEST(LineText, FilesOfSamplesAreNamedAsTheSourceNamesThem) {
  model::CounterReading reading;
  reading.kernels.emplace_back().sampled = {{"/build/there/add.cu", 2, {{"wait", 1}}, ""},
                                            {"/build/there/sub/tile.cuh", 1, {{"wait", 1}}, ""},
                                            {"/build/there/made/by.py", 3, {{"wait", 1}}, ""},
                                            {"/build/badd.cu", 1, {{"wait", 1}}, ""},
                                            {"", 0, {{"wait", 1}}, ""}};
  add_line_texts(reading, "#line 1 \"add.cu\"\nvoid f() {\nc = a;\n#line 3 \"made/by.py\"\nint made;\n",
                 "add.cu", {{"sub/tile.cuh", "int tile;\n"}});
  std::vector<std::string> found;
  for (const auto& line : reading.kernels[0].sampled) found.push_back(line.file + ": " + line.text);
  EXPECT_EQ(found, (std::vector<std::string>{"add.cu: c = a;", "sub/tile.cuh: int tile;",
                                             "made/by.py: int made;", "badd.cu: ", ": "}));
}

TEST(LineText, ALongLineEndsBetweenTwoCharacters) {
  const std::string text =
      texts_of({{"add.cu", 1}}, std::string(119, 'x') + "\xC3\xA4" + std::string(9, 'y'))[0];
  EXPECT_EQ(text, std::string(119, 'x') + " ...");
}

}  // namespace
}  // namespace evo::evaluators::profile
