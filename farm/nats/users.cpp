#include "farm/nats/users.hpp"

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <fstream>
#include <iterator>
#include <optional>
#include <random>
#include <set>
#include <thread>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>

#include "farm/message.hpp"
#include "farm/nats/clock.hpp"
#include "model/error.hpp"

namespace evo::farm::nats {
namespace {

namespace fs = std::filesystem;

constexpr const char* token_suffix = ".token";
constexpr const char* revoked_suffix = ".revoked";
constexpr const char* own_prefix = "worker-";
constexpr std::size_t longest_name = 48;
constexpr const char* run_token = "run.token";
constexpr const char* worker_token = "worker.token";

[[noreturn]] void impossible(const std::string& text) {
  throw model::Exception(model::ExitCode::environment, text);
}

std::string draw_secret() {
  std::random_device device;
  std::string secret;
  for (int i = 0; i < 8; ++i) secret += fmt::format("{:08x}", device());
  return secret;
}

/// The secret of `user` in `file`, "USER:SECRET"; nullopt where it is not there.
std::optional<std::string> read_secret(const fs::path& file, const std::string& user) {
  std::string line;
  std::ifstream in(file);
  const std::string start = user + ":";
  if (in && std::getline(in, line) && line.starts_with(start) && line.size() >= start.size() + 16)
    return sayable(line.substr(start.size()));
  return std::nullopt;
}

/// Drawn where it is not there.
std::string secret_of(const fs::path& file, const std::string& user) {
  if (auto known = read_secret(file, user)) return *known;
  const std::string secret = draw_secret();
  write_private(file, user + ":" + secret + "\n");
  return secret;
}

std::string with_password(const std::string& user, const std::string& secret) {
  return fmt::format(R"(user: "{}", password: "{}")", user, secret);
}

/// A worker takes jobs, says that it is at them, reads code whose hash it knows, asks what time it is, and
/// sends results; it reads its own answers, and nothing else.
std::string worker_user(const std::string& who, const std::string& answers) {
  return fmt::format(R"(    {{{}, permissions: {{
      publish: ["$JS.API.CONSUMER.MSG.NEXT.*.workers", "$JS.ACK.*.workers.>", "$JS.API.DIRECT.GET.EVO_CODE.>", "evo.results.*", "evo.presence.worker.*", "evo.clock"]
      subscribe: ["{}.>"]
    }}}}
)",
                     who, worker_answers(answers));
}

void write_users(const fs::path& folder, const std::string& run, const std::string& workers) {
  write_private(folder / users_file,
                fmt::format("authorization {{\n  users = [\n    {{{}}}\n{}  ]\n}}\n", run, workers));
}

/// Names of the workers that have tokens of their own.
std::set<std::string> own_tokens(const fs::path& folder) {
  std::set<std::string> names;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    const std::string file = entry.path().filename().string();
    if (!file.starts_with(own_prefix) || !file.ends_with(token_suffix)) continue;
    const std::string name = entry.path().stem().string().substr(std::strlen(own_prefix));
    if (is_plain_name(name) && name.size() <= longest_name) names.insert(name);
  }
  return names;
}

fs::path token_of(const fs::path& folder, const std::string& name) {
  return folder / (own_prefix + name + token_suffix);
}

void require_name(const std::string& name) {
  if (is_plain_name(name) && name.size() <= longest_name) return;
  throw model::Exception(
      model::ExitCode::usage,
      fmt::format("'{}' names no worker: 1 to {} letters, digits, '-' and '_'", name, longest_name));
}

void require_farm(const fs::path& folder) {
  std::error_code ignored;
  if (!fs::exists(folder / users_file, ignored))
    impossible(fmt::format("{}: no farm's server has been started there: evo farm up --folder {}",
                           folder.string(), folder.string()));
}

void require_tokens(const fs::path& folder) {
  std::ifstream users(folder / users_file);
  const std::string text{std::istreambuf_iterator<char>(users), {}};
  if (text.find("nkey:") != std::string::npos)
    impossible(fmt::format(
        "{}: the server there knows NKeys and no tokens: evo farm up --worker-nkey, once for each worker",
        folder.string()));
  if (text.find("password:") == std::string::npos)
    impossible(
        fmt::format("{}: the server there asks for no tokens: evo farm up --tokens does", folder.string()));
}

/// A server holds the lock of its folder as long as it lives. Under UsersLock, so that none that starts meets
/// the lock of whoever looks.
bool is_up(const fs::path& folder) {
  const int lock = ::open((folder / "lock").c_str(), O_RDWR | O_CLOEXEC);
  if (lock < 0) return false;
  const bool held = ::flock(lock, LOCK_SH | LOCK_NB) != 0;
  ::close(lock);
  return held;
}

