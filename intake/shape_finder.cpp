#include "intake/shape_finder.hpp"

#include <algorithm>
#include <array>

namespace evo::intake {
namespace {

/// Bytes of an array that are not worth a launch.
constexpr std::int64_t least_room = 4096;

/// One number, and no axis.
bool is_number(const std::vector<std::string>& shape) {
  return shape.size() == 1 && shape[0].find_first_not_of("0123456789") == std::string::npos;
}

}  // namespace

ShapeFinder::ShapeFinder(const Draft& draft, const model::Artifact& artifact, Probed whose,
                         std::int64_t scale, std::uint64_t& spent, bool reversed)
    : draft_(draft), whose_(whose), run_(draft, artifact, whose, scale, reversed), spent_(spent) {
  ranges_told_ = std::ranges::any_of(draft.arguments, [](const DraftArgument& argument) {
    return std::ranges::any_of(argument.keys, [](const auto& key) { return key.first == "fill"; });
  });
}

const ShapeFinder::Room& ShapeFinder::room(ProbeFill fill) {
  std::optional<Room>& known = rooms_[fill == ProbeFill::zeros ? 0 : 1];
  if (known) return *known;
  known = Room{room_, !tired() && run_.fits(room_, fill)};
  // Filling arrays takes longer than most launches: a quarter as much room does where nobody goes beyond it,
  // and tells the same. Not of offsets that were told, say: how far each leads hangs on how many there are.
  while (!ranges_told_ && known->launches && known->bytes.front() > least_room && !tired()) {
    std::vector<std::int64_t> less = known->bytes;
    for (std::int64_t& bytes : less) bytes = bytes / 64 * 16;
    if (!run_.fits(less, fill)) break;
    known->bytes = std::move(less);
  }
  return *known;
}

bool ShapeFinder::start() {
  if (!run_.ready()) return false;
  all_ = size_candidates(draft_, run_);
  const bool launched = whose_ == Probed::reference ? launch_reference(draft_, run_, all_.back().elements)
                                                    : run_.set_launch(draft_.launch.grid, draft_.launch.block,
                                                                      draft_.launch.dynamic_smem);
  // Room for any of them: what fails then, fails for another reason.
  room_.assign(draft_.arguments.size(), room_for(all_));
  return launched;
}

std::optional<std::int64_t> ShapeFinder::reached(std::size_t index, std::optional<std::int64_t> guess) {
  std::optional<std::int64_t> reached;
  for (const ProbeFill fill : {ProbeFill::zeros, ProbeFill::ones}) {
    if (tired() || !room(fill).launches) return std::nullopt;
    const std::int64_t size = run_.element_bytes(index);
    if (reached) {
      if (fits(index, *reached * size, fill) && (*reached == 0 || !fits(index, (*reached - 1) * size, fill)))
        continue;
      return std::nullopt;
    }
    // Two launches say whether it is what is thought; without a guess it takes some twenty.
    const bool guessed = guess && *guess > 0 && *guess * size <= room_[index] &&
                         fits(index, *guess * size, fill) && !fits(index, (*guess - 1) * size, fill);
    reached = guessed ? *guess : end_with(index, fill);
  }
  // The last member of a struct or a vector may be left alone.
  const std::int64_t lanes = draft_.arguments[index].lanes;
  if (reached) reached = (*reached + lanes - 1) / lanes * lanes;
  return reached;
}

std::int64_t ShapeFinder::end_with(std::size_t index, ProbeFill fill) {
  const std::int64_t size = run_.element_bytes(index);
  std::int64_t least = 0, most = room(fill).bytes[index] / size;
  while (least < most) {
    const std::int64_t middle = least + (most - least) / 2;
    if (fits(index, middle * size, fill)) {
      most = middle;
    } else {
      least = middle + 1;
    }
  }
  return least;
}

std::optional<ShapeFinder::Ends> ShapeFinder::ends(std::size_t index) {
  std::array<std::int64_t, 2> found{};
  std::size_t at = 0;
  for (const ProbeFill fill : {ProbeFill::zeros, ProbeFill::ones}) {
    if (tired() || !room(fill).launches) return std::nullopt;
    found[at++] = end_with(index, fill);
  }
  return Ends{std::ranges::min(found), std::ranges::max(found)};
}

bool ShapeFinder::stays_within(std::size_t index, const std::vector<std::string>& shape) {
  const auto elements = run_.elements_of(shape);
  if (!elements) return true;
  return std::ranges::all_of(std::array{ProbeFill::zeros, ProbeFill::ones}, [&](ProbeFill fill) {
    return !room(fill).launches || fits(index, *elements * run_.element_bytes(index), fill);
  });
}

bool ShapeFinder::tired() {
  spent_ += run_.spent() - counted_;
  counted_ = run_.spent();
  return spent_ > most_of_shape_looks;
}

void ShapeFinder::look(const std::vector<bool>& asked, std::vector<std::optional<FoundShape>>& found) {
  if (!start()) return;
  const std::vector<ShapeCandidate>& all = all_;
  const bool ones = room(ProbeFill::ones).launches;
  for (const ProbeFill fill : {ProbeFill::zeros, ProbeFill::ones}) {
    if (!room(fill).launches) continue;
    for (std::size_t i = 0; i < found.size(); ++i) {
      if (!asked[i] || !run_.takes(i) || draft_.arguments[i].role == "scalar") continue;
      if (tired()) return doubt_unless_ones_fit(asked, found);
      const std::int64_t size = run_.element_bytes(i);
      // What other contents reach, too, is a size; else it hangs on the data, and the most counts if their
      // range was told.
      const bool known = found[i] && found[i]->exact;
      if (known) {
        const auto elements = run_.elements_of(found[i]->shape);
        if (!elements || fits(i, *elements * size, fill)) continue;
      }
      const auto too_small = [&](const ShapeCandidate& each) { return !fits(i, each.elements * size, fill); };
      // Many arrays are as large as one before.
      auto first = all.end();
      for (const std::int64_t elements : known_ends_) {
        if (first == all.end() && fits(i, elements * size, fill) && !fits(i, (elements - 1) * size, fill))
          first = std::ranges::lower_bound(all, elements, {}, &ShapeCandidate::elements);
      }
      if (first == all.end()) first = std::partition_point(all.begin(), all.end(), too_small);
      if (first == all.end()) continue;
      // One that is never touched fits anywhere.
      if (first == all.begin() && fits(i, 0, fill)) continue;
      const std::int64_t lanes =
          first->elements % draft_.arguments[i].lanes == 0 ? draft_.arguments[i].lanes : 1;
      FoundShape shape{first->shape, !fits(i, (first->elements - lanes) * size, fill)};
      if ((known || less_with_zeros(i, first->elements - lanes, fill)) && !ranges_told_) shape.exact = false;
      // Where ones lead beyond everything, a fixed size is that of zeros: the first slot of a hash table.
      if (!ones && !ranges_told_ && is_number(first->shape)) shape.exact = false;
      if (shape.exact && std::ranges::find(known_ends_, first->elements) == known_ends_.end()) {
        known_ends_.insert(known_ends_.begin(), first->elements);
        known_ends_.resize(std::min<std::size_t>(known_ends_.size(), 2));
      }
      if (!found[i] || shape.exact || known) found[i] = std::move(shape);
    }
  }
}

void ShapeFinder::doubt_unless_ones_fit(const std::vector<bool>& asked,
                                        std::vector<std::optional<FoundShape>>& found) {
  if (ranges_told_ || !room(ProbeFill::ones).launches) return;
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (!asked[i] || !found[i] || !found[i]->exact) continue;
    const auto elements = run_.elements_of(found[i]->shape);
    found[i]->exact = !elements || fits(i, *elements * run_.element_bytes(i), ProbeFill::ones);
  }
}

bool ShapeFinder::less_with_zeros(std::size_t index, std::int64_t elements, ProbeFill fill) {
  if (fill == ProbeFill::zeros || !room(ProbeFill::zeros).launches) return false;
  return !fits(index, 0, ProbeFill::zeros) &&
         fits(index, elements * run_.element_bytes(index), ProbeFill::zeros);
}

bool ShapeFinder::fits(std::size_t index, std::int64_t bytes, ProbeFill fill) {
  std::vector<std::int64_t> all = room(fill).bytes;
  all[index] = bytes;
  return run_.fits(all, fill);
}

}  // namespace evo::intake
