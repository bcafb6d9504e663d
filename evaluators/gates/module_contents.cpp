#include "evaluators/gates/module_contents.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

namespace evo::evaluators::gates {
namespace {

constexpr std::array<std::string_view, 8> by_weight{"dependent_launch", "cache_policy",  "mutable_global",
                                                    "device_heap",      "device_output", "external_function",
                                                    "extra_entry",      "machine_state"};

/// Registers that differ from launch to launch, or tell where and when it runs. What a launch plan fixes
/// (%ntid, %nctaid, %dynamic_smem_size) is not among them.
constexpr std::array<std::string_view, 8> machine_registers{"%clock",  "%globaltimer", "%gridid", "%pm",
                                                            "%envreg", "%smid",        "%nsmid",  "%warpid"};

/// Names and registers: what %, $, _, letters and digits make; a dot separates a register from .x.
bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$' || c == '%';
}

std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> words;
  for (std::size_t i = 0; i < text.size();) {
    if (!is_word(text[i])) {
      ++i;
      continue;
    }
    std::size_t end = i;
    while (end < text.size() && is_word(text[end])) ++end;
    words.push_back(text.substr(i, end - i));
    i = end;
  }
  return words;
}

struct Statement {
  std::string_view text;
  int file = 0, line = 0;  ///< of the last .loc
};

/// The module cut at ';', '{', '}' and the line ends of directives, without comments.
class Module {
 public:
  explicit Module(const std::string& ptx) {
    text_.reserve(ptx.size());
    for (std::size_t i = 0; i < ptx.size(); ++i) {
      if (ptx.compare(i, 2, "//") == 0) {
        i = std::min(ptx.find('\n', i), ptx.size());
        text_ += '\n';
      } else if (ptx.compare(i, 2, "/*") == 0) {
        i = std::min(ptx.find("*/", i + 2), ptx.size() - 2) + 1;
        text_ += ' ';
      } else {
        text_ += ptx[i];
      }
    }
    int file = 0;
    int line = 0;
    for (std::size_t begin = 0; begin < text_.size();) {
      const std::size_t end = end_of(begin);
      const std::string_view statement = trim(std::string_view(text_).substr(begin, end - begin));
      begin = end + 1;
      if (statement.starts_with(".loc")) {
        const auto words = words_of(statement.substr(4));
        if (words.size() >= 2) file = number(words[0]), line = number(words[1]);
      } else if (statement.starts_with(".file")) {
        const std::size_t open = statement.find('"');
        const std::size_t close = statement.rfind('"');
        const auto words = words_of(statement.substr(5));
        if (!words.empty() && open < close)
          files_[number(words[0])] = statement.substr(open + 1, close - open - 1);
      } else if (!statement.empty()) {
        statements_.push_back({statement, file, line});
      }
    }
  }

  [[nodiscard]] const std::vector<Statement>& statements() const { return statements_; }
  [[nodiscard]] std::string file(int index) const {
    const auto found = files_.find(index);
    return found == files_.end() ? std::string() : std::string(found->second);
  }

