#include "farm/nats/pull.hpp"

#include <algorithm>
#include <exception>
#include <thread>

#include <fmt/format.h>

namespace evo::farm::nats {
namespace {

using std::chrono::milliseconds;

/// A server that was away has forgotten what it was asked for: it is asked again after this.
constexpr milliseconds pull_expires{1000};
constexpr milliseconds pull_grace{500};
/// After a refusal that comes at once: of a consumer that is being deleted, say.
constexpr milliseconds refused_pause{50};
constexpr int status_expired = 408;
constexpr int status_nobody = 503;

}  // namespace

Pull::Pull(Connection& connection, const std::string& stream, const std::string& consumer, int batch)
    : connection_(connection),
      subject_(fmt::format("$JS.API.CONSUMER.MSG.NEXT.{}.{}", stream, consumer)),
      inbox_(connection.draw_inbox()),
      batch_(batch),
      answers_(connection.subscribe(inbox_ + ".*")) {}

Pull::~Pull() {
  try {
    while (const auto left = answers_->next(milliseconds(1))) {
      if (left->status == 0 && !left->reply_to.empty()) connection_.publish(left->reply_to, "-NAK");
    }
  } catch (const std::exception&) {
    // Closed: their leases end by themselves.
  }
}

void Pull::ask() {
  const auto nanoseconds = std::chrono::duration_cast<std::chrono::nanoseconds>(pull_expires).count();
  ask_for(fmt::format(R"({{"batch":{},"expires":{}}})", batch_, nanoseconds), batch_,
          pull_expires + pull_grace);
}

void Pull::ask_for(const std::string& what, int messages, milliseconds answered_within) {
  connection_.publish(subject_, fmt::format("{}.{}", inbox_, ++asked_), what);
  open_ = messages;
  ends_ = Clock::now() + answered_within;
}

std::optional<Reply> Pull::at_once() {
  // What comes too late for its request: its lease runs, and nobody here waits for it.
  while (late_ > 0) {
    const auto left = answers_->next(milliseconds(1));
    if (!left) break;
    if (left->status == 0 && !left->reply_to.empty()) connection_.publish(left->reply_to, "-NAK");
    --late_;
  }
  if (open_ <= 0) ask_for(R"({"batch":1,"no_wait":true})", 1, pull_grace);
  while (true) {
    auto reply = answers_->next(std::chrono::duration_cast<milliseconds>(ends_ - Clock::now()));
    if (reply && reply->status == 0) {
      --open_;
      return reply;
    }
    if ((reply && is_of_last(*reply)) || Clock::now() >= ends_) {
      if (!reply) ++late_;
      open_ = 0;
      return std::nullopt;
    }
  }
}

bool Pull::is_of_last(const Reply& status) const {
  return status.subject.ends_with("." + std::to_string(asked_));
}

Pull::Next Pull::next(milliseconds wait) {
  const auto until = Clock::now() + wait;
  while (true) {
    if (open_ <= 0) ask();
    const auto left = std::chrono::duration_cast<milliseconds>(std::min(until, ends_) - Clock::now());
    auto reply = answers_->next(left);
    if (reply && reply->status == 0) {
      --open_;
      return {std::move(reply), End::none};
    }
    if (reply && is_of_last(*reply)) {
      open_ = 0;
      if (reply->status == status_nobody) return {{}, End::nobody};
      if (reply->status != status_expired) std::this_thread::sleep_for(refused_pause);
    }
    const auto now = Clock::now();
    if (!reply && now >= ends_) {
      open_ = 0;
      return {{}, End::nobody};
    }
    if (now >= until) return {};
  }
}

}  // namespace evo::farm::nats
