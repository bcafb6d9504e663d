// NumPy's .npy format, version 1.0 (numpy.lib.format): magic, version, header length, a Python dictionary,
// data.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "model/error.hpp"

namespace evo::diagnose {

/// The bytes of a C-ordered little-endian file ('<f8' or '<f4'). The product of `shape` is values.size().
[[nodiscard]] std::string npy_bytes(std::span<const double> values, const std::vector<std::int64_t>& shape);
[[nodiscard]] std::string npy_bytes(std::span<const float> values, const std::vector<std::int64_t>& shape);

/// Error: the file cannot be written.
[[nodiscard]] model::Expected<void> write_file(const std::filesystem::path& file, const std::string& bytes);

}  // namespace evo::diagnose
