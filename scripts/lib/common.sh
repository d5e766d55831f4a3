# What every script shares: where it runs, how it fails, how it tells the time. Sourced, not run.
# shellcheck shell=bash

cd "$(dirname "${BASH_SOURCE[0]}")/../.." || exit

# --help shows the comment at the top of the script.
case ${1-} in
-h | --help)
    sed -n '2,/^[^#]/ s/^# \{0,1\}//p' "scripts/$(basename "$0")"
    exit 0
    ;;
esac

# complain TEXT…: one line that says what went wrong, and where more of it is.
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

# stage TEXT: one line with the seconds since the script began.
stage()
{
    printf '[%4ds] %s\n' "$SECONDS" "$*"
}

# quietly LOG COMMAND…: runs it with its output in build/log/LOG, whose end is shown only when it fails.
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
