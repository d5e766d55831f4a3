#!/usr/bin/env bash
# run [--sanitize] [--effort slight|brief|full] [--jobs N] [PATTERN]: runs the tests of this folder on the GPU of this
# machine. Prints one line for each test and the output of those that fail; logs are in the folder log. --sanitize runs
# short tests of the device cuda under memcheck, racecheck, initcheck and synccheck of compute-sanitizer.
set -uo pipefail
cd "$(dirname "$0")" || exit

effort='' jobs=4 pattern='' tools=(none)
while [ $# -gt 0 ]; do
    case $1 in
    --effort) effort=$2 && shift 2 ;;
    --jobs) jobs=$2 && shift 2 ;;
    --sanitize) tools=(memcheck racecheck initcheck synccheck) && shift ;;
    -*) sed -n '2,/^[^#]/ s/^# \{0,1\}//p' "$0" && exit 2 ;;
    *) pattern=$1 && shift ;;
    esac
done
if [ "${tools[0]}" != none ]; then
    PATH=$PATH:/usr/local/cuda/bin
    command -v compute-sanitizer >/dev/null ||
        { echo "compute-sanitizer is missing; it comes with NVIDIA's CUDA toolkit" >&2 && exit 1; }
    : "${effort:=slight}" "${pattern:=^test_(lengths|channels|regions|precision|even|pixels|cuda_adopt)(_cuda)?(_[0-9])?	}"
fi
: "${effort:=brief}" "${pattern:=.}"
export LD_LIBRARY_PATH=$PWD/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} ABBE_TEST_EFFORT=$effort
export ABBE_CUDA_CACHE=$PWD/kernels # shared by the tests: NVRTC compiles a kernel for up to a second
mkdir -p log kernels
rm -f log/*

# run_test TOOL LINE: runs one test, under a tool of compute-sanitizer or none. The exit status 77 means that it was
# skipped.
run_test()
{
    local name environment program arguments status=0 verdict start=$SECONDS sanitizer=()
    name=$(cut -f 1 <<<"$2") environment=$(cut -f 2 <<<"$2")
    program=$(cut -f 3 <<<"$2") arguments=$(cut -f 4 <<<"$2")
    if [ "$1" != none ]; then
        sanitizer=(compute-sanitizer --tool "$1" --error-exitcode 99)
        name=$name-$1
    fi
    # shellcheck disable=SC2086
    timeout 1800 env $environment "${sanitizer[@]}" "./$program" $arguments >"log/$name" 2>&1 || status=$?
    case $status in
    0) verdict=passed ;;
    77) verdict=skipped ;;
    *) verdict="FAILED ($status)" && touch "log/$name.failed" ;;
    esac
    printf '%5ds  %-10s  %s\n' $((SECONDS - start)) "$verdict" "$name"
}
export -f run_test

device=
[ "${tools[0]}" = none ] || device=cuda
for tool in "${tools[@]}"; do
    # shellcheck disable=SC2016
    grep -E "^[^	]*($pattern)" tests | grep "^[^	]*$device" | tr '\n' '\0' |
        xargs -0 -P "$jobs" -I LINE bash -c 'run_test "$1" "$2"' run_test "$tool" LINE
done
failures=$(find log -name '*.failed' | wc -l)
for mark in log/*.failed; do
    [ -e "$mark" ] || continue
    printf '\n==== %s\n' "$(basename "$mark" .failed)"
    grep -v -e '^\[ RUN' -e '^\[       OK' "${mark%.failed}" | tail -n 40
done
printf '\n%d tests failed in %d s (effort %s)\n' "$failures" "$SECONDS" "$effort"
[ "$failures" -eq 0 ]
