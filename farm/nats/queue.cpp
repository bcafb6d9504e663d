#include "farm/nats/queue.hpp"

#include <algorithm>
#include <charconv>
#include <random>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <boost/json.hpp>

#include "farm/message.hpp"
#include "farm/nats/clock.hpp"
#include "farm/nats/lent.hpp"
#include "model/error.hpp"
#include "model/hash.hpp"

namespace evo::farm::nats {
namespace {

namespace json = boost::json;
using std::chrono::milliseconds;

constexpr int no_stream = 503;
constexpr milliseconds ack_wait{1000};
constexpr milliseconds pause{200};
/// Results that are under way to the coordinator at a time: what comes in two ways to the server and back
/// at a thousand a second.
constexpr int results_at_a_time = 64;

std::string draw_mark() {
  std::random_device device;
  return fmt::format("{:08x}{:08x}", device(), device());
}

std::uint64_t number_in(const json::object& object, const char* key) {
  const json::value* found = object.if_contains(key);
  return found != nullptr && found->is_int64() ? static_cast<std::uint64_t>(found->as_int64()) : 0;
}

/// A server that is full has room again when jobs are done: whoever puts some waits, as for one that is away.
class WaitForRoom {
 public:
  explicit WaitForRoom(const Patience& patience) : patience_(patience) {}
  void wait(const ApiError& why) {
    if (!told_ && patience_.log)
      patience_.log(fmt::format("the farm's server has no room ({}); waiting for some", why.text));
    told_ = true;
    if (patience_.longest.count() > 0 && std::chrono::steady_clock::now() - start_ > patience_.longest)
      refused("a message", why);
    if (patience_.stop.stop_requested())
      throw model::Exception(model::ExitCode::interrupted, "stopped while the farm's server had no room");
    std::this_thread::sleep_for(pause);
  }

