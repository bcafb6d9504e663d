// launch(): a function that a program calls instead of the kernel.
#pragma once

#include <string>

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

/// Name of a function, at global scope, that gives the kernel's address.
[[nodiscard]] std::string address_function(const std::string& name);
/// That function, for the end of a file that holds the kernel `entry`.
[[nodiscard]] std::string address_definition(const std::string& name, const std::string& entry);

}  // namespace evo::exporting
