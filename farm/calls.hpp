// The coordinator's end of a farm: jobs of several lines go to a queue, their answers come back.
#pragma once

#include <any>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include <tl/expected.hpp>

#include "farm/code.hpp"
#include "farm/message.hpp"
#include "farm/queue.hpp"

namespace evo::farm {

/// Jobs that the same workers can do, and how their answers are read.
struct Line {
  Build build;         ///< its device names the line: line_of()
  std::string target;  ///< JobMessage::target
  /// The error says what is wrong with the body of an answer.
  std::function<tl::expected<std::any, std::string>(const std::string& body)> read;
  /// A job waits for workers as long as it takes. Otherwise there is no answer where none of the line's
  /// workers is there, or where they have enough to do: the caller does it himself.
  bool patient = true;
  bool until_stop = false;  ///< there is no answer after CallsOptions::stop either
  /// Comparisons in turn, a line of their own: no more are out than workers have GPUs, since a comparison
  /// that waits for one in a queue had better begin elsewhere.
  bool comparisons = false;
  [[nodiscard]] std::string name() const {
    return comparisons ? comparisons_line_of(build.device) : line_of(build.device);
  }
  /// Jobs that may be out for each that its workers do at a time.
  [[nodiscard]] int ahead() const { return comparisons ? 1 : 2; }
};

struct CallsOptions {
  std::string run;  ///< a plain name (message.hpp), its own in the farm
  std::stop_token stop{};
  /// A job that is neither answered nor in the queue at two such looks is put there again.
  std::chrono::milliseconds look = std::chrono::seconds(2);
  /// An impatient job that has no answer for so long is done by who asked, whoever says that he is there.
  std::chrono::milliseconds impatience = std::chrono::minutes(2);
  /// Told, a line each: results that are refused (the first ones, then ever fewer). May be empty.
  std::function<void(const std::string&)> log{};
};

struct Answer {
  std::string worker;  ///< who gave it, as a log may get it
  std::any result;     ///< what Line::read made
  std::string error;   ///< why there is no result, with the worker's name
  /// What the job cost: the worker's price of an hour, for as long as it took. 0 where it says no price.
  double cost = 0;
  bool priced = false;        ///< the worker says a price
  bool code_missing = false;  ///< the error is that the farm has not the job's code
  [[nodiscard]] bool has() const { return result.has_value() || !error.empty(); }
};

/// What became of results and jobs beside the usual.
struct CallCounts {
  std::uint64_t jobs = 0;          ///< sent
  std::uint64_t answered = 0;      ///< results taken
  std::uint64_t malformed = 0;     ///< refused: no result, or none in its body
  std::uint64_t other_run = 0;     ///< refused: of another run
  std::uint64_t not_waited = 0;    ///< refused: of a job nobody waits for: unknown, or answered (a replay)
  std::uint64_t forged = 0;        ///< refused: by somebody who does not hold the job
  std::uint64_t repeated = 0;      ///< lent again by the queue after they were answered: it had not heard so
  std::uint64_t failed = 0;        ///< a worker had no result
  std::uint64_t put_again = 0;     ///< jobs that the queue had lost
  std::uint64_t given_up = 0;      ///< jobs whose line's workers have all gone
  std::uint64_t code = 0;          ///< texts of code that were sent, each for all jobs that name it
  std::uint64_t code_missing = 0;  ///< jobs whose code the farm had lost, or a worker says so
  double cost = 0;                 ///< of all answers that were taken
  std::map<std::string, std::uint64_t> of_line{};  ///< results taken, by line
  std::map<std::string, std::uint64_t> share{};    ///< by line: jobs that may be in the queue (share.hpp)
  [[nodiscard]] std::uint64_t refused() const { return malformed + other_run + not_waited + forged; }
};

/// Has at most its fair share of each line's jobs in the queue; whoever asks for more waits, if the line is
/// patient. Takes one result a job, the first that is sound.
class Calls {
 public:
  /// The queue must outlive it, and is cleared of what the run left there. Throws model::Exception(usage) if
  /// options.run is no plain name.
  Calls(CallsOptions options, Queue& queue);
  ~Calls();
  Calls(const Calls&) = delete;
  Calls& operator=(const Calls&) = delete;

  /// Has `body` done by a worker of `line`; nothing (Answer::has) where nobody did it: see Line. `code` is
  /// what the body names by its hash: it is sent before the job, unless it was sent for another one; again,
  /// and once, where the farm has lost it. Thread-safe. Throws model::Exception(environment) when the queue
  /// broke.
  [[nodiscard]] Answer ask(const Line& line, const std::string& body, const std::vector<Code>& code = {});
  /// Would a worker's answer to it come through the queue? A longer job does not.
  [[nodiscard]] bool fits(const Line& line, const std::string& body) const;
  [[nodiscard]] CallCounts counts() const;
  /// Jobs that may be in the queue now; 0: the line has no worker. A patient line has 1 at least.
  [[nodiscard]] std::size_t share_of(const Line& line) const;
  void say(const std::string& line) const;
  [[nodiscard]] const std::string& run() const;  ///< CallsOptions::run

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace evo::farm
