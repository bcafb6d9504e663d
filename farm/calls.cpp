#include "farm/calls.hpp"

#include <random>

#include <fmt/format.h>

#include "farm/calls_state.hpp"
#include "model/error.hpp"

namespace evo::farm {
namespace {

/// Hashes of code that was sent, at most: sent again beyond that, rather than kept for ever.
constexpr std::size_t most_code_known = 8192;

std::string draw_nonce() {
  std::random_device device;
  return fmt::format("{:08x}{:08x}{:08x}{:08x}", device(), device(), device(), device());
}

JobMessage message_of(const std::string& run, const Line& line, const std::string& body) {
  JobMessage message;
  message.run = run;
  message.build = line.build;
  message.target = line.target;
  message.body = body;
  message.id = job_id(message.run, message.target, message.body);
  return message;
}

}  // namespace

Calls::State::Room& Calls::State::room_of(const Line& line) {
  const std::string name = line.name();
  const auto [found, fresh] = rooms.try_emplace(name);
  Room& room = found->second;
  if (fresh) {
    room.ahead = line.ahead();
    room.share = fair_share(crowd, name, room.ahead);
    counts.share[name] = room.share;
  }
  return room;
}

Answer Calls::State::ask(const Line& line, JobMessage message, const std::vector<Code>& code) {
  if (line.patient) send_code(code);  // while others have the room
  std::unique_lock lock(mutex);
  Room& room = room_of(line);
  const auto may_put = [&] {
    const auto same = waiting.find(message.id);
    // One that has its answer is over: it is another job, once those who asked have taken it.
    if (same != waiting.end())
      return broken != nullptr || !(same->second.answer.has() || same->second.given_up);
    return broken != nullptr || room.has(line.patient);
  };
  if (!line.patient && !may_put()) return {};
  await(line, room.changed, lock, may_put);
  if (line.until_stop && options.stop.stop_requested()) return {};
  if (broken) std::rethrow_exception(broken);
  Waiting& entry = waiting[message.id];
  if (entry.callers++ == 0) {
    ++room.busy;
    if (room.has(line.patient)) room.changed.notify_one();  // for the next one, too
    entry.line = line.name();
    entry.read = line.read;
    entry.impatient = !line.patient;
    entry.put = Clock::now();
    try {
      // A job that was answered before and is asked for again is another one to the queue.
      entry.nonce = message.nonce = draw_nonce();
      entry.message = encode(message);
      const std::string bytes = entry.message;
      const std::string once = fmt::format("{}.{}.0", message.id, entry.nonce);
      ++counts.jobs;
      lock.unlock();
      send_code(code);
      // Who can do it himself does not wait for room either.
      const bool here = !line.patient || line.until_stop;
      bool there = true;
      if (here)
        there = queue.offer_job({message.run, message.id, entry.line}, once, bytes);
      else
        queue.put_job({message.run, message.id, entry.line}, once, bytes);
      lock.lock();
      if (there) {
        entry.puts = 1;
      } else {
        --counts.jobs;
        entry.given_up = true;
        entry.changed.notify_all();
      }
    } catch (...) {
      if (!lock.owns_lock()) lock.lock();
      entry.answer.error = "the job could not be sent";
      entry.changed.notify_all();
      leave(message.id, entry, room);
      throw;
    }
  }
  await(line, entry.changed, lock, [&] { return entry.answer.has() || entry.given_up || broken != nullptr; });
  Answer answer = entry.callers == 1 ? std::move(entry.answer) : entry.answer;
  const bool given_up = entry.given_up;
  leave(message.id, entry, room);
  if (!answer.has() && !given_up && broken) std::rethrow_exception(broken);
  return answer;
}

void Calls::State::send_code(const std::vector<Code>& code) {
  for (const Code& text : code) {
    {
      const std::scoped_lock lock(mutex);
      if (code_sent.contains(text.hash)) continue;
    }
    queue.put_code(text.hash, text.bytes);
    const std::scoped_lock lock(mutex);
    if (code_sent.size() >= most_code_known) code_sent.clear();
    if (code_sent.insert(text.hash).second) ++counts.code;
  }
}

void Calls::State::leave(const std::string& id, Waiting& entry, Room& room) {
  if (--entry.callers != 0) return;
  waiting.erase(id);
  --room.busy;
  room.changed.notify_one();
}

Calls::Calls(CallsOptions options, Queue& queue)
    : state_(std::make_unique<State>(std::move(options), queue)) {
  const std::string& run = state_->options.run;
  if (!is_plain_name(run))
    throw model::Exception(
        model::ExitCode::usage,
        fmt::format("'{}' names no run of a farm: 1 to 64 letters, digits, '-' and '_'", run));
  queue.clear(run);
  state_->look_around();
  state_->reader = std::jthread([state = state_.get()](const std::stop_token& stop) { state->read(stop); });
  state_->looker = std::jthread([state = state_.get()](const std::stop_token& stop) { state->look(stop); });
}

Calls::~Calls() {
  state_->reader.request_stop();
  state_->looker.request_stop();
  state_->reader.join();
  state_->looker.join();
}

Answer Calls::ask(const Line& line, const std::string& body, const std::vector<Code>& code) {
  JobMessage message = message_of(state_->options.run, line, body);
  for (const Code& text : code) message.code.push_back(text.hash);
  Answer answer = state_->ask(line, message, code);
  if (!answer.code_missing || code.empty()) return answer;
  {
    const std::scoped_lock lock(state_->mutex);
    for (const Code& text : code) state_->code_sent.erase(text.hash);
  }
  return state_->ask(line, message, code);
}

bool Calls::fits(const Line& line, const std::string& body) const {
  return farm::fits(message_of(state_->options.run, line, body));
}

CallCounts Calls::counts() const {
  const std::scoped_lock lock(state_->mutex);
  return state_->counts;
}

std::size_t Calls::share_of(const Line& line) const {
  const std::scoped_lock lock(state_->mutex);
  const std::size_t share = fair_share(state_->crowd, line.name(), line.ahead());
  return line.patient ? std::max<std::size_t>(1, share) : share;
}

void Calls::say(const std::string& line) const {
  state_->say(line);
}

const std::string& Calls::run() const {
  return state_->options.run;
}

}  // namespace evo::farm