 private:
  static int number(std::string_view digits) {
    int value = 0;
    std::from_chars(digits.data(), digits.data() + digits.size(), value);
    return value;
  }
  static std::string_view trim(std::string_view text) {
    const std::size_t first = text.find_first_not_of(" \t\r\n");
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1);
  }
  [[nodiscard]] std::size_t end_of(std::size_t begin) const {
    const std::size_t first = std::min(text_.find_first_not_of(" \t\r\n", begin), text_.size());
    for (const std::string_view directive : {".loc", ".file", ".version", ".target", ".address_size"}) {
      if (text_.compare(first, directive.size(), directive) == 0)
        return std::min(text_.find('\n', first), text_.size());
    }
    int braces = 0;  // of vector operands and initialisers
    for (std::size_t i = first; i < text_.size(); ++i) {
      const char c = text_[i];
      if (c == ';') return i;
      if (c == ':' && is_label(first, i)) return i;
      if (c == '{') {
        if (braces == 0 && !opens_operand(first, i)) return i;
        ++braces;
      } else if (c == '}') {
        if (braces == 0) return i;
        --braces;
      }
    }
    return text_.size();
  }

  [[nodiscard]] bool is_label(std::size_t first, std::size_t colon) const {
    if (colon + 1 < text_.size() && text_[colon + 1] == ':') return false;
    return colon > first && std::all_of(text_.begin() + static_cast<std::ptrdiff_t>(first),
                                        text_.begin() + static_cast<std::ptrdiff_t>(colon), is_word);
  }
  /// `{%f1, %f2}` of an instruction, or the values of a variable; otherwise a block begins.
  [[nodiscard]] bool opens_operand(std::size_t first, std::size_t brace) const {
    if (brace == first) return false;
    const char before = text_[text_.find_last_not_of(" \t\r\n", brace - 1)];
    return text_[first] == '.' ? before == '=' : true;
  }

  std::string text_;
  std::vector<Statement> statements_;
  std::map<int, std::string_view> files_;
};

class Inspector {
 public:
  explicit Inspector(const model::Artifact& artifact) : artifact_(artifact), module_(artifact.ptx) {}

  std::optional<model::Failure> run() {
    for (const Statement& statement : module_.statements()) {
      declarations(statement);
      registers(statement);
    }
    if (!globals_.empty()) follow_addresses();
    if (found_.empty()) return std::nullopt;
    std::stable_sort(found_.begin(), found_.end(),
                     [](const auto& a, const auto& b) { return weight(a.kind) < weight(b.kind); });
    model::Failure failure{model::Status::illegal, found_.front().kind, {}};
    failure.evidence = std::move(found_);
    return failure;
  }

 private:
  static std::size_t weight(const std::string& reason) {
    return static_cast<std::size_t>(std::find(by_weight.begin(), by_weight.end(), reason) -
                                    by_weight.begin());
  }

  void add(const std::string& kind, std::string message, const Statement& at) {
    for (const model::Evidence& known : found_) {
      if (known.kind == kind && known.message == message) return;
    }
    found_.push_back(
        {kind, std::move(message), at.line > 0 ? module_.file(at.file) : artifact_.source_file, at.line, {}});
  }

  void declarations(const Statement& statement) {
    const std::string_view text = statement.text;
    if (const std::size_t at = text.find(".entry"); at != std::string_view::npos) {
      const auto words = words_of(text.substr(at + 6));
      if (!words.empty() && words.front() != artifact_.entry) {
        add("extra_entry",
            fmt::format("the module has a kernel {} besides the declared one, {}", words.front(),
                        artifact_.entry),
            {});
      }
      return;
    }
    if (text.starts_with(".extern") && text.find(".func") != std::string_view::npos) {
      external_function(text.substr(text.find(".func") + 5));
      return;
    }
    if (text.find(".func") != std::string_view::npos && text.front() == '.') has_functions_ = true;
    const bool module_scope = text.starts_with(".global") || text.starts_with(".visible .global") ||
                              text.starts_with(".weak .global") || text.starts_with(".common .global");
    if (!module_scope) return;
    const std::string_view declared = text.substr(0, std::min(text.find('='), text.size()));
    const std::size_t bracket = declared.find('[');
    const auto words = words_of(declared.substr(0, bracket));
    if (!words.empty()) globals_.insert(words.back());
  }

  void external_function(std::string_view text) {
    if (text.find('(') != std::string_view::npos && words_of(text.substr(0, text.find('('))).empty()) {
      text = text.substr(std::min(text.find(')'), text.size()));  // past the return value
    }
    const auto words = words_of(text);
    if (words.empty() || words.front() == "__assertfail") return;
    const std::string_view name = words.front();
    if (name == "malloc" || name == "free") {
      add("device_heap", fmt::format("the kernel calls {}: what it allocates outlives the launch", name), {});
    } else if (name == "vprintf") {
      add("device_output", "the kernel calls printf: a candidate prints nothing", {});
    } else {
      add("external_function", fmt::format("the module does not define {}, which it calls", name), {});
    }
  }