 private:
  const Patience& patience_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  bool told_ = false;
};

/// A lease is "$JS.ACK.STREAM.CONSUMER.TIMES.SEQUENCE.SEQUENCE.TIME.BEHIND", or with domain and account
/// before the stream and a word after it.
Delivery delivery_of(Reply message) {
  std::vector<std::string_view> words;
  std::string_view rest = message.reply_to;
  for (std::size_t dot = 0; dot != std::string_view::npos;
       rest.remove_prefix(std::min(dot + 1, rest.size()))) {
    dot = rest.find('.');
    words.push_back(rest.substr(0, dot));
  }
  const std::size_t first = words.size() >= 11 ? 4 : 2;
  const auto number = [&](std::size_t word, auto otherwise) {
    if (word < words.size())
      std::from_chars(words[word].data(), words[word].data() + words[word].size(), otherwise);
    return otherwise;
  };
  Delivery delivery;
  delivery.times = number(first + 2, 1);
  delivery.behind = number(first + 6, std::uint64_t{0});
  delivery.bytes = std::move(message.data);
  delivery.lease = std::move(message.reply_to);
  return delivery;
}

}  // namespace

NatsQueue::NatsQueue(const Access& access, Patience patience, bool coordinates)
    : jetstream_(access, std::move(patience)), coordinates_(coordinates) {
  const std::int64_t takes = jetstream_.connection().max_payload();
  if (takes < static_cast<std::int64_t>(max_message_bytes)) {
    throw model::Exception(
        model::ExitCode::environment,
        fmt::format(
            "the NATS server at {} takes messages of {} bytes, and a farm's have up to {}: set max_payload "
            "in its configuration, or start it with evo farm up",
            access.url, takes, max_message_bytes));
  }
  if (!coordinates_) return;
  make_streams(jetstream_);
  // Of an older version: without bounds. A line of others that the server has no room for is theirs to miss.
  for (const std::string& line : lines_of(jetstream_)) {
    const auto why = find_line(jetstream_, line);
    if (why && jetstream_.patience().log)
      jetstream_.patience().log(fmt::format("the farm's server refuses its queue {}: {}", line, why->text));
  }
}

NatsQueue::~NatsQueue() {
  jobs_.reset();
  results_.clear();
  try {
    jetstream_.connection().flush(ack_wait);  // done() does not wait for the server
  } catch (const std::exception&) {
    // Closed: what it did not hear it lends again, and nobody waits for that.
  }
}

std::unique_ptr<NatsQueue> NatsQueue::of_coordinator(Access access, Patience patience) {
  require_a_runs(access);
  access.inbox = "_EVO_RUN";
  return std::unique_ptr<NatsQueue>(new NatsQueue(access, std::move(patience), true));
}

std::unique_ptr<NatsQueue> NatsQueue::of_worker(Access access, Patience patience, const std::string& line) {
  // The server lets each user have its own alone.
  access.inbox = worker_answers(access.nkey.empty() ? access.user : access.nkey);
  auto queue = std::unique_ptr<NatsQueue>(new NatsQueue(access, std::move(patience), false));
  queue->line_ = line;
  return queue;
}

std::uint64_t NatsQueue::store(const std::string& subject, const std::string& once, const std::string& bytes,
                               const std::string& line) {
  WaitForRoom room(jetstream_.patience());
  while (true) {
    const auto stored = jetstream_.store(subject, once, bytes);
    if (stored) return *stored;
    if (stored.error().code == stream_is_full || stored.error().code == server_is_full) {
      room.wait(stored.error());
      continue;
    }
    if (stored.error().code != no_stream) refused("a message", stored.error());
    if (coordinates_) make_streams(jetstream_);
    if (coordinates_ && !line.empty()) make_line(jetstream_, line);
    std::this_thread::sleep_for(coordinates_ ? milliseconds(1) : pause);
  }
}

void NatsQueue::put_job(const JobName& name, const std::string& once, const std::string& bytes) {
  const std::string subject = job_subject(name);
  note_number(subject, store(subject, once, bytes, name.line));
}

bool NatsQueue::offer_job(const JobName& name, const std::string& once, const std::string& bytes) {
  const std::string subject = job_subject(name);
  auto stored = jetstream_.store(subject, once, bytes);
  if (!stored && stored.error().code == no_stream) {
    make_streams(jetstream_);
    if (find_line(jetstream_, name.line)) return false;
    stored = jetstream_.store(subject, once, bytes);
  }
  if (stored) {
    note_number(subject, *stored);
    return true;
  }
  const int why = stored.error().code;
  if (why != stream_is_full && why != server_is_full && why != no_stream)
    refused("a message", stored.error());
  return false;
}

void NatsQueue::note_number(const std::string& subject, std::uint64_t number) {
  const std::scoped_lock lock(numbers_mutex_);
  numbers_[subject] = number;
}

std::optional<Delivery> NatsQueue::take_job(milliseconds wait) {
  const std::scoped_lock lock(jobs_mutex_);
  if (!jobs_)
    jobs_ = std::make_unique<Pull>(jetstream_.connection(), jobs_stream(line_), workers_consumer, 1);
  if (wait.count() == 0) {
    auto there = jobs_->at_once();
    return there ? std::optional(delivery_of(std::move(*there))) : std::nullopt;
  }
  auto next = jobs_->next(wait);
  // No run has made the line yet. It is asked for again, but not without a pause.
  if (next.end == Pull::End::nobody) std::this_thread::sleep_for(std::min(wait, pause));
  if (!next.message) return std::nullopt;
  return delivery_of(std::move(*next.message));
}

void NatsQueue::keep(const std::string& lease) {
  jetstream_.connection().publish(lease, "+WPI");
}

void NatsQueue::give_back(const std::string& lease) {
  jetstream_.connection().publish(lease, "-NAK");
  jetstream_.connection().flush(ack_wait);
}

void NatsQueue::done(const std::string& lease) {
  // Nobody waits for the server's word: what it does not hear of is lent again, and refused as answered.
  jetstream_.connection().publish(lease, "+ACK");
}

void NatsQueue::put_code(const std::string& hash, const std::string& bytes) {
  // The server may have lost what it was told a moment ago: a mark of its own each time.
  store(code_subject(hash), fmt::format("{}.{}", hash, draw_mark()), bytes, {});
}

std::optional<std::string> NatsQueue::code(const std::string& hash) {
  if (!is_plain_name(hash)) return std::nullopt;
  return jetstream_.last_of(code_stream, code_subject(hash));
}

void NatsQueue::put_result(const std::string& run, const std::string& bytes) {
  store(result_subject(run), model::sha256(bytes), bytes, {});
}

std::optional<Delivery> NatsQueue::take_result(const std::string& run, milliseconds wait) {
  const std::scoped_lock lock(results_mutex_);
  auto& results = results_[run];
  if (!results) {
    results =
        std::make_unique<Pull>(jetstream_.connection(), results_stream, consumer_of(run), results_at_a_time);
  }
  auto next = results->next(wait);
  if (next.end == Pull::End::nobody) make_consumer(jetstream_, run);  // or waits for a server that is away
  if (!next.message) return std::nullopt;
  return delivery_of(std::move(*next.message));
}

std::set<std::string> NatsQueue::jobs_of(const std::string& run, const std::string& line) {
  const std::string stream = jobs_stream(line);
  const Lent lent = lent_of(jetstream_, stream, workers_consumer);
  if (!lent.any) return {};
  // A server that was killed may give jobs numbers again which its consumer has done: it lends them to
  // nobody.
  const std::uint64_t done_up_to = lent.done_up_to;
  const auto info = jetstream_.api(fmt::format("STREAM.INFO.{}", stream),
                                   {{"subjects_filter", job_subject({run, "*", line})}});
  std::set<std::string> ids;
  if (!info) {
    if (info.error().code != stream_not_found) refused("to tell of its jobs", info.error());
    return ids;
  }
  const std::size_t prefix = job_subject({run, "", line}).size();
  const json::object& state = info->at("state").as_object();
  const std::uint64_t last = number_in(state, "last_seq");
  const json::value* subjects = state.if_contains("subjects");
  const json::object none;
  const json::object& there = subjects != nullptr && subjects->is_object() ? subjects->as_object() : none;
  std::vector<std::pair<std::string, std::uint64_t>> dead;
  {
    const std::scoped_lock lock(numbers_mutex_);
    for (const auto& entry : there) {
      const auto known = numbers_.find(std::string(entry.key()));
      if (known != numbers_.end() && known->second != 0 && known->second <= done_up_to)
        dead.emplace_back(*known);
      else
        ids.emplace(entry.key().substr(prefix));
    }
    // What came after the look is not known to be gone.
    std::erase_if(numbers_, [&](const auto& known) {
      return known.first.starts_with(job_subject({run, "", line})) && known.second <= last &&
             !there.contains(known.first);
    });
  }
  for (const auto& [subject, number] : dead)
    (void)jetstream_.api(fmt::format("STREAM.PURGE.{}", stream), {{"filter", subject}, {"seq", number + 1}});
  return ids;
}

void NatsQueue::forget_job(const JobName& name) {
  const auto gone =
      jetstream_.api(fmt::format("STREAM.PURGE.{}", jobs_stream(name.line)), {{"filter", job_subject(name)}});
  if (!gone && gone.error().code != stream_not_found) refused("to forget a job", gone.error());
}

Crowd NatsQueue::crowd(const std::string& run) {
  const std::scoped_lock lock(crowd_mutex_);
  if (!crowd_) crowd_ = std::make_unique<LiveCrowd>(jetstream_);
  return crowd_->of(run);
}

void NatsQueue::clear(const std::string& run) {
  std::vector<std::pair<std::string, std::string>> places{{results_stream, result_subject(run)}};
  for (const std::string& line : lines_of(jetstream_))
    places.emplace_back(jobs_stream(line), job_subject({run, "*", line}));
  for (const auto& [stream, subject] : places) {
    const auto purged = jetstream_.api(fmt::format("STREAM.PURGE.{}", stream), {{"filter", subject}});
    if (!purged && purged.error().code != stream_not_found) refused("to forget the run", purged.error());
  }
  make_consumer(jetstream_, run);
}

void NatsQueue::leave(const std::string& run) {
  // A run that is over does not wait for a server.
  if (!jetstream_.connection().request("$JS.API.INFO", "", ack_wait)) return;
  clear(run);
  const auto gone = jetstream_.api(fmt::format("CONSUMER.DELETE.{}.{}", results_stream, consumer_of(run)));
  if (!gone && gone.error().code != consumer_not_found && gone.error().code != stream_not_found)
    refused("to forget the run's results", gone.error());
}

}  // namespace evo::farm::nats
