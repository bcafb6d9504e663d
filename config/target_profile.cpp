#include "config/target_profile.hpp"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include "config/keys.hpp"
#include "config/settings.hpp"

namespace evo::config {
namespace {

using model::TargetProfile;

/// A number that the file must have, within the bounds of the table.
template <class T>
void need(const Reader& reader, std::string_view name, T& field) {
  (void)reader.at(name);
  take(reader, target_keys(), name, field);
}

/// 89 of sm_89, 90 of sm_90a.
int number_of(std::string_view arch) {
  int number = 0;
  for (const char c : arch.substr(3)) {
    if (std::isdigit(static_cast<unsigned char>(c)) != 0) number = 10 * number + (c - '0');
  }
  return number;
}

void read_arch(const Reader& key, TargetProfile& target) {
  target.arch = key.text();
  if (!is_architecture(target.arch))
    key.fail(fmt::format("'{}' is no architecture of NVRTC, such as sm_89 or sm_90a", target.arch));
  target.compute_major = number_of(target.arch) / 10;
  target.compute_minor = number_of(target.arch) % 10;
}

void read_device_names(const Reader& reader, TargetProfile& target) {
  target.device_names = {target.name};
  const auto list = reader.find("device_names");
  if (!list) return;
  target.device_names.clear();
  for (const Reader& item : list->items()) {
    const std::string word = item.text();
    const bool blank =
        std::none_of(word.begin(), word.end(), [](unsigned char c) { return std::isalnum(c) != 0; });
    if (blank) item.fail("a device's name has letters or digits");
    target.device_names.push_back(word);
  }
}

}  // namespace

bool is_architecture(std::string_view word) {
  if (!word.starts_with("sm_")) return false;
  word.remove_prefix(3);
  if (!word.empty() && (word.back() == 'a' || word.back() == 'f')) word.remove_suffix(1);
  return (word.size() == 2 || word.size() == 3) &&
         std::all_of(word.begin(), word.end(), [](unsigned char c) { return std::isdigit(c) != 0; });
}

TargetProfile read_profile(const Reader& reader) {
  reader.expect_keys(key_names(target_keys()));
  TargetProfile target;
  const Reader name = reader.at("name");
  target.name = name.text();
  if (target.name.empty() || target.name.find('/') != std::string::npos)
    name.fail("the name is a file's: not empty, no '/'");
  target.description = reader.optional_text("description");
  read_device_names(reader, target);
  read_arch(reader.at("arch"), target);
  need(reader, "sm_count", target.sm_count);
  need(reader, "clock_ghz", target.clock_ghz);
  need(reader, "smem_per_block_optin_bytes", target.smem_per_block_optin);
  need(reader, "smem_per_sm_bytes", target.smem_per_sm);
  need(reader, "smem_reserved_per_block_bytes", target.smem_reserved_per_block);
  need(reader, "max_threads_per_block", target.max_threads_per_block);
  need(reader, "max_warps_per_sm", target.max_warps_per_sm);
  need(reader, "max_blocks_per_sm", target.max_blocks_per_sm);
  need(reader, "registers_per_sm", target.registers_per_sm);
  need(reader, "max_registers_per_thread", target.max_registers_per_thread);
  need(reader, "dram_gb_per_s", target.dram_gb_per_s);
  need(reader, "l2_gb_per_s", target.l2_gb_per_s);
  need(reader, "l2_bytes", target.l2_bytes);
  need(reader, "tensor_fp16_flops_per_sm_cycle", target.tensor_flops_per_cycle);
  if (target.smem_per_block_optin > target.smem_per_sm) {
    reader.at("smem_per_block_optin_bytes")
        .fail(fmt::format("{} is more than an SM has: smem_per_sm_bytes is {}", target.smem_per_block_optin,
                          target.smem_per_sm));
  }
  if (target.max_threads_per_block > 32 * target.max_warps_per_sm) {
    reader.at("max_threads_per_block")
        .fail(fmt::format("{} are more than the {} warps of an SM have", target.max_threads_per_block,
                          target.max_warps_per_sm));
  }
  return target;
}

void write_profile(YAML::Emitter& out, const TargetProfile& target) {
  const auto put = [&](const char* name, const auto& value) {
    out << YAML::Key << name << YAML::Value << fmt::format("{}", value);
  };
  out << YAML::BeginMap;
  out << YAML::Key << "name" << YAML::Value << target.name;
  if (!target.description.empty()) out << YAML::Key << "description" << YAML::Value << target.description;
  out << YAML::Key << "device_names" << YAML::Value << YAML::Flow << target.device_names;
  out << YAML::Key << "arch" << YAML::Value << target.arch;
  put("sm_count", target.sm_count);
  put("clock_ghz", target.clock_ghz);
  put("smem_per_block_optin_bytes", target.smem_per_block_optin);
  put("smem_per_sm_bytes", target.smem_per_sm);
  put("smem_reserved_per_block_bytes", target.smem_reserved_per_block);
  put("max_threads_per_block", target.max_threads_per_block);
  put("max_warps_per_sm", target.max_warps_per_sm);
  put("max_blocks_per_sm", target.max_blocks_per_sm);
  put("registers_per_sm", target.registers_per_sm);
  put("max_registers_per_thread", target.max_registers_per_thread);
  put("dram_gb_per_s", target.dram_gb_per_s);
  put("l2_gb_per_s", target.l2_gb_per_s);
  put("l2_bytes", target.l2_bytes);
  put("tensor_fp16_flops_per_sm_cycle", target.tensor_flops_per_cycle);
  out << YAML::EndMap;
}

std::string profile_text(const TargetProfile& target) {
  YAML::Emitter out;
  write_profile(out, target);
  return out.c_str();
}

model::Expected<TargetProfile> profile_from_text(const std::string& text) {
  try {
    return read_profile(Reader(YAML::Load(text), "a target", ""));
  } catch (const Invalid& invalid) {
    return tl::unexpected(invalid.error);
  } catch (const YAML::Exception& error) {
    return tl::unexpected(model::Error{error.what(), "a target", error.mark.line + 1, error.mark.column + 1});
  }
}

}  // namespace evo::config
