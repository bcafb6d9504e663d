#include "evaluators/gates/module_contents.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "evaluators/gates/ptx_statements.hpp"

namespace evo::evaluators::gates {
namespace {

constexpr std::array<std::string_view, 8> by_weight{"dependent_launch", "cache_policy",  "mutable_global",
                                                    "device_heap",      "device_output", "external_function",
                                                    "extra_entry",      "machine_state"};

/// Registers that differ from launch to launch, or tell where and when it runs. What a launch plan fixes
/// (%ntid, %nctaid, %dynamic_smem_size) is not among them.
constexpr std::array<std::string_view, 8> machine_registers{"%clock",  "%globaltimer", "%gridid", "%pm",
                                                            "%envreg", "%smid",        "%nsmid",  "%warpid"};

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
        const auto [opcode, operands] = instruction_of(statement);
        if (opcode.empty()) continue;
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
  PtxModule module_;
  std::set<std::string_view> globals_;
  bool has_functions_ = false;
  std::vector<model::Evidence> found_;
};

}  // namespace

std::optional<model::Failure> check_module(const model::Artifact& artifact) {
  return Inspector(artifact).run();
}

}  // namespace evo::evaluators::gates
