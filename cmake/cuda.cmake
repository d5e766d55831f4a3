# The CUDA device and its kernels, or a stub. Nothing is needed to build it and nothing is linked: the driver and NVRTC,
# which compiles the embedded sources, are opened at run time.
set(ABBE_BUILDS_CUDA ${ABBE_CUDA})

function(abbe_add_cuda target)
    if(NOT ABBE_BUILDS_CUDA)
        target_sources(${target} PRIVATE cuda/stub.c)
        return()
    endif()
    set(kernels ${PROJECT_SOURCE_DIR}/kernels/cuda)
    set(out ${CMAKE_CURRENT_BINARY_DIR}/kernels)
    set(embed ${PROJECT_SOURCE_DIR}/cmake/embed.cmake)
    file(MAKE_DIRECTORY ${out})
    file(GLOB includes CONFIGURE_DEPENDS ${kernels}/*.cuh ${kernels}/*.h)
    file(GLOB files CONFIGURE_DEPENDS RELATIVE ${kernels} ${kernels}/*.cu)
    set(headers)
    foreach(name ${files})
        set(header ${out}/${name}.h)
        add_custom_command(OUTPUT ${header}
            COMMAND ${CMAKE_COMMAND} -DIN=${kernels}/${name} -DOUT=${header} -P ${embed}
            DEPENDS ${kernels}/${name} ${includes} ${embed}
            COMMENT "Embedding kernel ${name}"
            VERBATIM)
        list(APPEND headers ${header})
    endforeach()
    target_sources(${target} PRIVATE
        ${headers}
        cuda/adapters.c
        cuda/adopt.c
        cuda/cache.c
        cuda/compile.c
        cuda/context.c
        cuda/device.c
        cuda/engine.c
        cuda/geometry.c
        cuda/kernels.c
        cuda/launches.c
        cuda/loader.c
        cuda/memory.c
        cuda/prices.c
        cuda/record.c
        cuda/run.c
        cuda/scratch.c
        cuda/slot.c
        cuda/sources.c
        cuda/tables.c
        cuda/transform.c)
    set_source_files_properties(cuda/sources.c PROPERTIES INCLUDE_DIRECTORIES ${out})
endfunction()
