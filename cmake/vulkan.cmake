# The Vulkan device: its files and its shaders, or a stub where headers or shader compiler are missing. Nothing is
# linked: the loader is opened at run time.
find_path(ABBE_VULKAN_HEADERS vulkan/vulkan_core.h)
find_program(ABBE_GLSLANG glslangValidator)

# Programs that open Vulkan themselves, examples and tests of abbe/vulkan.h, link the loader.
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
    # Variants: of one plane, of two; and of two with a picture that is an image, where a shader reads or writes one.
    set(options_1 -DPLANES=1 -DSOURCE_IMAGE=0 -DRESULT_IMAGE=0)
    set(options_2 -DPLANES=2 -DSOURCE_IMAGE=0 -DRESULT_IMAGE=0)
    set(options_from_image -DPLANES=2 -DSOURCE_IMAGE=1 -DRESULT_IMAGE=0)
    set(options_to_image -DPLANES=2 -DSOURCE_IMAGE=0 -DRESULT_IMAGE=1)
    set(options_images -DPLANES=2 -DSOURCE_IMAGE=1 -DRESULT_IMAGE=1)
    # And for the Fourier plane: lengths with other primes, long ones, and a grid in 16 bits.
    set(both direct finish)
    set(readers separable_rows)
    set(writers separable_columns)
    set(neither)
    foreach(kind "" _bluestein _long _half _half_bluestein)
        list(APPEND readers rows${kind})
        list(APPEND writers rows_back${kind})
        list(APPEND neither columns${kind})
    endforeach()
    set(headers)
    foreach(name ${both} ${readers} ${writers} ${neither})
        string(REGEX MATCH "_bluestein$" bluestein ${name})
        string(REGEX MATCH "_long$" long ${name})
        string(REGEX MATCH "_half" half ${name})
        string(REGEX REPLACE "_half|_bluestein|_long" "" file ${name})
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
                    -DBLUESTEIN=$<BOOL:${bluestein}> -DLONG=$<BOOL:${long}> -DHALF=$<BOOL:${half}> -I${shaders} -I${shaders}/../shared --vn vk_${name}_${variant} -o ${header} ${shaders}/${file}.comp
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
        vulkan/context.c
        vulkan/device.c
        vulkan/engine.c
        vulkan/exchange.c
        vulkan/fourier.c
        vulkan/geometry.c
        vulkan/kernels.c
        vulkan/loader.c
        vulkan/lost.c
        vulkan/maps.c
        vulkan/memory.c
        vulkan/picture.c
        vulkan/pipelines.c
        vulkan/queues.c
        vulkan/record.c
        vulkan/region.c
        vulkan/run.c
        vulkan/shaders.c
        vulkan/slot.c
        vulkan/space.c
        vulkan/spectra.c
        vulkan/submit.c
        vulkan/tally.c
        vulkan/transform.c
        vulkan/upload.c)
    set_source_files_properties(vulkan/shaders.c PROPERTIES INCLUDE_DIRECTORIES ${out})
    target_include_directories(${target} SYSTEM PRIVATE ${ABBE_VULKAN_HEADERS})
endfunction()
