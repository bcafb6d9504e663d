#include "bench/agreement/launch_folder.hpp"

#include <fstream>
#include <iterator>

#include <fmt/format.h>

#include "evaluators/gates/case_buffers.hpp"
#include "evaluators/oracle/input_sets.hpp"
#include "evaluators/oracle/layout.hpp"
#include "model/error.hpp"
#include "packs/builtin.hpp"

namespace evo::bench {
namespace {

namespace fs = std::filesystem;

void write_bytes(const fs::path& file, const void* data, std::size_t size) {
  std::ofstream stream(file, std::ios::binary);
  stream.write(static_cast<const char*>(data), static_cast<std::streamsize>(size));
  if (!stream) throw model::Exception(model::ExitCode::environment, "cannot write " + file.string());
}

std::string hexadecimal(const std::vector<std::byte>& bytes) {
  std::string text;
  for (const std::byte byte : bytes) text += fmt::format("{:02x}", static_cast<unsigned>(byte));
  return text;
}

}  // namespace

void write_launches(const fs::path& folder, int index, const model::Artifact& artifact,
                    const std::vector<model::Case>& cases, const model::InputSet& set) {
  write_bytes(folder / fmt::format("{:03}.cubin", index), artifact.cubin.data(), artifact.cubin.size());
  std::string text = fmt::format("entry {}\n", artifact.entry);
  for (std::size_t c = 0; c < cases.size(); ++c) {
    const model::Case& bound = cases[c];
    // The sanitize gate's inputs.
    const auto inputs =
        evaluators::oracle::make_inputs(packs::catalogue_of(packs::builtin()), bound, set, {.seed = 1});
    if (!inputs) throw model::Exception(model::ExitCode::invalid_configuration, inputs.error().text());
    const auto& [grid, block] = std::pair(bound.launch.grid, bound.launch.block);
    text += fmt::format("case {} {} {} {} {} {} {}\n", grid[0], grid[1], grid[2], block[0], block[1],
                        block[2], bound.launch.dynamic_smem);
    for (std::size_t i = 0; i < bound.arguments.size(); ++i) {
      const model::BoundArgument& argument = bound.arguments[i];
      if (argument.role == model::ArgumentRole::scalar) {
        text += fmt::format("scalar {}\n", hexadecimal(evaluators::gates::scalar_bytes(argument)));
        continue;
      }
      std::string file = "-";
      if (argument.role == model::ArgumentRole::input) {
        file = fmt::format("{:03}.{}.{}", index, c, i);
        write_bytes(folder / file, (*inputs)[i].data(), (*inputs)[i].size());
      }
      text += fmt::format("buffer {} {} {}\n", evaluators::oracle::buffer_bytes(argument),
                          evaluators::gates::misalignment(static_cast<unsigned>(c + i)), file);
    }
  }
  write_bytes(folder / fmt::format("{:03}.launches", index), text.data(), text.size());
}

}  // namespace evo::bench
