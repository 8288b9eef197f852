# Arrow C++ with Parquet: the system's if it is installed, otherwise the headers and libraries of the
# pyarrow wheel that script/install_arrow puts into build/arrow-venv. Gives the target
# SufficeArrow::parquet, the words SufficeArrow_ORIGIN, and in SufficeArrow_LIBRARIES what must lie
# beside a module that uses it: nothing of the system's.
set(SufficeArrow_LIBRARIES)
find_package(Arrow CONFIG QUIET)
if(Arrow_FOUND)
  find_package(Parquet CONFIG QUIET)
endif()
file(GLOB wheel ${PROJECT_SOURCE_DIR}/build/arrow-venv/lib/python3*/site-packages/pyarrow)
file(GLOB wheel_parquet ${wheel}/libparquet.so.*)
if(TARGET Parquet::parquet_shared)
  set(SufficeArrow_ORIGIN "the system's Arrow ${Arrow_VERSION}")
  add_library(SufficeArrow::parquet INTERFACE IMPORTED)
  target_link_libraries(SufficeArrow::parquet INTERFACE Parquet::parquet_shared Arrow::arrow_shared)
elseif(wheel AND wheel_parquet)
  set(SufficeArrow_ORIGIN "the pyarrow wheel in build/arrow-venv")
  string(REPLACE libparquet libarrow wheel_arrow ${wheel_parquet})
  set(SufficeArrow_LIBRARIES ${wheel_parquet} ${wheel_arrow})
  add_library(SufficeArrow::parquet INTERFACE IMPORTED)
  target_include_directories(SufficeArrow::parquet INTERFACE ${wheel}/include)
  target_link_libraries(SufficeArrow::parquet INTERFACE ${SufficeArrow_LIBRARIES})
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(SufficeArrow REQUIRED_VARS SufficeArrow_ORIGIN)
