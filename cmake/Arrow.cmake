# Arrow C++ with Parquet as reelhouse_arrow: an installed Arrow if there is one, else the libraries in the pyarrow wheel.
#
# The wheel's libparquet exports a whole OpenSSL without symbol versions. libcrypto and libssl must therefore come first
# among the NEEDED libraries of everything that links it, or programs crash at start (docs/decisions).
set(REELHOUSE_ARROW "auto" CACHE STRING "Where Arrow comes from: auto, installed, wheel")

add_library(reelhouse_arrow INTERFACE)
find_package(OpenSSL REQUIRED)
target_link_options(reelhouse_arrow INTERFACE
    "LINKER:--push-state,--no-as-needed" "${OPENSSL_CRYPTO_LIBRARY}" "${OPENSSL_SSL_LIBRARY}" "LINKER:--pop-state")

set(_installed OFF)
if(NOT REELHOUSE_ARROW STREQUAL "wheel")
  find_package(Arrow QUIET CONFIG)
  find_package(Parquet QUIET CONFIG)
  if(Arrow_FOUND AND Parquet_FOUND)
    set(_installed ON)
  elseif(REELHOUSE_ARROW STREQUAL "installed")
    message(FATAL_ERROR "REELHOUSE_ARROW=installed, but no Arrow with Parquet was found; set CMAKE_PREFIX_PATH to it")
  endif()
endif()

if(_installed)
  message(STATUS "Arrow ${Arrow_VERSION}: installed at ${Arrow_DIR}")
  target_link_libraries(reelhouse_arrow INTERFACE Arrow::arrow_shared Parquet::parquet_shared)
  if(TARGET ArrowCompute::arrow_compute_shared)
    target_link_libraries(reelhouse_arrow INTERFACE ArrowCompute::arrow_compute_shared)
  endif()
else()
  find_package(Python3 REQUIRED COMPONENTS Interpreter)
  execute_process(
    COMMAND ${Python3_EXECUTABLE} -c
            "import pyarrow; print(pyarrow.get_include(), pyarrow.get_library_dirs()[0], pyarrow.__version__, sep='\\n')"
    OUTPUT_VARIABLE _wheel OUTPUT_STRIP_TRAILING_WHITESPACE RESULT_VARIABLE _failed ERROR_VARIABLE _error)
  if(_failed)
    message(FATAL_ERROR "No installed Arrow and no pyarrow in ${Python3_EXECUTABLE}: pip install pyarrow, "
                        "or set CMAKE_PREFIX_PATH to an Arrow. (${_error})")
  endif()
  string(REPLACE "\n" ";" _wheel "${_wheel}")
  list(GET _wheel 0 _include)
  list(GET _wheel 1 _libraries)
  list(GET _wheel 2 _version)
  message(STATUS "Arrow ${_version}: pyarrow wheel in ${_libraries}")
  set(REELHOUSE_ARROW_LIBRARY_DIR "${_libraries}" CACHE INTERNAL "")
  target_include_directories(reelhouse_arrow SYSTEM INTERFACE "$<BUILD_INTERFACE:${_include}>")
  foreach(_name parquet arrow_compute arrow)
    file(GLOB _file "${_libraries}/lib${_name}.so.*")
    if(_file)
      target_link_libraries(reelhouse_arrow INTERFACE "${_file}")
    endif()
  endforeach()
  target_link_options(reelhouse_arrow INTERFACE "LINKER:-rpath,${_libraries}")
endif()
