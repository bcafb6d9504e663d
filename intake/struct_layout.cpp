#include "intake/struct_layout.hpp"

#include <cxxabi.h>
#include <algorithm>
#include <cstdlib>
#include <memory>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "intake/signature.hpp"
#include "intake/struct_text.hpp"
#include "intake/types.hpp"

namespace evo::intake {
namespace {

constexpr std::size_t most_members = 60;  // of 64 slots that use_of() tells apart
constexpr const char* layout_kernel = "evo_layout_of";

/// What one question to the compiler brings of a type and some of its members.
struct TypeAnswer {
  std::vector<std::string> types;  ///< of the members; of arrays their elements'
  std::vector<std::uint64_t> numbers;
};

std::optional<TypeAnswer> read_answer(const std::string& mangled) {
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> text(
      abi::__cxa_demangle(mangled.c_str(), nullptr, nullptr, &status), std::free);
  if (status != 0) return std::nullopt;
  const std::string name = text.get();
  const std::size_t open = name.find("(*)(");
  if (open == std::string::npos) return std::nullopt;
  std::size_t close = open + 4;
  for (int depth = 1; close < name.size(); ++close) {
    if (name[close] == '(') ++depth;
    if (name[close] == ')' && --depth == 0) break;
  }
  TypeAnswer answer;
  answer.types = split_list(name.substr(open + 4, close - open - 4), true);
  const std::size_t end = name.find('>', close);
  if (end == std::string::npos) return std::nullopt;
  for (const std::string& number : split_list(name.substr(close + 1, end - close - 1)))
    if (!number.empty()) answer.numbers.push_back(std::strtoull(number.c_str(), nullptr, 10));
  return answer;
}

class LayoutReader {
 public:
  LayoutReader(const AskName& ask, const std::vector<std::string>& texts) : ask_(ask), texts_(texts) {}

  StructLayout run(const std::string& address, std::size_t parameter, const std::string& type) {
    head_ = fmt::format(
        "template <int evo_I, class evo_F> struct evo_parameter;\n"
        "template <class evo_R, class evo_A, class... evo_B> struct evo_parameter<0, evo_R (*)(evo_A, "
        "evo_B...)> {{ typedef evo_A type; "
        "}};\n"
        "template <int evo_I, class evo_R, class evo_A, class... evo_B> struct evo_parameter<evo_I, evo_R "
        "(*)(evo_A, evo_B...)> : "
        "evo_parameter<evo_I - 1, evo_R (*)(evo_B...)> {{}};\n"
        "template <class evo_T> struct evo_pointee {{}};\n"
        "template <class evo_T> struct evo_pointee<evo_T*> {{ typedef evo_T type; }};\n"
        "template <class evo_T> struct evo_pointee<const evo_T*> {{ typedef evo_T type; }};\n"
        "template <class evo_T> struct evo_item {{ typedef evo_T type; static constexpr int array = 0; }};\n"
        "template <class evo_T, unsigned long long evo_N> struct evo_item<evo_T[evo_N]> : evo_item<evo_T> {{ "
        "static constexpr "
        "int array = 1; }};\n"
        "template <class evo_F, unsigned long long... evo_N> __global__ void {}() {{}}\n",
        layout_kernel);
    const std::string root = fmt::format("evo_parameter<{}, decltype({})>::type", parameter, address);
    const std::string behind = struct_pointed_to(type);
    behind_pointer_ = !behind.empty();
    if (behind.empty()) {
      visit({root}, type, "", 0);
    } else {
      visit({fmt::format("evo_pointee<{}>::type", root)}, behind, "", 0);
    }
    std::ranges::stable_sort(layout_.members, {}, &StructMember::offset);
    return std::move(layout_);
  }

 private:
  void object(const std::string& why) {
    if (layout_.objection.empty()) layout_.objection = why;
  }

  [[nodiscard]] std::vector<std::string> names_in(const std::string& type) const {
    const ElementType element = element_type(type);
    static const std::vector<std::string> sides{"x", "y", "z", "w"};
    if (element.lanes > 1 && !element.pointer) return {sides.begin(), sides.begin() + element.lanes};
    if (type == "dim3") return {"x", "y", "z"};
    return data_members(texts_, type);
  }

  void add(const std::string& path, const std::string& type, std::uint64_t offset) {
    layout_.members.push_back({path, type, static_cast<std::uint32_t>(offset)});
    if (layout_.members.size() > most_members)
      object(fmt::format("it has more than {} members", most_members));
  }

