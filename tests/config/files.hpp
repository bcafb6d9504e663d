// A small problem and experiment on disk, for tests that break them one line at a time.
#pragma once

#include <filesystem>
#include <fstream>
#include <string>

#include <unistd.h>

#include "config/loader.hpp"

namespace evo::config::testing {

inline constexpr const char* small_problem = R"yaml(name: copy
axes:
  n: {min: 1, max: 4096, initial: 64}
  width: {compile_time: true, allowed: [1, 2, 4], initial: 2}
args:
  - {name: x, role: input, dtype: f32, shape: [n, width]}
  - {name: y, role: output, dtype: f32, shape: [n, width], strides: [width * 2, 1]}
  - {name: n, role: scalar, dtype: i32, value: n}
  - {name: s, role: scalar, dtype: f32, value: inverse_sqrt(n)}
oracle: copy
input_sets:
  - {name: normal, kind: normal, sigma: 2}
  - {name: ones, kind: ones}
tolerances:
  - {class: exact, relative_frobenius: 0, max_abs_over_rms: 0}
  - {class: loose, relative_frobenius: 0.01, max_abs_over_rms: 1, input_sets: [normal]}
work: {flops: n, bytes: 8 * n}
check_workloads:
  - {name: one, n: 1}
templates:
  plain:
    source: plain.cu
    entry: copy
    headers: [h.cuh]
    genes:
      THREADS: {values: [32, 64], initial: 64}
      KIND: {values: [a, b]}
      SYNC: {role: sync, values: [none, block], initial: block}
    constraints:
      - {require: "THREADS == 64 or KIND == 'a'", reason: b needs 64 threads}
    launch:
      grid: ["ceil_div(n, THREADS)"]
      block: [THREADS]
)yaml";

inline constexpr const char* small_experiment = R"yaml(name: try
problem: copy
workloads:
  - {name: w, n: 100}
target: l4
device: virtual
accuracy_class: loose
baseline:
  template: plain
  genes: {THREADS: 32}
search: {population: 4, generations: 3, seed: 9}
)yaml";

/// kernels/copy and experiments/try.yaml below a fresh folder, removed at the end.
class Files {
 public:
  Files() {
    static int count = 0;
    root_ = std::filesystem::temp_directory_path() /
            ("evo-config-" + std::to_string(::getpid()) + "-" + std::to_string(count++));
    write("kernels/common/h.cuh", "// helper\n");
    write("kernels/copy/plain.cu", "extern \"C\" __global__ void copy() {}\n");
    write("kernels/copy/problem.yaml", small_problem);
    write("experiments/try.yaml", small_experiment);
  }
  ~Files() {
    std::error_code ignored;
    std::filesystem::remove_all(root_, ignored);
  }
  Files(const Files&) = delete;
  Files& operator=(const Files&) = delete;

  void write(const std::string& name, const std::string& text) {
    std::filesystem::create_directories((root_ / name).parent_path());
    std::ofstream(root_ / name) << text;
  }
  /// Replaces the first `from` of a file.
  void edit(const std::string& name, const std::string& from, const std::string& to) {
    std::string text = read(name);
    const std::size_t at = text.find(from);
    if (at == std::string::npos) throw std::logic_error("no such text: " + from);
    write(name, text.replace(at, from.size(), to));
  }
  std::string read(const std::string& name) const {
    std::ifstream stream(root_ / name);
    return {std::istreambuf_iterator<char>(stream), {}};
  }
  std::string path(const std::string& name) const { return (root_ / name).string(); }
  /// kernels/ and the targets that ship.
  SearchPath search_path() const { return {{path("kernels")}, {EVO_SOURCE_DIR "/targets"}}; }

 private:
  std::filesystem::path root_;
};

}  // namespace evo::config::testing
