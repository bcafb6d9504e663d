#include "intake/indexed_shapes.hpp"

#include <algorithm>
#include <cctype>
#include <memory>
#include <utility>

#include "intake/gene_names.hpp"
#include "intake/launch_text.hpp"
#include "intake/macros.hpp"
#include "intake/row_starts.hpp"
#include "intake/size_candidates.hpp"
#include "intake/types.hpp"

namespace evo::intake {
namespace {

/// Thread instructions; most of it is filling arrays, which is cheap.
constexpr std::uint64_t most_while_looking = 2'500'000'000;

/// One code at one set of sizes, with arrays larger than any of its shapes.
class Reach {
 public:
  Reach(const Draft& draft, const model::Artifact& artifact, Probed whose, std::int64_t scale, bool reversed)
      : draft_(draft), whose_(whose), run_(draft, artifact, whose, scale, reversed) {}

  bool start() {
    if (!run_.ready()) return false;
    candidates_ = size_candidates(draft_, run_);
    if (candidates_.empty()) return false;
    const bool launched =
        whose_ == Probed::reference
            ? launch_reference(draft_, run_, candidates_.back().elements)
            : run_.set_launch(draft_.launch.grid, draft_.launch.block, draft_.launch.dynamic_smem);
    room_.assign(draft_.arguments.size(), room_for(candidates_));
    return launched && run_.fits(room_, ProbeFill::zeros);
  }

  [[nodiscard]] bool takes(std::size_t argument) const { return run_.takes(argument); }
  [[nodiscard]] const std::vector<ShapeCandidate>& candidates() const { return candidates_; }
  [[nodiscard]] std::optional<std::int64_t> elements_of(const std::vector<std::string>& shape) const {
    return run_.elements_of(shape);
  }
  [[nodiscard]] bool tired() const { return run_.spent() > most_while_looking; }

  /// Elements of `array` that are needed where all arrays hold zeros.
  std::optional<std::int64_t> elements(std::size_t array) {
    std::int64_t low = 0, high = room_[array] / run_.element_bytes(array);
    if (!fits(array, high)) return std::nullopt;
    while (low < high) {
      const std::int64_t middle = low + (high - low) / 2;
      if (fits(array, middle)) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    return tired() ? std::nullopt : std::optional(low);
  }
  /// Whether that many are enough where the array of `index` holds that, and all others zeros.
  bool enough(std::size_t array, ProbeRun::Held index, std::int64_t elements) {
    run_.hold(index);
    const bool found = fits(array, elements);
    run_.hold(std::nullopt);
    return found;
  }
  /// Whether the last one of that many is reached, and none beyond.
  bool exact(std::size_t array, ProbeRun::Held index, std::int64_t elements) {
    const std::int64_t lanes = draft_.arguments[array].lanes;
    return enough(array, index, elements) && !enough(array, index, elements - lanes) && !tired();
  }
  /// Whether less is enough where the offsets go up to one less.
  bool grows_to(std::size_t array, ProbeRun::Held index, std::int64_t elements) {
    if (--index.last < 1) return true;
    return enough(array, index, elements - draft_.arguments[array].lanes);
  }
  void keep(ProbeRun::Held index) { run_.keep(index); }
  /// The index that leads to an axis' end: its last number everywhere or, of offsets, up to its size.
  [[nodiscard]] std::optional<ProbeRun::Held> up_to(std::size_t index, const std::string& axis,
                                                    bool offsets) const {
    const auto size = run_.elements_of({axis});
    if (!size) return std::nullopt;
    if (!offsets) return ProbeRun::Held{index, *size - 1, false};
    const auto count = run_.elements_of(draft_.arguments[index].shape);
    if (!count) return std::nullopt;
    return ProbeRun::Held{index, *size, true, *count};
  }

 private:
  bool fits(std::size_t array, std::int64_t elements) {
    std::vector<std::int64_t> bytes = room_;
    bytes[array] = elements * run_.element_bytes(array);
    return !tired() && run_.fits(bytes, ProbeFill::zeros);
  }

  const Draft& draft_;
  Probed whose_;
  ProbeRun run_;
  std::vector<ShapeCandidate> candidates_;
  std::vector<std::int64_t> room_;
};

/// Where rows begin that end where the next one does: one more than there are rows.
bool may_be_offsets(const DraftArgument& argument) {
  return has_one_more(argument) && argument.todo.empty() && !ElementType{argument.dtype}.floating();
}

bool has_axis(const std::vector<std::string>& shape, const std::string& axis) {
  return std::ranges::any_of(shape, [&](const std::string& size) {
    const std::vector<std::string> names = names_of(size);
    return std::ranges::find(names, axis) != names.end();
  });
}

class IndexedFinder {
 public:
  IndexedFinder(const Draft& draft, const std::vector<bool>& asked) : draft_(draft), asked_(asked) {}

