#include "evaluators/oracle/reference_bytes.hpp"

#include <cstring>
#include <type_traits>
#include <vector>

namespace evo::evaluators::oracle {
namespace {

constexpr std::string_view mark = "evo reference 2\n";

class Writer {
 public:
  template <class T>
  requires std::is_trivially_copyable_v<T>
  void add(const T& value) { bytes_.append(reinterpret_cast<const char*>(&value), sizeof(value)); }
  template <class T>
  void add(const std::vector<T>& values) {
    add(std::uint64_t{values.size()});
    if constexpr (std::is_trivially_copyable_v<T>) {
      bytes_.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T));
    } else {
      for (const T& value : values) add(value);
    }
  }
  [[nodiscard]] std::string take() { return std::move(bytes_); }

 private:
  std::string bytes_{mark};
};

class Reader {
 public:
  explicit Reader(std::string_view bytes) : left_(bytes) {}

  template <class T>
  requires std::is_trivially_copyable_v<T>
  void get(T& value) { copy(&value, 1); }
  template <class T>
  void get(std::vector<T>& values) {
    std::uint64_t count = 0;
    get(count);
    constexpr std::size_t least = std::is_trivially_copyable_v<T> ? sizeof(T) : sizeof(std::uint64_t);
    if (!good_ || count > left_.size() / least) {
      good_ = false;
      return;
    }
    values.resize(count);
    if constexpr (std::is_trivially_copyable_v<T>) {
      copy(values.data(), values.size());
    } else {
      for (T& value : values) get(value);
    }
  }
  [[nodiscard]] bool at_its_end() const { return good_ && left_.empty(); }

 private:
  template <class T>
  void copy(T* to, std::size_t count) {
    good_ = good_ && left_.size() / sizeof(T) >= count;
    if (!good_ || count == 0) return;
    std::memcpy(to, left_.data(), count * sizeof(T));
    left_.remove_prefix(count * sizeof(T));
  }

  std::string_view left_;
  bool good_ = true;
};

/// The fields, in one order for both.
template <class Data, class Each>
void visit(Data& data, const Each& each) {
  each(data.inputs);
  each(data.outputs);
  each(data.rows);
  each(data.plain_errors);
  each(data.conditioning);
  each(data.doubled_at_most);
  each(data.words);
  each(data.in_domain);
  each(data.rules.special_values);
}

}  // namespace

std::string to_bytes(const ReferenceData& data) {
  Writer writer;
  visit(data, [&writer](const auto& field) { writer.add(field); });
  writer.add(static_cast<bool>(data.nearby));
  return writer.take();
}

std::optional<ReadReference> from_bytes(std::string_view bytes) {
  if (!bytes.starts_with(mark)) return std::nullopt;
  Reader reader(bytes.substr(mark.size()));
  ReadReference read;
  visit(read.data, [&reader](auto& field) { reader.get(field); });
  reader.get(read.had_nearby);
  if (!reader.at_its_end()) return std::nullopt;
  return read;
}

}  // namespace evo::evaluators::oracle
