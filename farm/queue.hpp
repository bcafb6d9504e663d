// Port: a queue of jobs with leases, and the way back. Real: farm/nats. Fake: tests/farm.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>

namespace evo::farm {

/// What is lent to one taker. When its lease ends without keep() or done(), another one gets it.
struct Delivery {
  std::string bytes;
  std::string lease;
  int times = 1;             ///< that it was lent, with this one
  std::uint64_t behind = 0;  ///< more that wait for their first taker
};

/// All are plain names (message.hpp).
struct JobName {
  std::string run, id;
  std::string line = "virtual";  ///< of jobs that the same workers can do; see line_of()
};

/// Who else is there, by what they say of themselves.
struct Crowd {
  std::map<std::string, int> threads;  ///< by line: jobs that all its workers together do at a time
  int others = 0;                      ///< runs beside the one that asks
  [[nodiscard]] int threads_of(const std::string& line) const {
    const auto found = threads.find(line);
    return found == threads.end() ? 0 : found->second;
  }
};

/// Thread-safe. Every call throws model::Exception(environment) when the queue is gone for good.
class Queue {
 public:
  virtual ~Queue() = default;
  /// `once`: the same one twice, shortly after each other, is one job.
  /// Waits where there is no room.
  virtual void put_job(const JobName& name, const std::string& once, const std::string& bytes) = 0;
  /// The same, but false where there is no room: it is not put.
  [[nodiscard]] virtual bool offer_job(const JobName& name, const std::string& once,
                                       const std::string& bytes) = 0;
  /// Of the line that this end of the queue serves. Without a wait: what is there and nobody waits for.
  [[nodiscard]] virtual std::optional<Delivery> take_job(std::chrono::milliseconds wait) = 0;
  virtual void keep(const std::string& lease) = 0;       ///< a heartbeat: the lease begins anew
  virtual void give_back(const std::string& lease) = 0;  ///< somebody else's
  virtual void done(const std::string& lease) = 0;       ///< of a job, or of a result
  /// Keeps code for those who know its hash, for a day at least as long as there is room; the same code may
  /// be put again.
  virtual void put_code(const std::string& hash, const std::string& bytes) = 0;
  /// As somebody put it, or not at all.
  [[nodiscard]] virtual std::optional<std::string> code(const std::string& hash) = 0;
  virtual void put_result(const std::string& run, const std::string& bytes) = 0;
  [[nodiscard]] virtual std::optional<Delivery> take_result(const std::string& run,
                                                            std::chrono::milliseconds wait) = 0;
  /// Ids of the run's jobs of a line that wait or are lent.
  [[nodiscard]] virtual std::set<std::string> jobs_of(const std::string& run, const std::string& line) = 0;
  /// Takes away one of the run's jobs, which nobody waits for.
  virtual void forget_job(const JobName& name) = 0;
  [[nodiscard]] virtual Crowd crowd(const std::string& run) = 0;
  /// Takes away the run's jobs and results: those of a coordinator that died, or of a run that is over.
  virtual void clear(const std::string& run) = 0;
};

}  // namespace evo::farm
