#include "packs/attention/cudnn/attention_case.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace evo::packs::attention::cudnn {
namespace {

std::size_t find(const model::Case& bound, const char* name) {
  const auto& all = bound.arguments;
  const auto found = std::find_if(all.begin(), all.end(), [&](const auto& a) { return a.name == name; });
  return static_cast<std::size_t>(found - all.begin());
}

Attempt<AttentionTensor> tensor_of(const model::Case& bound, const char* name) {
  AttentionTensor tensor;
  tensor.argument = find(bound, name);
  if (tensor.argument == bound.arguments.size())
    return tl::make_unexpected(fmt::format("the problem has no argument {}", name));
  const model::BoundArgument& argument = bound.arguments[tensor.argument];
  if (argument.shape.size() != 4 || argument.strides.size() != 4)
    return tl::make_unexpected(fmt::format("{} is no array of [batch, heads, rows, columns]", name));
  std::copy_n(argument.shape.begin(), 4, tensor.shape.begin());
  std::copy_n(argument.strides.begin(), 4, tensor.strides.begin());
  return tensor;
}

}  // namespace

Attempt<Attention> attention_of(const model::Case& bound) {
  Attention attention;
  const std::array<std::pair<const char*, AttentionTensor*>, 4> tensors{
      {{"Q", &attention.q}, {"K", &attention.k}, {"V", &attention.v}, {"O", &attention.o}}};
  for (const auto& [name, place] : tensors) {
    auto tensor = tensor_of(bound, name);
    if (!tensor) return tl::make_unexpected(tensor.error());
    *place = *tensor;
  }
  const model::DType dtype = bound.arguments[attention.q.argument].dtype;
  for (const auto& [name, place] : tensors) {
    if (bound.arguments[place->argument].dtype != dtype)
      return tl::make_unexpected(fmt::format("{} has another type than Q", name));
  }
  if (dtype != model::DType::f16 && dtype != model::DType::bf16)
    return tl::make_unexpected(fmt::format("no attention of type {} in cuDNN", model::name_of(dtype)));
  attention.type = dtype == model::DType::f16 ? DataType::f16 : DataType::bf16;
  const std::size_t scale = find(bound, "scale");
  if (scale == bound.arguments.size()) return tl::make_unexpected(std::string("the problem has no scale"));
  attention.scale = static_cast<float>(bound.arguments[scale].scalar_float);
  const std::size_t causal = find(bound, "causal");
  attention.causal = causal != bound.arguments.size() && bound.arguments[causal].scalar_integer != 0;
  return attention;
}

}  // namespace evo::packs::attention::cudnn
