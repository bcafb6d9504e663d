// Genes, genomes and the space of legal combinations.
#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "model/error.hpp"
#include "model/expression.hpp"
#include "model/value.hpp"

namespace evo::model {

/// What a gene changes. `sync` genes choose how threads synchronise at one site; their values are
/// ordered from weakest to strongest and every value but the last is a weakened barrier.
enum class GeneRole : std::uint8_t { tuning, sync };

/// How a gene's value reaches the compiler: as a macro of the gene's name, in the entry's {NAME} only, or not
/// by itself (a define or compile options say it, or only expressions ask for it).
/// A macro, whose names are numbers that #if compares; a macro that stands for the value's own text, as a
/// type or a function does; in the entry; not at all.
enum class GeneUse : std::uint8_t { macro, text, entry, none };

struct Gene {
  std::string name;  ///< an upper-case macro, e.g. BLOCK_M
  GeneRole role = GeneRole::tuning;
  std::vector<Value> values;  ///< all integers or all symbols, in a meaningful order
  Value initial;              ///< the value of the baseline
  std::string description;
  bool tile =
      false;  ///< how much a block takes at a time: sizes are whole or end unevenly in multiples of it
  GeneUse use = GeneUse::macro;
  bool real = false;  ///< the values are real numbers, kept as texts such as "0.5"
  std::vector<std::vector<std::string>> options{};  ///< compile options of each value; empty: none

  [[nodiscard]] bool is_macro() const { return use == GeneUse::macro || use == GeneUse::text; }
  [[nodiscard]] bool symbolic() const { return !values.empty() && values.front().index() == 1; }
  /// Position of `value` in `values`.
  [[nodiscard]] std::optional<std::size_t> index_of(const Value& value) const;
};

/// A relation that every legal genome satisfies, and why.
struct Constraint {
  Expression condition;
  std::string reason;
  Environment given{};  ///< names of this constraint alone, as the axes of one workload
};

/// One value for every gene of a template, by name. Ordered, so that text and hash are canonical.
class Genome {
 public:
  Genome() = default;
  explicit Genome(Environment values) : values_(std::move(values)) {}

  [[nodiscard]] const Value& at(std::string_view gene) const;
  [[nodiscard]] const Environment& values() const { return values_; }
  void set(std::string_view gene, Value value) {
    values_.insert_or_assign(std::string(gene), std::move(value));
  }

  /// "BLOCK_M=64,BLOCK_N=32,...", by name.
  [[nodiscard]] std::string text() const;
  friend bool operator==(const Genome&, const Genome&) = default;

 private:
  Environment values_;
};

/// Numbers of legal genomes.
struct LegalCount {
  std::uint64_t all = 0;
  std::uint64_t full_sync = 0;  ///< of these, without a weakened barrier
};

/// Genes and constraints. `fixed` holds the names that constraints may use besides genes:
/// compile-time axes and limits of the target.
class Space {
 public:
  Space() = default;
  Space(std::vector<Gene> genes, std::vector<Constraint> constraints, Environment fixed = {});

  [[nodiscard]] const std::vector<Gene>& genes() const { return genes_; }
  [[nodiscard]] const std::vector<Constraint>& constraints() const { return constraints_; }
  [[nodiscard]] const Environment& fixed() const { return fixed_; }
  [[nodiscard]] const Gene* find(std::string_view name) const;

  [[nodiscard]] Genome initial() const;
  /// The first violated constraint's reason (or "BLOCK_M=65 is none of 16, 32, ..."); nullopt when legal.
  [[nodiscard]] std::optional<std::string> violation(const Genome& genome) const;
  [[nodiscard]] bool legal(const Genome& genome) const { return !violation(genome); }
  /// True if a sync gene has another value than its strongest.
  [[nodiscard]] bool weakened(const Genome& genome) const;

  [[nodiscard]] LegalCount count_legal() const;
  /// Is there a legal genome? Cheaper than to count them.
  [[nodiscard]] bool has_legal() const;
  /// Number of combinations before constraints. In every count 2^64 - 1 also stands for more.
  [[nodiscard]] std::uint64_t count_all() const;

 private:
  std::vector<Gene> genes_;
  std::vector<Constraint> constraints_;
  Environment fixed_;
};

}  // namespace evo::model
