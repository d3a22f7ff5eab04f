# Installs the programs, the libraries with their headers, the data and the configurations, and what
# find_package(scorevi) needs. Every static library below src/ and models/ belongs to the package.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

function(scorevi_targets_below folder result)
  get_property(targets DIRECTORY ${folder} PROPERTY BUILDSYSTEM_TARGETS)
  get_property(subfolders DIRECTORY ${folder} PROPERTY SUBDIRECTORIES)
  foreach(subfolder IN LISTS subfolders)
    scorevi_targets_below(${subfolder} below)
    list(APPEND targets ${below})
  endforeach()
  set(${result} "${targets}" PARENT_SCOPE)
endfunction()

scorevi_targets_below(${PROJECT_SOURCE_DIR}/src _targets)
scorevi_targets_below(${PROJECT_SOURCE_DIR}/models _model_targets)
foreach(_target IN LISTS _targets _model_targets)
  get_target_property(_type ${_target} TYPE)
  if(_type STREQUAL "EXECUTABLE")
    install(TARGETS ${_target} RUNTIME)
  elseif(_type STREQUAL "STATIC_LIBRARY" OR _target MATCHES "^scorevi_backend_")
    string(REGEX REPLACE "^scorevi_" "" _export_name ${_target})
    set_target_properties(${_target} PROPERTIES EXPORT_NAME ${_export_name})
    install(TARGETS ${_target} EXPORT scoreviTargets ARCHIVE)
  endif()
endforeach()

set(_package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/scorevi)
install(EXPORT scoreviTargets NAMESPACE scorevi:: DESTINATION ${_package_dir})
configure_package_config_file(${PROJECT_SOURCE_DIR}/third_party/scoreviConfig.cmake.in
  ${PROJECT_BINARY_DIR}/scoreviConfig.cmake INSTALL_DESTINATION ${_package_dir} PATH_VARS CMAKE_INSTALL_DATADIR)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/scoreviConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/scoreviConfig.cmake ${PROJECT_BINARY_DIR}/scoreviConfigVersion.cmake
  ${PROJECT_SOURCE_DIR}/third_party/FindLibTorch.cmake DESTINATION ${_package_dir})
install(DIRECTORY include/scorevi TYPE INCLUDE)
install(DIRECTORY data configs DESTINATION ${CMAKE_INSTALL_DATADIR}/scorevi PATTERN raw EXCLUDE)
