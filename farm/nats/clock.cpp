#include "farm/nats/clock.hpp"

#include <cmath>
#include <exception>
#include <utility>

#include <fmt/format.h>
#include <boost/json.hpp>

#include "farm/message.hpp"

namespace evo::farm::nats {
namespace {

namespace json = boost::json;
using std::chrono::milliseconds;

constexpr const char* clock_subject = "evo.clock";
constexpr milliseconds answer_wait{1000};
/// The end of a run waits for so long.
constexpr milliseconds question_wait{50};

std::optional<double> finite_in(const json::object& from, const char* key) {
  const json::value* found = from.if_contains(key);
  if (found == nullptr || !found->is_number()) return std::nullopt;
  boost::system::error_code error;
  const double number = found->to_number<double>(error);
  return error || !std::isfinite(number) ? std::nullopt : std::optional(number);
}

}  // namespace

std::string worker_answers(const std::string& user) {
  return fmt::format("{}.{}", worker_inbox, user.empty() ? "anybody" : user);
}

ClockService::ClockService(Connection& connection, const std::string& run, ReadClocks read)
    : thread_([&connection, run, read = std::move(read),
               questions = connection.subscribe(clock_subject)](const std::stop_token& stop) {
        try {
          while (!stop.stop_requested()) {
            const auto question = questions->next(question_wait);
            // The run may write anywhere, and a worker may not: what it asks for goes to workers alone.
            if (!question || !question->reply_to.starts_with(std::string(worker_inbox) + ".")) continue;
            const Clocks now = read();
            connection.publish(
                question->reply_to,
                json::serialize(json::object{{"run", run}, {"wall", now.wall}, {"steady", now.steady}}));
          }
        } catch (const std::exception&) {
          // Closed for good: whoever works with it says so.
        }
      }) {}

std::optional<ClockExchange> ask_clock(Connection& connection, const ReadClocks& read) {
  ClockExchange exchange;
  exchange.asked = read();
  const auto reply = connection.request(clock_subject, "", answer_wait);
  exchange.answered = read();
  if (!reply || reply->status != 0) return std::nullopt;
  boost::system::error_code error;
  const json::value answer = json::parse(reply->data, error);
  if (error || !answer.is_object()) return std::nullopt;
  const json::object& said = answer.as_object();
  const json::value* run = said.if_contains("run");
  const auto wall = finite_in(said, "wall"), steady = finite_in(said, "steady");
  if (run == nullptr || !run->is_string() || !wall || !steady) return std::nullopt;
  exchange.whose = run->as_string();
  if (!is_plain_name(exchange.whose)) return std::nullopt;
  exchange.theirs = {*wall, *steady};
  return exchange;
}

ClockCheck::ClockCheck(Connection& connection, ReadClocks read, milliseconds every, ClockBounds bounds,
                       std::function<void(const ClockWatch::Finding&)> heard)
    : thread_([this, &connection, read = std::move(read), every, watch = ClockWatch(bounds),
               heard = std::move(heard)](const std::stop_token& stop) mutable {
        try {
          while (!stop.stop_requested()) {
            const auto exchange = ask_clock(connection, read);
            ClockWatch::Finding finding;
            if (exchange) finding = watch.note(*exchange);
            if (!finding.refused.empty() || !finding.warning.empty()) heard(finding);
            std::unique_lock lock(mutex_);
            if (exchange) ahead_ = watch.ahead();
            wake_.wait_for(lock, stop, every, [] { return false; });
          }
        } catch (const std::exception&) {
          // Closed for good: whoever works with it says so.
        }
      }) {}

std::optional<double> ClockCheck::ahead() const {
  const std::scoped_lock lock(mutex_);
  return ahead_;
}

}  // namespace evo::farm::nats
