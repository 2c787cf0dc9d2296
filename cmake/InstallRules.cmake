# Install and export: find_package(reelhouse) gives reelhouse::reelhouse. Components: devel (headers, library, CMake
# files), cli (the program), python (the extension; a wheel holds nothing else).
include(CMakePackageConfigHelpers)

if(TARGET reelhouse)
  set(_package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/reelhouse")

  install(TARGETS reelhouse EXPORT reelhouseTargets
          ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT devel
          INCLUDES DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
  install(EXPORT reelhouseTargets NAMESPACE reelhouse:: DESTINATION "${_package_dir}" COMPONENT devel)

  # Which headers are public follows from their includes at the time of installing.
  install(CODE "set(REELHOUSE_HEADER_ROOT \"${PROJECT_SOURCE_DIR}/src\")
set(REELHOUSE_HEADER_DESTINATION \"\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_INCLUDEDIR}\")" COMPONENT devel)
  install(SCRIPT "${CMAKE_CURRENT_LIST_DIR}/InstallHeaders.cmake" COMPONENT devel)

  configure_package_config_file("${CMAKE_CURRENT_LIST_DIR}/reelhouseConfig.cmake.in"
                                "${PROJECT_BINARY_DIR}/reelhouseConfig.cmake" INSTALL_DESTINATION "${_package_dir}")
  write_basic_package_version_file("${PROJECT_BINARY_DIR}/reelhouseConfigVersion.cmake"
                                   COMPATIBILITY SameMinorVersion)
  install(FILES "${PROJECT_BINARY_DIR}/reelhouseConfig.cmake" "${PROJECT_BINARY_DIR}/reelhouseConfigVersion.cmake"
                "${CMAKE_CURRENT_LIST_DIR}/Arrow.cmake"
          DESTINATION "${_package_dir}" COMPONENT devel)
  install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" "${PROJECT_SOURCE_DIR}/NOTICE"
          DESTINATION "${CMAKE_INSTALL_DOCDIR}" COMPONENT devel)
endif()
