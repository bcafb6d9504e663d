#include "report/crew.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace evo::report {
namespace {

namespace json = boost::json;

constexpr std::size_t parts_of_time = 10;

}  // namespace

void Crew::add(const engine::TrialRecord& trial) {
  end_ = std::max(end_, trial.elapsed_seconds);
  if (!trial.work || trial.work->worker.empty()) return;
  done_[{trial.work->worker, trial.work->device}].push_back(
      {trial.elapsed_seconds, trial.device_seconds, trial.correct()});
}

std::vector<Crew::Member> Crew::members() const {
  std::vector<Member> all;
  for (const auto& [who, done] : done_) {
    Member member{who.first, who.second};
    member.tenths.assign(parts_of_time, 0);
    member.first_s = done.front().at;
    for (const Done& trial : done) {
      ++member.trials;
      member.correct += trial.correct ? 1 : 0;
      member.device_seconds += trial.device_seconds;
      member.last_s = trial.at;
      const double share = end_ > 0 ? trial.at / end_ : 0;
      ++member.tenths[std::min(parts_of_time - 1, static_cast<std::size_t>(share * parts_of_time))];
    }
    all.push_back(std::move(member));
  }
  return all;
}

json::array to_json(const Crew& crew) {
  json::array list;
  for (const Crew::Member& member : crew.members()) {
    list.push_back({{"worker", member.worker},
                    {"device", member.device},
                    {"trials", member.trials},
                    {"right", member.correct},
                    {"device_seconds", member.device_seconds},
                    {"first_s", member.first_s},
                    {"last_s", member.last_s},
                    {"tenths", json::array(member.tenths.begin(), member.tenths.end())}});
  }
  return list;
}

std::string crew_text(const Crew& crew) {
  std::string text;
  for (const Crew::Member& member : crew.members()) {
    text += fmt::format(
        "{} {} ({}): {} trials, {} correct, device {:.2f} s, from {:.1f} to {:.1f} s; in tenths of "
        "the run's time:",
        text.empty() ? "workers   " : "          ", member.worker, member.device, member.trials,
        member.correct, member.device_seconds, member.first_s, member.last_s);
    for (const std::int64_t trials : member.tenths) text += fmt::format(" {}", trials);
    text += "\n";
  }
  return text;
}

}  // namespace evo::report
