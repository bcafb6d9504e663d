// Kernel and reference at small sizes, with arrays as large as they are: which numbers keep them in bounds.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "intake/draft.hpp"
#include "intake/probe_run.hpp"
#include "intake/size_candidates.hpp"
#include "model/artifact.hpp"

namespace evo::intake {

/// One code at one set of sizes.
class IndexCode {
 public:
  IndexCode(const Draft& draft, const model::Artifact& artifact, Probed whose, std::int64_t scale,
            bool reversed);

  /// Whether it stays in bounds as it is.
  bool start();
  /// Sizes are the next ones from now on: of many axes, several times each is far too much.
  void step() { run_.step_sizes(std::vector<std::int64_t>(draft_.axes.size(), 1)); }
  /// The greatest number that what is held may hold; nothing where none of its type is too great.
  std::optional<std::int64_t> greatest(ProbeRun::Held held);
  /// Whether it stays in bounds where the array holds -1 everywhere: a sentinel, or one that is not read.
  bool takes_less_than_zero(std::size_t argument);
  /// Whether it stays in bounds with any numbers of the draft's fills.
  bool holds() { return run_.fits(bytes_, ProbeFill::mixed); }
  [[nodiscard]] bool tired() const;
  [[nodiscard]] const ProbeRun& run() const { return run_; }

 private:
  const Draft& draft_;
  Probed whose_;
  ProbeRun run_;
  std::vector<std::int64_t> bytes_;
  std::vector<ProbeFill> fills_;
};

/// Both at two sets of sizes that have no size in common, as far as can be.
class IndexCodes {
 public:
  /// The draft and the artifacts are kept; `reference` may be null.
  IndexCodes(const Draft& draft, const model::Artifact& kernel, const model::Artifact* reference);

  /// Whether they can be run at both.
  [[nodiscard]] bool ready() const { return !there_.empty(); }
  struct Last {
    std::string number;  ///< as an expression over sizes; "": no size says it
    std::string size;    ///< the size that it is: n, which offsets go to, where it is not n - 1
  };
  /// The greatest number that what is held may hold; nothing where any does no harm.
  [[nodiscard]] std::optional<Last> last(const ProbeRun::Held& held) const;
  /// The same at the first sizes, as a number.
  [[nodiscard]] std::optional<std::int64_t> greatest_here(const ProbeRun::Held& held) const;
  /// Whether the reference takes greater numbers than the kernel does.
  [[nodiscard]] bool reference_takes_more(const ProbeRun::Held& held) const;
  /// Whether an array may hold -1 everywhere.
  [[nodiscard]] bool take_less_than_zero(std::size_t argument) const;

 private:
  using Codes = std::vector<std::unique_ptr<IndexCode>>;
  void start(Codes& codes, std::int64_t factor, bool stepped = false) const;
  /// Whether no axis has the same size at both.
  [[nodiscard]] bool sizes_differ() const;
  [[nodiscard]] std::optional<std::int64_t> greatest(const Codes& codes, const ProbeRun::Held& held) const;

  const Draft& draft_;
  const model::Artifact& kernel_;
  const model::Artifact* reference_;
  Codes here_, there_;
  std::vector<ShapeCandidate> candidates_;
};

/// Whether both stay in bounds with any numbers of the draft's fills, at the first sizes or at larger ones.
[[nodiscard]] bool stay_in_bounds(const Draft& draft, const model::Artifact& kernel,
                                  const model::Artifact* reference, bool larger = false);

}  // namespace evo::intake
