// The queue on JetStream: a stream of jobs that every worker takes from, a stream of results with a consumer
// a run. A job leaves its stream when it is acknowledged; its lease is the consumer's ack_wait.
//
//   stream            subjects                            holds
//   EVO_JOBS_virtual  evo.jobs.virtual.RUN.ID             jobs that wait or are lent (consumer: workers)
//   EVO_RESULTS       evo.results.RUN                     results that are not taken (consumers: run_RUN)
//   EVO_PRESENCE      evo.presence.worker|run.NAME        the last sign of each, for 15 s (presence.hpp)
#pragma once

#include "farm/nats/jetstream.hpp"
#include "farm/queue.hpp"

namespace evo::farm::nats {

inline constexpr const char* jobs_stream = "EVO_JOBS_virtual";
inline constexpr const char* results_stream = "EVO_RESULTS";
inline constexpr const char* presence_stream = "EVO_PRESENCE";
inline constexpr const char* workers_consumer = "workers";
/// Without a heartbeat for so long a job is another worker's.
inline constexpr std::chrono::seconds lease_time{6};

class NatsQueue final : public Queue {
 public:
  /// The coordinator's: makes the streams where they are not there. Throws model::Exception(environment),
  /// also where the server takes shorter messages than max_message_bytes.
  [[nodiscard]] static std::unique_ptr<NatsQueue> of_coordinator(Access access, Patience patience);
  /// A worker's: it may make nothing, and waits for a coordinator to do so.
  [[nodiscard]] static std::unique_ptr<NatsQueue> of_worker(Access access, Patience patience);

  void put_job(const JobName& name, const std::string& once, const std::string& bytes) override;
  [[nodiscard]] std::optional<Delivery> take_job(std::chrono::milliseconds wait) override;
  void keep(const std::string& lease) override;
  void give_back(const std::string& lease) override;
  void done(const std::string& lease) override;
  void put_result(const std::string& run, const std::string& bytes) override;
  [[nodiscard]] std::optional<Delivery> take_result(const std::string& run,
                                                    std::chrono::milliseconds wait) override;
  [[nodiscard]] std::set<std::string> jobs_of(const std::string& run) override;
  [[nodiscard]] Crowd crowd(const std::string& run) override;
  void clear(const std::string& run) override;

  /// Removes the run's consumer too: nobody will ask for its results again.
  void leave(const std::string& run);
  [[nodiscard]] Jetstream& jetstream() { return jetstream_; }

 private:
  NatsQueue(const Access& access, Patience patience, bool coordinates);
  void make_streams();
  void make_consumer(const std::string& run);
  void store(const std::string& subject, const std::string& once, const std::string& bytes);

  Jetstream jetstream_;
  bool coordinates_;
};

}  // namespace evo::farm::nats
