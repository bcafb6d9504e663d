# `cmake --install build/release --prefix DIR`: a folder that runs on another x86-64 Linux with a newer glibc.
#   bin/evo   lib/ (its non-system libraries)   share/evo/{kernels,experiments,examples,schema,suites,targets,docs}
# glibc, libstdc++ and libgcc are left to that machine: a driver or an NVRTC loaded there may need newer ones than
# ours. NVRTC and libcuda are always that machine's.
if(TARGET evo)
  # An old-style RPATH holds for the libraries' own dependencies too, which a RUNPATH does not.
  target_link_options(evo PRIVATE LINKER:--disable-new-dtags)
  set_target_properties(evo PROPERTIES INSTALL_RPATH "$ORIGIN/../lib")
  install(TARGETS evo RUNTIME DESTINATION bin)
  install(DIRECTORY kernels experiments examples schema targets docs DESTINATION share/evo)
  install(DIRECTORY suites/attacks suites/bugs DESTINATION share/evo/suites)
  install(FILES LICENSE README.md CHANGELOG.md CONTRIBUTING.md DESTINATION share/evo OPTIONAL)
  install(CODE [[
    file(GET_RUNTIME_DEPENDENCIES
      EXECUTABLES "$<TARGET_FILE:evo>"
      RESOLVED_DEPENDENCIES_VAR libraries
      UNRESOLVED_DEPENDENCIES_VAR missing
      PRE_EXCLUDE_REGEXES
        "^ld-linux" "^linux-vdso" "^lib(c|m|dl|rt|pthread|resolv|util|anl|mvec)[.]so" "^libstdc[+][+]" "^libgcc_s")
    if(missing)
      message(FATAL_ERROR "libraries of evo that are not found here: ${missing}")
    endif()
    foreach(library IN LISTS libraries)
      file(INSTALL "${library}" DESTINATION "${CMAKE_INSTALL_PREFIX}/lib" TYPE SHARED_LIBRARY FOLLOW_SYMLINK_CHAIN)
    endforeach()
  ]])
endif()
# The benchmarks that need a GPU's machine, for a build with EVO_BENCH.
foreach(tool IN ITEMS evo-agreement evo-correlation)
  if(TARGET ${tool})
    target_link_options(${tool} PRIVATE LINKER:--disable-new-dtags)
    set_target_properties(${tool} PROPERTIES INSTALL_RPATH "$ORIGIN/../lib")
    install(TARGETS ${tool} RUNTIME DESTINATION bin)
    install(FILES bench/agreement/instructions.cu DESTINATION share/evo/bench)
  endif()
endforeach()
