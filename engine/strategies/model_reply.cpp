#include "engine/strategies/model_reply.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "model/edits.hpp"
#include "source/apply.hpp"
#include "source/line_edits.hpp"

namespace evo::engine {
namespace {

constexpr std::size_t most_text = std::size_t{1} << 18;
constexpr std::size_t most_line_edits = 16;
constexpr std::size_t most_hypothesis = 400;

tl::unexpected<llm::Refusal> refused(std::string reason, std::string message) {
  return tl::make_unexpected(llm::Refusal{std::move(reason), std::move(message)});
}

/// "#line 12" alone, as line edits write it.
bool is_line_mark(std::string_view line) {
  constexpr std::string_view word = "#line ";
  if (!line.starts_with(word) || line.size() == word.size()) return false;
  line.remove_prefix(word.size());
  return std::ranges::all_of(line, [](char c) { return c >= '0' && c <= '9'; });
}

/// The parent's genes with the reply's.
llm::Read<model::Genome> genes_of_reply(const llm::Reply& reply, const ModelTask& task) {
  model::Environment values = model::with_edits(task.parent->genome, {}).values();
  const auto& genes = task.entry->space.genes();
  for (const auto& [name, value] : reply.genes.value_or(model::Environment{})) {
    const auto gene = std::ranges::find_if(
        genes, [&, wanted = &name](const model::Gene& one) { return one.name == *wanted; });
    if (gene == genes.end()) {
      std::vector<std::string> names;
      for (const model::Gene& one : genes) names.push_back(one.name);
      return refused("unknown_gene",
                     fmt::format("there is no gene {}; there are {}", name, fmt::join(names, ", ")));
    }
    if (std::ranges::find(gene->values, value) == gene->values.end()) {
      return refused("illegal_genes",
                     fmt::format("{} is no value of the gene {}", model::to_string(value), name));
    }
    values.insert_or_assign(name, value);
  }
  model::Genome genome(std::move(values));
  if (const auto why = task.entry->space.violation(genome))
    return refused("illegal_genes", fmt::format("{}", *why));
  return genome;
}

}  // namespace

std::string text_for_model(const SearchTemplate& entry, const model::Genome& genome) {
  const std::string source = model::make_variant(entry.kernel, entry.space, genome).source;
  std::string_view rest = std::string_view(source).substr(source::text_begin(source));
  std::string text;
  while (!rest.empty()) {
    const std::size_t end = rest.find('\n');
    const std::string_view line = rest.substr(0, end);
    if (!is_line_mark(line)) text += std::string(line) + "\n";
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
  }
  return text;
}

llm::Read<Proposal> proposal_of(const std::string& reply_text, const ModelTask& task,
                                const std::string& operation, const History& history) {
  std::string clean = reply_text;
  std::erase(clean, '\r');
  const auto reply = llm::read_reply(clean);
  if (!reply) return tl::make_unexpected(reply.error());
  auto child = llm::apply_reply(*reply, task.text);
  if (!child) return tl::make_unexpected(child.error());
  if (child->size() > most_text)
    return refused("too_long",
                   fmt::format("the text has {} bytes, at most are {}", child->size(), most_text));
  auto genes = genes_of_reply(*reply, task);
  if (!genes) return tl::make_unexpected(genes.error());
  const SearchTemplate& entry = *task.entry;
  const std::string base = model::make_variant(entry.kernel, entry.space, *genes).source;
  const std::string before = text_for_model(entry, *genes);
  const source::Edits edits = source::line_edits(before, *child, operation, most_line_edits);
  model::Genome genome = model::with_edits(*genes, edits);
  if (genome == task.parent->genome) return refused("no_change", "the reply changes nothing");
  if (!edits.empty() && !source::apply_edits(base, edits).dropped.empty())
    return refused("no_change", "the edits do not apply");
  // As the model wrote it: edits of lines add line numbers of their own.
  const std::string written = base.substr(0, source::text_begin(base)) + *child;
  if (auto broken =
          llm::contract_violation(base, written, model::render_entries(entry.kernel, entry.space, genome)))
    return tl::make_unexpected(std::move(*broken));
  if (history.seen(entry.kernel.name, genome)) return refused("seen_before", "this was tried before");
  const std::string hypothesis = reply->hypothesis.substr(0, most_hypothesis);
  return Proposal{std::move(genome),
                  entry.kernel.name,
                  {task.parent->variant},
                  operation,
                  fmt::format("{} (predicted {:g}x)", hypothesis, reply->factor),
                  -std::log(reply->factor)};
}

}  // namespace evo::engine
