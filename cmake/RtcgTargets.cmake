# rtcg_library(NAME [LINK targets...]): a static library of every .cpp below the calling directory, with the kernel
# texts of its kernels/ embedded as NAME_kernels.h: `rtcg::kernels::backprojection_cl` holds kernels/backprojection.cl.
function(rtcg_embed_kernels target)
  file(GLOB texts CONFIGURE_DEPENDS ${ARGN})
  set(header ${CMAKE_CURRENT_BINARY_DIR}/generated/${target}_kernels.h)
  add_custom_command(
    OUTPUT ${header}
    COMMAND ${CMAKE_COMMAND} -DOUTPUT=${header} "-DTEXTS=${texts}" -P ${PROJECT_SOURCE_DIR}/cmake/embed_kernels.cmake
    DEPENDS ${texts} ${PROJECT_SOURCE_DIR}/cmake/embed_kernels.cmake
    VERBATIM)
  target_sources(${target} PRIVATE ${header})
  target_include_directories(${target} PRIVATE ${CMAKE_CURRENT_BINARY_DIR}/generated)
endfunction()
