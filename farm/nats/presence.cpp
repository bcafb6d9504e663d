#include "farm/nats/presence.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <boost/json.hpp>

#include "evaluators/gates/base64.hpp"
#include "farm/message.hpp"
#include "farm/nats/streams.hpp"
#include "farm/sign_fields.hpp"

namespace evo::farm::nats {
namespace {

namespace json = boost::json;

constexpr std::chrono::seconds sign_every{3};
/// Of who is no longer there, in his last sign.
constexpr const char* left_mark = "left";
constexpr const char* subject_of[] = {"evo.presence.worker.", "evo.presence.run."};

/// What somebody says of himself is text for a person: never more than an object with plain values.
json::value last_sign(Jetstream& jetstream, const std::string& subject) {
  const auto found =
      jetstream.api(fmt::format("STREAM.MSG.GET.{}", presence_stream), {{"last_by_subj", subject}});
  if (!found) return nullptr;
  const json::value* message = found->if_contains("message");
  const json::value* data =
      message != nullptr && message->is_object() ? message->as_object().if_contains("data") : nullptr;
  if (data == nullptr || !data->is_string()) return nullptr;
  try {
    json::value sign = json::parse(evaluators::gates::decode_base64(std::string(data->as_string())));
    if (sign.is_object()) return sign;
  } catch (const std::exception&) {
    // Somebody else's message: not shown.
  }
  return nullptr;
}

json::array signs(Jetstream& jetstream, Party party, const json::object& subjects) {
  json::array all;
  const std::string prefix = subject_of[static_cast<std::size_t>(party)];
  for (const auto& entry : subjects) {
    const std::string subject(entry.key());
    if (!subject.starts_with(prefix) || !is_plain_name(subject.substr(prefix.size()))) continue;
    json::value sign = last_sign(jetstream, subject);
    if (!sign.is_object() || sign.as_object().contains(left_mark)) continue;
    sign.as_object()["name"] = subject.substr(prefix.size());
    all.push_back(std::move(sign));
  }
  return all;
}

/// Of everybody who is there.
json::object subjects_of(Jetstream& jetstream) {
  const auto present =
      jetstream.api(fmt::format("STREAM.INFO.{}", presence_stream), {{"subjects_filter", all_signs}});
  if (!present) return {};
  const json::value* found = present->at("state").as_object().if_contains("subjects");
  return found != nullptr && found->is_object() ? found->as_object() : json::object{};
}

/// Messages of a stream; 0 where there is none yet.
std::int64_t messages(Jetstream& jetstream, const char* stream) {
  const auto info = jetstream.api(fmt::format("STREAM.INFO.{}", stream));
  return info ? number_in(info->at("state").as_object(), "messages") : 0;
}

/// How full a stream is.
json::object fill_of(Jetstream& jetstream, const char* stream) {
  const auto info = jetstream.api(fmt::format("STREAM.INFO.{}", stream));
  if (!info) return {{"bytes", 0}, {"max_bytes", 0}};
  return {{"bytes", number_in(info->at("state").as_object(), "bytes")},
          {"max_bytes", number_in(info->at("config").as_object(), "max_bytes")}};
}

}  // namespace

Presence::Presence(Connection& connection, Party party, const std::string& name,
                   std::function<json::object()> sign)
    : thread_([this, &connection, subject = subject_of[static_cast<std::size_t>(party)] + name,
               sign = std::move(sign)](const std::stop_token& stop) {
        std::unique_lock lock(mutex_);
        while (!stop.stop_requested()) {
          try {
            connection.publish(subject, json::serialize(sign()));
          } catch (const std::exception&) {
            return;  // closed for good: whoever works with it says so
          }
          wake_.wait_for(lock, stop, sign_every, [] { return false; });
        }
        try {
          connection.publish(subject, json::serialize(json::object{{left_mark, true}}));
        } catch (const std::exception&) {
          // Closed: its last sign ends by its age.
        }
      }) {}

namespace {

/// What a worker does at a time, line by line; one that names no line has the virtual device.
std::map<std::string, int> threads_of(const json::object& sign) {
  static constexpr std::int64_t most_threads_of_one = 1024;
  constexpr std::size_t most_lines_of_one = 16;
  const auto bounded = [](std::int64_t threads) {
    return static_cast<int>(std::clamp<std::int64_t>(threads, 0, most_threads_of_one));
  };
  const json::value* lines = sign.if_contains("lines");
  if (lines == nullptr || !lines->is_object()) return {{"virtual", bounded(number_in(sign, "threads"))}};
  std::map<std::string, int> threads;
  for (const auto& line : lines->as_object()) {
    if (!is_plain_name(line.key()) || threads.size() == most_lines_of_one) continue;
    threads[std::string(line.key())] = bounded(number_in(lines->as_object(), line.key_c_str()));
  }
  return threads;
}

}  // namespace

std::optional<Signed> sign_of(const std::string& subject, const std::string& text) {
  for (const Party party : {Party::worker, Party::run}) {
    const std::string_view prefix = subject_of[static_cast<std::size_t>(party)];
    if (!subject.starts_with(prefix) || !is_plain_name(subject.substr(prefix.size()))) continue;
    boost::system::error_code error;
    const json::value sign = json::parse(text, error);
    if (error || !sign.is_object()) return std::nullopt;
    return Signed{party, subject.substr(prefix.size()), threads_of(sign.as_object()),
                  sign.as_object().contains(left_mark)};
  }
  return std::nullopt;
}

std::vector<Signed> present(Jetstream& jetstream) {
  std::vector<Signed> all;
  for (const auto& entry : subjects_of(jetstream)) {
    const std::string subject(entry.key());
    if (auto sign = sign_of(subject, json::serialize(last_sign(jetstream, subject))); sign && !sign->left)
      all.push_back(std::move(*sign));
  }
  return all;
}

std::vector<Gpu> gpus_of(Jetstream& jetstream) {
  constexpr std::size_t most_of_one = 16;
  std::vector<Gpu> all;
  for (const json::value& worker : signs(jetstream, Party::worker, subjects_of(jetstream))) {
    const json::object& sign = worker.as_object();
    const json::value* gpus = sign.if_contains("gpus");
    if (gpus == nullptr || !gpus->is_array()) continue;
    for (std::size_t i = 0; i < std::min(gpus->as_array().size(), most_of_one); ++i) {
      auto gpu = gpu_from(gpus->as_array()[i]);
      if (!gpu) continue;
      gpu->worker = std::string(sign.at("name").as_string());
      all.push_back(std::move(*gpu));
    }
  }
  return all;
}

void wait_for_first_signs(Jetstream& jetstream) {
  const auto stored = jetstream.api(fmt::format("STREAM.INFO.{}", presence_stream));
  if (stored || stored.error().code != stream_not_found) return;
  make_streams(jetstream);
  std::this_thread::sleep_for(sign_every + std::chrono::milliseconds(500));
}

json::object status_of(Jetstream& jetstream) {
  json::object status{{"url", jetstream.connection().url()}};
  json::object lines;
  std::map<std::string, std::int64_t> sums{{"waiting", 0}, {"lent", 0}, {"lent_again", 0}};
  for (const std::string& line : lines_of(jetstream)) {
    const auto consumer =
        jetstream.api(fmt::format("CONSUMER.INFO.{}.{}", jobs_stream(line), workers_consumer));
    if (!consumer) continue;
    // Of one answer: a job may go between two.
    json::object jobs{{"waiting", number_in(*consumer, "num_pending")},
                      {"lent", number_in(*consumer, "num_ack_pending")},
                      {"lent_again", number_in(*consumer, "num_redelivered")}};
    for (auto& [name, sum] : sums) sum += jobs.at(name).as_int64();
    lines[line] = std::move(jobs);
  }
  json::object all;
  for (const auto& [name, sum] : sums) all[name] = sum;
  status["jobs"] = std::move(all);
  status["lines"] = std::move(lines);
  status["results"] = messages(jetstream, results_stream);
  json::object kept;
  for (const auto& [name, stream] :
       {std::pair{"results", results_stream}, {"code", code_stream}, {"compiles", shelf_stream}})
    kept[name] = fill_of(jetstream, stream);
  status["kept"] = std::move(kept);
  const json::object subjects = subjects_of(jetstream);
  status["workers"] = signs(jetstream, Party::worker, subjects);
  status["runs"] = signs(jetstream, Party::run, subjects);
  return status;
}

}  // namespace evo::farm::nats
