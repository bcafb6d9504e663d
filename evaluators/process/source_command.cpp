#include "evaluators/process/source_command.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <linux/filter.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <optional>

#include "evaluators/process/capture.hpp"
#include "evaluators/process/confine.hpp"
#include "evaluators/process/file_rules.hpp"
#include "evaluators/process/spawn.hpp"
#include "model/error.hpp"

namespace evo::evaluators::process {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr std::size_t most_source = std::size_t{16} << 20, most_complaint = 4000;
constexpr std::int64_t memory_bytes = std::int64_t{8} << 30;

std::string json_text(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    result += c;
  }
  return result + "\"";
}

/// Appends what is there, up to `most` bytes; false at the end of the stream.
bool take_output(const Fd& from, std::string& output, std::size_t most) {
  std::array<char, 16384> part{};
  while (true) {
    const ssize_t got = ::read(from.get(), part.data(), part.size());
    if (got > 0) {
      output.append(part.data(),
                    std::min(most - std::min(most, output.size()), static_cast<std::size_t>(got)));
    } else if (!(got < 0 && errno == EINTR)) {
      return got < 0 && errno == EAGAIN;
    }
  }
}

/// Passes on what the pipe takes; false when all is written or nobody reads.
bool feed(const Fd& to, std::string_view& left) {
  const ssize_t put = ::write(to.get(), left.data(), left.size());
  if (put > 0) left.remove_prefix(static_cast<std::size_t>(put));
  return !left.empty() && (put >= 0 || errno == EAGAIN || errno == EINTR);
}

struct Answer {
  bool timed_out = false;
  int status = 0;  ///< as waitpid() has it
  std::string output, complaint;
};

Answer converse(Spawned child, std::string_view input, std::chrono::milliseconds limit) {
  Answer answer;
  const auto end = Clock::now() + limit;
  // A program that ends without reading must not take evo with it.
  sigset_t broken_pipe, before;
  sigemptyset(&broken_pipe);
  sigaddset(&broken_pipe, SIGPIPE);
  ::pthread_sigmask(SIG_BLOCK, &broken_pipe, &before);
  bool writing = true, out = true, err = true;
  while (out || err) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now()).count();
    answer.timed_out = left <= 0;
    if (answer.timed_out) break;
    std::array<pollfd, 3> wanted{pollfd{writing ? child.to_stdin.get() : -1, POLLOUT, 0},
                                 pollfd{out ? child.from_stdout.get() : -1, POLLIN, 0},
                                 pollfd{err ? child.from_stderr.get() : -1, POLLIN, 0}};
    ::poll(wanted.data(), wanted.size(), static_cast<int>(std::min<long long>(left, 1000)));
    if (writing && wanted[0].revents != 0 && !feed(child.to_stdin, input)) {
      child.to_stdin.reset();
      writing = false;
    }
    if (wanted[1].revents != 0) out = take_output(child.from_stdout, answer.output, most_source + 1);
    if (wanted[2].revents != 0) err = take_output(child.from_stderr, answer.complaint, most_source);
  }
  pid_t ended = 0;
  while (!answer.timed_out) {
    ended = ::waitpid(child.pid, &answer.status, WNOHANG);
    if (ended != 0 && !(ended < 0 && errno == EINTR)) break;
    answer.timed_out = Clock::now() >= end;
    ::poll(nullptr, 0, 2);
  }
  // The group outlives its leader where a program left others behind.
  ::kill(-child.pid, SIGKILL);
  while (ended == 0 || (ended < 0 && errno == EINTR)) ended = ::waitpid(child.pid, &answer.status, 0);
  // A pending SIGPIPE is taken away before it can be delivered.
  const timespec now{0, 0};
  while (::sigtimedwait(&broken_pipe, nullptr, &now) > 0) {
  }
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return answer;
}

/// The program's own path, beside the problem or on the path.
std::optional<fs::path> program_of(const std::string& name, const fs::path& folder) {
  if (name.find('/') == std::string::npos) return find_program(name);
  const fs::path path = fs::path(name).is_absolute() ? fs::path(name) : folder / name;
  std::error_code ignored;
  if (fs::is_regular_file(path, ignored) && ::access(path.c_str(), X_OK) == 0) return path;
  return std::nullopt;
}

