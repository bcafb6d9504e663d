#include "export/package_writer.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "export/cpp_expression.hpp"

namespace evo::exporting {

std::string write_package(const ExportRequest& request, const std::string& name, bool selftest) {
  const std::string target = identifier(name);
  const std::string digits = request.target.arch.substr(request.target.arch.find('_') + 1);
  const std::string options = request.variant.options.empty()
                                  ? std::string()
                                  : fmt::format("target_compile_options({} PRIVATE {})  # as it was proven\n",
                                                target, fmt::join(request.variant.options, " "));
  std::string text = fmt::format(
      R"(# {name}: variant {variant} of problem {problem}. The library {target}::{target} has launch(); see {name}.h.
#   cmake -B build && cmake --build build && cmake --install build --prefix DIR
cmake_minimum_required(VERSION 3.23)
project({target} LANGUAGES CXX CUDA)
include(GNUInstallDirs)

if(NOT DEFINED CACHE{{{target}_ARCHITECTURE}})
  set({target}_ARCHITECTURE {arch} CACHE STRING "The architecture that the kernel was proven for")
endif()
add_library({target} {name}.cu)
add_library({target}::{target} ALIAS {target})
set_target_properties({target} PROPERTIES CUDA_ARCHITECTURES "${{{target}_ARCHITECTURE}}" POSITION_INDEPENDENT_CODE ON
                      PUBLIC_HEADER "{headers}")
target_compile_features({target} PUBLIC cxx_std_17)
target_include_directories({target} PUBLIC $<BUILD_INTERFACE:${{CMAKE_CURRENT_SOURCE_DIR}}>
                           $<INSTALL_INTERFACE:${{CMAKE_INSTALL_INCLUDEDIR}}>)
{options}install(TARGETS {target} EXPORT {target}-config)
install(EXPORT {target}-config NAMESPACE {target}:: DESTINATION ${{CMAKE_INSTALL_LIBDIR}}/cmake/{target})
)",
      fmt::arg("name", name), fmt::arg("variant", request.variant.id),
      fmt::arg("problem", request.problem.name), fmt::arg("target", target), fmt::arg("arch", digits),
      fmt::arg("options", options),
      fmt::arg("headers",
               request.kernel_template.launch.tensor_maps.empty() ? name + ".h" : name + ".h;evo_tma.cuh"));
  if (selftest) {
    text += fmt::format(R"(
if(PROJECT_IS_TOP_LEVEL)
  enable_testing()
  file(GLOB reference ${{CMAKE_CURRENT_SOURCE_DIR}}/selftest_*.cu)
  add_executable(selftest selftest.cu ${{reference}})
  target_link_libraries(selftest PRIVATE {0}::{0})
  set_target_properties(selftest PROPERTIES CUDA_ARCHITECTURES "${{{0}_ARCHITECTURE}}")
  add_test(NAME selftest COMMAND selftest)
endif()
)",
                        target);
  }
  return text;
}

}  // namespace evo::exporting
