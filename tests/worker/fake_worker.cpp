// A device worker without a device. The first argument says how it starts (good, wrong_version, not_a_worker,
// broken, dies, mute, limited) or what its GPU is like (bus: gone with the first job; goes: that job's
// process dies, and none starts after it; slow: half as fast again; wrong: it fails what is timed); a job's
// oracle name says what it does with that job. The second argument is a file to which it appends one line a
// start and one a job.
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <thread>
#include <vector>

#include "evaluators/gates/device_job.hpp"
#include "evaluators/process/child.hpp"
#include "evaluators/worker/protocol.hpp"

using namespace evo;
using namespace evo::evaluators;
using worker::encode;
using worker::MessageType;

namespace {

[[noreturn]] void sleep_for_ever() {
  while (true) std::this_thread::sleep_for(std::chrono::hours(1));
}

void say(MessageType type, const std::string& body = {}) {
  if (!process::write_stdout_frame(encode(type, body))) std::exit(1);
}

/// A pass whose device_seconds tell which process it was.
std::string passed(bool timed = false, double us = 0) {
  gates::DeviceResult result;
  result.gates.push_back({model::Gate::correctness, std::nullopt, 1});
  if (timed) {
    result.gates.push_back({model::Gate::latency, std::nullopt, 1});
    model::WorkloadLatency latency{"w", 1, {}};
    latency.latency.microseconds = us;
    latency.latency.samples = 10;
    result.latencies.push_back(latency);
  }
  result.device_seconds = ::getpid();
  return gates::to_json(result);
}

/// Returns unless the behaviour ends the process.
void act(const std::string& behaviour) {
  if (behaviour == "crash") {
    std::cerr << "boom: the driver fell over" << std::endl;
    std::signal(SIGSEGV, SIG_DFL);  // a sanitizer would turn it into an exit code
    std::raise(SIGSEGV);
  }
  if (behaviour == "exit") std::exit(9);
  if (behaviour == "hang") sleep_for_ever();
  if (behaviour == "brief") std::this_thread::sleep_for(std::chrono::milliseconds(100));
  if (behaviour == "alive") {
    for (int i = 0; i < 12; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
      say(MessageType::alive);
    }
  }
  if (behaviour == "swell") {
    // Also while it gives signs of life.
    std::vector<char> held(std::size_t{400} << 20, 'x');
    for (int i = 0; i < 100; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
      say(MessageType::alive);
    }
    if (held[held.size() / 2] != 'x') std::exit(8);
  }
  if (behaviour == "garbage" && process::write_stdout_frame("\x7f"
                                                            "ELF, not a message"))
    sleep_for_ever();
  if (behaviour == "malformed") say(MessageType::result, "{\"gates\": 3");
  if (behaviour == "hello_again") say(MessageType::hello);
  if (behaviour == "environment") {
    say(MessageType::error, worker::to_json(worker::WorkerError{4, "the GPU fell off the bus"}));
    std::exit(4);
  }
  if (behaviour == "lost") {
    say(MessageType::last_result, passed());
    std::exit(worker::device_lost_exit);
  }
  if (behaviour != "timed") say(MessageType::result, passed());
}

/// Of a job that is timed, on that GPU.
std::string timed_on(const std::string& gpu) {
  if (gpu != "wrong") return passed(true, gpu == "slow" ? 150 : 100);
  gates::DeviceResult result;
  result.gates.push_back({model::Gate::correctness, model::Failure{model::Status::wrong, "values", {}}, 1});
  return gates::to_json(result);
}

bool had_a_job(const std::string& file) {
  std::ifstream in(file);
  for (std::string read; std::getline(in, read);) {
    if (read.starts_with("job")) return true;
  }
  return false;
}

/// Number of lines that start with "start" after adding one.
int note(const std::string& file, const std::string& line) {
  std::ofstream(file, std::ios::app) << line << std::endl;
  std::ifstream in(file);
  int starts = 0;
  for (std::string read; std::getline(in, read);) starts += read.starts_with("start") ? 1 : 0;
  return starts;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string start = argc > 1 ? argv[1] : "good";
  const std::string log = argc > 2 ? argv[2] : "/dev/null";
  const int starts = note(log, "start");
  if (start == "dies" || (start == "goes" && had_a_job(log)) || (start == "limited" && starts > 2)) {
    std::cerr << "cannot find libcuda" << std::endl;
    return 3;
  }
  if (start == "mute") sleep_for_ever();
  if (start == "not_a_worker" && process::write_stdout_frame("Usage: something else")) sleep_for_ever();
  if (start == "broken") {
    say(MessageType::error, worker::to_json(worker::WorkerError{4, "there is no device cuda:7"}));
    return 4;
  }
  worker::Hello hello{worker::protocol_version, {"cuda", "Fake " + start, "sm_90", "1.0", "GPU-0"}};
  if (start == "wrong_version") hello.protocol = 99;
  say(MessageType::hello, worker::to_json(hello));
  while (const auto frame = process::read_stdin_frame()) {
    const auto message = worker::decode(*frame);
    if (!message || message->type != MessageType::job) return 1;
    const gates::DeviceJob job = gates::device_job_from_json(message->body);
    note(log, "job " + job.oracle);
    if (start == "bus") act("environment");
    if (start == "goes") act("crash");
    act(job.oracle);
    if (job.oracle == "timed") say(MessageType::result, timed_on(start));
  }
  return 0;
}