  /// The type at the end of `steps`, each a type in terms of the one before, evo_struct0 the first.
  void visit(const std::vector<std::string>& steps, const std::string& type, const std::string& path,
             std::uint64_t offset) {
    std::string epilogue = head_;
    for (std::size_t i = 0; i < steps.size(); ++i)
      epilogue += fmt::format("typedef {} evo_struct{};\n", steps[i], i);
    epilogue += fmt::format("typedef evo_struct{} evo_struct;\n", steps.size() - 1);
    const std::vector<std::string> names = names_in(type);
    std::string types, numbers;
    std::size_t count = 0;
    const auto number = [&](const std::string& value) {
      epilogue += fmt::format("constexpr unsigned long long evo_number_{} = {};\n", count, value);
      numbers += fmt::format(", evo_number_{}", count++);
    };
    number("sizeof(evo_struct)");
    number("alignof(evo_struct)");
    number("__is_enum(evo_struct)");
    number("__is_empty(evo_struct)");
    for (std::size_t i = 0; i < names.size(); ++i) {
      epilogue += fmt::format("typedef evo_item<decltype(evo_struct::{})>::type evo_type_{};\n", names[i], i);
      types += fmt::format("{}evo_type_{}", i == 0 ? "" : ", ", i);
      // NVRTC has no __builtin_offsetof; this is what its offsetof would be.
      number(fmt::format("__INTADDR__(&((evo_struct*)0)->{})", names[i]));
      number(fmt::format("sizeof(evo_struct::{})", names[i]));
      number(fmt::format("sizeof(evo_type_{})", i));
      number(fmt::format("evo_item<decltype(evo_struct::{})>::array", names[i]));
    }
    const auto mangled = ask_(fmt::format("{}<void (*)({}){}>", layout_kernel, types, numbers), epilogue);
    const auto answer = mangled ? read_answer(*mangled) : std::nullopt;
    if (!answer || answer->types.size() != names.size() || answer->numbers.size() != count)
      return object(names.empty() ? "no file that is here declares it" : "its members cannot be read");
    const auto& n = answer->numbers;
    if (steps.size() == 1) {
      layout_.bytes = static_cast<std::uint32_t>(n[0]);
      layout_.alignment = static_cast<std::uint32_t>(n[1]);
    }
    if (n[2] != 0)
      return add(path, n[0] == 8 ? "long long" : n[0] == 2 ? "short" : n[0] == 1 ? "char" : "int", offset);
    if (names.empty() && n[3] == 0)
      return object(fmt::format("{} is declared nowhere, or its members cannot be read", type));
    for (std::size_t i = 0; i < names.size(); ++i) {
      const std::uint64_t at = n[4 + 4 * i], whole = n[5 + 4 * i], item = n[6 + 4 * i];
      const std::uint64_t items = item == 0 ? 0 : whole / item;
      // By value each element is a parameter; behind a pointer they are a row of numbers.
      if (behind_pointer_ && n[7 + 4 * i] != 0 && items > 0 && !is_struct_type(answer->types[i])) {
        add(path.empty() ? names[i] : path + "." + names[i], answer->types[i], offset + at);
        layout_.members.back().count = static_cast<std::uint32_t>(items);
        continue;
      }
      if (items > most_members) return object(fmt::format("{} has {} elements", names[i], items));
      for (std::uint64_t k = 0; k < items && layout_.objection.empty(); ++k) {
        std::string inner = path.empty() ? names[i] : path + "." + names[i];
        if (n[7 + 4 * i] != 0) inner += fmt::format("[{}]", k);
        if (is_struct_type(answer->types[i])) {
          std::vector<std::string> deeper = steps;
          deeper.push_back(
              fmt::format("evo_item<decltype(evo_struct{}::{})>::type", steps.size() - 1, names[i]));
          visit(deeper, answer->types[i], inner, offset + at + k * item);
        } else {
          add(inner, answer->types[i], offset + at + k * item);
        }
      }
    }
  }

  const AskName& ask_;
  const std::vector<std::string>& texts_;
  std::string head_;
  StructLayout layout_;
  bool behind_pointer_ = false;
};

}  // namespace

StructLayout layout_of(const AskName& ask, const std::vector<std::string>& texts, const std::string& address,
                       std::size_t parameter, const std::string& type) {
  return LayoutReader(ask, texts).run(address, parameter, type);
}

bool is_struct_type(const std::string& type) {
  const ElementType element = element_type(type);
  return !element.pointer && (element.dtype.empty() || element.lanes > 1);
}

std::string struct_pointed_to(const std::string& type) {
  const ElementType element = element_type(type);
  std::string plain;
  for (const std::string& word : split_list(type)) plain += word;
  if (!element.pointer || !element.dtype.empty() || std::ranges::count(plain, '*') != 1) return {};
  plain = trimmed(plain.substr(0, plain.find('*')));
  if (plain.ends_with(" const")) plain = trimmed(plain.substr(0, plain.size() - 6));
  if (plain.starts_with("const ")) plain = trimmed(plain.substr(6));
  return plain == "void" ? std::string() : plain;
}

ElementType element_of(const StructLayout& layout) {
  ElementType result;
  if (!layout.objection.empty() || layout.members.empty()) return result;
  std::uint32_t end = 0, lanes = 0;
  for (const StructMember& member : layout.members) {
    const ElementType each = element_type(member.type);
    const bool alike = result.dtype.empty() || each.dtype == result.dtype;
    if (each.pointer || each.dtype.empty() || !alike || member.offset != end) return {};
    result.dtype = each.dtype;
    end += bytes_of_type(member.type) * member.count;
    lanes += member.count;
  }
  if (end != layout.bytes) return {};
  result.lanes = static_cast<int>(lanes);
  result.structure = true;
  return result;
}

std::uint32_t bytes_of_type(const std::string& type) {
  const ElementType element = element_type(type);
  return element.pointer ? 8U : static_cast<std::uint32_t>(bytes_of(element.dtype));
}

}  // namespace evo::intake
