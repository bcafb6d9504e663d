// Several kernels of one name: which is meant, and a text with that one alone.
#pragma once

#include <string>
#include <vector>

#include "intake/signature.hpp"

namespace evo::intake {

/// Those of the kernels whose parameters have these types. Blanks, names of parameters, and const of a
/// parameter itself do not count.
[[nodiscard]] std::vector<KernelText> with_parameters(const std::vector<KernelText>& kernels,
                                                      const std::vector<std::string>& types);

/// One kernel for each list of parameters among those that the compiler sees side by side: those in different
/// arms of an #if are alternatives. More than one: a name alone does not say which is meant.
[[nodiscard]] std::vector<KernelText> overloads_in(const std::string& source,
                                                   const std::vector<KernelText>& kernels);

/// Without those that stand in an #if for cards older than evo's (__CUDA_ARCH__ < 800), where others remain.
[[nodiscard]] std::vector<KernelText> for_todays_cards(const std::string& source,
                                                       std::vector<KernelText> kernels);

/// "k(const float*, int)": how the entry is to be given.
/// `arguments` are those of the template that were given: "k<float, 4>(const T*, int)".
[[nodiscard]] std::string with_types(const KernelText& kernel,
                                     const std::vector<std::string>& arguments = {});

/// The text with the other kernels of the same name blank; lines stay where they are.
[[nodiscard]] std::string without_other_overloads(std::string source, const std::vector<KernelText>& chosen);

/// The text without declarations of kernels called `name` whose parameters are not of these types; lines stay
/// where they are. A header declares all of them, and then the name alone does not say which is meant.
[[nodiscard]] std::string without_other_declarations(std::string text, const std::string& name,
                                                     const std::vector<std::string>& types);

}  // namespace evo::intake
