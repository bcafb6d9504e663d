#include "farm/nats/connection.hpp"

#include <algorithm>
#include <charconv>
#include <climits>
#include <memory>
#include <random>
#include <string_view>
#include <thread>

#include <fmt/format.h>

#include "model/error.hpp"

namespace evo::farm::nats {
namespace {

constexpr std::int64_t connect_milliseconds = 3000;
constexpr std::int64_t reconnect_milliseconds = 200;
constexpr int most_nonces = 16;

[[noreturn]] void no_connection(const std::string& text) {
  throw model::Exception(model::ExitCode::environment, text);
}

/// A server that has all the connections that it takes says so and hangs up; what it says may be lost with
/// the connection.
bool is_crowded(std::string_view said) {
  return said.find("maximum connections exceeded") != std::string_view::npos ||
         said.find("Expected 'PONG', got ''") != std::string_view::npos;
}

std::string why_not(const Access& access, Status status, const char* text) {
  switch (status) {
    case status_no_server:
    case status_timeout:
      return fmt::format("no NATS server answers at {}. Start one with evo farm up, or look at the address",
                         access.url);
    case status_auth_failed:
      return fmt::format("the NATS server at {} refuses this {}", access.url,
                         !access.nkey.empty()    ? "NKey"
                         : access.secret.empty() ? "end without a token: --token-file FILE"
                                                 : "token");
    case status_tls_wanted:
    case status_tls_required:
    case status_tls_error:
      return fmt::format("no secure connection to the NATS server at {}: {}{}", access.url, text,
                         access.ca_file.empty() ? " (--ca FILE names who signed its certificate)" : "");
    default:
      return fmt::format("no connection to the NATS server at {}: {}{}", access.url, text,
                         is_crowded(text)
                             ? ". It has hung up: it may have all the connections that it takes (evo farm up "
                               "--max-connections)"
                             : "");
  }
}

constexpr int most_pending_messages = 65536;
constexpr int most_pending_bytes = 64 << 20;

std::string draw_word() {
  std::random_device device;
  return fmt::format("{:08x}{:08x}", device(), device());
}

void require_open(Status status, const std::string& url) {
  if (status == status_connection_closed)
    no_connection(fmt::format(
        "the NATS server at {} has closed the connection for good: does the token still hold?", url));
}

/// Takes the message.
Reply reply_of(const Library& nats, Msg* taken) {
  const std::unique_ptr<Msg, void (*)(Msg*)> message(taken, nats.msg_destroy);
  Reply reply;
  reply.data.assign(nats.msg_data(taken), static_cast<std::size_t>(nats.msg_length(taken)));
  if (const char* to = nats.msg_reply(taken)) reply.reply_to = to;
  if (const char* subject = nats.msg_subject(taken)) reply.subject = subject;
  const char* code = nullptr;
  if (nats.header_get(taken, "Status", &code) == status_ok && code != nullptr)
    std::from_chars(code, code + std::char_traits<char>::length(code), reply.status);
  return reply;
}

}  // namespace

Subscription::~Subscription() {
  nats_.unsubscribe(handle_);
}

std::optional<Reply> Subscription::next(std::chrono::milliseconds timeout) {
  Msg* taken = nullptr;
  const Status status = nats_.next(&taken, handle_, std::max<std::int64_t>(1, timeout.count()));
  require_open(status, url_);
  if (status != status_ok || taken == nullptr) return std::nullopt;
  return reply_of(nats_, taken);
}

Connection::Connection(const Access& access)
    : nats_(load_library()),
      url_(access.url),
      // Answers to this connection go to subjects of its own.
      inbox_((access.inbox.empty() ? std::string("_INBOX") : access.inbox) + "." + draw_word()) {
  Options* made = nullptr;
  const auto check = [&](Status status) {
    if (status == status_ok) return;
    // "SSL Error" alone names neither a certificate's owner nor its dates.
    const char* const detail = nats_.last_error(nullptr);
    no_connection(why_not(access, status, detail != nullptr ? detail : nats_.status_text(status)));
  };
  check(nats_.options_create(&made));
  const std::unique_ptr<Options, void (*)(Options*)> options(made, nats_.options_destroy);
  check(nats_.set_url(made, access.url.c_str()));
  check(nats_.set_name(made, access.name.c_str()));
  check(nats_.set_timeout(made, connect_milliseconds));
  check(nats_.set_max_reconnect(made, -1));
  check(nats_.set_reconnect_wait(made, reconnect_milliseconds));
  check(nats_.set_inbox_prefix(made, inbox_.c_str()));
  if (!access.secret.empty()) {
    check(access.user.empty() ? nats_.set_token(made, access.secret.c_str())
                              : nats_.set_user(made, access.user.c_str(), access.secret.c_str()));
  }
  if (!access.nkey.empty()) {
    signer_ = std::make_unique<NonceSigner>(nats_, access.seed_file);
    check(nats_.set_nkey(made, access.nkey.c_str(), &NonceSigner::sign, signer_.get()));
  }
  if (access.url.starts_with("tls://")) check(nats_.set_secure(made, true));
  if (!access.ca_file.empty()) check(nats_.load_ca(made, access.ca_file.c_str()));
  const auto until = std::chrono::steady_clock::now() + access.wait;
  Status status = connect(made);
  while (may_answer_later(status) && !access.stop.stop_requested() &&
         std::chrono::steady_clock::now() < until) {
    std::this_thread::sleep_for(std::chrono::milliseconds(reconnect_milliseconds));
    status = connect(made);
  }
  check(status);
}

bool Connection::may_answer_later(Status status) const {
  if (status == status_no_server || status == status_timeout) return true;
  const char* const told = status != status_ok ? nats_.last_error(nullptr) : nullptr;
  const std::string_view said = told != nullptr ? told : "";
  // A server gives an end two seconds to say who it is; on a machine without a core to spare that may be too
  // short. Or it has all the connections that it takes, until one of the others leaves.
  return is_crowded(said) ||
         (status == status_error && said.find("Authentication Timeout") != std::string_view::npos);
}

Status Connection::connect(Options* options) {
  Status status = nats_.connect(&handle_, options);
  // Each attempt has a nonce of its own, unless the server means no good.
  for (int tries = 1; status != status_ok && signer_ && signer_->unlucky() && tries < most_nonces; ++tries)
    status = nats_.connect(&handle_, options);
  return status;
}

Connection::~Connection() {
  nats_.disconnect(handle_);
}

std::optional<Reply> Connection::request(const std::string& subject, const std::string& data,
                                         std::chrono::milliseconds timeout, const Headers& headers) {
  if (data.size() > static_cast<std::size_t>(INT_MAX)) no_connection("a message of more than 2 GiB");
  Msg* made = nullptr;
  if (nats_.msg_create(&made, subject.c_str(), nullptr, data.data(), static_cast<int>(data.size())) !=
      status_ok)
    no_connection("no memory for a message");
  const std::unique_ptr<Msg, void (*)(Msg*)> message(made, nats_.msg_destroy);
  for (const auto& [key, value] : headers) {
    if (nats_.header_set(made, key.c_str(), value.c_str()) != status_ok)
      no_connection("a message takes no header");
  }
  Msg* answered = nullptr;
  const Status status = nats_.request(&answered, handle_, made, timeout.count());
  require_open(status, url_);
  if (status == status_no_responders) return Reply{{}, {}, {}, 503};
  if (status != status_ok || answered == nullptr) return std::nullopt;
  return reply_of(nats_, answered);
}

void Connection::publish(const std::string& subject, const std::string& data) {
  require_open(nats_.publish(handle_, subject.c_str(), data.data(), static_cast<int>(data.size())), url_);
}

void Connection::publish(const std::string& subject, const std::string& reply_to, const std::string& data) {
  require_open(nats_.publish_request(handle_, subject.c_str(), reply_to.c_str(), data.data(),
                                     static_cast<int>(data.size())),
               url_);
}

std::unique_ptr<Subscription> Connection::subscribe(const std::string& subject) {
  Subscribed* made = nullptr;
  const Status status = nats_.subscribe(&made, handle_, subject.c_str());
  require_open(status, url_);
  if (status != status_ok)
    no_connection(
        fmt::format("no subscription at the NATS server at {}: {}", url_, nats_.status_text(status)));
  std::unique_ptr<Subscription> subscription(new Subscription(nats_, made, url_));
  nats_.limit_pending(made, most_pending_messages, most_pending_bytes);
  return subscription;
}

std::string Connection::draw_inbox() const {
  return inbox_ + "." + draw_word();
}

void Connection::flush(std::chrono::milliseconds timeout) {
  require_open(nats_.flush(handle_, timeout.count()), url_);
}

std::int64_t Connection::max_payload() {
  return nats_.max_payload(handle_);
}

}  // namespace evo::farm::nats
