# Test programs are compiled for a short build: without optimisation and, with AddressSanitizer, without instrumentation of
# the test code itself, which takes four times as long. The rooms under test are instrumented all the same.
function(reelhouse_build_test_fast target)
  target_compile_options(${target} PRIVATE -O0)
  if(REELHOUSE_SANITIZE MATCHES "address")
    target_compile_options(${target} PRIVATE -fno-sanitize=all)
  endif()
endfunction()

# reelhouse_room(NAME [ROOMS room...] [LIBRARIES target...])
#
# One folder under src/reelhouse is one room is one target, reelhouse_<name>. Every .cc file is in it; files that end in
# _test.cc become the test program reelhouse_<name>_test. ROOMS are the rooms it may include (see tools/rooms.toml).
function(reelhouse_room name)
  cmake_parse_arguments(ARG "" "" "ROOMS;LIBRARIES" ${ARGN})
  string(REPLACE "/" "_" target "reelhouse_${name}")
  file(GLOB sources CONFIGURE_DEPENDS "${name}/*.cc")
  set(tests ${sources})
  list(FILTER tests INCLUDE REGEX "_test\\.cc$")
  list(FILTER sources EXCLUDE REGEX "_test\\.cc$")

  list(TRANSFORM ARG_ROOMS REPLACE "/" "_")
  list(TRANSFORM ARG_ROOMS PREPEND "reelhouse_")
  if(sources)
    add_library(${target} STATIC ${sources})
    target_link_libraries(${target} PUBLIC ${ARG_ROOMS} reelhouse_arrow ${ARG_LIBRARIES} Threads::Threads
                                    PRIVATE reelhouse_warnings)
    target_include_directories(${target} PUBLIC "${PROJECT_SOURCE_DIR}/src")
    set_property(GLOBAL APPEND PROPERTY REELHOUSE_ROOM_TARGETS ${target})
  else()
    add_library(${target} INTERFACE)
    target_link_libraries(${target} INTERFACE ${ARG_ROOMS} reelhouse_arrow ${ARG_LIBRARIES} Threads::Threads)
    target_include_directories(${target} INTERFACE "${PROJECT_SOURCE_DIR}/src")
  endif()

  if(REELHOUSE_BUILD_TESTS AND tests)
    add_executable(${target}_test ${tests})
    reelhouse_build_test_fast(${target}_test)
    target_link_libraries(${target}_test PRIVATE ${target} GTest::gmock_main reelhouse_warnings)
    target_include_directories(${target}_test PRIVATE "${PROJECT_SOURCE_DIR}")  # for tests/support
    target_compile_definitions(${target}_test PRIVATE REELHOUSE_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
    add_test(NAME ${target}_test COMMAND ${target}_test)
  endif()
endfunction()
