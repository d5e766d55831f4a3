# How every C file of the project is compiled.
set(CMAKE_C_STANDARD 11)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

find_package(Threads REQUIRED)

# Everything that is compiled here links this; nothing of it reaches those who use the library.
add_library(abbe_compile INTERFACE)
target_compile_options(abbe_compile INTERFACE
    -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion -Wno-missing-field-initializers
    -Wstrict-prototypes -Wmissing-prototypes
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
