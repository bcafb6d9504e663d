#include "export/texture_writer.hpp"

#include <fmt/format.h>

namespace evo::exporting {
namespace {

using model::Argument;

std::string channel_format(const Argument& argument) {
  const auto bits = 8 * model::size_of(argument.dtype);
  const std::int64_t channels = argument.texture->channels;
  const char* kind = model::is_floating(argument.dtype)        ? "Float"
                     : model::range_of(argument.dtype).low < 0 ? "Signed"
                                                               : "Unsigned";
  return fmt::format("cudaCreateChannelDesc({}, {}, {}, {}, cudaChannelFormatKind{})", bits,
                     channels > 1 ? bits : 0, channels > 2 ? bits : 0, channels > 2 ? bits : 0, kind);
}

std::string address_mode(model::TextureAddress address) {
  switch (address) {
    case model::TextureAddress::wrap:
      return "cudaAddressModeWrap";
    case model::TextureAddress::mirror:
      return "cudaAddressModeMirror";
    case model::TextureAddress::border:
      return "cudaAddressModeBorder";
    default:
      return "cudaAddressModeClamp";
  }
}

/// What a cudaTextureDesc says, as statements.
std::string sampling(const Argument& argument) {
  const model::TextureModel& texture = *argument.texture;
  std::string text = fmt::format(
      "    cudaTextureDesc sampling = {{}};\n"
      "    for (cudaTextureAddressMode& mode : sampling.addressMode) mode = {};\n"
      "    sampling.filterMode = cudaFilterMode{};\n    sampling.readMode = cudaReadMode{};\n",
      address_mode(texture.address), texture.filter == model::TextureFilter::linear ? "Linear" : "Point",
      texture.normalized_float ? "NormalizedFloat" : "ElementType");
  if (texture.normalized) text += "    sampling.normalizedCoords = 1;\n";
  return text;
}

constexpr const char* definition = R"(
/// The {what} `{name}` as launch() takes it: make() once, fill() from a row-major array on the device whenever that
/// changes{and_back}. Keep it until the kernel has ended.
struct {type} {{
  {object_type} object = 0;
  cudaArray_t array = nullptr;
  void* memory = nullptr;

