#include "evaluators/compile/service.hpp"

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <thread>

#include "evaluators/compile/diagnostics.hpp"
#include "evaluators/compile/include_scan.hpp"
#include "evaluators/compile/macro_scan.hpp"
#include "evaluators/compile/source_text.hpp"
#include "evaluators/process/child.hpp"
#include "model/error.hpp"

namespace evo::evaluators::compile {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

/// A third of the share that processes of usual priority get.
constexpr int niceness_beside_a_gpu = 5;

/// Resident megabytes of a process; 0 when it is gone.
std::int64_t resident_mb(pid_t pid) {
  std::ifstream statm("/proc/" + std::to_string(pid) + "/statm");
  std::int64_t total = 0, resident = 0;
  statm >> total >> resident;
  return resident * ::sysconf(_SC_PAGESIZE) >> 20;
}

/// CPU seconds of a process so far, in steps of 10 ms; 0 when it is gone.
double cpu_seconds(pid_t pid) {
  std::ifstream stat("/proc/" + std::to_string(pid) + "/stat");
  std::string text;
  std::getline(stat, text);
  const std::size_t name_end = text.rfind(')');  // a name may hold spaces
  if (name_end == std::string::npos) return 0;
  std::istringstream fields(text.substr(name_end + 1));
  std::string skipped;
  for (int i = 3; i < 14; ++i) fields >> skipped;
  std::int64_t user = 0, system = 0;
  fields >> user >> system;
  return static_cast<double>(user + system) / static_cast<double>(::sysconf(_SC_CLK_TCK));
}

std::chrono::milliseconds to_milliseconds(double seconds) {
  return std::chrono::milliseconds(static_cast<std::int64_t>(std::clamp(seconds, 0.0, 1e6) * 1000));
}

model::Failure limit_failure(const CompileRequest& request, bool memory) {
  const std::string message = memory ? fmt::format("the compiler needed more than {} MB", request.memory_mb)
                                     : fmt::format("the compiler needed more than {:g} s", request.timeout_s);
  return {model::Status::compile_timeout,
          memory ? "memory" : "time",
          {{"error", message, request.source_file, 0, {}}}};
}

/// "signal 11: what it said last".
std::string describe_end(process::Child& child) {
  const int status = child.exit_status().value_or(0);
  const std::string words = valid_utf8(child.captured_stderr());
  return fmt::format("{} {}{}{}", status < 0 ? "signal" : "exit code", std::abs(status),
                     words.empty() ? "" : ": ", words);
}

std::vector<model::Evidence> forbidden_in(const CompileRequest& request) {
  auto found = forbidden_includes(request.source, request.source_file);
  for (const auto& [name, text] : request.headers) {
    auto more = forbidden_includes(text, name);
    found.insert(found.end(), more.begin(), more.end());
  }
  return found;
}

model::Failure zero_byte(const CompileRequest& request, std::size_t at) {
  const auto line =
      1 + std::count(request.source.begin(), request.source.begin() + static_cast<std::ptrdiff_t>(at), '\n');
  const bool wide = request.source.starts_with("\xff\xfe") || request.source.starts_with("\xfe\xff");
  return {model::Status::compile_error,
          "source_encoding",
          {{"error",
            wide ? std::string("the source is UTF-16: the compiler reads UTF-8 or ASCII")
                 : "the source has a zero byte, behind which the compiler would not read",
            request.source_file,
            static_cast<int>(line),
            {}}}};
}

}  // namespace

struct CompileService::Worker {
  process::Child child;
  int compiles = 0;
};

struct CompileService::Attempt {
  enum class End { answered, timed_out, out_of_memory, crashed } end = End::crashed;
  std::string text;  ///< the answer's frame, or how a crashed worker ended
};

CompileService::CompileService(ServiceOptions options) : options_(std::move(options)) {
  if (options_.workers == 0) options_.workers = std::max(1U, std::thread::hardware_concurrency());
}

CompileService::~CompileService() = default;

std::unique_ptr<CompileService::Worker> CompileService::start_worker() const {
  auto command = options_.worker_command;
  if (command.empty()) command = {process::self_path(), "compile-worker"};
  auto worker = std::make_unique<Worker>(Worker{process::Child::spawn(command, {}), 0});
  // Before it starts threads, which inherit it. Refused where a limit says so, and then nothing is lost.
  if (options_.makes_way)
    static_cast<void>(::setpriority(PRIO_PROCESS, static_cast<id_t>(worker->child.pid()),
                                    ::getpriority(PRIO_PROCESS, 0) + niceness_beside_a_gpu));
  auto hello = worker->child.read_frame(to_milliseconds(options_.start_timeout_s));
  const auto greeting = hello.status == process::ReadStatus::ok ? decode_greeting(hello.frame)
                                                                : std::optional<WorkerGreeting>();
  if (!greeting) {
    worker->child.kill();
    throw model::Exception(model::ExitCode::environment,
                           fmt::format("the compile worker {} did not start{}", command.front(),
                                       worker->child.captured_stderr().empty()
                                           ? std::string()
                                           : ": " + valid_utf8(worker->child.captured_stderr())));
  }
  if (!greeting->error.empty()) throw model::Exception(model::ExitCode::environment, greeting->error);
  const std::lock_guard lock(mutex_);
  ++started_;
  if (!greeting_) greeting_ = greeting;
  return worker;
}

