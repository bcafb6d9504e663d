// Reading JSON that another tool wrote: what is missing or of another type is told by its path.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <boost/json.hpp>

#include "intake/draft.hpp"

namespace evo::intake {

/// Throws model::Exception(invalid_configuration): "FILE: MESSAGE".
[[noreturn]] void refuse_import(const std::string& file, const std::string& message);

/// A value of a document with its path, for messages.
class ForeignJson {
 public:
  ForeignJson(const boost::json::value& value, std::string file, std::string path = {})
      : value_(&value), file_(std::move(file)), path_(std::move(path)) {}
  /// Parses a whole file; see import_draft for errors.
  static boost::json::value parse(const std::string& file, const std::string& text);

  [[nodiscard]] bool has(std::string_view key) const;
  [[nodiscard]] ForeignJson at(std::string_view key) const;
  [[nodiscard]] std::vector<ForeignJson> items() const;
  /// Keys of an object, in their order.
  [[nodiscard]] std::vector<std::string> keys() const;
  /// A string, or a number as its text.
  [[nodiscard]] std::string text() const;
  /// "" without the key.
  [[nodiscard]] std::string optional_text(std::string_view key) const;
  [[nodiscard]] std::int64_t integer() const;
  [[nodiscard]] bool is_null() const { return value_->is_null(); }
  [[nodiscard]] bool is_text() const { return value_->is_string(); }
  [[noreturn]] void fail(const std::string& message) const;

 private:
  const boost::json::value* value_;
  std::string file_, path_;
};

[[nodiscard]] Draft draft_of_t1(const ForeignJson& document, const std::string& file);
[[nodiscard]] Draft draft_of_definition(const ForeignJson& document, const std::string& file,
                                        const std::string& workloads);

}  // namespace evo::intake
