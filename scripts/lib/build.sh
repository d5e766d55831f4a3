# Configures and builds a preset. Sourced, not run.
# shellcheck shell=bash

# build PRESET [TARGET…]: configures and builds; prints the compiler's output only when something fails.
# Without targets it builds those of the build preset.
build()
{
    local preset=$1
    shift
    # A new build folder uses Ninja where it is installed; an existing one keeps its generator.
    if [ -z "${CMAKE_GENERATOR:-}" ] && command -v ninja >/dev/null; then
        export CMAKE_GENERATOR=Ninja
    fi
    quietly "$preset-configure" cmake --preset "$preset" || return 1
    quietly "$preset-build" cmake --build --preset "$preset" --parallel "$(nproc)" \
        ${1:+--target "$@"} || return 1
}
