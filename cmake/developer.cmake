# How the project is compiled by those who work on it: warnings, sanitizers, faster builds. Included at
# top level only and after all targets, so that no other CMake file depends on it, nor does a project
# that adds Suffice as a subfolder.
option(SUFFICE_WERROR "Treat warnings as errors" OFF)
option(SUFFICE_UNITY "Compile up to sixteen sources of a folder at once: less than half of the time" OFF)
option(SUFFICE_PRECOMPILE "Precompile the headers that most sources include" ON)
set(SUFFICE_SANITIZE "" CACHE STRING "Sanitizers for all targets, for example address,undefined")
set(SUFFICE_TEST_OBJECTS "" CACHE PATH "A build folder whose test objects are linked instead of compiled")

include(${CMAKE_CURRENT_LIST_DIR}/unite.cmake)

function(suffice_targets folder result)
  get_property(targets DIRECTORY ${PROJECT_SOURCE_DIR}/${folder} PROPERTY BUILDSYSTEM_TARGETS)
  set(own)
  foreach(target IN LISTS targets)
    get_target_property(type ${target} TYPE)
    if(type MATCHES "(STATIC|SHARED|MODULE|OBJECT)_LIBRARY|EXECUTABLE" AND NOT target MATCHES "^nanobind")
      list(APPEND own ${target})
    endif()
  endforeach()
  set(${result} ${own} PARENT_SCOPE)
endfunction()

function(suffice_warn target)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -Wshadow -Wconversion
    -Wno-sign-conversion $<$<BOOL:${SUFFICE_WERROR}>:-Werror>)
  # GCC 12 sees overlaps and overflows in "text" + std::string() at -O3 that are not there (its bug
  # 105329).
  target_compile_options(${target} PRIVATE
    $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict -Wno-stringop-overflow -Wno-array-bounds>)
endfunction()

function(suffice_sanitize target)
  if(SUFFICE_SANITIZE)
    target_compile_options(${target} PRIVATE -fsanitize=${SUFFICE_SANITIZE} -fno-sanitize-recover=all
      -fno-omit-frame-pointer)
    target_link_options(${target} PRIVATE -fsanitize=${SUFFICE_SANITIZE})
    # Tests are compiled without sanitizers, and Eigen's memory must be the same in both: the address
    # sanitizer alone would change it.
    target_compile_definitions(${target} PRIVATE EIGEN_MALLOC_ALREADY_ALIGNED=1)
  endif()
endfunction()

# ccache, where it is installed. Precompiled headers need the sloppiness, because ccache must trust that
# they depend on no macro or clock, and the compiler's option. With the base folder, two build folders
# share what they compile of the same sources, although CMake writes unity sources into each of them.
find_program(CCACHE ccache)
set(CACHE_SETTINGS CCACHE_SLOPPINESS=pch_defines,time_macros)
if(SUFFICE_UNITY)
  list(APPEND CACHE_SETTINGS CCACHE_BASEDIR=${PROJECT_BINARY_DIR})
endif()
function(suffice_cache target)
  target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-fpch-preprocess>)
  if(CCACHE)
    set_target_properties(${target} PROPERTIES
      CXX_COMPILER_LAUNCHER "${CMAKE_COMMAND};-E;env;${CACHE_SETTINGS};${CCACHE}")
  endif()
endfunction()

# Tests are compiled often and run once, so the compiler does not try hard, and sanitizers watch what
# is tested, not the tests. The thread sanitizer must see both, so there only the files that have a
# test of threads, stops or progress are compiled.
add_library(suffice_test_flags INTERFACE)  # linked last, so that these flags win
target_compile_options(suffice_test_flags INTERFACE -O1 -g0 -fno-sanitize=all)
function(suffice_test_program target)
  if(NOT SUFFICE_SANITIZE STREQUAL "thread")
    target_link_libraries(${target} PRIVATE suffice_test_flags)
    return()
  endif()
  get_target_property(sources ${target} SOURCES)
  set(kept)
  foreach(source IN LISTS sources)
    if(IS_ABSOLUTE ${source})
      file(STRINGS ${source} threaded REGEX "^TEST.*(Thread|Stop|Progress)|^INSTANTIATE")
      if(threaded)
        list(APPEND kept ${source})
      endif()
    endif()
  endforeach()
  if(kept)
    set_target_properties(${target} PROPERTIES SOURCES "${kept}")
  else()
    set_target_properties(${target} PROPERTIES EXCLUDE_FROM_ALL ON)
  endif()
endfunction()

# Links the objects of the same tests in another build folder, which must be up to date: script/test
# does this, because tests are compiled in the same way for the sanitizers and without threads.
function(suffice_borrow_objects target)
  file(GLOB_RECURSE objects ${SUFFICE_TEST_OBJECTS}/tests/CMakeFiles/${target}.dir/*.o)
  set_source_files_properties(${objects} TARGET_DIRECTORY ${target} PROPERTIES EXTERNAL_OBJECT ON)
  set_target_properties(${target} PROPERTIES SOURCES "${objects}" LINKER_LANGUAGE CXX)
endfunction()

# The precompiled headers of the first target serve all targets of a folder.
set(COMMON_HEADERS <Eigen/Core> <algorithm> <atomic> <charconv> <cmath> <functional> <limits> <map>
  <memory> <numeric> <optional> <span> <stop_token> <string> <string_view> <unordered_map> <variant> <vector>)
function(suffice_precompile target first)
  if(target STREQUAL first)
    target_precompile_headers(${target} PRIVATE ${COMMON_HEADERS} ${ARGN})
  else()
    target_precompile_headers(${target} REUSE_FROM ${first})
  endif()
endfunction()

# It gives Eigen another name, so it must see none of its headers before.
set_source_files_properties(src/algebra/tridiagonal_ql.cpp PROPERTIES
  SKIP_PRECOMPILE_HEADERS ON SKIP_UNITY_BUILD_INCLUSION ON)

# Nothing looks at the macro that says "a shared library is being compiled"; without it ccache has the
# shared library's objects already.
set_target_properties(suffice PROPERTIES DEFINE_SYMBOL "")

foreach(folder . cli python examples tests bench fuzz)
  string(TOUPPER SUFFICE_${folder} built)
  if(NOT folder STREQUAL "." AND NOT ${built} AND NOT (folder STREQUAL "cli" AND SUFFICE_PYTHON))
    continue()
  endif()
  suffice_targets(${folder} targets)
  foreach(target IN LISTS targets)
    set_target_properties(${target} PROPERTIES EXPORT_COMPILE_COMMANDS ON)
    suffice_cache(${target})
    suffice_warn(${target})
    suffice_sanitize(${target})
    if(folder STREQUAL "tests")
      suffice_test_program(${target})
      if(SUFFICE_TEST_OBJECTS)
        suffice_borrow_objects(${target})
      elseif(SUFFICE_PRECOMPILE)
        suffice_precompile(${target} unit_tests <gmock/gmock.h> <gtest/gtest.h> <nlohmann/json.hpp>)
      endif()
    elseif(SUFFICE_PRECOMPILE AND target MATCHES "^cli_")
      suffice_precompile(${target} cli_input <fmt/format.h> <nlohmann/json.hpp>)
    elseif(SUFFICE_PRECOMPILE AND target STREQUAL "suffice")
      suffice_precompile(${target} suffice)
    endif()
    if(SUFFICE_UNITY AND folder MATCHES "^(\\.|cli)$")
      suffice_unite(${target} 16)  # fewer and larger units compile faster in all
    elseif(SUFFICE_UNITY)
      suffice_unite(${target} 8)
    endif()
  endforeach()
endforeach()
