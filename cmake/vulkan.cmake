# The Vulkan device: its files and shaders, or a stub if the headers or the shader compiler are missing.
# Nothing is linked: the loader is opened at run time.
find_path(ABBE_VULKAN_HEADERS vulkan/vulkan_core.h)
find_program(ABBE_GLSLANG glslangValidator)

# Examples and tests of abbe/vulkan.h, which open Vulkan themselves, link the loader.
find_library(ABBE_VULKAN_LOADER vulkan)

set(ABBE_BUILDS_VULKAN OFF)
if(ABBE_VULKAN AND ABBE_VULKAN_HEADERS AND ABBE_GLSLANG)
    set(ABBE_BUILDS_VULKAN ON)
endif()

function(abbe_add_vulkan target)
    if(NOT ABBE_BUILDS_VULKAN)
        target_sources(${target} PRIVATE vulkan/stub.c)
        return()
    endif()
    set(shaders ${PROJECT_SOURCE_DIR}/shaders/vulkan)
    set(out ${CMAKE_CURRENT_BINARY_DIR}/spirv)
    file(MAKE_DIRECTORY ${out})
    file(GLOB includes CONFIGURE_DEPENDS ${shaders}/*.h ${shaders}/*.glsl ${shaders}/../shared/*.glsl)
    # Variants: one plane, two planes, and two planes with an image for each picture that a shader reads or
    # writes.
    set(options_1 -DPLANES=1 -DSOURCE_IMAGE=0 -DRESULT_IMAGE=0)
    set(options_2 -DPLANES=2 -DSOURCE_IMAGE=0 -DRESULT_IMAGE=0)
    set(options_from_image -DPLANES=2 -DSOURCE_IMAGE=1 -DRESULT_IMAGE=0)
    set(options_to_image -DPLANES=2 -DSOURCE_IMAGE=0 -DRESULT_IMAGE=1)
    set(options_images -DPLANES=2 -DSOURCE_IMAGE=1 -DRESULT_IMAGE=1)
    # Kinds of the shaders in the Fourier plane: lengths with other primes, long lengths, a grid in 16 bits; few stages.
    set(both direct finish)
    set(readers separable_rows)
    set(writers separable_columns)
    set(neither)
    foreach(kind "" _few _bluestein _few_bluestein _long _half _half_bluestein)
        list(APPEND readers rows${kind})
        list(APPEND writers rows_back${kind})
        list(APPEND neither columns${kind})
    endforeach()
    set(headers)
    foreach(name ${both} ${readers} ${writers} ${neither})
        string(REGEX MATCH "_bluestein$" bluestein ${name})
        string(REGEX MATCH "_long$" long ${name})
        string(REGEX MATCH "_half" half ${name})
        string(REGEX MATCH "_few" few ${name})
        string(REGEX REPLACE "_few|_half|_bluestein|_long" "" file ${name})
        set(variants 1 2)
        if(name IN_LIST readers)
            list(APPEND variants from_image)
        elseif(name IN_LIST writers)
            list(APPEND variants to_image)
        elseif(name IN_LIST both)
            list(APPEND variants from_image to_image images)
        endif()
        foreach(variant ${variants})
            set(header ${out}/${name}_${variant}.h)
            add_custom_command(OUTPUT ${header}
                COMMAND ${ABBE_GLSLANG} --quiet -V -g0 --target-env vulkan1.1 ${options_${variant}}
                    -DBLUESTEIN=$<BOOL:${bluestein}> -DLONG=$<BOOL:${long}> -DHALF=$<BOOL:${half}>
                    -DFEW=$<BOOL:${few}>
                    -I${shaders} -I${shaders}/../shared --vn vk_${name}_${variant} -o ${header}
                    ${shaders}/${file}.comp
                DEPENDS ${shaders}/${file}.comp ${includes}
                COMMENT "Compiling shader ${name}, variant ${variant}"
                VERBATIM)
            list(APPEND headers ${header})
        endforeach()
    endforeach()
    target_sources(${target} PRIVATE
        ${headers}
        vulkan/adapters.c
        vulkan/adopt.c
        vulkan/cache.c
        vulkan/device.c
        vulkan/engine.c
        vulkan/geometry.c
        vulkan/loader.c
        vulkan/lost.c
        vulkan/memory.c
        vulkan/pipelines.c
        vulkan/prices.c
        vulkan/queues.c
        vulkan/record.c
        vulkan/run.c
        vulkan/scratch.c
        vulkan/shaders.c
        vulkan/slot.c
        vulkan/tables.c
        vulkan/transform.c)
    set_source_files_properties(vulkan/shaders.c PROPERTIES INCLUDE_DIRECTORIES ${out})
    target_include_directories(${target} SYSTEM PRIVATE ${ABBE_VULKAN_HEADERS})
endfunction()
