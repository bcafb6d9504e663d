#include "engine/sqlite/database.hpp"

#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <sqlite3.h>

#include "model/error.hpp"

namespace evo::engine::sqlite {
namespace {

/// A reader waits this long for a writer's transaction, and the other way round.
constexpr int busy_timeout_ms = 20000;

/// A larger ledger is copied into a temporary file.
constexpr std::uintmax_t most_in_memory = 64 << 20;

std::string advice(int code) {
  switch (code & 0xff) {
    case SQLITE_FULL:
      return "the disk is full; what was committed before is kept: free some space and resume the run";
    case SQLITE_IOERR:
      return "the file could not be read or written (full disk, quota or broken storage); what was committed "
             "before "
             "is kept";
    case SQLITE_READONLY:
    case SQLITE_PERM:
    case SQLITE_AUTH:
      return "there is no permission to write it";
    case SQLITE_CANTOPEN:
      return "it cannot be opened: check that the folder exists and that you may write there";
    case SQLITE_NOTADB:
      return "it is not an evo ledger";
    case SQLITE_CORRUPT:
      return "it is damaged";
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return "another process holds it";
    default:
      return "SQLite refused";
  }
}

}  // namespace

Database::Database(std::filesystem::path file, Access access) : file_(std::move(file)) {
  std::error_code ignored;
  const bool exists = std::filesystem::exists(file_, ignored);
  if (access == Access::create && exists) {
    throw model::Exception(
        model::ExitCode::environment,
        fmt::format("{}: there is a ledger already; resume it, or choose another run folder",
                    file_.string()));
  }
  if (access != Access::create && !exists) {
    throw model::Exception(model::ExitCode::environment,
                           fmt::format("{}: there is no ledger", file_.string()));
  }
  const bool reads = access == Access::read || access == Access::copy;
  const int flags =
      SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | (access == Access::create ? SQLITE_OPEN_CREATE : 0);
  int code = sqlite3_open_v2(file_.c_str(), &handle_, flags, nullptr);
  if (code != SQLITE_OK && reads) {
    sqlite3_close(std::exchange(handle_, nullptr));
    code = sqlite3_open_v2(file_.c_str(), &handle_, SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX, nullptr);
  }
  try {
    if (code != SQLITE_OK) fail(code, "open");
    if (!reads && sqlite3_db_readonly(handle_, "main") == 1) fail(SQLITE_READONLY, "open");
    sqlite3_extended_result_codes(handle_, 1);
    sqlite3_busy_timeout(handle_, busy_timeout_ms);
    if (access == Access::copy) go_on_in_a_copy();
  } catch (...) {
    sqlite3_close(handle_);
    throw;
  }
}

void Database::go_on_in_a_copy() {
  sqlite3* memory = nullptr;
  std::error_code ignored;
  const std::uintmax_t bytes = std::filesystem::file_size(file_, ignored);
  // "" is a file of SQLite's own in the temporary directory, gone when it is closed.
  const char* const where = !ignored && bytes > most_in_memory ? "" : ":memory:";
  const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX;
  int code = sqlite3_open_v2(where, &memory, flags, nullptr);
  if (code == SQLITE_OK) {
    sqlite3_backup* const backup = sqlite3_backup_init(memory, "main", handle_, "main");
    // finish() alone does not say that another process held the file.
    const int copied = backup != nullptr ? sqlite3_backup_step(backup, -1) : sqlite3_errcode(memory);
    sqlite3_backup_finish(backup);
    code = copied == SQLITE_DONE ? SQLITE_OK : copied;
  }
  if (code != SQLITE_OK) {
    sqlite3_close(memory);
    fail(code, "read");
  }
  sqlite3_close(std::exchange(handle_, memory));
}

Database::~Database() {
  sqlite3_close(handle_);
}

void Database::fail(int code, std::string_view doing) const {
  throw model::Exception(
      model::ExitCode::environment,
      fmt::format("{}: {} (cannot {} it: {})", file_.string(), advice(code), doing,
                  handle_ != nullptr && sqlite3_errcode(handle_) != SQLITE_OK ? sqlite3_errmsg(handle_)
                                                                              : sqlite3_errstr(code)));
}

void Database::execute(const std::string& sql) {
  if (const int code = sqlite3_exec(handle_, sql.c_str(), nullptr, nullptr, nullptr); code != SQLITE_OK) {
    fail(code, "write");
  }
}

Statement Database::prepare(std::string_view sql) {
  sqlite3_stmt* handle = nullptr;
  const int code = sqlite3_prepare_v2(handle_, sql.data(), static_cast<int>(sql.size()), &handle, nullptr);
  if (code != SQLITE_OK) fail(code, "read");
  return Statement(*this, handle);
}

std::int64_t Database::integer(std::string_view sql) {
  Statement statement = prepare(sql);
  return statement.step() ? statement.integer(0) : 0;
}

Transaction::Transaction(Database& database) : database_(database) {
  database_.execute("BEGIN IMMEDIATE");
}

Transaction::~Transaction() {
  if (!open_) return;
  try {
    database_.execute("ROLLBACK");
  } catch (const model::Exception&) {
    // SQLite has rolled back by itself (full disk), and the error that led here is already on its way.
  }
}

void Transaction::commit() {
  database_.execute("COMMIT");
  open_ = false;
}

Statement::Statement(Database& database, sqlite3_stmt* handle) : database_(database), handle_(handle) {}
Statement::~Statement() {
  sqlite3_finalize(handle_);
}

void Statement::check(int code, std::string_view doing) const {
  if (code != SQLITE_OK) database_.fail(code, doing);
}

Statement& Statement::bind(std::int64_t value) {
  check(sqlite3_bind_int64(handle_, next_parameter_++, value), "write");
  return *this;
}

Statement& Statement::bind(double value) {
  check(sqlite3_bind_double(handle_, next_parameter_++, value), "write");
  return *this;
}

Statement& Statement::bind(std::string_view value) {
  // A null pointer would bind NULL, which is not the empty text.
  const char* data = value.data() != nullptr ? value.data() : "";
  check(sqlite3_bind_text64(handle_, next_parameter_++, data, value.size(), SQLITE_TRANSIENT, SQLITE_UTF8),
        "write");
  return *this;
}

Statement& Statement::bind_blob(std::string_view bytes) {
  const char* data = bytes.data() != nullptr ? bytes.data() : "";
  check(sqlite3_bind_blob64(handle_, next_parameter_++, data, bytes.size(), SQLITE_TRANSIENT), "write");
  return *this;
}

Statement& Statement::bind(const std::optional<double>& value) {
  return value ? bind(*value) : bind_null();
}

Statement& Statement::bind_null() {
  check(sqlite3_bind_null(handle_, next_parameter_++), "write");
  return *this;
}

bool Statement::step() {
  const int code = sqlite3_step(handle_);
  if (code == SQLITE_ROW) return true;
  if (code != SQLITE_DONE) database_.fail(code, sqlite3_stmt_readonly(handle_) != 0 ? "read" : "write");
  return false;
}

void Statement::run() {
  while (step()) {
  }
  reset();
}

void Statement::reset() {
  sqlite3_reset(handle_);
  next_parameter_ = 1;
}

std::int64_t Statement::integer(int column) const {
  return sqlite3_column_int64(handle_, column);
}
double Statement::real(int column) const {
  return sqlite3_column_double(handle_, column);
}

std::string Statement::text(int column) const {
  const auto* data = reinterpret_cast<const char*>(sqlite3_column_text(handle_, column));
  const auto size = static_cast<std::size_t>(sqlite3_column_bytes(handle_, column));
  return data != nullptr ? std::string(data, size) : std::string();
}

std::string Statement::blob(int column) const {
  const auto* data = static_cast<const char*>(sqlite3_column_blob(handle_, column));
  const auto size = static_cast<std::size_t>(sqlite3_column_bytes(handle_, column));
  return data != nullptr ? std::string(data, size) : std::string();
}

std::optional<double> Statement::optional_real(int column) const {
  if (null(column)) return std::nullopt;
  return real(column);
}

bool Statement::null(int column) const {
  return sqlite3_column_type(handle_, column) == SQLITE_NULL;
}

}  // namespace evo::engine::sqlite
