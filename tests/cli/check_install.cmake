# Installs what was built in BUILD under a prefix in WORK, and has the installed program read FILE, a
# Parquet file with the label column `level`. The module that reads it must find Arrow's libraries
# beside itself only, in the build folder, too: with an empty entry in its run path it would search the
# current folder, where a stranger may have put others.
file(REMOVE_RECURSE ${WORK})
execute_process(COMMAND ${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/prefix
  OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
foreach(module ${BUILD}/suffice_arrow.so ${WORK}/prefix/lib/suffice/suffice_arrow.so)
  file(READ_ELF ${module} RPATH old_form RUNPATH searched)
  if(NOT "${old_form}" STREQUAL "" OR NOT "${searched}" STREQUAL "$ORIGIN")
    message(FATAL_ERROR "${module} searches for libraries in '${old_form}${searched}'")
  endif()
endforeach()
execute_process(COMMAND ${WORK}/prefix/bin/suffice stats ${FILE} --label level --features number
  -o ${WORK}/sums.stats WORKING_DIRECTORY / COMMAND_ERROR_IS_FATAL ANY)
