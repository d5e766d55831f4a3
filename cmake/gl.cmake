# The GL device and its shaders, or a stub where headers are missing. EGL and OpenGL ES are opened at run time
# and not linked.
if(ABBE_WEB)
    # The headers stand beside those of the system's own libc, which must not be found: links to them alone.
    foreach(folder GLES2 GLES3 KHR)
        find_path(ABBE_${folder}_PARENT ${folder} PATHS /usr/include NO_DEFAULT_PATH REQUIRED)
        file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/headers)
        file(CREATE_LINK ${ABBE_${folder}_PARENT}/${folder} ${CMAKE_BINARY_DIR}/headers/${folder} SYMBOLIC)
    endforeach()
    set(ABBE_EGL_HEADERS ${CMAKE_BINARY_DIR}/headers)
    set(ABBE_GLES_HEADERS ${CMAKE_BINARY_DIR}/headers)
endif()
find_path(ABBE_EGL_HEADERS EGL/egl.h)
find_path(ABBE_GLES_HEADERS GLES3/gl3.h)

# Examples and tests of abbe/gl.h open OpenGL themselves and link it.
find_library(ABBE_EGL_LIBRARY EGL)
find_library(ABBE_GLES_LIBRARY GLESv2)

set(ABBE_BUILDS_GL OFF)
if(ABBE_GL AND ABBE_EGL_HEADERS AND ABBE_GLES_HEADERS)
    set(ABBE_BUILDS_GL ON)
endif()

function(abbe_add_gl target)
    if(NOT ABBE_BUILDS_GL)
        target_sources(${target} PRIVATE gl/stub.c)
        return()
    endif()
    set(shaders ${PROJECT_SOURCE_DIR}/shaders/gl)
    set(out ${CMAKE_CURRENT_BINARY_DIR}/glsl)
    set(embed ${PROJECT_SOURCE_DIR}/cmake/embed.cmake)
    file(MAKE_DIRECTORY ${out})
    file(GLOB includes CONFIGURE_DEPENDS ${shaders}/*.glsl ${shaders}/../shared/*.glsl)
    set(headers)
    file(GLOB files CONFIGURE_DEPENDS RELATIVE ${shaders} ${shaders}/*.frag ${shaders}/*.vert)
    foreach(name ${files})
        set(header ${out}/${name}.h)
        add_custom_command(OUTPUT ${header}
            COMMAND ${CMAKE_COMMAND} -DIN=${shaders}/${name} -DOUT=${header} -P ${embed}
            DEPENDS ${shaders}/${name} ${includes} ${embed}
            COMMENT "Embedding shader ${name}"
            VERBATIM)
        list(APPEND headers ${header})
    endforeach()
    target_sources(${target} PRIVATE
        ${headers}
        gl/context.c
        $<IF:$<BOOL:${ABBE_WEB}>,gl/egl_absent.c,gl/egl.c>
        gl/device.c
        gl/draw.c
        gl/engine.c
        gl/fast.c
        gl/fialka.c
        gl/filter_textures.c
        gl/fourier.c
        gl/geometry.c
        gl/adopted.c
        gl/kernels.c
        gl/lengths.c
        gl/moreland.c
        gl/programs.c
        gl/run.c
        gl/shaders.c
        gl/space.c
        gl/spectra.c
        gl/state.c
        gl/prices.c
        gl/textures.c)
    set_source_files_properties(gl/shaders.c PROPERTIES INCLUDE_DIRECTORIES ${out})
    target_include_directories(${target} SYSTEM PRIVATE ${ABBE_EGL_HEADERS} ${ABBE_GLES_HEADERS})
endfunction()