/// Has the server that runs in the folder, if there is one, read its users again. One that is starting names
/// its process when it is ready to be told.
void tell_server(const fs::path& folder) {
  constexpr int tries = 40;
  for (int i = 0; i < tries && is_up(folder); ++i) {
    long process = 0;
    if (std::ifstream in(pid_file(folder));
        in >> process && process > 1 && ::kill(static_cast<pid_t>(process), SIGHUP) == 0)
      return;
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  if (is_up(folder))
    impossible(fmt::format("{}: the server there cannot be told of it: start it again", folder.string()));
}

/// Under UsersLock.
void list_token_users(const fs::path& folder) {
  std::string workers =
      worker_user(with_password("worker", secret_of(folder / worker_token, "worker")), "worker");
  for (const std::string& name : own_tokens(folder)) {
    const std::string user = own_prefix + name;
    if (const auto secret = read_secret(token_of(folder, name), user))
      workers += worker_user(with_password(user, *secret), user);
  }
  write_users(folder, with_password("run", secret_of(folder / run_token, "run")), workers);
}

}  // namespace

UsersLock::UsersLock(const fs::path& folder) {
  const fs::path file = folder / "users.lock";
  file_ = ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
  int why = file_ < 0 ? errno : EINTR;
  while (file_ >= 0 && why == EINTR) why = ::flock(file_, LOCK_EX) == 0 ? 0 : errno;
  if (why == 0) return;
  if (file_ >= 0) ::close(file_);
  impossible(fmt::format("{}: {}", file.string(), std::strerror(why)));
}

UsersLock::~UsersLock() {
  ::close(file_);
}

fs::path pid_file(const fs::path& folder) {
  return folder / "nats.pid";
}

const std::string& sayable(const std::string& text) {
  if (text.find_first_of("\"\\\n\r") != std::string::npos)
    throw model::Exception(model::ExitCode::usage,
                           fmt::format("'{}' has a quote, a backslash or a line end", text));
  return text;
}

void write_private(const fs::path& file, const std::string& text) {
  const fs::path fresh = file.string() + ".new";
  std::error_code ignored;
  fs::remove(fresh, ignored);
  const mode_t before = ::umask(077);
  {
    std::ofstream out(fresh, std::ios::binary);
    out << text;
    out.flush();
    if (!out) {
      ::umask(before);
      impossible(fmt::format("{}: cannot be written: {}", fresh.string(), std::strerror(errno)));
    }
  }
  ::umask(before);
  std::error_code error;
  fs::rename(fresh, file, error);
  if (error) impossible(fmt::format("{}: {}", file.string(), error.message()));
}

void write_no_users(const fs::path& folder) {
  const UsersLock lock(folder);
  write_private(folder / users_file, "# Nobody is asked who he is.\n");
}

void write_nkey_users(const fs::path& folder, const std::vector<std::string>& workers,
                      const std::string& run) {
  std::string all;
  for (const std::string& key : workers) all += worker_user(fmt::format("nkey: \"{}\"", key), key);
  const UsersLock lock(folder);
  write_users(folder, fmt::format("nkey: \"{}\"", run), all);
}

void write_token_users(const fs::path& folder) {
  const UsersLock lock(folder);
  list_token_users(folder);
}

fs::path add_worker_token(const fs::path& folder, const std::string& name) {
  require_name(name);
  require_farm(folder);
  const UsersLock lock(folder);
  require_tokens(folder);
  static_cast<void>(secret_of(token_of(folder, name), own_prefix + name));
  list_token_users(folder);
  tell_server(folder);
  return token_of(folder, name);
}

void revoke_worker_token(const fs::path& folder, const std::string& name,
                         const std::function<void(bool is_up)>& and_then) {
  if (!name.empty()) require_name(name);
  require_farm(folder);
  const UsersLock lock(folder);
  require_tokens(folder);
  const fs::path file = name.empty() ? folder / worker_token : token_of(folder, name);
  // Under this name it lets nobody in, and says that somebody is at it: whoever is killed before the server
  // was told leaves it there, and is finished by the next one.
  const fs::path going = file.string() + revoked_suffix;
  std::error_code error;
  fs::rename(file, going, error);
  if (error == std::errc::no_such_file_or_directory) {
    if (std::error_code ignored; !fs::exists(going, ignored))
      impossible(fmt::format("{}: no such token", file.string()));
  } else if (error) {
    impossible(fmt::format("{}: {}", file.string(), error.message()));
  }
  list_token_users(folder);
  tell_server(folder);
  if (and_then) and_then(is_up(folder));
  fs::remove(going, error);
}

}  // namespace evo::farm::nats