  void registers(const Statement& statement) {
    if (statement.text.starts_with("griddepcontrol")) {
      add("dependent_launch", fmt::format("the kernel uses {}: its launch has no dependent", statement.text),
          statement);
    }
    if (statement.text.find("L2::evict_last") != std::string_view::npos)
      add("cache_policy", "the kernel asks for lines to stay in the L2 (evict_last)", statement);
    if (statement.text.find('%') == std::string_view::npos) return;
    for (const std::string_view word : words_of(statement.text)) {
      for (const std::string_view name : machine_registers) {
        if (!word.starts_with(name)) continue;
        const std::string_view rest = word.substr(name.size());
        const bool same = rest.empty() || rest == "64" || rest == "_hi" || rest == "_lo" ||
                          (name == "%pm" || name == "%envreg");
        if (same) add("machine_state", fmt::format("the kernel reads {}", word), statement);
      }
    }
  }

  void follow_addresses() {
    std::map<std::string_view, std::string_view> holds;  // register -> the global whose address it may hold
    const auto held_by = [&](std::string_view text) -> std::string_view {
      for (const std::string_view word : words_of(text)) {
        if (const auto global = globals_.find(word); global != globals_.end()) return *global;
        if (const auto known = holds.find(word); known != holds.end()) return known->second;
      }
      return {};
    };
    for (bool changed = true; changed;) {
      changed = false;
      for (const Statement& statement : module_.statements()) {
        std::string_view text = statement.text;
        if (text.empty() || text.front() == '.') continue;
        if (text.front() == '@') text = text.substr(std::min(text.find_first_of(" \t"), text.size()));
        text = text.substr(std::min(text.find_first_not_of(" \t"), text.size()));
        const std::size_t opcode_end = std::min(text.find_first_of(" \t"), text.size());
        const std::string_view opcode = text.substr(0, opcode_end);
        const std::string_view operands = text.substr(opcode_end);
        const std::size_t open = std::min(operands.find('['), operands.size());
        const std::size_t close = std::min(operands.find(']', open), operands.size());
        const bool stores = opcode.starts_with("st.") || opcode == "st" || opcode.starts_with("atom") ||
                            opcode.starts_with("red.") || opcode.starts_with("cp.") ||
                            opcode.starts_with("multimem");
        if (stores) {
          const auto target = held_by(operands.substr(open, close - open));
          if (!target.empty()) written(target, statement);
          const auto value = held_by(operands.substr(close));
          if (opcode.starts_with("cp.") || value.empty()) continue;
          // Strings go to printf and assert as parameters; nothing else may leave.
          if (!opcode.starts_with("st.param") || has_functions_) written(value, statement);
          continue;
        }
        if (opcode.starts_with("ld") || opcode.starts_with("setp") || opcode.starts_with("prefetch"))
          continue;
        const std::size_t comma = operands.find(',');
        if (comma == std::string_view::npos) continue;
        const auto source = held_by(operands.substr(comma));
        if (source.empty()) continue;
        for (const std::string_view target : words_of(operands.substr(0, comma))) {
          changed = holds.emplace(target, source).second || changed;
        }
      }
    }
  }

  void written(std::string_view global, const Statement& at) {
    add("mutable_global",
        fmt::format("the kernel can write the module's variable {}, which keeps its value between launches",
                    global),
        at);
  }

  const model::Artifact& artifact_;
  Module module_;
  std::set<std::string_view> globals_;
  bool has_functions_ = false;
  std::vector<model::Evidence> found_;
};

}  // namespace

std::optional<model::Failure> check_module(const model::Artifact& artifact) {
  return Inspector(artifact).run();
}

}  // namespace evo::evaluators::gates
