# rtcg_library(NAME [LINK targets...]): a static library of every .cpp below the calling directory, with the kernel
# texts of its kernels/ embedded as NAME_kernels.h: `rtcg::kernels::backprojection_cl` holds kernels/backprojection.cl.
function(rtcg_embed_kernels target)
  rtcg_embed_texts(${target} kernels "" ${ARGN})
endfunction()

# Files that match the patterns as string_views in the header TARGET_KIND.h, namespace rtcg::kernels; LIST, where not
# empty, names an array of them all.
function(rtcg_embed_texts target kind list)
  file(GLOB texts CONFIGURE_DEPENDS ${ARGN})
  set(header ${CMAKE_CURRENT_BINARY_DIR}/generated/${target}_${kind}.h)
  add_custom_command(
    OUTPUT ${header}
    COMMAND ${CMAKE_COMMAND} -DOUTPUT=${header} "-DTEXTS=${texts}" -DLIST=${list} -P ${PROJECT_SOURCE_DIR}/cmake/embed_kernels.cmake
    DEPENDS ${texts} ${PROJECT_SOURCE_DIR}/cmake/embed_kernels.cmake
    VERBATIM)
  target_sources(${target} PRIVATE ${header})
  target_include_directories(${target} PRIVATE ${CMAKE_CURRENT_BINARY_DIR}/generated)
endfunction()
