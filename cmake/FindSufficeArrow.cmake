# Arrow C++ with Parquet: the system's where it is installed, otherwise the headers and libraries in
# the pyarrow wheel that script/install_arrow puts into build/arrow-venv. Gives the target
# SufficeArrow::parquet and the words SufficeArrow_ORIGIN.
set(SufficeArrow_WHEEL_VERSION 26.0.1)  # also in script/install_arrow

find_package(Arrow CONFIG QUIET)
if(Arrow_FOUND)
  find_package(Parquet CONFIG QUIET)
endif()
if(TARGET Parquet::parquet_shared)
  set(SufficeArrow_ORIGIN "the system's Arrow ${Arrow_VERSION}")
  if(NOT TARGET SufficeArrow::parquet)
    add_library(SufficeArrow::parquet INTERFACE IMPORTED)
    target_link_libraries(SufficeArrow::parquet INTERFACE Parquet::parquet_shared Arrow::arrow_shared)
  endif()
else()
  file(GLOB SufficeArrow_FOLDER
    ${PROJECT_SOURCE_DIR}/build/arrow-venv/lib/python3*/site-packages/pyarrow)
  string(REGEX REPLACE "^([0-9]+)\\.([0-9]+)\\..*" "\\1;\\2" version ${SufficeArrow_WHEEL_VERSION})
  list(GET version 0 major)
  list(GET version 1 minor)
  math(EXPR soname "${major} * 100 + ${minor}")
  if(EXISTS ${SufficeArrow_FOLDER}/libparquet.so.${soname})
    set(SufficeArrow_ORIGIN "Arrow ${SufficeArrow_WHEEL_VERSION} of the pyarrow wheel")
    if(NOT TARGET SufficeArrow::parquet)
      add_library(SufficeArrow::arrow SHARED IMPORTED)
      set_target_properties(SufficeArrow::arrow PROPERTIES
        IMPORTED_LOCATION ${SufficeArrow_FOLDER}/libarrow.so.${soname}
        IMPORTED_SONAME libarrow.so.${soname}
        INTERFACE_INCLUDE_DIRECTORIES ${SufficeArrow_FOLDER}/include)
      add_library(SufficeArrow::parquet SHARED IMPORTED)
      set_target_properties(SufficeArrow::parquet PROPERTIES
        IMPORTED_LOCATION ${SufficeArrow_FOLDER}/libparquet.so.${soname}
        IMPORTED_SONAME libparquet.so.${soname}
        INTERFACE_INCLUDE_DIRECTORIES ${SufficeArrow_FOLDER}/include
        INTERFACE_LINK_LIBRARIES SufficeArrow::arrow)
    endif()
  endif()
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(SufficeArrow REQUIRED_VARS SufficeArrow_ORIGIN)
