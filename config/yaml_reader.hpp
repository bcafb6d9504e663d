// A view of a YAML node that knows where it stands, so that every complaint has file, line and column.
// Inside config/ a bad value is thrown as Invalid; the public loaders turn it into model::Error.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <yaml-cpp/yaml.h>

#include "model/error.hpp"
#include "model/expression.hpp"
#include "model/value.hpp"

namespace evo::config {

/// Thrown within config/ only.
struct Invalid {
  model::Error error;
};

class Reader {
 public:
  Reader(const YAML::Node& node, std::string file, std::string path)
      : node_(node), file_(std::move(file)), path_(std::move(path)) {}

  /// Parses a whole file; a missing file, no permission or bad YAML is Invalid.
  static Reader load(const std::string& file);

  [[nodiscard]] bool is_map() const { return node_.IsMap(); }
  [[nodiscard]] bool is_sequence() const { return node_.IsSequence(); }
  [[nodiscard]] bool is_scalar() const { return node_.IsScalar(); }
  [[nodiscard]] const std::string& file() const { return file_; }
  [[nodiscard]] int line() const;
  [[nodiscard]] int column() const;
  [[nodiscard]] const YAML::Node& node() const { return node_; }

  /// Invalid at this node: "PATH: message".
  [[noreturn]] void fail(const std::string& message) const;

  /// This is a map whose keys are all known and occur once.
  void expect_keys(const std::vector<std::string>& known) const;
  /// The child under `key`, if the map has it.
  [[nodiscard]] std::optional<Reader> find(std::string_view key) const;
  /// The same, but missing is Invalid.
  [[nodiscard]] Reader at(std::string_view key) const;
  /// Keys in the file's order; each occurs once.
  [[nodiscard]] std::vector<std::string> keys() const;
  /// Elements of a sequence.
  [[nodiscard]] std::vector<Reader> items() const;

  [[nodiscard]] std::string text() const;
  /// The text under `key`; "" without the key.
  [[nodiscard]] std::string optional_text(std::string_view key) const;
  /// The parts of a text like "wrong|nondeterministic"; none of an empty one.
  [[nodiscard]] std::vector<std::string> alternatives() const;
  [[nodiscard]] bool boolean() const;
  [[nodiscard]] std::int64_t integer(std::int64_t low, std::int64_t high) const;
  [[nodiscard]] double number(double low, double high) const;
  /// An integer, or a symbol.
  [[nodiscard]] model::Value value() const;
  [[nodiscard]] model::Expression expression() const;
  /// One of `known`.
  [[nodiscard]] std::string choice(const std::vector<std::string>& known, std::string_view what) const;

 private:
  [[nodiscard]] Reader child(const YAML::Node& node, const std::string& name) const;

  YAML::Node node_;
  std::string file_;
  std::string path_;
};

}  // namespace evo::config
