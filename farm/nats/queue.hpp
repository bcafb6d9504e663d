// The queue on JetStream: a stream of jobs that every worker takes from, a stream of results with a consumer
// a run (streams.hpp).
#pragma once

#include <map>
#include <memory>
#include <mutex>

#include "farm/nats/crowd.hpp"
#include "farm/nats/jetstream.hpp"
#include "farm/nats/pull.hpp"
#include "farm/nats/streams.hpp"
#include "farm/queue.hpp"

namespace evo::farm::nats {

class NatsQueue final : public Queue {
 public:
  /// The coordinator's: makes the streams where they are not there. Throws model::Exception(environment),
  /// also where the server takes shorter messages than max_message_bytes.
  [[nodiscard]] static std::unique_ptr<NatsQueue> of_coordinator(Access access, Patience patience);
  /// A worker's, who takes jobs of this line: it may make nothing, and waits for a coordinator to do so.
  [[nodiscard]] static std::unique_ptr<NatsQueue> of_worker(Access access, Patience patience,
                                                            const std::string& line = "virtual");
  ~NatsQueue() override;
  NatsQueue(const NatsQueue&) = delete;
  NatsQueue& operator=(const NatsQueue&) = delete;

  void put_job(const JobName& name, const std::string& once, const std::string& bytes) override;
  [[nodiscard]] bool offer_job(const JobName& name, const std::string& once,
                               const std::string& bytes) override;
  [[nodiscard]] std::optional<Delivery> take_job(std::chrono::milliseconds wait) override;
  void keep(const std::string& lease) override;
  void give_back(const std::string& lease) override;
  void done(const std::string& lease) override;
  void put_code(const std::string& hash, const std::string& bytes) override;
  [[nodiscard]] std::optional<std::string> code(const std::string& hash) override;
  void put_result(const std::string& run, const std::string& bytes) override;
  [[nodiscard]] std::optional<Delivery> take_result(const std::string& run,
                                                    std::chrono::milliseconds wait) override;
  [[nodiscard]] std::set<std::string> jobs_of(const std::string& run, const std::string& line) override;
  void forget_job(const JobName& name) override;
  [[nodiscard]] Crowd crowd(const std::string& run) override;
  void clear(const std::string& run) override;

  /// Removes the run's consumer too: nobody will ask for its results again.
  void leave(const std::string& run);
  [[nodiscard]] Jetstream& jetstream() { return jetstream_; }

 private:
  NatsQueue(const Access& access, Patience patience, bool coordinates);
  /// `line`: of a job; empty: it is a result. Waits for room.
  std::uint64_t store(const std::string& subject, const std::string& once, const std::string& bytes,
                      const std::string& line);
  void note_number(const std::string& subject, std::uint64_t number);

  Jetstream jetstream_;
  bool coordinates_;
  std::string line_;  ///< of jobs that are taken
  /// Of jobs that were put, by subject: the number of the last one in its stream.
  std::map<std::string, std::uint64_t> numbers_;
  std::mutex numbers_mutex_;
  std::mutex jobs_mutex_, results_mutex_, crowd_mutex_;
  std::unique_ptr<Pull> jobs_;
  std::map<std::string, std::unique_ptr<Pull>> results_;  ///< by the run
  std::unique_ptr<LiveCrowd> crowd_;
};

}  // namespace evo::farm::nats
