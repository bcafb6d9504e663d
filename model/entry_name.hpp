// A kernel's name as problems give it: "ns::k<float, 4>", or "k(float*, int)" where several are called k.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace evo::model {

/// The entry without the parameters that choose among overloads, and those with their brackets: "k<int>" and
/// "(float*, int)" of "k<int>(float*, int)". Brackets of a template's arguments (k<sizeof(int)>) are none.
[[nodiscard]] std::pair<std::string, std::optional<std::string>> without_parameters(std::string_view entry);

/// The entry as an expression of C++ whose value is the kernel's address: "(void (*)(float*, int))ns::k"
/// where parameters choose, else the entry. `scope` stands in front of the name: "::".
[[nodiscard]] std::string address_expression(std::string_view entry, std::string_view scope = "");

/// The last part of its name, without namespaces, template arguments and parameters.
[[nodiscard]] std::string plain_kernel_name(std::string_view entry);

}  // namespace evo::model
