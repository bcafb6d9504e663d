// One round after the other of asking the compiler about a kernel, and of mending the text until it compiles.
// Of probe() alone.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "intake/probe.hpp"

namespace evo::intake {

class Prober {
 public:
  /// `wide`: headers are looked for in the whole repository.
  Prober(evaluators::compile::Compiler& compiler, const ProbeQuestion& question, bool wide);

  tl::expected<ProbeAnswer, model::Failure> run();
  /// After run(): headers that were not there.
  [[nodiscard]] std::size_t missing_headers() const { return left_out_.size() + not_found_.size(); }

 private:
  [[nodiscard]] evaluators::compile::CompileRequest request(const std::string& entry,
                                                            const std::string& epilogue) const;

  /// Does one thing about a failure; false: nothing can be done.
  bool mend(const model::Failure& failure);
  /// __host__ alone, in a class whose other members the kernel needs. The last first: lines stay.
  bool mend_host_members(const model::Failure& failure);
  bool leave_out_members(const model::Failure& failure);
  /// Once: of the file and its headers, only what the kernel leads to.
  bool leave_out_the_unreached(const model::Failure& failure);
  /// constexpr functions run on the device, too. Whether there was one that does not say so.
  bool mark_constexpr();
  /// Other kernels of the file, and functions that only they call, may be written for another toolkit. Where
  /// the kernel needs them after all, the first failure is the one to show.
  bool mend_others(const model::Failure& failure);
  /// The user's header that a compiler calls `file`; null for others.
  std::string* header_of(const std::string& file);
  /// The text that an error stands in: the file's own, or a header of the user's; null for others.
  std::string* text_of(const model::Evidence& evidence);
  /// The lines that it names, by the text that they are of.
  std::map<std::string*, std::vector<int>> lines_of(const model::Failure& failure);
  bool add_include(const model::Evidence& evidence, const std::string& included);
  /// What nvcc's host headers bring along: uint8_t, std::numeric_limits.
  bool add_standard_headers(const model::Failure& failure);
  /// A header of evo's where the compiler misses what it has: functors that CUB has no more (cub::Max of 12
  /// is cuda::maximum of 13), loops of frameworks.
  bool add_own_header(const model::Failure& failure, bool (*is_missing)(const std::string&),
                      const char* header, std::string (*text)());
  /// A file that others include after the types that it takes: the header beside it that declares them.
  bool add_headers_beside(const model::Failure& failure);
  [[nodiscard]] std::filesystem::path folder() const;
  /// Too much shared memory, or assertions about sizes: once more with the smallest values.
  bool with_ones(const model::Failure& failure);
  /// An error in a header that is neither the user's: host libraries are left out, all at once.
  bool mend_foreign(const model::Failure& failure);
  /// Of one header under two names, "t.h" and "lib/t.h", a guard hides the second from the compiler here.
  /// What was cut of the one is cut of the other: elsewhere that may be read first.
  void cut_copies_alike();
  bool mend_include(const model::Evidence& evidence);
  /// What stands beside a header that is not there: each would take a compile of its own to find out.
  void leave_out_others_of(const std::string& missing);
  /// Blanks the line that the evidence is about.
  bool leave_out_line(const model::Evidence& evidence);
  /// Whether the line is in a function that would be cut.
  [[nodiscard]] bool in_host_code(int line) const;

  /// A template over the kernel's type: its name in the module spells the type out.
  void read_types();
  /// Structs by value: what their members are, and where.
  void read_layouts();

  evaluators::compile::Compiler& compiler_;
  const ProbeQuestion& question_;
  ProbeAnswer answer_;
  std::map<std::string, std::string> originals_;  ///< the user's headers before anything was cut
  std::set<std::string> left_out_;                ///< headers of libraries that may be more than the host's
  std::vector<std::pair<std::string, int>> not_found_;  ///< headers that are left out, and their lines
  std::string address_;                                 ///< of the kernel, as an expression
  std::optional<model::Failure> first_failure_;         ///< before functions were left out
  std::set<std::pair<const std::string*, std::string>> included_;  ///< added, by text
  std::optional<model::Failure> sliced_failure_;                   ///< with what the kernel reaches alone
  std::optional<ProbeAnswer> unsliced_;  ///< before what the kernel does not reach was left out
  bool host_cut_ = false, sliced_ = false;
  bool modest_ = false;  ///< open names are 1
};

}  // namespace evo::intake
