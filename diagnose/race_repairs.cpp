#include "diagnose/race_repairs.hpp"

#include <algorithm>
#include <cstdlib>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "diagnose/barrier_places.hpp"
#include "diagnose/repair.hpp"

namespace evo::diagnose {
namespace {

std::string with_line_before(const std::string& source, int line, const std::string& inserted) {
  std::size_t at = 0;
  for (int i = 1; i < line && at != std::string::npos; ++i) at = source.find('\n', at) + 1;
  return source.substr(0, at) + inserted + "\n" + source.substr(at);
}

/// Lines of the kernel's file that race, and where `outermost` those from which they are called.
std::set<int> racing_lines(const Subject& subject, const model::Failure& failure, const CodeLines& code,
                           bool outermost) {
  std::set<int> lines;
  const auto add = [&](const std::string& file, int line) {
    if (file != subject.file() || line <= 0) return;
    lines.insert(line);
    if (outermost) lines.merge(code.outermost(file, line));
  };
  for (const model::Evidence& evidence : failure.evidence) {
    if (!evidence.kind.starts_with("race_")) continue;
    add(evidence.file, evidence.line);
    int other = 0;
    for (const auto& [key, value] : evidence.details)
      other = key == "other_line" ? std::atoi(value.c_str()) : other;
    add(evidence.file, other);
  }
  return lines;
}

class RaceRepairs {
 public:
  RaceRepairs(Lab& lab, const Failing& first, const Failing& smallest, const CodeLines& code,
              PostMortem& report)
      : lab_(lab),
        subject_(lab.subject()),
        first_(first),
        smallest_(smallest),
        code_(code),
        report_(report) {}

  void run() {
    const bool shared = report_.facts.has("finding.race_shared");
    if (!shared && !report_.facts.has("finding.race_global")) {
      barriers();
      return;
    }
    if (report_.origin.edits.empty() && changes("atomic")) return;
    if (!shared && report_.origin.edits.empty() && changes("fence")) return;
    barriers();
  }

 private:
  /// Smallest first: what does not heal there need not be run on more.
  bool heals(const std::string& source) {
    for (const Failing* failing : {&smallest_, &first_}) {
      Setup setup = failing->setup;
      setup.quick_build = !has_hooks(subject_);
      if (lab_.observe({source, subject_.candidate.genome}, setup).failed()) return false;
    }
    return true;
  }

  /// Changes of this kind at the lines that race, or for fences between them and what follows.
  bool changes(const std::string& kind) {
    const Roles roles(subject_);
    if (roles.names() == nullptr) return false;
    std::set<int> lines = racing_lines(subject_, *smallest_.seen.failure, code_, false);
    if (kind == "fence") lines = {0};
    int tried = 0;
    for (Mutant& mutant : mutants_of(subject_.candidate.source, *roles.names(), {kind})) {
      if (!lines.contains(0) && !lines.contains(mutant.line)) continue;
      if (lab_.expired() || tried++ >= most_changes) return false;
      if (!heals(mutant.source)) continue;
      report_.repair = Repair{std::move(mutant), tried};
      add_repair_facts(*report_.repair, roles, report_.facts);
      return true;
    }
    return false;
  }

  /// A barrier put where one seems to be missing tells whether it is, and of which kind.
  void barriers() {
    std::vector<int> lines = barrier_places(subject_, *smallest_.seen.failure, code_);
    // A wait that nothing publishes is the likelier place, where copies are what races.
    const bool copies = report_.facts.has("race.async_copy") || report_.facts.has("finding.async_not_waited");
    const int wait = copies ? wait_without_barrier(subject_.file(), subject_.candidate.source, code_) : 0;
    if (wait > 0) lines.insert(lines.begin(), wait);
    if (lines.size() > most_places) lines.resize(most_places);
    const std::size_t likely = lines.size();
    if (!has_hooks(subject_)) {
      for (const int line : lines_around(subject_.candidate.source,
                                         racing_lines(subject_, *smallest_.seen.failure, code_, true))) {
        if (std::find(lines.begin(), lines.end(), line) == lines.end()) lines.push_back(line);
      }
      lines.resize(std::min(lines.size(), likely + 2 * most_places));
    }
    const auto with = [&](int line, const char* statement) {
      return with_line_before(subject_.candidate.source, line, statement);
    };
    for (const int line : lines) {
      if (lab_.expired()) return;
      const bool block = heals(with(line, "__syncthreads();"));
      // In a branch that one warp takes, only a barrier of its own can be meant.
      if (!block && !report_.facts.has("race.within_warp")) continue;
      const bool warp = !lab_.expired() && heals(with(line, "__syncwarp();"));
      if (!block && !warp) continue;
      report_.facts.add(warp ? "repair.warp_barrier_heals" : "repair.block_barrier_heals",
                        fmt::format("with {} before line {} it is correct",
                                    warp ? "__syncwarp();" : "__syncthreads();", line));
      report_.healing_barrier = line;
      return;
    }
    if (!lines.empty())
      report_.facts.add("repair.no_barrier_heals",
                        fmt::format("a barrier before line {} mends nothing", fmt::join(lines, " or ")));
  }

  static constexpr std::size_t most_places = 6;
  static constexpr int most_changes = 40;

  Lab& lab_;
  const Subject& subject_;
  const Failing &first_, &smallest_;
  const CodeLines& code_;
  PostMortem& report_;
};

}  // namespace

bool has_hooks(const Subject& subject) {
  return subject.candidate.source.find("EVO_PROBE(") != std::string::npos;
}

void mend_race(Lab& lab, const Failing& first, const Failing& smallest, const CodeLines& code,
               PostMortem& report) {
  RaceRepairs(lab, first, smallest, code, report).run();
}

}  // namespace evo::diagnose