  std::vector<std::optional<IndexedShape>> run(const model::Artifact& artifact, Probed whose) {
    std::vector<std::optional<IndexedShape>>& found = found_;
    found.assign(draft_.arguments.size(), std::nullopt);
    const std::int64_t scale = scales_of(draft_, whose).front();
    for (const bool reversed : {false, true}) {
      auto one = std::make_unique<Reach>(draft_, artifact, whose, scale, reversed);
      if (!one->start()) return found;
      at_.push_back(std::move(one));
    }
    // What lies behind offsets is seen when they are known to be some: once more from the start.
    for (bool again = true; again;) {
      again = false;
      std::vector<std::pair<std::size_t, std::string>> offsets;
      for (std::size_t array = 0; array < found.size(); ++array) {
        if ((found[array] && found[array]->certain) || !asked_[array] ||
            draft_.arguments[array].role == "scalar" || !at_[0]->takes(array))
          continue;
        const auto none = at_[0]->elements(array);
        const std::optional<IndexedShape> guess = std::exchange(found[array], std::nullopt);
        for (std::size_t index = 0; index < found.size() && none && !found[array]; ++index) {
          if (index == array || !may_index(index)) continue;
          if (*none > 0) found[array] = look(array, index, *none, false);
          if (found[array] || !may_be_offsets(draft_.arguments[index])) continue;
          found[array] = look(array, index, *none, true);
          if (found[array] && found[array]->certain) offsets.emplace_back(index, found[array]->axis);
        }
        if (!found[array] && none && *none > 0) found[array] = beside_offsets(array, *none);
        if (!found[array]) found[array] = guess;
      }
      // After all that lie between them: those are told by offsets that are not some yet.
      for (const auto& [index, axis] : offsets) again = keep(index, axis) || again;
      if (!again) again = keep_offsets_of_known(found);
    }
    return found;
  }

 private:
  [[nodiscard]] bool may_index(std::size_t at) const {
    const DraftArgument& argument = draft_.arguments[at];
    const bool array = argument.role == "input" || argument.role == "inout";
    const bool textured = std::ranges::any_of(
        argument.keys, [](const auto& key) { return key.first == "texture" || key.first == "surface"; });
    const ElementType type{argument.dtype};
    // Labels that are numbers that float, but no rows of coordinates: [n, 5].
    const bool labels = (argument.dtype == "f32" || argument.dtype == "f64") &&
                        std::ranges::all_of(argument.shape, [](const std::string& size) {
                          return std::isdigit(static_cast<unsigned char>(size.front())) == 0;
                        });
    return array && !textured && argument.fields.empty() && (labels || !type.floating()) &&
           argument.dtype != "bool" && at_[0]->takes(at);
  }

  /// What is reached only where rows have entries, and is led into by none: the rank of each node.
  std::optional<IndexedShape> beside_offsets(std::size_t array, std::int64_t here) {
    if (kept_.empty() || !draft_.launch.todo.empty()) return std::nullopt;
    const auto there = at_[1]->elements(array);
    for (const ShapeCandidate& each : at_[0]->candidates()) {
      if (each.elements != here || !there || at_[1]->elements_of(each.shape) != there) continue;
      return IndexedShape{each.shape, draft_.arguments[kept_.front()].name, "", false, true};
    }
    return std::nullopt;
  }

  /// The offsets stay such from now on; false where they were already.
  bool keep(std::size_t index, const std::string& axis) {
    if (std::ranges::find(kept_, index) != kept_.end()) return false;
    kept_.push_back(index);
    for (const auto& at : at_) {
      if (const auto held = at->up_to(index, axis, true)) at->keep(*held);
    }
    return true;
  }

  /// Offsets that lead to the end of an array whose shape is known, told ones say: true where there are some
  /// that were not kept. Only where a shape is still asked for.
  bool keep_offsets_of_known(const std::vector<std::optional<IndexedShape>>& found) {
    bool open = false, kept = false;
    for (std::size_t i = 0; i < found.size(); ++i)
      open = open || (asked_[i] && !found[i] && draft_.arguments[i].role != "scalar");
    for (std::size_t array = 0; open && array < found.size(); ++array) {
      const DraftArgument& known = draft_.arguments[array];
      const bool is_known = !asked_[array] && known.role != "scalar" && known.todo.empty();
      const auto here = at_[0]->elements_of(known.shape), there = at_[1]->elements_of(known.shape);
      if (!is_known || known.shape.empty() || !here || !there || !at_[0]->takes(array)) continue;
      for (std::size_t index = 0; index < found.size(); ++index) {
        if (index == array || !may_index(index) || !may_be_offsets(draft_.arguments[index])) continue;
        for (const DraftAxis& axis : draft_.axes) {
          if (axis.compile_time || !has_axis(known.shape, axis.name)) continue;
          const auto low = at_[0]->up_to(index, axis.name, true),
                     high = at_[1]->up_to(index, axis.name, true);
          if (!low || !high || !at_[0]->exact(array, *low, *here) || !at_[1]->exact(array, *high, *there))
            continue;
          kept = keep(index, axis.name) || kept;
          break;
        }
      }
    }
    return kept;
  }

