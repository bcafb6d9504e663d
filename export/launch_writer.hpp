// launch(): a function that a program calls instead of the kernel.
#pragma once

#include <string>
#include <vector>

#include "export/exporter.hpp"

namespace evo::exporting {

/// Its declarations, for NAME.h: `launch()` for C++ and `NAME_launch()` for C and what loads C libraries.
/// Both take a stream, the run-time axes, the arrays, and those scalars that no axis decides, each in the
/// problem's order.
[[nodiscard]] std::string launch_declarations(const ExportRequest& request, const std::string& name);

/// Their definitions, for NAME.cu, in front of the kernel's source: the macros of the source do not reach
/// them. They launch by address, with each argument's bytes as the problem says them, so that the kernel's
/// own parameter types (`float4*`, a typedef, a template's) need not be spelt.
[[nodiscard]] model::Expected<std::string> launch_definitions(const ExportRequest& request,
                                                              const std::string& name);

/// Name of a function, at global scope, that gives the address of the kernel that is launched first; behind
/// the name of another's stands its launch_suffix().
[[nodiscard]] std::string address_function(const std::string& name);
/// Those functions, and those that fill variables of the module, for the end of the file that holds the
/// kernels.
[[nodiscard]] std::string address_definitions(const ExportRequest& request, const std::string& name);

/// The launches that the variant makes, in their order.
[[nodiscard]] std::vector<const model::LaunchModel*> launches_of(const ExportRequest& request);
/// What names of the first launch's plan end with in that of number `number`, counted from 0: "", "_2", "_3".
[[nodiscard]] std::string launch_suffix(std::size_t number);

}  // namespace evo::exporting
