// Who may do what at a farm's server: the part of its configuration that names its users, and the files of
// their tokens.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace evo::farm::nats {

/// In the server's folder, beside its configuration, which includes it.
inline constexpr const char* users_file = "users.conf";
/// Where its server is reached from its own machine.
inline constexpr const char* url_file = "url";
/// What the server itself keeps there.
inline constexpr const char* store_folder = "store";
[[nodiscard]] std::filesystem::path pid_file(const std::filesystem::path& folder);

/// Held while a folder's users are listed, written and told to its server, and while a server claims the
/// folder: of all processes that do one of these, one does it at a time. Waits; ends with the process. Throws
/// model::Exception(environment) where its file cannot be made.
class UsersLock {
 public:
  explicit UsersLock(const std::filesystem::path& folder);
  ~UsersLock();
  UsersLock(const UsersLock&) = delete;
  UsersLock& operator=(const UsersLock&) = delete;

 private:
  int file_ = -1;
};

/// `text` where it may stand between quotes in the configuration; throws model::Exception(usage) otherwise.
[[nodiscard]] const std::string& sayable(const std::string& text);
/// Readable by its owner alone; at once or not at all. Throws model::Exception(environment).
void write_private(const std::filesystem::path& file, const std::string& text);

/// Everybody may do everything.
void write_no_users(const std::filesystem::path& folder);
/// Those of public NKeys: workers, each with answers that no other reads, and one for runs.
void write_nkey_users(const std::filesystem::path& folder, const std::vector<std::string>& workers,
                      const std::string& run);
/// Those of the folder's tokens: run.token, worker.token, which are drawn where they are not there, and
/// worker-NAME.token, which are read: a file without one's token lets nobody in. Each user of a worker's
/// token reads its own answers alone, that is, jobs that nobody else got; who shares a token shares them.
void write_token_users(const std::filesystem::path& folder);

/// A token of one worker's own, which is drawn where it is not there; a server that runs in the folder takes
/// it from now on. Throws model::Exception: (usage) a name of other than 1 to 48 letters, digits, '-' and
/// '_'; (environment) a folder of no farm, or of one whose server asks for no tokens.
[[nodiscard]] std::filesystem::path add_worker_token(const std::filesystem::path& folder,
                                                     const std::string& name);
/// Takes one back: who is connected with it is put out. `name` may be empty: the token that workers share, of
/// which another one is drawn. Killed on its way, or where the server could not be told, it leaves the token
/// beside the others as FILE.revoked, and the next call finishes it.
/// `and_then` belongs to it: called once the server lets it in no more, with whether a server runs there;
/// none starts meanwhile. May be empty.
void revoke_worker_token(const std::filesystem::path& folder, const std::string& name,
                         const std::function<void(bool is_up)>& and_then = {});

}  // namespace evo::farm::nats
