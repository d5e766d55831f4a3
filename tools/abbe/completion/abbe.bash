# Completion of the command abbe for bash. abbe itself lists filters and devices.
# shellcheck shell=bash

_abbe_options()
{
    local borders='--border --device --method --precision --threads'
    local scene='--size --angle --elevation --zoom --material --samples'
    local shared='--device --threads --quiet --max-pixels --allow-untrusted-formats --help'
    case $1 in
    filter)
        echo "--filter --output --rest --depth --gain --offset --threshold --channels --where --linear" \
            "--parents --existing --recursive --straight-alpha --correlate --page --stats $borders" \
            '--memory --quiet --max-pixels --allow-untrusted-formats --help'
        ;;
    combine) echo '--output --depth --gain --offset --quiet --max-pixels --allow-untrusted-formats --help' ;;
    transform) echo "--output --inverse $shared" ;;
    spectrum) echo "--output --phase --peaks --chain --most $shared" ;;
    texture) echo "--output --filter --like --size --seed $shared" ;;
    tile) echo "--output --depth $shared" ;;
    scene) echo "--output $scene --filter --offset --border $shared" ;;
    view) echo "--filter --border $scene --window --frames $shared" ;;
    explain) echo "--filter --pictures $borders --max-pixels --allow-untrusted-formats --help" ;;
    list) echo '--help' ;;
    esac
}

# _abbe_rows LIST: prints the rows of a list that begin with a name.
_abbe_rows()
{
    abbe list "$1" 2>/dev/null | grep '^  [a-z]'
}

# _abbe_filters TEXT: prints the completions of an unfinished FILTER: names, or the keys of a filter.
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
                    if ($i ~ /^\[?[a-z_]+=/) {
                        sub(/^\[/, "", $i)
                        sub(/=.*/, "=", $i)
                        print before $i
                    }
            }' | sort -u
        ;;
    *) _abbe_rows filters | awk -v before="$chain" '{ print before $1 }' ;;
    esac
}

# _abbe_reply CURRENT CANDIDATE…: sets COMPREPLY; readline expects only the part after its last word break.
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

# _abbe_value OPTION CURRENT: completes the value of an option; without replies readline completes file names.
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
    --existing) _abbe_reply "$current" overwrite skip refuse ;;
    --precision) _abbe_reply "$current" full half double ;;
    -d | --device) _abbe_reply "$current" "$(_abbe_rows devices | awk '{ print $1 }')" ;;
    --channels) _abbe_reply "$current" luminance chroma red green blue alpha ;;
    --depth) _abbe_reply "$current" 8 16 float ;;
    --material) _abbe_reply "$current" ceramic porcelain clay copper silver iron ;;
    -o | --output | --rest | --where | -l | --like) ;;
    -t | --threads | --max-pixels | --memory | --page | --most | --gain | --offset | --threshold | --size | --seed | --angle | --elevation | --zoom | \
        --samples | --window | --frames | -n | --pictures)
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
        _abbe_reply "$current" filter combine transform spectrum texture tile scene view explain list help --help --version
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
    list:*) _abbe_reply "$current" filters borders devices "$(_abbe_filters "$current")" ;;
    help:*) _abbe_reply "$current" filter combine transform spectrum texture tile scene view explain list ;;
    esac
}

# Completes --option=value like --option value.
_abbe_reply_to_equals()
{
    _abbe_value "${1%%=*}" "${1#*=}" || true
}

complete -o default -F _abbe abbe
