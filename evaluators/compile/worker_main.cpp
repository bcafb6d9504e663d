#include "evaluators/compile/worker_main.hpp"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <new>

#include "evaluators/compile/codec.hpp"
#include "evaluators/compile/compile_job.hpp"
#include "evaluators/compile/nvrtc.hpp"
#include "evaluators/compile/sandbox.hpp"
#include "evaluators/process/child.hpp"
#include "evaluators/process/confine.hpp"
#include "model/error.hpp"

namespace evo::evaluators::compile {
namespace {

/// What NVRTC needs besides a request's own allowance, for its libraries and stacks of its threads.
constexpr std::int64_t base_megabytes = 512;
constexpr std::int64_t most_open_files = 256;
/// The parent's clock ends a compile first; this is for a parent that cannot.
constexpr double cpu_seconds_beyond = 10;
/// NVRTC works with several threads at a time.
constexpr double cpu_threads = 4;

std::string answer(const Nvrtc& nvrtc, const std::string& frame) {
  const auto request = decode_request(frame);
  if (!request) return "eunreadable request";
  limit_growth(request->memory_mb > 0 ? (request->memory_mb + base_megabytes) << 20 : 0);
  process::limit_cpu(request->timeout_s > 0 ? cpu_threads * request->timeout_s + cpu_seconds_beyond : 0);
  std::string reply;
  try {
    reply = "r" + encode(run_compile(nvrtc, *request));
  } catch (const std::bad_alloc&) {
    limit_growth(0);
    reply =
        "r" +
        encode(CompileResult(tl::unexpected(model::Failure{model::Status::compile_timeout, "memory", {}})));
  } catch (const model::Exception& error) {
    reply = std::string("e") + error.what();
  }
  limit_growth(0);
  return reply;
}

}  // namespace

std::string encode(const WorkerGreeting& greeting) {
  ByteWriter out;
  out.integer(static_cast<std::int64_t>(codec_version)).text("evo compile worker").text(greeting.error);
  out.text(greeting.version).text(greeting.library);
  out.integer(static_cast<std::int64_t>(greeting.include_folders.size()));
  for (const auto& folder : greeting.include_folders) out.text(folder);
  out.integer(greeting.confined ? 1 : 0).integer(greeting.filtered ? 1 : 0);
  return out.bytes();
}

std::optional<WorkerGreeting> decode_greeting(std::string_view bytes) {
  ByteReader in(bytes);
  if (in.integer() != static_cast<std::int64_t>(codec_version) || in.text() != "evo compile worker")
    return {};
  WorkerGreeting greeting;
  greeting.error = in.text();
  greeting.version = in.text();
  greeting.library = in.text();
  for (std::size_t left = in.count(); left > 0 && in.ok(); --left)
    greeting.include_folders.push_back(in.text());
  greeting.confined = in.integer() == 1;
  greeting.filtered = in.integer() == 1;
  if (!in.ok() || !in.at_end()) return std::nullopt;
  return greeting;
}

int compile_worker_main() {
  process::claim_stdout();
  // NVRTC's own cache would answer for ours, and writes into the home folder.
  ::setenv("CUDA_CACHE_DISABLE", "1", 1);
  std::optional<Nvrtc> nvrtc;
  try {
    nvrtc = Nvrtc::load();
  } catch (const model::Exception& error) {
    const bool told =
        process::write_stdout_frame(encode(WorkerGreeting{error.what(), {}, {}, {}, false, false}));
    return told ? static_cast<int>(error.code()) : 1;
  }

  WorkerGreeting greeting{{}, nvrtc->version(), nvrtc->library(), nvrtc->include_folders(), false, false};
  // Names in diagnostics and line tables are relative to here, and so is an include of a bare name.
  const std::string folder =
      greeting.include_folders.empty() ? "/proc/self" : greeting.include_folders.front();
  if (::chdir(folder.c_str()) != 0 && ::chdir("/") != 0) return 1;
  std::vector<std::string> readable = greeting.include_folders;
  readable.push_back(std::filesystem::path(greeting.library).parent_path().string());
  greeting.confined = restrict_files(readable);
  greeting.filtered = process::deny_system_calls(process::Confinement::compiler);
  process::limit_files(most_open_files, 0);

  if (!process::write_stdout_frame(encode(greeting))) return 1;
  while (const auto frame = process::read_stdin_frame()) {
    if (!process::write_stdout_frame(answer(*nvrtc, *frame))) return 1;
  }
  return 0;
}

}  // namespace evo::evaluators::compile
