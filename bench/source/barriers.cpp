#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "bench/source/bench.hpp"
#include "bench/source/subject.hpp"
#include "model/random.hpp"
#include "mutators/race_repair.hpp"
#include "mutators/source_mutator.hpp"

namespace evo::bench {
namespace {

std::vector<mutators::Change> changes_of(const Subject& subject, std::string_view operation) {
  const auto source = subject.read();
  for (const auto& mutator : mutators::source_mutators()) {
    if (mutator->name() == operation) return mutator->changes(source);
  }
  return {};
}

/// Takes away every barrier that the gates do not miss, one at a time; how many went.
int take_away(Subject& subject) {
  int gone = 0;
  for (bool more = true; more;) {
    more = false;
    for (const mutators::Change& change : changes_of(subject, "barrier_delete")) {
      if (!subject.prove(change).valid()) continue;
      subject.keep(change);
      ++gone;
      more = true;
      break;
    }
  }
  return gone;
}

}  // namespace

int planted(const std::vector<std::string>& experiments) {
  int planted_in_all = 0, found_in_all = 0;
  fmt::print(
      "| kernel | barriers | not needed | planted | found | needed ones removed "
      "|\n|---|---|---|---|---|---|\n");
  for (const std::string& file : experiments) {
    Subject subject(file);
    const auto before = changes_of(subject, "barrier_delete").size();
    // What the author left in goes first, so that what is found later was planted.
    const int surplus = take_away(subject);
    const auto needed = changes_of(subject, "barrier_delete").size();
    int count = 0;
    model::RandomStream random({bench_entropy, 0, 0, "planted" + file});
    for (int tries = 0; tries < 12 && count < 2; ++tries) {
      const auto places = changes_of(subject, "barrier_insert");
      if (places.empty()) break;
      const mutators::Change& place = places[random.below(places.size())];
      // In a branch that not all threads take it would be wrong, not needless.
      if (!subject.prove(place).valid()) continue;
      subject.keep(place);
      ++count;
    }
    const int found = take_away(subject);
    const auto left = changes_of(subject, "barrier_delete").size();
    const bool valid = subject.prove({}).valid();
    fmt::print("| {} | {} | {} | {} | {} | {} |\n", subject.name(), before, surplus, count, found,
               valid && left >= needed
                   ? "none"
                   : fmt::format("{} left of {}, {}", left, needed, valid ? "correct" : "wrong"));
    planted_in_all += count;
    found_in_all += found;
  }
  fmt::print("\nplanted {}, found {}\n", planted_in_all, found_in_all);
  return found_in_all == planted_in_all ? 0 : 1;
}

int removed(const std::vector<std::string>& experiments) {
  constexpr int most = 5;
  int needed = 0, mended = 0;
  fmt::print("| kernel | without | finding | mended by proposal | with |\n|---|---|---|---|---|\n");
  for (const std::string& file : experiments) {
    Subject original(file);
    for (const mutators::Change& change : changes_of(original, "barrier_delete")) {
      const evaluators::gates::GateReport report = original.prove(change);
      if (report.valid() || report.failure() == nullptr) continue;
      const auto first = mutators::races_of(report.failure()->evidence, original.file());
      if (report.failure()->status != model::Status::sanitizer_fail) continue;
      ++needed;
      // As if an author had left it out: the text without it is all that the repair sees.
      Subject subject(file);
      subject.keep(change);
      const auto source = subject.read();
      source::Edits edits;
      auto races = first;
      int proposal = 0;
      std::string with = "-";
      const auto repairs = mutators::race_repairs(source, {}, races);
      for (const source::Edits& repair : repairs) {
        if (proposal == most) break;
        ++proposal;
        if (!subject.prove(repair).valid()) continue;
        with = repair.front().payload;
        break;
      }
      const bool done = with != "-";
      mended += done ? 1 : 0;
      fmt::print("| {} | {} | {} | {} | {} |\n", subject.name(), change.front().anchor,
                 report.failure()->reason, done ? fmt::format("{}", proposal) : "no", with);
    }
  }
  fmt::print("\nneeded {}, mended within {} proposals {}\n", needed, most, mended);
  return 0;
}

}  // namespace evo::bench