  /// `none`: elements that are needed where all indices are 0. `offsets`: the indices are where rows begin.
  std::optional<IndexedShape> look(std::size_t array, std::size_t index, std::int64_t none, bool offsets) {
    if (!offsets && at_[0]->enough(array, {index, 1, false}, none)) return std::nullopt;
    std::vector<IndexedShape> shapes;
    for (const DraftAxis& axis : draft_.axes) {
      const auto here = at_[0]->up_to(index, axis.name, offsets),
                 there = at_[1]->up_to(index, axis.name, offsets);
      if (axis.compile_time || !here || !there) continue;
      if (offsets && at_[0]->enough(array, *here, none)) continue;
      std::vector<ShapeCandidate> own;
      for (const ShapeCandidate& each : at_[0]->candidates())
        if (has_axis(each.shape, axis.name)) own.push_back(each);
      const auto first = std::partition_point(own.begin(), own.end(), [&](const ShapeCandidate& each) {
        return !at_[0]->enough(array, *here, each.elements);
      });
      if (first == own.end() || !at_[0]->exact(array, *here, first->elements)) continue;
      // What other indices lead into, those between the offsets, is reached however far the offsets go.
      if (offsets && !at_[0]->grows_to(array, *here, first->elements)) continue;
      for (auto each = first; each != own.end() && each->elements == first->elements; ++each) {
        const auto other = at_[1]->elements_of(each->shape);
        if (!other || !at_[1]->exact(array, *there, *other)) continue;
        shapes.push_back({each->shape, draft_.arguments[index].name, axis.name, offsets, true});
        break;  // the plainest
      }
    }
    // A table of all that a byte can say: an axis that counts the bytes themselves says nothing of them.
    const bool counts_them = std::ranges::all_of(
        shapes, [&](const IndexedShape& shape) { return rank(shape, array, index) == 2; });
    if (counts_them && !offsets && draft_.arguments[index].dtype == "u8") {
      const ProbeRun::Held greatest{index, 255, false};
      if (at_[0]->exact(array, greatest, 256) && at_[1]->exact(array, greatest, 256))
        return IndexedShape{{"256"}, draft_.arguments[index].name, "256", false, true};
    }
    return best_of(std::move(shapes), array, index);
  }

  /// Of what lies between offsets, -2: the axis of another array between them; -1: one by its name. 0: an
  /// axis that no other array has; 1: one that does not count the indices; 2: others.
  [[nodiscard]] int rank(const IndexedShape& shape, std::size_t array, std::size_t index) const {
    bool elsewhere = false, beside = false;
    const bool offsets = may_be_offsets(draft_.arguments[index]);
    for (std::size_t i = 0; i < draft_.arguments.size(); ++i) {
      const DraftArgument& other = draft_.arguments[i];
      if (i == array || other.role == "scalar") continue;
      const bool certain = found_[i] && found_[i]->certain;
      if (certain || other.todo.empty())
        elsewhere = elsewhere || has_axis(certain ? found_[i]->shape : other.shape, shape.axis);
      beside =
          beside || (offsets && certain && found_[i]->index == shape.index && found_[i]->axis == shape.axis);
    }
    if (beside) return -2;
    if (!elsewhere) return offsets && names_entries(shape.axis) ? -1 : 0;
    const bool known = found_[index] && found_[index]->certain;
    return has_axis(known ? found_[index]->shape : draft_.arguments[index].shape, shape.axis) ? 2 : 1;
  }

  [[nodiscard]] std::optional<IndexedShape> best_of(std::vector<IndexedShape> shapes, std::size_t array,
                                                    std::size_t index) const {
    if (shapes.empty()) return std::nullopt;
    const auto least = [&](const IndexedShape& shape) { return rank(shape, array, index); };
    std::ranges::stable_sort(shapes, {}, least);
    const bool tie = shapes.size() > 1 && least(shapes[0]) == least(shapes[1]);
    shapes.front().certain = !tie;
    return shapes.front();
  }

  const Draft& draft_;
  const std::vector<bool>& asked_;
  std::vector<std::unique_ptr<Reach>> at_;
  std::vector<std::size_t> kept_;  ///< offsets that are known
  std::vector<std::optional<IndexedShape>> found_;
};

}  // namespace

std::vector<std::optional<IndexedShape>> find_indexed_shapes(const Draft& draft,
                                                             const model::Artifact& artifact, Probed whose,
                                                             const std::vector<bool>& asked) {
  return IndexedFinder(draft, asked).run(artifact, whose);
}

}  // namespace evo::intake
