#include "evaluators/reference/warm_python.hpp"

#include <algorithm>
#include <cctype>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "evaluators/process/child.hpp"
#include "evaluators/reference/warm_python_host.hpp"
#include "model/error.hpp"

namespace evo::evaluators::reference {
namespace {

/// What an import may take at first; PyTorch's takes some seconds.
constexpr std::chrono::milliseconds to_import = std::chrono::minutes(2);

}  // namespace

struct WarmPython::Host {
  process::Child child;
  bool fresh = true;
};

WarmPython::WarmPython(std::vector<std::string> command, std::filesystem::path folder,
                       std::shared_ptr<const process::ProgramCage> cage)
    : command_(std::move(command)),
      folder_(std::move(folder)),
      cage_(std::move(cage)),
      most_(std::clamp<std::size_t>(std::thread::hardware_concurrency() / 2, 1, 8)) {}

WarmPython::~WarmPython() = default;

bool WarmPython::takes(const std::vector<std::string>& command) {
  if (command.size() < 2) return false;
  const std::string name = std::filesystem::path(command[0]).filename().string();
  constexpr std::string_view python = "python";
  const bool interpreter = name.starts_with(python) &&
                           std::all_of(name.begin() + python.size(), name.end(),
                                       [](unsigned char c) { return std::isdigit(c) != 0 || c == '.'; });
  return interpreter && !command[1].starts_with("-") && command[1].ends_with(".py");
}

/// A place among those that may be at work, and its process once there is one.
struct WarmPython::Lease {
  explicit Lease(WarmPython& from) : pool(from), host(from.take()) {}
  ~Lease() { pool.give_back(std::move(host)); }
  Lease(const Lease&) = delete;
  Lease& operator=(const Lease&) = delete;

  WarmPython& pool;
  std::unique_ptr<Host> host;
};

std::unique_ptr<WarmPython::Host> WarmPython::take() {
  std::unique_lock lock(mutex_);
  freed_.wait(lock, [this] { return !idle_.empty() || lent_ < most_; });
  ++lent_;
  if (idle_.empty()) return nullptr;
  auto host = std::move(idle_.back());
  idle_.pop_back();
  return host;
}

void WarmPython::give_back(std::unique_ptr<Host> host) {
  const std::scoped_lock lock(mutex_);
  --lent_;
  if (host) idle_.push_back(std::move(host));
  freed_.notify_one();
}

std::unique_ptr<WarmPython::Host> WarmPython::start() const {
  std::string interpreter = command_[0];
  if (interpreter.find('/') == std::string::npos) {
    const auto program = process::find_program(interpreter);
    if (program) interpreter = program->string();
  }
  std::vector<std::string> argv{interpreter, "-c", warm_python_host};
  argv.insert(argv.end(), command_.begin() + 1, command_.end());
  process::ChildLimits limits = cage_->limits();
  limits.folder = folder_.empty() ? nullptr : folder_.c_str();
  return std::make_unique<Host>(Host{process::Child::spawn(cage_->command(argv), limits)});
}

std::optional<process::Captured> WarmPython::run(const std::vector<std::string>& further,
                                                 std::chrono::milliseconds limit) {
  if (given_up_) return std::nullopt;
  Lease lease(*this);
  try {
    if (!lease.host) lease.host = start();
  } catch (const model::Exception&) {
    return std::nullopt;
  }
  std::string request = fmt::format("{:.3f}", std::chrono::duration<double>(limit).count());
  for (const std::string& argument : further) request += '\0' + argument;
  const auto wait =
      limit + std::chrono::seconds(10) + (lease.host->fresh ? to_import : std::chrono::seconds(0));
  const bool asked = lease.host->child.write_frame(request);
  const process::ReadResult answer = asked ? lease.host->child.read_frame(wait) : process::ReadResult{};
  lease.host->fresh = false;
  if (answer.status != process::ReadStatus::ok) lease.host.reset();
  if (answer.status != process::ReadStatus::ok || !answer.frame.starts_with("exit 0\n")) return std::nullopt;
  process::Captured ran;
  ran.exit_code = 0;
  ran.output = answer.frame.substr(answer.frame.find('\n') + 1);
  return ran;
}

}  // namespace evo::evaluators::reference
