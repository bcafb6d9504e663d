// The reader of a run's results: each is taken once, by who waits for it, or refused.
#include <algorithm>
#include <bit>

#include <fmt/format.h>

#include "farm/answer.hpp"
#include "farm/calls_state.hpp"

namespace evo::farm {
namespace {

/// The end of a run waits for so long.
constexpr std::chrono::milliseconds result_wait{50};

}  // namespace

void Calls::State::read(const std::stop_token& stop) {
  repeat(stop, [this] {
    const auto delivery = queue.take_result(options.run, result_wait);
    if (delivery) {
      const std::string refused = accept(*delivery);
      queue.done(delivery->lease);
      if (!refused.empty()) tell_refused(refused);
    }
    if (delivery && delivery->behind != 0) return;
    const std::scoped_lock lock(mutex);
    ++drained;
  });
}

void Calls::State::tell_refused(const std::string& what) const {
  std::uint64_t number = 0;
  {
    const std::scoped_lock lock(mutex);
    number = counts.refused();
  }
  if (number <= 20 || std::has_single_bit(number))
    say(fmt::format("a result is refused, the {}. of this run: {}", number, said(what)));
}

std::string Calls::State::accept(const Delivery& delivery) {
  const auto message = result_from(delivery.bytes);
  tl::expected<Answer, std::string> answer = tl::unexpected(std::string("nobody waits"));
  // Read before it is known to be waited for, so that nobody waits for the lock meanwhile.
  if (message) answer = read_answer(*message);
  const std::scoped_lock lock(mutex);
  if (!message) {
    ++counts.malformed;
    return message.error();
  }
  if (message->run != options.run) {
    ++counts.other_run;
    return "it says that it is of run " + message->run;
  }
  const auto found = waiting.find(message->id);
  if (found == waiting.end() || found->second.answer.has()) {
    // The queue counts how often it lends something; no sender has a say in that.
    if (delivery.times > 1) {
      ++counts.repeated;
      return {};
    }
    ++counts.not_waited;
    return "nobody waits for job " + message->id;
  }
  Waiting& entry = found->second;
  if (message->nonce != entry.nonce) {
    ++counts.forged;
    return "its sender does not hold job " + message->id;
  }
  if (!answer) {
    ++counts.malformed;
    return answer.error();
  }
  // No worker was at it for longer than it was waited for, whatever it says.
  const double waited = std::chrono::duration<double>(Clock::now() - entry.put).count();
  answer->cost = message->price * std::min(message->seconds, waited) / 3600;
  if (answer->cost <= 0) answer->priced = false;
  counts.cost += answer->cost;
  ++(answer->error.empty() ? counts.answered : answer->code_missing ? counts.code_missing : counts.failed);
  if (answer->error.empty()) ++counts.of_line[entry.line];
  entry.answer = std::move(*answer);
  entry.changed.notify_all();
  return {};
}

tl::expected<Answer, std::string> Calls::State::read_answer(const ResultMessage& message) const {
  std::function<tl::expected<std::any, std::string>(const std::string&)> read;
  {
    const std::scoped_lock lock(mutex);
    const auto found = waiting.find(message.id);
    if (found == waiting.end() || found->second.nonce != message.nonce)
      return tl::unexpected(std::string("nobody waits"));
    read = found->second.read;
  }
  return answer_of(message, read);
}

}  // namespace evo::farm
