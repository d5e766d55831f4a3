# Completion of the command abbe for bash. Filters and devices are asked of abbe itself.
# shellcheck shell=bash

_abbe_options()
{
    local borders='--border --device --method --precision --threads'
    local shared='--device --threads --quiet --max-pixels --allow-untrusted-formats --help'
    case $1 in
    filter)
        echo "--filter --output --linear --straight-alpha --correlate --offset --stats --quiet $borders" \
            '--max-pixels --allow-untrusted-formats --help'
        ;;
    transform) echo "--output --inverse $shared" ;;
    spectrum) echo "--output --phase $shared" ;;
    texture) echo "--output --filter --like --size --seed $shared" ;;
    scene) echo "--output --size --angle --elevation --zoom --material --samples --filter --offset --border $shared" ;;
    view)
        echo '--filter --border --size --angle --elevation --zoom --material --samples --window --frames' "$shared"
        ;;
    explain) echo "--filter --pictures $borders --max-pixels --allow-untrusted-formats --help" ;;
    list) echo '--help' ;;
    esac
}

# _abbe_rows LIST: the rows of a list that begin with a name.
_abbe_rows()
{
    abbe list "$1" 2>/dev/null | grep '^  [a-z]'
}

# What can stand where TEXT, an unfinished FILTER, ends: names, or the keys of a name, behind what is written.
_abbe_filters()
{
    local chain='' last=$1 name
    case $1 in
    *,*) chain=${1%,*}, last=${1##*,} ;;
    esac
    case $last in
    *:*=*) ;;
    *:*)
        name=${last%%:*}
        _abbe_rows filters | awk -v name="$name" -v before="$chain${last%:*}:" '
            $1 == name {
                for (i = 2; i <= NF; i++)
                    if ($i ~ /^[a-z]+=/) {
                        sub(/=.*/, "=", $i)
                        print before $i
                    }
            }' | sort -u
        ;;
    *) _abbe_rows filters | awk -v before="$chain" '{ print before $1 }' ;;
    esac
}

# _abbe_reply CURRENT CANDIDATE…: readline wants what follows the last of its word breaks only.
_abbe_reply()
{
    local current=$1 head='' i
    shift
    mapfile -t COMPREPLY < <(compgen -W "$*" -- "$current")
    case $COMP_WORDBREAKS in
    *:*) head=${current%"${current##*[:=]}"} ;;
    *=*) head=${current%"${current##*=}"} ;;
    esac
    for i in "${!COMPREPLY[@]}"; do
        COMPREPLY[i]=${COMPREPLY[i]#"$head"}
    done
}

# An empty answer lets readline complete file names.
_abbe_value()
{
    local option=$1 current=$2
    case $option in
    -f | --filter)
        mapfile -t words < <(_abbe_filters "$current")
        _abbe_reply "$current" "${words[@]}"
        compopt -o nospace
        ;;
    -b | --border) _abbe_reply "$current" reflect mirror clamp zero constant constant: wrap ;;
    -m | --method) _abbe_reply "$current" auto direct separable fft tiles ;;
    --precision) _abbe_reply "$current" full half ;;
    -d | --device) _abbe_reply "$current" "$(_abbe_rows devices | awk '{ print $1 }')" ;;
    --material) _abbe_reply "$current" ceramic porcelain clay copper silver iron ;;
    -o | --output | -l | --like) ;;
    -t | --threads | --max-pixels | --offset | --size | --seed | --angle | --elevation | --zoom | --samples | \
        --window | --frames | -n | --pictures)
        compopt +o default
        ;;
    *) return 1 ;;
    esac
}

_abbe()
{
    local line=${COMP_LINE:0:COMP_POINT} current previous command
    local -a words
    COMPREPLY=()
    read -r -a words <<<"$line"
    case $line in
    *[[:space:]]) words+=('') ;;
    esac
    current=${words[-1]} previous=${words[-2]} command=${words[1]}

    if [ ${#words[@]} -eq 2 ]; then
        _abbe_reply "$current" filter transform spectrum texture scene view explain list help --help --version
        return
    fi
    case $current in
    --*=*)
        _abbe_reply_to_equals "$current"
        return
        ;;
    esac
    if _abbe_value "$previous" "$current"; then
        return
    fi
    case $command:$current in
    *:-*) _abbe_reply "$current" "$(_abbe_options "$command")" ;;
    list:*) _abbe_reply "$current" filters borders devices ;;
    help:*) _abbe_reply "$current" filter transform spectrum texture scene view explain list ;;
    esac
}

# --option=value: the value is completed as behind a blank.
_abbe_reply_to_equals()
{
    _abbe_value "${1%%=*}" "${1#*=}" || true
}

complete -o default -F _abbe abbe
