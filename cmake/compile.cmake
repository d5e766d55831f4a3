# How every C file of the project is compiled.
set(CMAKE_C_STANDARD 11)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

find_package(OpenMP REQUIRED COMPONENTS C)

# What a program adds to link the installed static library. gcc's runtime is found by name from any compiler;
# clang's only through clang's own flag.
if(CMAKE_C_COMPILER_ID STREQUAL GNU)
    list(TRANSFORM OpenMP_C_LIB_NAMES PREPEND -l OUTPUT_VARIABLE ABBE_OPENMP_RUNTIME)
else()
    set(ABBE_OPENMP_RUNTIME ${OpenMP_C_FLAGS})
endif()

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
