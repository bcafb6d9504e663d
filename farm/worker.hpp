// The worker's end of a farm.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>

#include "farm/code.hpp"
#include "farm/message.hpp"
#include "farm/queue.hpp"
#include "farm/ticket_lock.hpp"

namespace evo::farm {

/// Makes the body of a job's result; thread-safe. What it throws goes to the coordinator as this worker's
/// failure; CodeMissing has the coordinator put the code again.
using Perform = std::function<std::string(const JobMessage&, const FindCode&)>;

struct WorkerOptions {
  std::string name;
  Build build;
  std::chrono::milliseconds heartbeat = std::chrono::seconds(2);  ///< well below the queue's lease
  /// A job that was lent more often is not tried here: it may be what its takers died of, and the coordinator
  /// is told so.
  int most_times = 5;
  double price = 0;  ///< of an hour of what does one job; 0: none is said
  /// Where it was requested, a job that was taken but not begun is given back to the queue.
  std::stop_token stop{};
  /// Held while a job is done: who holds more jobs than it has places does so many at a time. May be null.
  TicketLock* turn = nullptr;
  bool first = false;  ///< its turn comes before that of those that are not
  /// What is fetched stays there, and is fetched before the turn; null: all is fetched for each job.
  CodeCache* code = nullptr;
};

enum class Served : std::uint8_t {
  nothing,    ///< no job came, or it was given back since the worker stops
  answered,   ///< a result went back
  failed,     ///< why this worker has no result went back
  no_code,    ///< that the farm has not the job's code went back: no fault of this worker
  malformed,  ///< no job: taken off the queue, since nobody can read it
  refused,    ///< another build's: given back to the queue for others
};
struct ServedJob {
  Served how = Served::nothing;
  std::string why{};  ///< of malformed, refused, failed and no_code
  std::string run{};  ///< empty for nothing and malformed
};

/// Takes one job, keeps its lease while `perform` works, sends the result, and only then lets the job go: a
/// worker that is killed in between leaves it to another.
[[nodiscard]] ServedJob serve_job(Queue& queue, const Perform& perform, const WorkerOptions& options,
                                  std::chrono::milliseconds wait);

}  // namespace evo::farm