std::unique_ptr<CompileService::Worker> CompileService::acquire() const {
  std::unique_ptr<Worker> worker;
  {
    std::unique_lock lock(mutex_);
    freed_.wait(lock, [&] { return busy_ < options_.workers; });
    ++busy_;
    if (!idle_.empty()) {
      worker = std::move(idle_.back());
      idle_.pop_back();
    }
  }
  try {
    if (!worker || !worker->child.alive()) worker = start_worker();
  } catch (...) {
    release(nullptr);
    throw;
  }
  return worker;
}

/// Gives the place back, and the worker too if it may live on.
void CompileService::release(std::unique_ptr<Worker> worker) const {
  if (worker && (worker->compiles >= options_.recycle_after ||
                 resident_mb(worker->child.pid()) > options_.recycle_rss_mb)) {
    worker.reset();
  }
  {
    const std::lock_guard lock(mutex_);
    --busy_;
    if (worker) idle_.push_back(std::move(worker));
  }
  freed_.notify_one();
}

CompileService::Attempt CompileService::attempt(Worker& worker, const CompileRequest& request,
                                                const std::string& frame) const {
  const auto deadline = Clock::now() + to_milliseconds(request.timeout_s);
  std::int64_t peak_mb = 0;
  if (worker.child.write_frame(frame, to_milliseconds(request.timeout_s))) {
    ++worker.compiles;
    while (true) {
      const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now());
      auto result = worker.child.read_frame(std::clamp<std::chrono::milliseconds>(left, 0ms, 20ms));
      if (result.status == process::ReadStatus::ok) return {Attempt::End::answered, std::move(result.frame)};
      if (result.status == process::ReadStatus::closed) break;
      peak_mb = std::max(peak_mb, resident_mb(worker.child.pid()));
      if (request.memory_mb > 0 && peak_mb > request.memory_mb) {
        worker.child.kill();
        return {Attempt::End::out_of_memory, {}};
      }
      if (Clock::now() >= deadline) {
        worker.child.kill();
        return {Attempt::End::timed_out, {}};
      }
    }
  }
  worker.child.kill();
  // A compiler that meets its address space limit dies in many ways; close to the limit that is the cause.
  const std::string words = worker.child.captured_stderr();
  const bool memory = (request.memory_mb > 0 && peak_mb * 4 > request.memory_mb * 3) ||
                      words.find("bad_alloc") != std::string::npos ||
                      words.find("ut of memory") != std::string::npos;
  return {memory ? Attempt::End::out_of_memory : Attempt::End::crashed, describe_end(worker.child)};
}

tl::expected<model::Artifact, model::Failure> CompileService::compile(const CompileRequest& asked) {
  if (const auto at = asked.source.find('\0'); at != std::string::npos)
    return tl::unexpected(zero_byte(asked, at));
  CompileRequest request = asked;
  request.source = prepared_source(asked.source);
  for (auto& [name, text] : request.headers) text = prepared_source(text, 0);
  if (auto forbidden = forbidden_in(request); !forbidden.empty()) {
    return tl::unexpected(
        model::Failure{model::Status::compile_error, "forbidden_include", std::move(forbidden)});
  }
  if (auto forbidden = forbidden_macros(request.source, request.source_file); !forbidden.empty()) {
    return tl::unexpected(
        model::Failure{model::Status::compile_error, "forbidden_macro", std::move(forbidden)});
  }
  const std::string frame = encode(request);
  std::string last_words;
  for (int tries = 0; tries < 2; ++tries) {
    const auto begun = Clock::now();
    auto worker = acquire();
    const double waited = std::chrono::duration<double>(Clock::now() - begun).count();
    Attempt ended;
    try {
      const double before = cpu_seconds(worker->child.pid());
      ended = attempt(*worker, request, frame);
      const double after = cpu_seconds(worker->child.pid());
      const std::lock_guard lock(mutex_);
      usage_.waiting_seconds += waited;
      usage_.cpu_seconds += std::max(0.0, after - before);
    } catch (...) {
      release(nullptr);
      throw;
    }
    const bool answered = ended.end == Attempt::End::answered;
    release(answered ? std::move(worker) : nullptr);
    switch (ended.end) {
      case Attempt::End::answered: {
        if (ended.text.starts_with('e')) {
          throw model::Exception(model::ExitCode::environment, ended.text.substr(1));
        }
        auto result =
            decode_result(std::string_view(ended.text).substr(std::min<std::size_t>(1, ended.text.size())));
        if (!result) {
          last_words = "an unreadable answer";
          break;
        }
        if (!*result && result->error().status == model::Status::compile_timeout) {
          return tl::unexpected(limit_failure(request, result->error().reason == "memory"));
        }
        return std::move(*result);
      }
      case Attempt::End::timed_out:
        return tl::unexpected(limit_failure(request, false));
      case Attempt::End::out_of_memory:
        return tl::unexpected(limit_failure(request, true));
      case Attempt::End::crashed:
        last_words = ended.text;
        break;
    }
  }
  return tl::unexpected(
      model::Failure{model::Status::compile_error,
                     "compiler_crash",
                     {{"error",
                       fmt::format("the compiler crashed on this source, twice ({})", last_words),
                       request.source_file,
                       0,
                       {}}}});
}

WorkerGreeting CompileService::greeting() const {
  {
    const std::lock_guard lock(mutex_);
    if (greeting_) return *greeting_;
  }
  release(acquire());
  const std::lock_guard lock(mutex_);
  return *greeting_;
}

std::string CompileService::version() const {
  return greeting().version;
}

CompileService::Usage CompileService::usage() const {
  const std::lock_guard lock(mutex_);
  return usage_;
}

int CompileService::workers_started() const {
  const std::lock_guard lock(mutex_);
  return started_;
}

}  // namespace evo::evaluators::compile
