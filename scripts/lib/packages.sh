# Installs missing Debian packages; without any missing, it does not even update the package lists. Sourced,
# not run.
# shellcheck shell=bash

# shellcheck disable=SC2034 # the scripts that source this file use them
{
    BUILD_PACKAGES=(gcc libc6-dev cmake ninja-build pkg-config libvips-dev libegl-dev libgles-dev libglfw3-dev)
    DEMO_PACKAGES=("${BUILD_PACKAGES[@]}" libvulkan-dev glslang-tools python3-dev python3-numpy
        libegl1 libgles2 libegl-mesa0 libgl1-mesa-dri)
    TEST_PACKAGES=("${BUILD_PACKAGES[@]}" g++ binutils libcmocka-dev
        libvulkan-dev glslang-tools mesa-vulkan-drivers vulkan-validationlayers
        libegl1 libgles2 libegl-mesa0 libgl1-mesa-dri libglfw3 xvfb xdotool
        python3 python3-numpy python3-scipy python3-tifffile python3-pil groff-base zsh
        python3-dev python3-pytest python3-dask python3-distributed python3-zarr python3-matplotlib
        python3-setuptools python3-wheel python3-pip python3-nbclient python3-nbformat python3-ipykernel mypy)
    BENCH_PACKAGES=(gcc g++ libc6-dev cmake ninja-build pkg-config libfftw3-dev libopencv-imgproc-dev
        libvulkan-dev glslang-tools libvkfft-dev glslang-dev spirv-tools gnuplot-nox python3
        libegl-dev libgles-dev libegl1 libgles2 libegl-mesa0 libgl1-mesa-dri)
    WEB_BUILD_PACKAGES=(cmake ninja-build clang-19 lld-19 wasi-libc libclang-rt-19-dev-wasm32 libgles-dev libegl-dev python3)
    WEB_PACKAGES=("${WEB_BUILD_PACKAGES[@]}"
        chromium firefox-esr xvfb xauth libgl1-mesa-dri libegl1 libgles2 libpci3)
    CLANG_PACKAGES=(clang libclang-rt-14-dev clang-format)
}

is_installed()
{
    [ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" = installed ]
}

# need PACKAGE…: installs those that are missing.
need()
{
    local missing=() package
    command -v dpkg-query >/dev/null || { need_by_hand "$@"; return; }
    for package in "$@"; do
        is_installed "$package" || missing+=("$package")
    done
    [ ${#missing[@]} -gt 0 ] || return 0
    install_packages "${missing[@]}"
}

# Debian's packages of node and npm conflict with those of other sources: an installed node serves, if it is
# version 18 or later and has npm.
need_node()
{
    local version
    version=$(node --version 2>/dev/null | sed 's/^v\([0-9]*\).*/\1/')
    if [ "${version:-0}" -lt 18 ] || ! command -v npm >/dev/null; then
        need nodejs npm
    fi
}

# Other systems have other packages: the user installs them, and the build names what it does not find.
need_by_hand()
{
    command -v cmake >/dev/null || die "not a Debian system: install the equivalents of: $*"
}

install_packages()
{
    local as_root=()
    if [ "$(id -u)" -ne 0 ]; then
        if ! { command -v sudo && sudo true; } >/dev/null 2>&1; then
            die "missing packages and neither root nor sudo; run as root: apt-get install $*"
        fi
        as_root=(sudo)
    fi
    stage "installing $*"
    quietly apt-update "${as_root[@]}" apt-get -q update ||
        die "cannot reach the package archive; missing packages: $*"
    quietly apt-install "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
        apt-get -q -y --no-install-recommends install "$@" ||
        die "cannot install packages; try: apt-get install $*"
}
