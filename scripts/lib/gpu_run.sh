#!/usr/bin/env bash
# run [--effort slight|brief|full] [--jobs N] [PATTERN]: runs the tests of this folder on the GPU of this
# machine. Prints one line for each test and the output of those that fail; logs are in the folder log.
set -uo pipefail
cd "$(dirname "$0")" || exit

effort=brief jobs=4 pattern=.
while [ $# -gt 0 ]; do
    case $1 in
    --effort) effort=$2 && shift 2 ;;
    --jobs) jobs=$2 && shift 2 ;;
    -*) sed -n '2,/^[^#]/ s/^# \{0,1\}//p' "$0" && exit 2 ;;
    *) pattern=$1 && shift ;;
    esac
done
export LD_LIBRARY_PATH=$PWD/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} ABBE_TEST_EFFORT=$effort
mkdir -p log
rm -f log/*

# run_test LINE: runs one test. Its exit status 77 means that it was skipped.
run_test()
{
    local name environment program arguments status=0 verdict start=$SECONDS
    name=$(cut -f 1 <<<"$1") environment=$(cut -f 2 <<<"$1")
    program=$(cut -f 3 <<<"$1") arguments=$(cut -f 4 <<<"$1")
    # shellcheck disable=SC2086
    timeout 1800 env $environment "./$program" $arguments >"log/$name" 2>&1 || status=$?
    case $status in
    0) verdict=passed ;;
    77) verdict=skipped ;;
    *) verdict="FAILED ($status)" && touch "log/$name.failed" ;;
    esac
    printf '%5ds  %-10s  %s\n' $((SECONDS - start)) "$verdict" "$name"
}
export -f run_test

# shellcheck disable=SC2016
grep -E "^[^	]*($pattern)" tests | tr '\n' '\0' | xargs -0 -P "$jobs" -I LINE bash -c 'run_test "$1"' run_test LINE
failures=$(find log -name '*.failed' | wc -l)
for mark in log/*.failed; do
    [ -e "$mark" ] || continue
    printf '\n==== %s\n' "$(basename "$mark" .failed)"
    grep -v -e '^\[ RUN' -e '^\[       OK' "${mark%.failed}" | tail -n 40
done
printf '\n%d tests failed in %d s (effort %s)\n' "$failures" "$SECONDS" "$effort"
[ "$failures" -eq 0 ]
