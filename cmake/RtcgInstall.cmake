# `cmake --install` gives find_package(rtcg) the targets rtcg::core, rtcg::radar, rtcg::vision and rtcg::dgfem, and the applications.
include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/rtcg)

install(TARGETS rtcg_core rtcg_radar rtcg_vision rtcg_dgfem EXPORT rtcg-targets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(EXPORT rtcg-targets NAMESPACE rtcg:: DESTINATION ${package_dir})
install(DIRECTORY core/rtcg radar vision dgfem DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h"
        PATTERN cuda EXCLUDE PATTERN opencl EXCLUDE PATTERN kernels EXCLUDE)
install(DIRECTORY data/wisdom DESTINATION ${CMAKE_INSTALL_DATADIR}/rtcg FILES_MATCHING PATTERN "*.jsonl")
install(DIRECTORY data/models DESTINATION ${CMAKE_INSTALL_DATADIR}/rtcg FILES_MATCHING PATTERN "*.toml")

configure_package_config_file(cmake/rtcgConfig.cmake.in rtcgConfig.cmake INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(rtcgConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/rtcgConfig.cmake ${PROJECT_BINARY_DIR}/rtcgConfigVersion.cmake DESTINATION ${package_dir})
