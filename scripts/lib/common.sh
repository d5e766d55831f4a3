# Functions that all scripts share: the working folder, --help, errors, stages and logs. Sourced, not run.
# shellcheck shell=bash

cd "$(dirname "${BASH_SOURCE[0]}")/../.." || exit

# --help prints the comment at the top of the script.
case ${1-} in
-h | --help)
    sed -n '2,/^[^#]/ s/^# \{0,1\}//p' "scripts/$(basename "$0")"
    exit 0
    ;;
esac

# complain TEXT…: prints one line about a failure, with the name of the log that has the details.
failed_log=
complain()
{
    echo "scripts/$(basename "$0"): $*${failed_log:+ (see $failed_log)}" >&2
}

die()
{
    complain "$@"
    exit 1
}

# stage TEXT: prints one line with the seconds since the script began.
stage()
{
    printf '[%4ds] %s\n' "$SECONDS" "$*"
}

# quietly LOG COMMAND…: runs the command with its output in build/log/LOG; prints the end of the log only on
# failure.
quietly()
{
    local log=build/log/$1
    shift
    mkdir -p build/log
    if ! "$@" >"$log" 2>&1; then
        tail -n 60 "$log" >&2
        failed_log=$log
        return 1
    fi
}
