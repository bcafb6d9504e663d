#include "config/oracle_loader.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "config/keys.hpp"
#include "config/nearest.hpp"
#include "config/problem_parts.hpp"
#include "model/file_name.hpp"
#include "model/formula.hpp"
#include "model/hash.hpp"

namespace evo::config {
namespace {

using model::OracleKind;
using model::OracleSource;
namespace fs = std::filesystem;

std::string file_text(const Reader& where, const fs::path& file) {
  std::error_code ignored;
  std::ifstream stream(file, std::ios::binary);
  if (!stream || fs::is_directory(file, ignored))
    where.fail(fmt::format("the file {} cannot be read", file.string()));
  return {std::istreambuf_iterator<char>(stream), {}};
}

/// The keys of each kind beside its own.
struct KindKeys {
  const char* key;
  std::vector<std::string> others;
};
const std::vector<KindKeys>& kinds() {
  static const std::vector<KindKeys> all{{"kernel", {"entry", "grid", "block", "guessed"}},
                                         {"expression", {}},
                                         {"files", {}},
                                         {"command", {"timeout_s"}}};
  return all;
}

/// The map's kind; its keys belong together.
std::string kind_of(const Reader& reader) {
  reader.expect_keys(key_names(oracle_keys()));
  const KindKeys* found = nullptr;
  for (const KindKeys& kind : kinds()) {
    const auto given = reader.find(kind.key);
    if (!given) continue;
    if (found != nullptr)
      given->fail(fmt::format("one oracle is a {} or a {}; several are a list: [{{{}: ...}}, {{{}: ...}}]",
                              found->key, kind.key, found->key, kind.key));
    found = &kind;
  }
  if (found == nullptr) reader.fail("an oracle is a name, or one of kernel, expression, files and command");
  for (const std::string& key : reader.keys()) {
    if (key == found->key || std::ranges::find(found->others, key) != found->others.end()) continue;
    reader.at(key).fail(fmt::format("{} does not belong to an oracle of the kind {}", key, found->key));
  }
  return found->key;
}

OracleSource read_kernel(const Reader& reader, const fs::path& folder, model::Problem& problem) {
  const Reader source = reader.at("kernel");
  if (problem.oracle_kernel) source.fail("a problem has one reference kernel");
  model::ReferenceKernel reference;
  reference.source = file_text(source, folder / source.text());
  reference.source_file = model::plain_file_name(source.text());
  if (const auto entry = reader.find("entry")) reference.entry = entry->text();
  if (reader.find("grid") || reader.find("block")) {
    reference.launch.emplace();
    read_dimensions(reader, "grid", reference.launch->grid);
    read_dimensions(reader, "block", reference.launch->block);
  }
  if (const auto guessed = reader.find("guessed")) reference.guessed = guessed->boolean();
  problem.oracle_kernel = std::move(reference);
  OracleSource result;
  result.kind = OracleKind::kernel;
  return result;
}

/// The statements of one text, between line ends and semicolons.
void add_statements(const Reader& reader, std::vector<model::OracleStatement>& statements) {
  const std::string text = reader.text();
  const bool quoted = reader.node().Tag() == "!";
  const bool block = text.find('\n') != std::string::npos;
  int line = 0, column = 0;
  std::size_t start = 0;
  for (std::size_t at = 0; at <= text.size(); ++at) {
    const bool ends = at == text.size() || text[at] == ';' || text[at] == '\n';
    if (!ends) continue;
    std::size_t first = start;
    while (first < at && text[first] == ' ') ++first;
    std::size_t last = at;
    while (last > first && text[last - 1] == ' ') --last;
    if (last > first) {
      model::OracleStatement statement{text.substr(first, last - first), reader.file(), reader.line(), 0};
      if (block) {
        statement.line += line + 1;
      } else {
        statement.column = reader.column() + (quoted ? 1 : 0) + column + static_cast<int>(first - start);
      }
      statements.push_back(std::move(statement));
    }
    if (at < text.size() && text[at] == '\n') {
      ++line;
      column = 0;
    } else {
      column += static_cast<int>(at + 1 - start);
    }
    start = at + 1;
  }
}

OracleSource read_expression(const Reader& reader, const model::Problem& problem) {
  OracleSource result;
  result.kind = OracleKind::expression;
  const Reader texts = reader.at("expression");
  if (texts.is_sequence()) {
    for (const Reader& item : texts.items()) add_statements(item, result.statements);
  } else {
    add_statements(texts, result.statements);
  }
  if (result.statements.empty()) texts.fail("an expression needs a statement: C[i] = A[i] + B[i]");
  const auto parsed = model::formula::parse(result.statements, model::formula::scope_of(problem), suggestion);
  if (!parsed) throw Invalid{parsed.error()};
  return result;
}

OracleSource read_files(const Reader& reader, const fs::path& folder, const model::Problem& problem) {
  OracleSource result;
  result.kind = OracleKind::files;
  std::vector<std::string> arrays;
  for (const model::Argument& argument : problem.arguments) {
    const bool recorded = model::is_given(argument.role) || model::is_judged(argument.role);
    if (recorded) arrays.push_back(argument.name);
  }
  model::Hasher hasher;
  const Reader workloads = reader.at("files");
  for (const std::string& workload : workloads.keys()) {
    const Reader files = workloads.at(workload);
    files.expect_keys(arrays);
    model::RecordedWorkload recording{workload, {}};
    for (const std::string& array : arrays) {
      const Reader file = files.at(array);
      const fs::path path = folder / file.text();
      hasher.add(workload).add(array).add(file_text(file, path));
      recording.files[array] = path.string();
    }
    result.recordings.push_back(std::move(recording));
  }
  if (result.recordings.empty())
    workloads.fail("a recording needs a workload: {square: {A: a.npy, C: c.npy}}");
  result.content = hasher.finish();
  return result;
}

OracleSource read_command(const Reader& reader, const fs::path& folder) {
  OracleSource result;
  result.kind = OracleKind::command;
  result.folder = folder.string();
  model::Hasher hasher;
  const Reader words = reader.at("command");
  if (!words.is_sequence()) words.fail("a command is a list of words: [python3, reference.py]");
  for (const Reader& word : words.items()) {
    result.command.push_back(word.text());
    hasher.add(word.text());
    std::error_code ignored;
    const fs::path file = folder / word.text();
    if (fs::is_regular_file(file, ignored)) hasher.add(file_text(word, file));
  }
  if (result.command.empty()) words.fail("a command needs a program");
  if (const auto limit = reader.find("timeout_s")) {
    const Key& bounds = key(oracle_keys(), "timeout_s");
    result.timeout_s = limit->number(bounds.minimum, bounds.maximum);
  }
  result.content = hasher.finish();
  return result;
}

OracleSource read_oracle(const Reader& reader, const fs::path& folder, const std::vector<std::string>& known,
                         model::Problem& problem) {
  if (reader.is_scalar()) {
    OracleSource named;
    named.name = known.empty() ? reader.text() : reader.choice(known, "oracle");
    return named;
  }
  const std::string kind = kind_of(reader);
  if (kind == "kernel") return read_kernel(reader, folder, problem);
  if (kind == "expression") return read_expression(reader, problem);
  if (kind == "files") return read_files(reader, folder, problem);
  return read_command(reader, folder);
}

/// The names in #include "...".
std::vector<std::string> included(const std::string& source) {
  std::vector<std::string> names;
  for (std::size_t at = source.find("#include"); at != std::string::npos;
       at = source.find("#include", at + 1)) {
    const std::size_t end = std::min(source.find('\n', at), source.size());
    const std::size_t open = source.find('"', at);
    const std::size_t close = open < end ? source.find('"', open + 1) : std::string::npos;
    if (close < end) names.push_back(source.substr(open + 1, close - open - 1));
  }
  return names;
}

}  // namespace

void read_oracles(const Reader& reader, const fs::path& folder, const std::vector<std::string>& known,
                  model::Problem& problem) {
  if (!reader.is_sequence()) {
    problem.oracles.push_back(read_oracle(reader, folder, known, problem));
  } else {
    for (const Reader& item : reader.items())
      problem.oracles.push_back(read_oracle(item, folder, known, problem));
    if (problem.oracles.empty()) reader.fail("a problem needs an oracle");
  }
  const OracleSource& first = problem.oracles.front();
  problem.oracle = model::joined_oracle;
  if (problem.oracles.size() == 1 && first.kind == OracleKind::builtin) problem.oracle = first.name;
  if (problem.oracles.size() == 1 && first.kind == OracleKind::kernel) problem.oracle = model::kernel_oracle;
}

void check_independence(const Reader& reader, const model::Problem& problem) {
  if (!problem.oracle_kernel) return;
  const model::ReferenceKernel& reference = *problem.oracle_kernel;
  for (const model::Template& kernel : problem.templates) {
    if (kernel.source == reference.source)
      reader.fail(
          fmt::format("the reference {} is the source of the template {} ({}): it would share its mistakes",
                      reference.source_file, kernel.name, kernel.source_file));
    for (const std::string& header : included(reference.source)) {
      if (!kernel.headers.contains(header)) continue;
      reader.fail(
          fmt::format("the reference {} includes {}, as the template {} ({}) does: it would share its "
                      "mistakes",
                      reference.source_file, header, kernel.name, kernel.source_file));
    }
  }
}

model::WorkModel derived_work(const model::Problem& problem) {
  for (const OracleSource& source : problem.oracles) {
    if (source.kind != OracleKind::expression) continue;
    const auto parsed =
        model::formula::parse(source.statements, model::formula::scope_of(problem), suggestion);
    if (!parsed) throw Invalid{parsed.error()};
    const auto work = model::formula::work_of(*parsed, problem);
    if (!work) throw Invalid{work.error()};
    const auto expression = [&](const std::string& text) {
      auto made =
          model::Expression::parse(text, source.statements.front().file, source.statements.front().line);
      if (!made) throw Invalid{made.error()};
      return *made;
    };
    return {expression(work->flops), expression(work->bytes)};
  }
  model::WorkModel work;
  work.assumed = true;
  return work;
}

model::Tolerance automatic_tolerance(const model::Problem& problem) {
  model::Tolerance tolerance;
  tolerance.accuracy_class = "auto";
  tolerance.relative_frobenius = 1;
  tolerance.max_abs_over_rms = 1e6;
  tolerance.reference_factor = model::ReferenceFactor{2, 0};
  tolerance.automatic = true;
  tolerance.backward_error = 1e-12;  // all in fp64
  for (const model::Argument& argument : problem.arguments) {
    if (argument.role == model::ArgumentRole::scalar) continue;
    if (argument.dtype == model::DType::f32)
      tolerance.backward_error = std::max(tolerance.backward_error, 4e-6);
    if (argument.dtype == model::DType::f16)
      tolerance.backward_error = std::max(tolerance.backward_error, 1e-3);
    if (argument.dtype == model::DType::bf16)
      tolerance.backward_error = std::max(tolerance.backward_error, 3e-3);
  }
  if (problem.computes_in) {
    const bool half = *problem.computes_in == model::DType::f16;
    tolerance.accuracy_class = half ? "auto-f16" : "auto-bf16";
    tolerance.backward_error = std::max(tolerance.backward_error, half ? 2e-3 : 3e-3);
  }
  return tolerance;
}

}  // namespace evo::config
