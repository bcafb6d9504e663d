# Folders whose sources are compiled together where EVO_UNITY is on: what a compile costs before it comes to the sources it is
# for is their common headers, and small folders have the same ones. evo_together(NAME LIBRARY ...) comes before the folders;
# each of the libraries is a target as ever, of which only the sources lie in evo_NAME_together, which is cold where all of
# them are. Without EVO_UNITY it does nothing, so that an edit of one source compiles one source.
function(evo_together name)
  if(NOT EVO_UNITY)
    return()
  endif()
  set_property(GLOBAL APPEND PROPERTY EVO_TOGETHER_NAMES ${name})
  set_property(GLOBAL PROPERTY EVO_TOGETHER_LIBRARIES_${name} ${ARGN})
  set_property(GLOBAL PROPERTY EVO_TOGETHER_COLD_${name} ON)
  foreach(library IN LISTS ARGN)
    set_property(GLOBAL PROPERTY EVO_TOGETHER_OF_${library} ${name})
  endforeach()
endfunction()

# The library `name`, whose sources are compiled in evo_`together`_together.
function(evo_put_together name together cold sources depends private_depends)
  add_library(${name} INTERFACE)
  target_link_libraries(${name} INTERFACE evo_${together}_together)
  set_property(GLOBAL APPEND PROPERTY EVO_TOGETHER_SOURCES_${together} ${sources})
  set_property(GLOBAL APPEND PROPERTY EVO_TOGETHER_DEPENDS_${together} ${depends})
  set_property(GLOBAL APPEND PROPERTY EVO_TOGETHER_PRIVATE_DEPENDS_${together} ${private_depends})
  if(NOT cold)
    set_property(GLOBAL PROPERTY EVO_TOGETHER_COLD_${together} OFF)
  endif()
endfunction()

# After all folders: the libraries that have the sources.
function(evo_compile_together)
  get_property(names GLOBAL PROPERTY EVO_TOGETHER_NAMES)
  foreach(name IN LISTS names)
    foreach(kind COLD LIBRARIES SOURCES DEPENDS PRIVATE_DEPENDS)
      get_property(${kind} GLOBAL PROPERTY EVO_TOGETHER_${kind}_${name})
    endforeach()
    # One another's sources are in the same library.
    list(REMOVE_ITEM DEPENDS ${LIBRARIES})
    list(REMOVE_ITEM PRIVATE_DEPENDS ${LIBRARIES})
    list(REMOVE_DUPLICATES DEPENDS)
    list(REMOVE_DUPLICATES PRIVATE_DEPENDS)
    evo_static_library(evo_${name}_together "${COLD}" "${SOURCES}" "${DEPENDS}" "${PRIVATE_DEPENDS}")
  endforeach()
endfunction()

# set_source_files_properties(FILES ... PROPERTIES ...) for sources of the current folder, wherever they are compiled. A
# property with several words is not for it.
function(evo_source_properties)
  list(FIND ARGN PROPERTIES at)
  list(SUBLIST ARGN 0 ${at} files)
  list(SUBLIST ARGN ${at} -1 properties)
  list(TRANSFORM files PREPEND "${CMAKE_CURRENT_SOURCE_DIR}/")
  set_source_files_properties(${files} DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}" "${PROJECT_SOURCE_DIR}" ${properties})
endfunction()
