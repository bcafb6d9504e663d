// What the edits of a source are worth: how many public files are read, what survives of each operator's
// edits, whether planted barriers are found, and whether removed ones come back.
#include <cstdio>
#include <exception>
#include <fstream>
#include <sstream>

#include <fmt/format.h>

#include "bench/source/bench.hpp"
#include "evaluators/compile/worker_main.hpp"
#include "source/program.hpp"

namespace {

/// Share of files without a complaint, each kernel definition read as one.
int parse(const std::vector<std::string>& files) {
  int good = 0;
  std::size_t functions = 0, statements = 0;
  for (const std::string& name : files) {
    std::ifstream file(name);
    std::ostringstream text;
    text << file.rdbuf();
    const evo::source::Program program = evo::source::read_program(text.str());
    functions += program.functions.size();
    statements += program.nodes.size();
    if (program.complaints.empty()) {
      ++good;
    } else {
      fmt::print("{}:{}: {}\n", name, program.complaints.front().line, program.complaints.front().what);
    }
  }
  fmt::print("read {} of {} files ({:.1f} %), {} functions, {} statements\n", good, files.size(),
             files.empty() ? 0.0 : 100.0 * good / static_cast<double>(files.size()), functions, statements);
  return good == static_cast<int>(files.size()) ? 0 : 1;
}

}  // namespace

int main(int count, char** values) {
  const std::vector<std::string> words(values + 1, values + count);
  const std::string verb = words.empty() ? "" : words.front();
  const std::vector<std::string> rest(words.empty() ? words.begin() : words.begin() + 1, words.end());
  try {
    if (verb == "compile-worker") return evo::evaluators::compile::compile_worker_main();
    if (verb == "parse") return parse(rest);
    if (verb == "survival") return evo::bench::survival(rest);
    if (verb == "planted") return evo::bench::planted(rest);
    if (verb == "removed") return evo::bench::removed(rest);
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
  fmt::print(stderr,
             "usage: evo-source-edits parse FILE.cu ...\n"
             "       evo-source-edits survival [--each N] [--prove N] [FOLDER | EXPERIMENT.yaml | "
             "FILE.cu[:KERNEL]] ...\n"
             "       evo-source-edits planted|removed EXPERIMENT.yaml ...\n");
  return 2;
}
