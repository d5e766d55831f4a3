# Configures and builds a preset. Sourced, not run.
# shellcheck shell=bash

# build PRESET [TARGET…]: output only when something fails.
build()
{
    local preset=$1
    shift
    # A new build folder takes Ninja where there is one; an old one keeps its generator.
    if [ -z "${CMAKE_GENERATOR:-}" ] && command -v ninja >/dev/null; then
        export CMAKE_GENERATOR=Ninja
    fi
    quietly "$preset-configure" cmake --preset "$preset" || return 1
    quietly "$preset-build" cmake --build --preset "$preset" --parallel "$(nproc)" \
        ${1:+--target "$@"} || return 1
}
