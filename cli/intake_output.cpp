#include "cli/intake_output.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "session/compilers.hpp"
#include "terminal/waiting.hpp"

namespace evo::cli {

intake::Draft draft_of(const terminal::CommonOptions& common, const intake::Request& request,
                       intake::Purpose purpose) {
  terminal::Waiting waiting(common);
  const auto compiler = session::cached_compiler(1);
  return intake::make_draft(*compiler, request, purpose,
                            [&waiting](const std::string& what) { waiting.on(what); });
}

std::string inferred_text(const intake::Draft& draft, const std::string& kernel) {
  std::string text = fmt::format("inferred from {}:\n", kernel);
  for (const std::string& line : intake::inferred_lines(draft)) text += line + "\n";
  for (const std::string& note : draft.notes) text += fmt::format("note: {}\n", note);
  return text;
}

std::string written_text(const intake::WrittenFolder& written) {
  std::string text = fmt::format("wrote {}: {}\n", written.folder.string(), fmt::join(written.files, " "));
  if (!written.todos.empty()) text += "left to fill in:\n";
  for (const intake::Todo& todo : written.todos)
    text += fmt::format("  {}:{}: {}\n", (written.folder / todo.file).string(), todo.line, todo.what);
  return text + fmt::format("{}: evo validate {}\n", written.todos.empty() ? "next" : "then",
                            (written.folder / "experiment.yaml").string());
}

boost::json::object draft_to_json(const intake::Draft& draft, const intake::WrittenFolder& written) {
  boost::json::array arguments, genes, axes, files, todos, notes;
  for (const intake::DraftArgument& a : draft.arguments) {
    boost::json::array shape;
    for (const std::string& size : a.shape) shape.emplace_back(size);
    arguments.push_back({{"name", a.name},
                         {"role", a.role},
                         {"dtype", a.dtype},
                         {"shape", std::move(shape)},
                         {"value", a.value},
                         {"why", a.why}});
  }
  for (const intake::DraftGene& gene : draft.genes) {
    boost::json::array values;
    for (const std::string& value : gene.values) values.emplace_back(value);
    genes.push_back(
        {{"name", gene.name}, {"values", std::move(values)}, {"initial", gene.initial}, {"why", gene.why}});
  }
  for (const intake::DraftAxis& axis : draft.axes) {
    boost::json::array values;
    for (const std::int64_t value : axis.values) values.emplace_back(value);
    axes.push_back({{"name", axis.name}, {"values", std::move(values)}, {"why", axis.why}});
  }
  for (const std::string& file : written.files) files.emplace_back(file);
  for (const intake::Todo& todo : written.todos)
    todos.push_back({{"file", todo.file}, {"line", todo.line}, {"what", todo.what}});
  for (const std::string& note : draft.notes) notes.emplace_back(note);
  return {{"folder", written.folder.string()}, {"entry", draft.entry},      {"axes", std::move(axes)},
          {"args", std::move(arguments)},      {"genes", std::move(genes)}, {"files", std::move(files)},
          {"todo", std::move(todos)},          {"notes", std::move(notes)}};
}

}  // namespace evo::cli
