// Bytes of requests, artifacts and failures: on the wire to a compile worker and in the artifact cache.
// Integers are 8 bytes little-endian, texts have their length in front. Decoding checks every bound.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <tl/expected.hpp>

#include "evaluators/compile/compiler.hpp"
#include "model/artifact.hpp"
#include "model/verdict.hpp"

namespace evo::evaluators::compile {

/// Changes whenever the layout below does, or what is found in a module; part of cache keys and of a worker's
/// greeting.
inline constexpr std::uint64_t codec_version = 3;

class ByteWriter {
 public:
  ByteWriter& integer(std::int64_t value);
  ByteWriter& real(double value);
  ByteWriter& text(std::string_view value);
  [[nodiscard]] const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

/// After a read past the end every further read gives zero or an empty text, and ok() is false.
class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes) : bytes_(bytes) {}
  [[nodiscard]] std::int64_t integer();
  [[nodiscard]] double real();
  [[nodiscard]] std::string text();
  /// A count of elements that take at least one byte each; more than the bytes left is an error.
  [[nodiscard]] std::size_t count();
  [[nodiscard]] bool ok() const { return ok_; }
  [[nodiscard]] bool at_end() const { return bytes_.empty(); }
  void fail() { ok_ = false; }

 private:
  std::string_view bytes_;
  bool ok_ = true;
};

using CompileResult = tl::expected<model::Artifact, model::Failure>;

[[nodiscard]] std::string encode(const CompileRequest& request);
[[nodiscard]] std::optional<CompileRequest> decode_request(std::string_view bytes);

/// `from_cache` is not stored.
[[nodiscard]] std::string encode(const CompileResult& result);
[[nodiscard]] std::optional<CompileResult> decode_result(std::string_view bytes);

}  // namespace evo::evaluators::compile
