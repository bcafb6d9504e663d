#include "session/machine_checks.hpp"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <thread>

#include <sys/statvfs.h>
#include <unistd.h>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "config/targets.hpp"
#include "engine/ledger.hpp"
#include "evaluators/compile/cache.hpp"
#include "evaluators/compile/service.hpp"
#include "evaluators/devices/cuda/cuda_device.hpp"
#include "evaluators/process/capture.hpp"
#include "evaluators/process/confine.hpp"
#include "evaluators/sanitizer/compute_sanitizer.hpp"
#include "model/error.hpp"
#include "session/load.hpp"
#include "session/run_folder.hpp"

namespace evo::session {
namespace {

namespace fs = std::filesystem;

MachineCheck check_nvrtc() {
  try {
    evaluators::compile::ServiceOptions options;
    options.workers = 1;
    const evaluators::compile::CompileService service(options);
    const auto greeting = service.greeting();
    if (greeting.include_folders.empty()) {
      return {"nvrtc", "warn",
              fmt::format("{} ({}), without the toolkit's headers", greeting.version, greeting.library),
              "install the CUDA Toolkit's headers: candidates that include cuda_fp16.h cannot compile"};
    }
    return {"nvrtc", "ok", fmt::format("{} ({})", greeting.version, greeting.library), ""};
  } catch (const std::exception& error) {
    return {"nvrtc", "fail", error.what(), "install the CUDA Toolkit 12.4 or newer, or set EVO_NVRTC"};
  }
}

MachineCheck check_sandbox() {
  try {
    evaluators::compile::ServiceOptions options;
    options.workers = 1;
    const auto greeting = evaluators::compile::CompileService(options).greeting();
    const std::string limits = "limits on time, memory and files";
    const std::string here = evaluators::process::describe(evaluators::process::available_sandbox());
    if (greeting.confined && greeting.filtered) {
      return {
          "sandbox", "ok",
          fmt::format(
              "compile workers: no files but the toolkit's (Landlock), no network, no processes (seccomp), "
              "{}; device workers: no network, no processes; this kernel has {}",
              limits, here),
          ""};
    }
    return {"sandbox", "warn",
            fmt::format("compile workers have {}{}{}; this kernel has {}", limits,
                        greeting.confined ? ", Landlock" : ", an include filter instead of Landlock",
                        greeting.filtered ? ", seccomp" : ", but no filter of system calls", here),
            "Linux 5.13 or newer with Landlock and seccomp confines candidates further"};
  } catch (const std::exception&) {
    return {"sandbox", "warn", "not known without NVRTC", "see nvrtc"};
  }
}

std::vector<MachineCheck> check_devices() {
  const auto list = evaluators::cuda::list_cuda_devices();
  std::vector<MachineCheck> checks{
      {"virtual device", "ok", "runs PTX for sm_80 to sm_90a; latencies are modelled", ""}};
  if (list.devices.empty()) {
    checks.push_back({"cuda", "warn", list.reason, "without a GPU, runs use the virtual device"});
  }
  for (const auto& entry : list.devices) {
    checks.push_back(
        {fmt::format("cuda:{}", entry.ordinal), "ok",
         fmt::format("{} ({}), driver {}, {} multiprocessors, {} GiB, {}", entry.info.name, entry.info.arch,
                     entry.info.driver, entry.multiprocessors, entry.memory_bytes >> 30, entry.info.uuid),
         ""});
  }
  return checks;
}

/// An optional tool of the CUDA Toolkit.
MachineCheck check_tool(const std::string& name, const std::optional<fs::path>& found,
                        const std::string& use) {
  if (!found) return {name, "warn", "not found", use};
  if (::access(found->c_str(), X_OK) != 0)
    return {name, "warn", fmt::format("{} cannot be started", found->string()), use};
  return {name, "ok", found->string(), ""};
}

/// Where evo looks, and then where the toolkit is if nothing says otherwise.
std::optional<fs::path> find_tool(const std::string& name) {
  const auto found = evaluators::process::find_program(name);
  return found ? found : evaluators::process::find_program(name, {"/usr/local/cuda/bin"});
}

MachineCheck check_folder(const std::string& name, const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  const fs::path probe = folder / fmt::format(".evo-doctor-{}", ::getpid());
  try {
    write_file_atomically(probe, "probe\n");
    fs::remove(probe, error);
  } catch (const model::Exception& failure) {
    return {name, "fail", failure.what(), "choose a folder that can be written"};
  }
  struct statvfs space {};
  if (::statvfs(folder.c_str(), &space) != 0)
    return {name, "warn", fmt::format("{}: free space unknown", folder.string()), ""};
  const double free_gib =
      static_cast<double>(space.f_bavail) * static_cast<double>(space.f_frsize) / (1 << 30);
  if (free_gib < 1) {
    return {name, "warn", fmt::format("{}: only {:.2f} GiB free", folder.string(), free_gib),
            "free some space"};
  }
  return {name, "ok", fmt::format("{}: writable, {:.0f} GiB free", folder.string(), free_gib), ""};
}

/// A ledger where runs would be kept: file systems that break SQLite's locking show here.
MachineCheck check_ledger(const fs::path& folder) {
  const fs::path probe = folder / fmt::format(".evo-doctor-ledger-{}", ::getpid());
  std::error_code ignored;
  MachineCheck check{"ledger", "ok", fmt::format("SQLite works in {}", folder.string()), ""};
  try {
    fs::create_directories(probe);
    const auto ledger = engine::open_sqlite_ledger(probe / "ledger.sqlite", engine::LedgerMode::create);
    ledger->begin({});
    (void)ledger->verify();
  } catch (const std::exception& failure) {
    check = {"ledger", "fail", failure.what(), "put run folders on a local file system (--run-dir)"};
  }
  fs::remove_all(probe, ignored);
  return check;
}

/// Every problem of the first folder of problems that there is.
MachineCheck check_kernels() {
  const std::string remedy = "run from the source tree or the installed folder";
  for (const std::string& folder : search_path().kernel_folders) {
    std::vector<std::string> names;
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(folder, ignored)) {
      if (fs::exists(entry.path() / "problem.yaml", ignored))
        names.push_back(entry.path().filename().string());
    }
    std::sort(names.begin(), names.end());
    for (const std::string& name : names) {
      const auto problem = config::load_problem((fs::path(folder) / name).string(), search_path());
      if (!problem) return {"kernels", "fail", problem.error().text(), "mend or remove the problem"};
    }
    if (!names.empty()) return {"kernels", "ok", fmt::format("{}: {}", folder, fmt::join(names, ", ")), ""};
  }
  return {"kernels", "fail", "no folder of problems was found", remedy};
}

MachineCheck check_targets() {
  const auto targets = config::load_targets(config::folders_of_targets(".", search_path()));
  const std::string fix = "run from the source tree or the installed folder";
  if (!targets) return {"targets", "fail", targets.error().text(), "mend the file"};
  if (targets->empty()) return {"targets", "fail", "no GPU model is known", fix};
  return {"targets", "ok", fmt::format("{}", fmt::join(model::target_names(*targets), ", ")), ""};
}

}  // namespace

std::vector<MachineCheck> check_machine() {
  std::vector<MachineCheck> checks{
      {"cores", "ok", fmt::format("{} hardware threads", std::thread::hardware_concurrency()), ""}};
  checks.push_back(check_nvrtc());
  checks.push_back(check_sandbox());
  for (MachineCheck& check : check_devices()) checks.push_back(std::move(check));
  checks.push_back(check_tool("nvcc", find_tool("nvcc"), "only the self-test of an export needs it"));
  checks.push_back(check_tool("compute-sanitizer", evaluators::sanitizer::find_compute_sanitizer(),
                              "optional: a second opinion on finalists, on a GPU"));
  checks.push_back(check_tool("ncu", find_tool("ncu"), "optional: profiles on a GPU"));
  checks.push_back(check_kernels());
  checks.push_back(check_targets());
  checks.push_back(check_folder("cache", evaluators::compile::ArtifactCache::default_folder()));
  checks.push_back(check_folder("run folders", fs::current_path()));
  checks.push_back(check_ledger(fs::current_path()));
  return checks;
}

}  // namespace evo::session
