# The Vulkan device: its files and its shaders, or a stub where headers or shader compiler are missing. Nothing is
# linked: the loader is opened at run time.
find_path(ABBE_VULKAN_HEADERS vulkan/vulkan_core.h)
find_program(ABBE_GLSLANG glslangValidator)

function(abbe_add_vulkan target)
    if(NOT ABBE_VULKAN OR NOT ABBE_VULKAN_HEADERS OR NOT ABBE_GLSLANG)
        target_sources(${target} PRIVATE vulkan/stub.c)
        return()
    endif()
    set(shaders ${PROJECT_SOURCE_DIR}/shaders/vulkan)
    set(out ${CMAKE_CURRENT_BINARY_DIR}/spirv)
    file(MAKE_DIRECTORY ${out})
    file(GLOB includes CONFIGURE_DEPENDS ${shaders}/*.glsl)
    set(headers)
    foreach(name columns columns_bluestein direct finish rows rows_bluestein rows_back rows_back_bluestein
            separable_columns separable_rows)
        string(REGEX MATCH "_bluestein$" bluestein ${name})
        string(REPLACE "_bluestein" "" file ${name})
        foreach(planes 1 2)
            set(header ${out}/${name}_${planes}.h)
            add_custom_command(OUTPUT ${header}
                COMMAND ${ABBE_GLSLANG} --quiet -V --target-env vulkan1.1 -DPLANES=${planes} -DBLUESTEIN=$<BOOL:${bluestein}>
                    -I${shaders} --vn vk_${name}_${planes} -o ${header} ${shaders}/${file}.comp
                DEPENDS ${shaders}/${file}.comp ${includes}
                COMMENT "Compiling shader ${name} for ${planes} plane(s)"
                VERBATIM)
            list(APPEND headers ${header})
        endforeach()
    endforeach()
    target_sources(${target} PRIVATE
        ${headers}
        vulkan/adapters.c
        vulkan/cache.c
        vulkan/context.c
        vulkan/device.c
        vulkan/engine.c
        vulkan/exchange.c
        vulkan/fourier.c
        vulkan/geometry.c
        vulkan/kernels.c
        vulkan/loader.c
        vulkan/maps.c
        vulkan/memory.c
        vulkan/pipelines.c
        vulkan/queues.c
        vulkan/record.c
        vulkan/region.c
        vulkan/run.c
        vulkan/shaders.c
        vulkan/space.c
        vulkan/spectra.c
        vulkan/submit.c
        vulkan/tally.c
        vulkan/transform.c
        vulkan/upload.c)
    set_source_files_properties(vulkan/shaders.c PROPERTIES INCLUDE_DIRECTORIES ${out})
    target_include_directories(${target} SYSTEM PRIVATE ${ABBE_VULKAN_HEADERS})
endfunction()
