# What `cmake --install` lays down: library, headers, CMake package, pkg-config file, texts.
include(CMakePackageConfigHelpers)

set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/abbe)

install(TARGETS abbe abbe_static EXPORT abbeTargets
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
    ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(FILES include/abbe/abbe.h include/abbe/measure.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/abbe)
if(ABBE_BUILDS_CUDA)
    install(FILES include/abbe/cuda.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/abbe)
endif()
if(ABBE_BUILDS_GL)
    install(FILES include/abbe/gl.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/abbe)
endif()
if(ABBE_BUILDS_VULKAN)
    install(FILES include/abbe/vulkan.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/abbe)
endif()
install(FILES LICENSE README.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY docs DESTINATION ${CMAKE_INSTALL_DOCDIR})

install(EXPORT abbeTargets NAMESPACE abbe:: DESTINATION ${package_folder})
configure_package_config_file(cmake/abbeConfig.cmake.in ${PROJECT_BINARY_DIR}/abbeConfig.cmake
    INSTALL_DESTINATION ${package_folder})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/abbeConfigVersion.cmake
    COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/abbeConfig.cmake ${PROJECT_BINARY_DIR}/abbeConfigVersion.cmake
    DESTINATION ${package_folder})

# pkg-config finds the prefix from the place of its own file, so that an installation can be moved.
file(RELATIVE_PATH pc_prefix ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
configure_file(cmake/abbe.pc.in ${PROJECT_BINARY_DIR}/abbe.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/abbe.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
