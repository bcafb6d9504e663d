#include <list>
#include <mutex>
#include <utility>

#include "config/target_profile.hpp"
#include "evaluators/devices/virtual/virtual_device.hpp"
#include "evaluators/gates/in_process_runner.hpp"
#include "evaluators/reference/add_reference.hpp"
#include "model/error.hpp"
#include "model/hash.hpp"
#include "packs/builtin.hpp"
#include "session/farm_posts.hpp"
#include "session/farm_worker.hpp"

namespace evo::session {
namespace {

using evaluators::gates::DeviceJob;
using evaluators::gates::InProcessRunner;

/// Runs of so many problems keep their references at a time, each up to so many bytes of them.
constexpr std::size_t kept_runners = 4;
constexpr std::int64_t cache_bytes = std::int64_t{256} << 20;

/// The hash of a reference is only what the job says: runs share nothing.
std::string runner_key(const farm::JobMessage& message, const DeviceJob& job) {
  model::Hasher hasher;
  hasher.add(message.run).add(message.target).add(job.reference ? job.reference->hash : "");
  return hasher.finish();
}

std::shared_ptr<InProcessRunner> make_runner(const farm::JobMessage& message, const DeviceJob& job) {
  const auto target = config::profile_from_text(message.target);
  if (!target) throw model::Exception(model::ExitCode::environment, target.error().text());
  evaluators::oracle::Catalogue known = packs::catalogue_of(packs::builtin());
  if (job.reference) evaluators::reference::add_reference(known, *job.reference);
  return std::make_shared<InProcessRunner>(
      [target = *target] { return std::make_unique<evaluators::devices::VirtualDevice>(target); },
      std::move(known), cache_bytes);
}

}  // namespace

struct FarmBench::State {
  std::mutex mutex;
  std::list<std::pair<std::string, std::shared_ptr<InProcessRunner>>> runners;  ///< the last used first

  std::shared_ptr<InProcessRunner> runner_for(const farm::JobMessage& message, const DeviceJob& job) {
    const std::string key = runner_key(message, job);
    const std::scoped_lock lock(mutex);
    for (auto entry = runners.begin(); entry != runners.end(); ++entry) {
      if (entry->first != key) continue;
      runners.splice(runners.begin(), runners, entry);
      return runners.front().second;
    }
    runners.emplace_front(key, make_runner(message, job));
    if (runners.size() > kept_runners) runners.pop_back();
    return runners.front().second;
  }
};

FarmBench::FarmBench() : state_(std::make_unique<State>()) {}
FarmBench::~FarmBench() = default;

evaluators::gates::DeviceResult FarmBench::perform(const farm::JobMessage& message,
                                                   const farm::FindCode& code) {
  DeviceJob job = evaluators::gates::device_job_from_json(message.body);
  require_harmless(job);
  farm::put_code_back(job, code);
  return state_->runner_for(message, job)->run(job);
}

}  // namespace evo::session
