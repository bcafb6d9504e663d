// What a kernel that takes `void*` casts it to: the kind of its elements.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace evo::intake {

/// The types that the texts cast `name` to, without const, as they are written: "float", "input_t". `name` is
/// a variable, or the last member of what is cast: (const T*)p.x, reinterpret_cast<T*>(params.x), *(T**)&x is
/// none. In the order of the texts, each once.
[[nodiscard]] std::vector<std::string> casts_of(const std::vector<std::string>& texts,
                                                const std::string& name);

/// The type with what the text between `begin` and `end` calls it by `using` or `typedef` in its place, and
/// with `values`, template parameters and their arguments. "input_t" of `using input_t = typename
/// K::input_t;` and {K, Traits<4>}: "typename Traits<4>::input_t".
[[nodiscard]] std::string spelled_out(const std::string& type, const std::string& text,
                                      const std::vector<std::pair<std::string, std::string>>& values);

}  // namespace evo::intake
