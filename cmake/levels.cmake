# ABBE_BEST_LEVEL: the instruction-set level that this machine's CPU device takes, as src/core/level.c finds it; empty
# where it cannot be told.
set(ABBE_BEST_LEVEL "")
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64" AND EXISTS /proc/cpuinfo AND NOT CMAKE_CROSSCOMPILING)
    file(STRINGS /proc/cpuinfo flags REGEX "^flags" LIMIT_COUNT 1)
    string(REPLACE " " ";" flags "${flags}")
    set(ABBE_BEST_LEVEL baseline)
    if(avx2 IN_LIST flags AND fma IN_LIST flags)
        set(ABBE_BEST_LEVEL avx2)
        if(avx512f IN_LIST flags AND avx512bw IN_LIST flags AND avx512dq IN_LIST flags AND avx512vl IN_LIST flags)
            set(ABBE_BEST_LEVEL avx512)
        endif()
    endif()
endif()
