/* The plain engines in double, for the baseline. */
#define TABLE plain_f64_baseline
#include "cpu/plain/plain_f64_tmpl.h"
