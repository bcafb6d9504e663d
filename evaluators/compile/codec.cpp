#include "evaluators/compile/codec.hpp"

#include <bit>

#include "model/fields.hpp"

namespace evo::evaluators::compile {

ByteWriter& ByteWriter::integer(std::int64_t value) {
  const auto bits = static_cast<std::uint64_t>(value);
  for (int shift = 0; shift < 64; shift += 8) bytes_ += static_cast<char>(bits >> shift & 0xff);
  return *this;
}

ByteWriter& ByteWriter::real(double value) {
  return integer(std::bit_cast<std::int64_t>(value));
}

ByteWriter& ByteWriter::text(std::string_view value) {
  integer(static_cast<std::int64_t>(value.size()));
  bytes_ += value;
  return *this;
}

std::int64_t ByteReader::integer() {
  if (!ok_ || bytes_.size() < 8) {
    ok_ = false;
    return 0;
  }
  std::uint64_t bits = 0;
  for (std::size_t i = 8; i-- > 0;) bits = bits << 8 | static_cast<unsigned char>(bytes_[i]);
  bytes_.remove_prefix(8);
  return static_cast<std::int64_t>(bits);
}

double ByteReader::real() {
  return std::bit_cast<double>(integer());
}

std::size_t ByteReader::count() {
  const std::int64_t value = integer();
  if (value < 0 || static_cast<std::uint64_t>(value) > bytes_.size()) {
    ok_ = false;
    return 0;
  }
  return static_cast<std::size_t>(value);
}

std::string ByteReader::text() {
  const std::size_t size = count();
  if (!ok_) return {};
  std::string value(bytes_.substr(0, size));
  bytes_.remove_prefix(size);
  return value;
}

std::string encode(const CompileRequest& request) {
  ByteWriter out;
  out.text(request.source).text(request.source_file).text(request.entry).text(request.arch);
  out.integer(static_cast<std::int64_t>(request.headers.size()));
  for (const auto& [name, text] : request.headers) out.text(name).text(text);
  out.integer(static_cast<std::int64_t>(request.options.size()));
  for (const auto& option : request.options) out.text(option);
  out.real(request.timeout_s).integer(request.memory_mb);
  out.integer(static_cast<std::int64_t>(request.other_entries.size()));
  for (const auto& entry : request.other_entries) out.text(entry);
  return out.bytes();
}

std::optional<CompileRequest> decode_request(std::string_view bytes) {
  ByteReader in(bytes);
  CompileRequest request;
  request.source = in.text();
  request.source_file = in.text();
  request.entry = in.text();
  request.arch = in.text();
  for (std::size_t left = in.count(); left > 0 && in.ok(); --left) {
    std::string name = in.text();
    request.headers.insert_or_assign(std::move(name), in.text());
  }
  for (std::size_t left = in.count(); left > 0 && in.ok(); --left) request.options.push_back(in.text());
  request.timeout_s = in.real();
  request.memory_mb = in.integer();
  for (std::size_t left = in.count(); left > 0 && in.ok(); --left) request.other_entries.push_back(in.text());
  if (!in.ok() || !in.at_end()) return std::nullopt;
  return request;
}

namespace {

using Details = std::vector<std::pair<std::string, std::string>>;

/// The value's fields one after the other.
template <class T>
void put_fields(ByteWriter& out, const T& value) {
  model::visit_fields(value, [&]<class Field>(const char*, const Field& field) {
    if constexpr (std::is_same_v<Field, Details>) {
      out.integer(static_cast<std::int64_t>(field.size()));
      for (const auto& [key, text] : field) out.text(key).text(text);
    } else if constexpr (std::is_same_v<Field, std::string>) {
      out.text(field);
    } else {
      out.integer(std::int64_t{field});
    }
  });
}

template <class T>
T get_fields(ByteReader& in) {
  T value;
  model::visit_fields(value, [&]<class Field>(const char*, Field& field) {
    if constexpr (std::is_same_v<Field, Details>) {
      for (std::size_t pairs = in.count(); pairs > 0 && in.ok(); --pairs) {
        std::string key = in.text();
        field.emplace_back(std::move(key), in.text());
      }
    } else if constexpr (std::is_same_v<Field, std::string>) {
      field = in.text();
    } else {
      field = static_cast<Field>(in.integer());
    }
  });
  return value;
}

void put(ByteWriter& out, const model::Artifact& artifact) {
  out.text(artifact.entry).text(artifact.arch).text(artifact.ptx).text(artifact.cubin);
  put_fields(out, artifact.resources);
  out.integer(static_cast<std::int64_t>(artifact.others.size()));
  for (const model::FurtherKernel& kernel : artifact.others) {
    out.text(kernel.entry);
    put_fields(out, kernel.resources);
  }
  out.text(artifact.compiler_log).text(artifact.source_file).text(artifact.code_hash).text(artifact.compiler);
  out.real(artifact.compile_ms);
}

model::Artifact get_artifact(ByteReader& in) {
  model::Artifact artifact;
  artifact.entry = in.text();
  artifact.arch = in.text();
  artifact.ptx = in.text();
  artifact.cubin = in.text();
  artifact.resources = get_fields<model::ResourceUsage>(in);
  for (std::size_t left = in.count(); left > 0 && in.ok(); --left) {
    std::string entry = in.text();
    artifact.others.push_back({std::move(entry), get_fields<model::ResourceUsage>(in)});
  }
  artifact.compiler_log = in.text();
  artifact.source_file = in.text();
  artifact.code_hash = in.text();
  artifact.compiler = in.text();
  artifact.compile_ms = in.real();
  return artifact;
}

void put(ByteWriter& out, const model::Failure& failure) {
  out.text(model::name_of(failure.status)).text(failure.reason);
  out.integer(static_cast<std::int64_t>(failure.evidence.size()));
  for (const model::Evidence& item : failure.evidence) put_fields(out, item);
}

model::Failure get_failure(ByteReader& in) {
  model::Failure failure;
  const auto status = model::status_from_name(in.text());
  if (!status) in.fail();
  failure.status = status.value_or(model::Status::compile_error);
  failure.reason = in.text();
  for (std::size_t left = in.count(); left > 0 && in.ok(); --left)
    failure.evidence.push_back(get_fields<model::Evidence>(in));
  return failure;
}

}  // namespace

std::string encode(const CompileResult& result) {
  ByteWriter out;
  out.integer(result.has_value() ? 1 : 0);
  if (result) {
    put(out, *result);
  } else {
    put(out, result.error());
  }
  return out.bytes();
}

std::optional<CompileResult> decode_result(std::string_view bytes) {
  ByteReader in(bytes);
  CompileResult result;
  if (in.integer() == 1) {
    result = get_artifact(in);
  } else {
    result = tl::unexpected(get_failure(in));
  }
  if (!in.ok() || !in.at_end()) return std::nullopt;
  return result;
}

}  // namespace evo::evaluators::compile
