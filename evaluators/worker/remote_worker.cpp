#include "evaluators/worker/remote_worker.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>

#include "evaluators/process/memory.hpp"
#include "model/error.hpp"

namespace evo::evaluators::worker {

using Clock = std::chrono::steady_clock;

namespace {

constexpr std::size_t stderr_shown = 4096;
/// How often a silent worker's memory is looked at; one that talks is looked at with every message.
constexpr std::chrono::milliseconds memory_look{250};

model::Exception environment_error(const std::string& message) {
  return {model::ExitCode::environment, message};
}

model::ExitCode exit_code_of(int code) {
  for (const auto known :
       {model::ExitCode::usage, model::ExitCode::invalid_configuration, model::ExitCode::environment}) {
    if (static_cast<int>(known) == code) return known;
  }
  return model::ExitCode::failed;
}

model::Exception reported(const std::string& body) {
  const auto error = error_from_json(body);
  if (!error) return environment_error("a device worker sent an unreadable error: " + error.error());
  return {exit_code_of(error->exit_code), "device worker: " + error->message};
}

RemoteWorker::Answer failed(model::Status status, const std::string& reason, model::Evidence evidence,
                            Clock::time_point start) {
  RemoteWorker::Answer answer;
  answer.ended = true;
  answer.result.device_seconds = std::chrono::duration<double>(Clock::now() - start).count();
  model::GateResult gate;
  gate.gate = model::Gate::correctness;
  gate.failure = model::Failure{status, reason, {std::move(evidence)}};
  gate.milliseconds = answer.result.device_seconds * 1000;
  answer.result.gates.push_back(std::move(gate));
  return answer;
}

}  // namespace

RemoteWorker::RemoteWorker(std::vector<std::string> command)
    : command_(std::move(command)), child_(process::Child::spawn(command_, {})) {}

const Hello& RemoteWorker::hello(std::chrono::milliseconds timeout) {
  if (hello_) return *hello_;
  const process::ReadResult read = child_.read_frame(timeout);
  if (read.status == process::ReadStatus::timeout) {
    child_.kill();
    throw environment_error(fmt::format("the device worker ({}) did not start within {} ms; {}",
                                        fmt::join(command_, " "), timeout.count(), end_text()));
  }
  if (read.status == process::ReadStatus::closed) {
    child_.kill();
    throw environment_error(
        fmt::format("the device worker ({}) did not start: {}", fmt::join(command_, " "), end_text()));
  }
  const auto message = decode(read.frame);
  if (message && message->type == MessageType::error) throw reported(message->body);
  if (!message || message->type != MessageType::hello) {
    throw environment_error(fmt::format("{} is no device worker: {}", command_.front(),
                                        message ? "its first message is no hello" : message.error()));
  }
  auto hello = hello_from_json(message->body);
  if (!hello) throw environment_error(fmt::format("{}: {}", command_.front(), hello.error()));
  if (hello->protocol != protocol_version) {
    throw environment_error(
        fmt::format("{} speaks protocol version {}, this program speaks {}; install the same "
                    "version of evo on both sides",
                    command_.front(), hello->protocol, protocol_version));
  }
  hello_ = std::move(*hello);
  return *hello_;
}

RemoteWorker::Answer RemoteWorker::run(const gates::DeviceJob& job, const Limits& limits) {
  const auto start = Clock::now();
  const auto crashed = [&](const std::string& what) {
    child_.kill();
    return failed(model::Status::device_fault, "worker_crash", last_words("worker_crash", what), start);
  };
  if (!child_.write_frame(encode(MessageType::job, gates::to_json(job)))) {
    return crashed("the device worker ended before it took the job");
  }
  auto last_sign = Clock::now();
  while (true) {
    const auto silent = std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - last_sign);
    const process::ReadResult read =
        child_.read_frame(std::clamp(limits.silence - silent, std::chrono::milliseconds(1), memory_look));
    const std::int64_t resident = process::resident_bytes(child_.pid());
    if (limits.memory_bytes > 0 && resident > limits.memory_bytes) {
      child_.kill();
      return failed(
          model::Status::device_fault, "worker_memory",
          last_words("worker_memory", fmt::format("the device worker held {} MiB of memory, {} are allowed",
                                                  resident >> 20, limits.memory_bytes >> 20)),
          start);
    }
    if (read.status == process::ReadStatus::closed)
      return crashed("the device worker ended without an answer");
    if (read.status == process::ReadStatus::timeout) {
      if (Clock::now() - last_sign < limits.silence) continue;
      child_.kill();
      return failed(model::Status::timeout, "hang",
                    last_words("hang", fmt::format("the device worker gave no sign of life for {} ms",
                                                   limits.silence.count())),
                    start);
    }
    last_sign = Clock::now();
    const auto message = decode(read.frame);
    if (!message) return crashed("the device worker sent garbage: " + message.error());
    switch (message->type) {
      case MessageType::alive:
        continue;
      case MessageType::error: {
        child_.kill();
        throw reported(message->body);
      }
      case MessageType::result:
      case MessageType::last_result:
        try {
          return {gates::device_result_from_json(message->body), message->type == MessageType::last_result};
        } catch (const std::exception& error) {
          return crashed(fmt::format("the device worker sent a malformed result: {}", error.what()));
        }
      default:
        return crashed("the device worker sent a message that is no answer");
    }
  }
}

std::string RemoteWorker::end_text() {
  std::string text = "still running";
  if (const auto status = child_.exit_status()) {
    text = *status < 0 ? fmt::format("killed by signal {} ({})", -*status, ::strsignal(-*status))
                       : fmt::format("exit code {}", *status);
  }
  std::string errors = child_.captured_stderr();
  if (errors.size() > stderr_shown) errors.erase(0, errors.size() - stderr_shown);
  while (!errors.empty() && errors.back() == '\n') errors.pop_back();
  return errors.empty() ? text : text + "; its stderr ends with: " + errors;
}

model::Evidence RemoteWorker::last_words(const std::string& kind, const std::string& what) {
  model::Evidence evidence{kind, what + ": " + end_text(), {}, 0, {{"pid", std::to_string(child_.pid())}}};
  if (const auto status = child_.exit_status()) {
    evidence.details.emplace_back(*status < 0 ? "signal" : "exit_code", std::to_string(std::abs(*status)));
  }
  return evidence;
}

}  // namespace evo::evaluators::worker
