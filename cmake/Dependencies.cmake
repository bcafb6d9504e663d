# Everything comes from the distribution's packages; scripts/bootstrap names them. Only the CUDA Toolkit's
# headers are needed at build time: NVRTC and libcuda are loaded at run time.
find_program(EVO_CCACHE ccache)
# What is built once from a clone finds nothing in a cache, and pays a twentieth to look and to store.
option(EVO_USE_CCACHE "Compile through ccache where it is found" ON)
if(EVO_CCACHE AND EVO_USE_CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER "${EVO_CCACHE}")
endif()

find_package(Threads REQUIRED)
find_package(Boost 1.81 REQUIRED COMPONENTS json)
find_package(TBB REQUIRED)
find_package(yaml-cpp REQUIRED)
find_package(CLI11 REQUIRED)
find_package(fmt REQUIRED)
find_package(tl-expected REQUIRED)
find_package(SQLite3 REQUIRED)
find_package(OpenSSL REQUIRED COMPONENTS Crypto)
find_path(EVO_RANDOM123_INCLUDE Random123/philox.h REQUIRED)

find_path(EVO_CUDA_INCLUDE cuda.h
  HINTS ENV CUDA_HOME ENV CUDA_PATH PATHS /usr/local/cuda PATH_SUFFIXES include REQUIRED)

# Interface targets with system include paths, so that their warnings are not ours.
add_library(evo_cuda_headers INTERFACE)
target_include_directories(evo_cuda_headers SYSTEM INTERFACE "${EVO_CUDA_INCLUDE}")
add_library(evo_random123 INTERFACE)
target_include_directories(evo_random123 SYSTEM INTERFACE "${EVO_RANDOM123_INCLUDE}")

if(EVO_TESTS)
  find_package(GTest REQUIRED)
  find_package(rapidcheck REQUIRED)
endif()
if(EVO_BENCH)
  find_package(benchmark REQUIRED)
endif()
