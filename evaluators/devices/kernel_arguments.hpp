// What a launch passes for a kernel's parameters.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "model/variant.hpp"

namespace evo::evaluators::devices {

using BufferId = std::uint32_t;

/// How a kernel sees a buffer that it takes as a texture or surface object.
struct TextureBinding {
  model::TextureModel model;
  model::DType dtype = model::DType::f32;
  model::TextureExtent extent;
  std::string name;  ///< of the argument, for messages

  [[nodiscard]] std::uint64_t texel_bytes() const {
    return static_cast<std::uint64_t>(model::size_of(dtype) * model.channels);
  }
  /// Of all texels.
  [[nodiscard]] std::uint64_t bytes() const {
    const auto& [width, height, depth] = extent.size;
    const std::int64_t slices = extent.layers > 0 ? extent.layers : depth;
    return texel_bytes() * static_cast<std::uint64_t>(width * height * slices);
  }
  friend bool operator==(const TextureBinding&, const TextureBinding&) = default;
};
struct BufferArgument {
  BufferId buffer = 0;
  std::shared_ptr<const TextureBinding> texture{};  ///< null: the kernel takes a pointer
};
/// A struct by value. Its padding is zero.
struct StructArgument {
  struct Pointer {
    std::uint32_t offset = 0;  ///< bytes
    BufferId buffer = 0;
  };
  std::vector<std::byte> bytes;   ///< the scalars are in place
  std::vector<Pointer> pointers;  ///< addresses that the device puts in
};
/// A pointer to a buffer or an object of it, the bytes of a scalar, or a struct of such.
using KernelArgument = std::variant<BufferArgument, std::vector<std::byte>, StructArgument>;

/// The struct's bytes with the buffers' addresses in them.
[[nodiscard]] inline std::vector<std::byte> bytes_of(
    const StructArgument& argument, const std::function<std::uint64_t(BufferId)>& address_of) {
  std::vector<std::byte> bytes = argument.bytes;
  for (const StructArgument::Pointer& pointer : argument.pointers) {
    const std::uint64_t address = address_of(pointer.buffer);
    std::memcpy(bytes.data() + pointer.offset, &address, sizeof address);
  }
  return bytes;
}

/// The members of one struct as one argument.
[[nodiscard]] inline StructArgument packed(const model::StructPlan& plan,
                                           std::span<const KernelArgument> all) {
  StructArgument result{std::vector<std::byte>(plan.bytes), {}};
  for (std::size_t i = 0; i < plan.offsets.size(); ++i) {
    const KernelArgument& member = all[plan.first + i];
    if (const auto* pointer = std::get_if<BufferArgument>(&member)) {
      result.pointers.push_back({plan.offsets[i], pointer->buffer});
    } else if (const auto& bytes = std::get<std::vector<std::byte>>(member); !bytes.empty()) {
      std::memcpy(result.bytes.data() + plan.offsets[i], bytes.data(), bytes.size());
    }
  }
  return result;
}

/// Where an argument of the plan stands in a parameter of the kernel.
struct ArgumentPlace {
  std::uint32_t argument = 0;
  std::uint64_t offset = 0;  ///< bytes, of a member of a struct
};
/// A parameter of the kernel: one argument, or the members of a struct.
struct ParameterPlaces {
  const model::StructPlan* structure = nullptr;  ///< of the plan
  std::vector<ArgumentPlace> arguments;
};
/// The parameters of a plan's first kernel, in order: the members of each struct that stand together are one.
/// `count` arguments in all.
[[nodiscard]] inline std::vector<ParameterPlaces> places_of(const model::LaunchPlan& plan,
                                                            std::size_t count) {
  std::vector<std::uint32_t> taken;
  for (std::uint32_t i = 0; i < count && !plan.arguments; ++i) taken.push_back(i);
  if (plan.arguments) taken = *plan.arguments;
  const auto whole = [&](const model::StructPlan& plan_of, std::size_t at) {
    for (std::size_t i = 0; i < plan_of.offsets.size(); ++i) {
      if (at + i >= taken.size() || taken[at + i] != plan_of.first + i) return false;
    }
    return true;
  };
  std::vector<ParameterPlaces> parameters;
  for (std::size_t at = 0; at < taken.size();) {
    ParameterPlaces& parameter = parameters.emplace_back();
    for (const model::StructPlan& each : plan.structs) {
      if (whole(each, at)) parameter.structure = &each;
    }
    if (parameter.structure == nullptr) {
      parameter.arguments.push_back({taken[at++], 0});
      continue;
    }
    for (const auto offset : parameter.structure->offsets)
      parameter.arguments.push_back({taken[at++], static_cast<std::uint64_t>(offset)});
  }
  return parameters;
}

/// Of a plan's arguments, those that its first kernel takes, in the order of its parameters: the members of
/// each struct that stand together are one.
[[nodiscard]] inline std::vector<KernelArgument> arguments_of(const model::LaunchPlan& plan,
                                                              std::span<const KernelArgument> all) {
  std::vector<KernelArgument> own, changed;
  if (!plan.scalars.empty()) {
    changed.assign(all.begin(), all.end());
    for (const model::ScalarPlan& scalar : plan.scalars) {
      // An integer: its low bytes come first, as on the device.
      auto& bytes = std::get<std::vector<std::byte>>(changed.at(scalar.argument));
      std::memcpy(bytes.data(), &scalar.value, std::min(bytes.size(), sizeof scalar.value));
    }
    all = changed;
  }
  for (const ParameterPlaces& parameter : places_of(plan, all.size())) {
    if (parameter.structure != nullptr) {
      own.emplace_back(packed(*parameter.structure, all));
    } else {
      own.push_back(all[parameter.arguments.front().argument]);
    }
  }
  return own;
}

}  // namespace evo::evaluators::devices
