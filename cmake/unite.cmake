# Sources of a folder become one translation unit, `most` at most, so private helpers need names that
# are unique in their folder. Kernels stay alone: each is compiled for several instruction sets. So
# does tridiagonal_ql.cpp, which gives Eigen another name, and a source with options of its own; CMake sees
# to that.
function(suffice_unite target most)
  get_target_property(sources ${target} SOURCES)
  list(FILTER sources EXCLUDE REGEX "/(kernels_[a-z]+|tridiagonal_ql)\\.cpp$")
  list(SORT sources)
  set(last "")
  foreach(source IN LISTS sources)
    cmake_path(GET source PARENT_PATH folder)
    if(source MATCHES "/tests/")  # a namespace for each file, so folders may share a unit
      set(folder tests)
    endif()
    if(NOT folder STREQUAL last OR count EQUAL ${most})
      cmake_path(GET source STEM group)
      set(last ${folder})
      set(count 0)
    endif()
    math(EXPR count "${count} + 1")
    set_property(SOURCE ${source} TARGET_DIRECTORY ${target} PROPERTY UNITY_GROUP ${group}_and_others)
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  # GCC takes an included source for a header, whose types should not use anonymous namespaces.
  target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
endfunction()
