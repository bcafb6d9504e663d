// What kernels take from the C++ standard library, in the place of the headers that NVRTC has not.
#pragma once

namespace evo::evaluators::compile {

/// Of the prelude: what nvcc has in namespace std without an #include, the mathematical functions, min and
/// max.
extern const char* const standard_names;

/// Texts of headers, by their names. Those of libcu++ that they include are the toolkit's.
extern const char* const type_traits_header;
extern const char* const algorithm_header;
extern const char* const utility_header;
extern const char* const functional_header;
extern const char* const array_header;
extern const char* const limits_header_of_cpp;
extern const char* const tuple_header;
extern const char* const complex_header;
extern const char* const bit_header;
extern const char* const numeric_header;
extern const char* const iterator_header;

}  // namespace evo::evaluators::compile
