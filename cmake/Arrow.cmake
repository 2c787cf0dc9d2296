# Arrow C++ with Parquet as reelhouse_arrow: an installed Arrow if there is one, else the libraries in the pyarrow wheel.
# Used by this build and, installed beside reelhouseConfig.cmake, by projects that use the library.
#
# The wheel's libparquet exports a whole OpenSSL without symbol versions. libcrypto and libssl must therefore come first
# among the NEEDED libraries of everything that links it, or programs crash at start (docs/decisions).
if(TARGET reelhouse_arrow)
  return()
endif()
set(REELHOUSE_ARROW "auto" CACHE STRING "Where Arrow comes from: auto, installed, wheel")

# Inside find_package a failure is told to its caller, who may do without.
macro(_reelhouse_arrow_missing text)
  if(CMAKE_FIND_PACKAGE_NAME)
    set(${CMAKE_FIND_PACKAGE_NAME}_FOUND FALSE)
    set(${CMAKE_FIND_PACKAGE_NAME}_NOT_FOUND_MESSAGE "${text}")
    return()
  endif()
  message(FATAL_ERROR "${text}")
endmacro()

find_package(OpenSSL REQUIRED)

set(REELHOUSE_ARROW_KIND "wheel")
if(NOT REELHOUSE_ARROW STREQUAL "wheel")
  find_package(Arrow QUIET CONFIG)
  find_package(Parquet QUIET CONFIG)
  if(Arrow_FOUND AND Parquet_FOUND)
    set(REELHOUSE_ARROW_KIND "installed")
  elseif(REELHOUSE_ARROW STREQUAL "installed")
    _reelhouse_arrow_missing("REELHOUSE_ARROW=installed, but no Arrow with Parquet was found; set CMAKE_PREFIX_PATH to it")
  endif()
endif()

if(REELHOUSE_ARROW_KIND STREQUAL "installed")
  set(_arrow_version "${Arrow_VERSION}")
  set(_arrow_place "installed at ${Arrow_DIR}")
else()
  find_package(Python3 COMPONENTS Interpreter)
  set(_arrow_failed "no Python 3 was found")
  if(Python3_Interpreter_FOUND)
    execute_process(
      COMMAND ${Python3_EXECUTABLE} -c
              "import pyarrow; print(pyarrow.get_include(), pyarrow.get_library_dirs()[0], pyarrow.__version__, sep='\\n')"
      OUTPUT_VARIABLE _arrow_wheel OUTPUT_STRIP_TRAILING_WHITESPACE RESULT_VARIABLE _arrow_failed ERROR_VARIABLE _arrow_error)
  endif()
  if(_arrow_failed)
    _reelhouse_arrow_missing("No installed Arrow and no pyarrow in ${Python3_EXECUTABLE}: pip install pyarrow, \
or set CMAKE_PREFIX_PATH to an Arrow. (${_arrow_failed} ${_arrow_error})")
  endif()
  string(REPLACE "\n" ";" _arrow_wheel "${_arrow_wheel}")
  list(GET _arrow_wheel 0 _arrow_include)
  list(GET _arrow_wheel 1 _arrow_libraries)
  list(GET _arrow_wheel 2 _arrow_version)
  set(_arrow_place "pyarrow wheel in ${_arrow_libraries}")
endif()
string(REGEX MATCH "^[0-9]+" REELHOUSE_ARROW_MAJOR "${_arrow_version}")
message(STATUS "Arrow ${_arrow_version}: ${_arrow_place}")

add_library(reelhouse_arrow INTERFACE)
target_link_options(reelhouse_arrow INTERFACE
    "LINKER:--push-state,--no-as-needed" "${OPENSSL_CRYPTO_LIBRARY}" "${OPENSSL_SSL_LIBRARY}" "LINKER:--pop-state")
if(REELHOUSE_ARROW_KIND STREQUAL "installed")
  target_link_libraries(reelhouse_arrow INTERFACE Arrow::arrow_shared Parquet::parquet_shared)
  if(TARGET ArrowCompute::arrow_compute_shared)
    target_link_libraries(reelhouse_arrow INTERFACE ArrowCompute::arrow_compute_shared)
  endif()
else()
  set(REELHOUSE_ARROW_LIBRARY_DIR "${_arrow_libraries}" CACHE INTERNAL "")
  target_include_directories(reelhouse_arrow SYSTEM INTERFACE "${_arrow_include}")
  foreach(_arrow_name parquet arrow_compute arrow)
    file(GLOB _arrow_file "${_arrow_libraries}/lib${_arrow_name}.so.*")
    if(_arrow_file)
      target_link_libraries(reelhouse_arrow INTERFACE "${_arrow_file}")
    endif()
  endforeach()
  target_link_options(reelhouse_arrow INTERFACE "LINKER:-rpath,${_arrow_libraries}")
endif()