  {type}() = default;
  {type}(const {type}&) = delete;
  {type}& operator=(const {type}&) = delete;
  ~{type}() {{
    if (object != 0) {destroy}(object);
    if (array != nullptr) cudaFreeArray(array);
    if (memory != nullptr) cudaFree(memory);
  }}
  cudaError_t make([[maybe_unused]] const Axes& axes) {{
    [[maybe_unused]] const cudaChannelFormatDesc format = {format};
    cudaResourceDesc resource = {{}};
{allocation}{sampling}    return {create};
  }}
  cudaError_t fill([[maybe_unused]] const Axes& axes, const void* from, cudaStream_t stream = nullptr) const {{
{fill}  }}
{back}}};
)";

/// Parameters of a copy between a pointer and the array.
std::string copy(bool back, const std::string& width, const std::string& height, const std::string& depth,
                 std::int64_t texel) {
  return fmt::format(
      "    cudaMemcpy3DParms copy = {{}};\n"
      "    copy.{}Ptr = make_cudaPitchedPtr({}, static_cast<size_t>(({}) * {}), static_cast<size_t>({}), "
      "static_cast<size_t>({}));\n"
      "    copy.{}Array = array;\n"
      "    copy.extent = make_cudaExtent(static_cast<size_t>({}), static_cast<size_t>({}), "
      "static_cast<size_t>({}));\n"
      "    copy.kind = cudaMemcpyDeviceToDevice;\n    return cudaMemcpy3DAsync(&copy, stream);\n",
      back ? "dst" : "src", back ? "to" : "const_cast<void*>(from)", width, texel, width, height,
      back ? "src" : "dst", width, height, depth);
}

model::Expected<std::string> object_of(const Argument& argument, const Names& names) {
  const model::TextureModel& texture = *argument.texture;
  std::vector<std::string> sizes;
  for (const model::Expression& size : argument.shape) {
    auto text = names.cpp(size);
    if (!text) return text;
    sizes.push_back(fmt::format("({})", *text));
  }
  if (texture.channels > 1) sizes.pop_back();
  const std::string layers = texture.layered ? sizes.front() : "";
  if (texture.layered) sizes.erase(sizes.begin());
  const std::string width = sizes.back();
  const std::string height = sizes.size() > 1 ? sizes[sizes.size() - 2] : "1";
  const std::string depth = texture.layered ? layers : sizes.size() > 2 ? sizes.front() : "1";
  const std::int64_t texel = model::size_of(argument.dtype) * texture.channels;
  std::string allocation, fill;
  if (texture.memory == model::TextureMemory::linear) {
    const std::string bytes = fmt::format("static_cast<size_t>({} * {})", width, texel);
    allocation = fmt::format(
        "    if (const cudaError_t failed = cudaMalloc(&memory, {0}); failed != cudaSuccess) return failed;\n"
        "    resource.resType = cudaResourceTypeLinear;\n    resource.res.linear.devPtr = memory;\n"
        "    resource.res.linear.desc = format;\n    resource.res.linear.sizeInBytes = {0};\n",
        bytes);
    fill = fmt::format("    return cudaMemcpyAsync(memory, from, {}, cudaMemcpyDeviceToDevice, stream);\n",
                       bytes);
  } else {
    allocation = fmt::format(
        "    const cudaExtent extent = make_cudaExtent(static_cast<size_t>({}), static_cast<size_t>({}), "
        "static_cast<size_t>({}));\n"
        "    if (const cudaError_t failed = cudaMalloc3DArray(&array, &format, extent, {}{}); failed != "
        "cudaSuccess)\n      return failed;\n"
        "    resource.resType = cudaResourceTypeArray;\n    resource.res.array.array = array;\n",
        width, sizes.size() > 1 ? height : "0", texture.layered || sizes.size() > 2 ? depth : "0",
        texture.layered ? "cudaArrayLayered | " : "",
        texture.surface ? "cudaArraySurfaceLoadStore" : "cudaArrayDefault");
    fill = copy(false, width, height, depth, texel);
  }
  const std::string back =
      texture.surface
          ? fmt::format(
                "  cudaError_t bring_back([[maybe_unused]] const Axes& axes, void* to, cudaStream_t "
                "stream = nullptr) const {{\n{}  }}\n",
                copy(true, width, height, depth, texel))
          : "";
  return fmt::format(
      fmt::runtime(definition), fmt::arg("what", texture.surface ? "surface" : "texture"),
      fmt::arg("name", argument.name), fmt::arg("type", texture_type(argument.name, texture)),
      fmt::arg("and_back", texture.surface ? ", bring_back() to read what the kernel wrote" : ""),
      fmt::arg("object_type", parameter_type(argument)),
      fmt::arg("destroy", texture.surface ? "cudaDestroySurfaceObject" : "cudaDestroyTextureObject"),
      fmt::arg("format", channel_format(argument)), fmt::arg("allocation", allocation),
      fmt::arg("sampling", texture.surface ? "" : sampling(argument)),
      fmt::arg("create", texture.surface ? "cudaCreateSurfaceObject(&object, &resource)"
                                         : "cudaCreateTextureObject(&object, &resource, &sampling, nullptr)"),
      fmt::arg("fill", fill), fmt::arg("back", back));
}

}  // namespace

std::string texture_type(const std::string& argument, const model::TextureModel& texture) {
  return (texture.surface ? "Surface_" : "Texture_") + argument;
}

model::Expected<std::string> write_textures(const ExportRequest& request, const Names& names) {
  std::string objects;
  for (const Argument& argument : request.problem.arguments) {
    if (!argument.texture) continue;
    const auto object = object_of(argument, names);
    if (!object) return object;
    objects += *object;
  }
  if (objects.empty()) return objects;
  return fmt::format(
      "\n#if defined(__CUDACC__) || __has_include(<cuda_runtime.h>)\n#include <cuda_runtime.h>\n\n"
      "namespace {0} {{\n{1}\n}}  // namespace {0}\n#endif\n",
      plan_namespace(stem_of(request)), objects);
}

}  // namespace evo::exporting
