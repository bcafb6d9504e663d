// SQLite's C interface behind two RAII types. sqlite3.h stays in database.cpp.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

struct sqlite3;
struct sqlite3_stmt;

namespace evo::engine::sqlite {

enum class Access : std::uint8_t { create, write, read, copy };

class Statement;

/// One connection. Every failure throws model::Exception(environment) that names the file and says what a
/// person can do about it (full disk, no permission, not a database).
class Database {
 public:
  /// `create` makes the file, and refuses one that exists. `read` falls back to a read-only handle where the
  /// file cannot be written; with a writable one it can roll back what a killed writer left half done. `copy`
  /// reads the file and goes on with a copy, in memory or of a large one in a temporary file: what is
  /// written then does not reach the ledger.
  Database(std::filesystem::path file, Access access);
  ~Database();
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  /// Runs one or more statements without results.
  void execute(const std::string& sql);
  [[nodiscard]] Statement prepare(std::string_view sql);
  [[nodiscard]] std::int64_t integer(std::string_view sql);  ///< first column of the first row
  [[nodiscard]] const std::filesystem::path& file() const { return file_; }

  /// Throws as described above for SQLite's result `code`.
  [[noreturn]] void fail(int code, std::string_view doing) const;

 private:
  void go_on_in_a_copy();

  std::filesystem::path file_;
  sqlite3* handle_ = nullptr;
};

/// Begins at construction; rolls back unless commit() was reached.
class Transaction {
 public:
  explicit Transaction(Database& database);
  ~Transaction();
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  void commit();

 private:
  Database& database_;
  bool open_ = true;
};

/// A prepared statement. Parameters are bound in order, columns read by position. Must not outlive its
/// database.
class Statement {
 public:
  Statement(Database& database, sqlite3_stmt* handle);
  ~Statement();
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;

  Statement& bind(std::int64_t value);
  Statement& bind(int value) { return bind(std::int64_t{value}); }
  Statement& bind(double value);
  Statement& bind(std::string_view value);
  Statement& bind(const std::string& value) { return bind(std::string_view(value)); }
  Statement& bind(const char* value) { return bind(std::string_view(value)); }
  Statement& bind(const std::optional<double>& value);
  Statement& bind_blob(std::string_view bytes);
  Statement& bind_null();

  /// True while there is a row.
  [[nodiscard]] bool step();
  /// For statements without rows; then ready to be bound again.
  void run();
  /// Ready to be bound again.
  void reset();

  [[nodiscard]] std::int64_t integer(int column) const;
  [[nodiscard]] double real(int column) const;
  [[nodiscard]] std::string text(int column) const;
  [[nodiscard]] std::string blob(int column) const;
  [[nodiscard]] std::optional<double> optional_real(int column) const;
  [[nodiscard]] bool null(int column) const;

 private:
  void check(int code, std::string_view doing) const;

  Database& database_;
  sqlite3_stmt* handle_;
  int next_parameter_ = 1;
};

}  // namespace evo::engine::sqlite
