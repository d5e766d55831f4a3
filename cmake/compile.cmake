# How every C file of the project is compiled.
set(CMAKE_C_STANDARD 11)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

if(ABBE_WEB)
    add_library(Threads::Threads INTERFACE IMPORTED) # WebAssembly without shared memory has none
else()
    find_package(Threads REQUIRED)
endif()

# Everything that is compiled here links this; nothing of it reaches those who use the library.
add_library(abbe_compile INTERFACE)
target_compile_options(abbe_compile INTERFACE
    -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion -Wno-missing-field-initializers
    -Wstrict-prototypes -Wmissing-prototypes
    # Enumerators are the project's integer constants; clang 19 warns where one meets a double.
    $<$<BOOL:${ABBE_WEB}>:-Wno-enum-float-conversion>
    $<$<BOOL:${ABBE_WERROR}>:-Werror>)

if(ABBE_SANITIZE)
    add_compile_options(-fsanitize=${ABBE_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
    add_link_options(-fsanitize=${ABBE_SANITIZE})
endif()
if(ABBE_FUZZ)
    add_compile_options(-fsanitize=fuzzer-no-link)
endif()
if(ABBE_COVERAGE)
    add_compile_options(--coverage)
    add_link_options(--coverage)
endif()
