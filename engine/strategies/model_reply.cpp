#include "engine/strategies/model_reply.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "model/edits.hpp"
#include "source/apply.hpp"
#include "source/line_edits.hpp"
#include "source/text_gene.hpp"
#include "source/tokens.hpp"

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

/// Genes that edits of the text brought, as edits that only declare them.
source::Edits declarations_of(const model::Genome& genome, const std::string& operation) {
  source::Edits list;
  for (const source::Edit& edit : model::edits_of(genome)) {
    auto gene = source::gene_of(edit);
    if (!gene) continue;
    gene->action.clear();
    list.push_back({operation, source::gene_anchor(gene->name), source::payload_of(*gene)});
  }
  return list;
}

source::Edit* find_gene(source::Edits& declared, std::string_view name) {
  const auto found = std::ranges::find_if(
      declared, [&](const source::Edit& edit) { return source::gene_of(edit)->name == name; });
  return found == declared.end() ? nullptr : &*found;
}

bool names(const std::string& text, const std::string& name) {
  return std::ranges::any_of(source::tokens_of(text),
                             [&](const source::Token& token) { return token.is(name); });
}

/// The parent's genes with the reply's; `declared` are those of the text.
llm::Read<model::Genome> genes_of_reply(const llm::Reply& reply, const ModelTask& task,
                                        source::Edits& declared) {
  model::Environment values = model::with_edits(task.parent->genome, {}).values();
  const auto& genes = task.entry->space.genes();
  for (const auto& [name, value] : reply.genes.value_or(model::Environment{})) {
    if (source::Edit* edit = find_gene(declared, name)) {
      const auto known = source::gene_of(*edit)->values;
      const auto* wanted = std::get_if<std::int64_t>(&value);
      if (wanted == nullptr || std::ranges::find(known, *wanted) == known.end())
        return refused("illegal_genes",
                       fmt::format("{} is no value of the gene {}", model::to_string(value), name));
      *edit = source::with_value(*edit, *wanted);
      continue;
    }
    const auto gene = std::ranges::find_if(
        genes, [&, wanted = &name](const model::Gene& one) { return one.name == *wanted; });
    if (gene == genes.end()) {
      std::vector<std::string> names;
      for (const model::Gene& one : genes) names.push_back(one.name);
      for (const source::Edit& edit : declared) names.push_back(source::gene_of(edit)->name);
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

/// Joins the reply's new genes to `declared`; those that the text does not name are left out, or refused
/// where the reply has just declared them.
llm::Read<bool> add_new_genes(const llm::Reply& reply, const ModelTask& task, const std::string& child,
                              const std::string& operation, source::Edits& declared) {
  for (const source::TextGene& gene : reply.new_genes) {
    if (find_gene(declared, gene.name) != nullptr || task.entry->space.find(gene.name) != nullptr ||
        task.entry->space.fixed().contains(gene.name) || names(task.text, gene.name))
      return refused("bad_gene", fmt::format("the name {} is taken: a new gene has a new name", gene.name));
    if (!names(child, gene.name))
      return refused("unused_gene", fmt::format("the text does not use the new gene {}", gene.name));
    declared.push_back({operation, source::gene_anchor(gene.name), source::payload_of(gene)});
  }
  std::erase_if(declared,
                [&](const source::Edit& edit) { return !names(child, source::gene_of(edit)->name); });
  return true;
}

}  // namespace

std::string text_for_model(const SearchTemplate& entry, const model::Genome& genome) {
  const std::string source = model::make_variant(entry.kernel_template, entry.space, genome).source;
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
  source::Edits edits = declarations_of(task.parent->genome, operation);
  auto genes = genes_of_reply(*reply, task, edits);
  if (!genes) return tl::make_unexpected(genes.error());
  if (const auto added = add_new_genes(*reply, task, *child, operation, edits); !added)
    return tl::make_unexpected(added.error());
  const SearchTemplate& entry = *task.entry;
  const std::string base = model::make_variant(entry.kernel_template, entry.space, *genes).source;
  const std::string before = text_for_model(entry, *genes);
  const std::string given = edits.empty() ? base : source::apply_edits(base, edits).text;
  for (source::Edit& edit : source::line_edits(before, *child, operation, most_line_edits))
    edits.push_back(std::move(edit));
  model::Genome genome = model::with_edits(*genes, edits);
  if (genome == task.parent->genome) return refused("no_change", "the reply changes nothing");
  if (!edits.empty() && !source::apply_edits(base, edits).dropped.empty())
    return refused("no_change", "the edits do not apply");
  // As the model wrote it: edits of lines add line numbers of their own.
  const std::string written = given.substr(0, source::text_begin(given)) + *child;
  if (auto broken = llm::contract_violation(
          given, written, model::render_entries(entry.kernel_template, entry.space, genome)))
    return tl::make_unexpected(std::move(*broken));
  if (const auto why = entry.space.violation(genome)) return refused("illegal_genes", *why);
  if (history.seen(entry.kernel_template.name, genome))
    return refused("seen_before", "this was tried before");
  const std::string hypothesis = reply->hypothesis.substr(0, most_hypothesis);
  return Proposal{std::move(genome),
                  entry.kernel_template.name,
                  {task.parent->variant},
                  operation,
                  fmt::format("{} (predicted {:g}x)", hypothesis, reply->factor),
                  -std::log(reply->factor)};
}

}  // namespace evo::engine