/// What an interpreter needs besides the system's folders: PREFIX of PREFIX/bin/python3, links followed too.
std::vector<std::string> readable_for(const fs::path& program, const fs::path& folder) {
  std::vector<std::string> readable{folder.string()};
  std::error_code ignored;
  for (const fs::path& path : {program, fs::canonical(program, ignored)}) {
    const fs::path prefix = path.parent_path().parent_path();
    const std::string own = path.parent_path().filename().string();
    if ((own == "bin" || own == "shims") && prefix != "/" && !prefix.empty())
      readable.push_back(prefix.string());
  }
  return readable;
}

/// The last lines, which say what went wrong; one paragraph.
std::string tail(std::string text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
  if (text.size() > most_complaint) text = "..." + text.substr(text.size() - most_complaint);
  return text;
}

}  // namespace

std::string values_json(const model::Environment& values) {
  std::string text;
  for (const auto& [name, value] : values) {
    const auto* symbol = std::get_if<std::string>(&value);
    text += fmt::format("{}{}: {}", text.empty() ? "" : ", ", json_text(name),
                        symbol != nullptr ? json_text(*symbol) : model::to_string(value));
  }
  return "{" + text + "}\n";
}

SourceCommand::SourceCommand(std::vector<std::string> command, fs::path folder,
                             std::chrono::milliseconds limit)
    : command_(std::move(command)), folder_(std::move(folder)), limit_(limit) {}

tl::expected<std::string, model::Failure> SourceCommand::generate(const model::Environment& values) const {
  const std::string input = values_json(values);
  const std::scoped_lock lock(mutex_);
  if (const auto known = known_.find(input); known != known_.end()) return known->second;
  auto source = run(input);
  if (source && known_.empty()) {
    const auto again = run(input);
    if (again && *again != *source)
      source =
          tl::make_unexpected(broken("wrote another source when it was asked for the same values again"));
  }
  return known_.emplace(input, std::move(source)).first->second;
}

tl::expected<std::string, model::Failure> SourceCommand::run(const std::string& input) const {
  const auto program = program_of(command_.front(), folder_);
  if (!program) return tl::make_unexpected(broken("cannot be run: there is no such program"));
  std::vector<std::string> argv = command_;
  argv.front() = program->string();
  const Fd rules = program_file_rules(readable_for(*program, folder_));
  std::vector<sock_filter> calls = program_call_filter();
  const sock_fprog filter{static_cast<unsigned short>(calls.size()), calls.data()};
  const std::string folder = folder_.string();
  ChildLimits limits;
  limits.memory_bytes = memory_bytes;
  limits.cpu_seconds = 1 + std::chrono::duration_cast<std::chrono::seconds>(limit_).count() * 4;
  limits.file_rules = rules ? rules.get() : -1;
  limits.call_filter = calls.empty() ? nullptr : &filter;
  limits.folder = folder.c_str();
  Answer answer;
  try {
    answer = converse(spawn_process(argv, limits), input, limit_);
  } catch (const model::Exception& error) {
    return tl::make_unexpected(broken(fmt::format("cannot be run: {}", error.what())));
  }
  const std::string complaint = tail(answer.complaint);
  const std::string said = complaint.empty() ? "" : ": " + complaint;
  if (answer.timed_out)
    return tl::make_unexpected(
        broken(fmt::format("took longer than {} s{}", static_cast<double>(limit_.count()) / 1000, said)));
  if (WIFSIGNALED(answer.status))
    return tl::make_unexpected(
        broken(fmt::format("was ended by signal {}{}", WTERMSIG(answer.status), said)));
  if (WEXITSTATUS(answer.status) != 0)
    return tl::make_unexpected(
        broken(fmt::format("ended with exit code {}{}", WEXITSTATUS(answer.status), said)));
  if (answer.output.size() > most_source)
    return tl::make_unexpected(broken(fmt::format("wrote more than {} bytes", most_source)));
  if (answer.output.find_first_not_of(" \t\r\n") == std::string::npos)
    return tl::make_unexpected(broken("wrote no source" + said));
  return std::move(answer.output);
}

model::Failure SourceCommand::broken(std::string message) const {
  return {model::Status::compile_error,
          "source_command",
          {{"error", fmt::format("{} {}", fmt::join(command_, " "), message), {}, 0, {}}}};
}

}  // namespace evo::evaluators::process
