#include "bench/agreement/drawn.hpp"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "evaluators/gates/bound_variant.hpp"
#include "model/error.hpp"
#include "model/random.hpp"
#include "mutators/sampling.hpp"

namespace evo::bench {
namespace {

namespace gates = evaluators::gates;

/// Tokens of the largest shape; nullopt where a shape cannot be resolved.
std::optional<std::int64_t> largest_seq(const model::Experiment& experiment, const model::Template& kernel,
                                        const model::Genome& genome) {
  const auto bound = gates::bind_variant(gates::make_context(experiment, kernel), genome);
  if (!bound) return std::nullopt;
  std::int64_t most = 0;
  for (const model::Case& shape : bound->sanitize_shapes) {
    for (const model::BoundArgument& argument : shape.arguments) {
      if (argument.shape.size() >= 2) most = std::max(most, argument.shape[argument.shape.size() - 2]);
    }
  }
  return most;
}

class Drawer {
 public:
  Drawer(const model::Experiment& experiment, std::int64_t most_seq)
      : experiment_(experiment), most_seq_(most_seq) {}

  /// A small legal genome near `wish`, if there is one; else any.
  std::optional<model::Genome> genome(const engine::SearchTemplate& entry, model::RandomStream& random,
                                      const std::vector<std::pair<std::string, model::Value>>& genes) const {
    for (int attempt = 0; attempt < 400; ++attempt) {
      auto drawn = mutators::random_legal(entry.space, random);
      if (!drawn) return std::nullopt;
      if (!genes.empty()) {
        for (const auto& [name, value] : genes) drawn->set(name, value);
        if (!entry.space.legal(*drawn)) continue;
      }
      const auto seq = largest_seq(experiment_, entry.kernel_template, *drawn);
      if (seq && *seq <= most_seq_) return drawn;
    }
    return std::nullopt;
  }

  /// One barrier gene at a weaker value.
  std::optional<Drawn> weakened(const engine::SearchTemplate& entry, model::RandomStream& random) const {
    std::vector<const model::Gene*> barriers;
    for (const model::Gene& gene : entry.space.genes()) {
      if (gene.role == model::GeneRole::sync) barriers.push_back(&gene);
    }
    auto base = genome(entry, random, {});
    if (barriers.empty() || !base) return std::nullopt;
    const model::Gene& gene = *barriers[random.below(barriers.size())];
    const model::Value& value = gene.values[random.below(gene.values.size() - 1)];
    base->set(gene.name, value);
    return Drawn{0, true, fmt::format("{}={}", gene.name, model::to_string(value)), entry.kernel_template,
                 *base};
  }

  std::optional<Drawn> seeded(const engine::SearchTemplate& entry, const std::vector<suites::SeededBug>& bugs,
                              model::RandomStream& random) const {
    std::vector<const suites::SeededBug*> fitting;
    for (const suites::SeededBug& bug : bugs) {
      if (bug.template_name == entry.kernel_template.name && bug.gate == "sanitize") fitting.push_back(&bug);
    }
    if (fitting.empty()) return std::nullopt;
    const suites::SeededBug& bug = *fitting[random.below(fitting.size())];
    const auto base = genome(entry, random, bug.genes);
    if (!base) return std::nullopt;
    Drawn drawn{0, true, "bug: " + bug.name, entry.kernel_template, *base};
    if (const auto place = suites::seed_bug(drawn.kernel, bug); !place)
      throw model::Exception(model::ExitCode::invalid_configuration, place.error().text());
    return drawn;
  }

  std::optional<Drawn> edited(const engine::SearchTemplate& entry, model::RandomStream& random) const {
    const std::vector<TextEdit> edits = text_edits(entry.kernel_template);
    const auto base = genome(entry, random, {});
    if (edits.empty() || !base) return std::nullopt;
    const TextEdit& edit = edits[random.below(edits.size())];
    const std::string& text = edit.file == entry.kernel_template.source_file
                                  ? entry.kernel_template.source
                                  : entry.kernel_template.headers.at(edit.file);
    const auto line = 1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(edit.at), '\n');
    Drawn drawn{0, true, fmt::format("{} ({}:{})", edit.kind, edit.file, line), entry.kernel_template, *base};
    apply(drawn.kernel, edit);
    return drawn;
  }

 private:
  const model::Experiment& experiment_;
  std::int64_t most_seq_;
};

/// Findings of tools name the kernel: each variant has its own.
void rename_entry(Drawn& drawn) {
  const std::string old = drawn.kernel.entry;
  drawn.kernel.entry = fmt::format("{}_v{:03}", old, drawn.index);
  std::string& text = drawn.kernel.source;
  for (std::size_t at = text.find(old); at != std::string::npos;
       at = text.find(old, at + drawn.kernel.entry.size()))
    text.replace(at, old.size(), drawn.kernel.entry);
}

}  // namespace

std::vector<Drawn> draw_variants(const model::Experiment& experiment, const engine::SearchSpace& space,
                                 const std::vector<suites::SeededBug>& bugs, int count, std::uint64_t seed,
                                 std::int64_t most_seq) {
  std::vector<const engine::SearchTemplate*> templates;
  for (const engine::SearchTemplate& entry : space.templates) {
    if (entry.kernel_template.sync_checkable) templates.push_back(&entry);
  }
  if (templates.empty())
    throw model::Exception(model::ExitCode::invalid_configuration,
                           "no template runs on the virtual device in all of its variants (sync_checkable)");
  const Drawer drawer(experiment, most_seq);
  std::vector<Drawn> all;
  for (int k = 0; k < 2 * count; ++k) {
    const engine::SearchTemplate& entry = *templates[static_cast<std::size_t>(k) % templates.size()];
    const int turn = k / static_cast<int>(templates.size());
    model::RandomStream random({seed, 0, static_cast<std::uint64_t>(k), "sanitizers"});
    std::optional<Drawn> drawn;
    if (k < count) {
      if (const auto genome = drawer.genome(entry, random, {}))
        drawn = Drawn{0, false, "", entry.kernel_template, *genome};
    } else if (turn % 3 == 0) {
      drawn = drawer.weakened(entry, random);
    } else if (turn % 3 == 1) {
      drawn = drawer.seeded(entry, bugs, random);
    }
    if (!drawn && k >= count) drawn = drawer.edited(entry, random);
    if (!drawn) continue;
    drawn->index = static_cast<int>(all.size());
    rename_entry(*drawn);
    all.push_back(std::move(*drawn));
  }
  return all;
}

}  // namespace evo::bench
