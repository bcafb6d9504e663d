// How far one code goes in each array, at one set of sizes. Of find_shapes() and its helpers alone.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "intake/draft.hpp"
#include "intake/extents.hpp"
#include "intake/probe_run.hpp"
#include "intake/size_candidates.hpp"
#include "model/artifact.hpp"

namespace evo::intake {

class ShapeFinder {
 public:
  /// `spent`: thread instructions of all looks, to which this one's are added.
  ShapeFinder(const Draft& draft, const model::Artifact& artifact, Probed whose, std::int64_t scale,
              std::uint64_t& spent, bool reversed = false);

  /// Each size becomes the next one that its axis may have, so many times. Before start().
  void step_sizes(const std::vector<std::int64_t>& times) { run_.step_sizes(times); }
  /// Whether there is a launch at these sizes that stays in bounds where arrays are large.
  bool start();
  /// How many elements of the argument the launch reaches, whatever arrays hold; nothing where that counts.
  /// `guess`: what is asked first.
  std::optional<std::int64_t> reached(std::size_t index, std::optional<std::int64_t> guess = std::nullopt);
  /// How many elements of the argument the launch reaches with zeros or ones in all arrays, the fewer and the
  /// more of the two; nothing where it cannot be asked.
  struct Ends {
    std::int64_t least = 0, most = 0;
  };
  std::optional<Ends> ends(std::size_t index);
  [[nodiscard]] std::optional<std::int64_t> elements_of(const std::vector<std::string>& shape) const {
    return run_.elements_of(shape);
  }
  /// Whether the launch stays within the array at this shape, whatever arrays hold, or cannot be asked.
  bool stays_within(std::size_t index, const std::vector<std::string>& shape);
  /// Whether no more launches are to be made.
  bool tired();
  [[nodiscard]] const std::vector<ShapeCandidate>& candidates() const { return all_; }
  [[nodiscard]] bool takes(std::size_t index) const { return run_.takes(index); }
  /// Adds to `found` what is asked and not there yet.
  void look(const std::vector<bool>& asked, std::vector<std::optional<FoundShape>>& found);

 private:
  /// What was seen with zeros alone, as there are no more looks, is no end where ones lead beyond it.
  void doubt_unless_ones_fit(const std::vector<bool>& asked, std::vector<std::optional<FoundShape>>& found);
  /// Whether zeros lead into the array, and no further than this: ones lead further, and others may, too.
  bool less_with_zeros(std::size_t index, std::int64_t elements, ProbeFill fill);
  bool fits(std::size_t index, std::int64_t bytes, ProbeFill fill);
  /// Bytes of all arrays that a launch with these contents stays within, if it does in any.
  struct Room {
    std::vector<std::int64_t> bytes;
    bool launches = false;
  };
  const Room& room(ProbeFill fill);
  /// The fewest elements that a launch stays within, with these contents.
  std::int64_t end_with(std::size_t index, ProbeFill fill);

  const Draft& draft_;
  Probed whose_;
  ProbeRun run_;
  std::uint64_t& spent_;
  std::uint64_t counted_ = 0;  ///< of this run's, what spent_ has
  std::vector<ShapeCandidate> all_;
  std::vector<std::int64_t> known_ends_;  ///< elements of the arrays that were found last
  bool ranges_told_ = false;              ///< somebody has said what an array holds
  std::vector<std::int64_t> room_;
  std::array<std::optional<Room>, 2> rooms_;  ///< of zeros, of ones
};

}  // namespace evo::intake
