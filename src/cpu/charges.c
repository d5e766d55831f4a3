/* The prices of the CPU device, by level. */
#include "cpu/charges.h"

#include "device/prices.h"

#include <stdio.h>
#include <string.h>

const char *const cpu_charge_names[CPU_CHARGES] = {
    [CHARGE_RUN] = "run",
    [CHARGE_FORK] = "fork",
    [CHARGE_SAMPLE_U8] = "sample_u8",
    [CHARGE_SAMPLE_U16] = "sample_u16",
    [CHARGE_SAMPLE_F16] = "sample_f16",
    [CHARGE_SAMPLE_F32] = "sample_f32",
    [CHARGE_MIXED_SAMPLE] = "mixed_sample",
    [CHARGE_LIGHT_SAMPLE] = "light_sample",
    [CHARGE_LOOK_SAMPLE] = "look_sample",
    [CHARGE_FAR_BYTE] = "far_byte",
    [CHARGE_DIRECT_TAP] = "direct_tap",
    [CHARGE_DIRECT_ROW] = "direct_row",
    [CHARGE_SEPARABLE_TAP] = "separable_tap",
    [CHARGE_DIRECT_SHORT_TAP] = "direct_short_tap",
    [CHARGE_SEPARABLE_SHORT_TAP] = "separable_short_tap",
    [CHARGE_LINE] = "line",
    [CHARGE_EDGE] = "edge",
    [CHARGE_ROW_FLOP] = "row_flop",
    [CHARGE_COLUMN_FLOP] = "column_flop",
    [CHARGE_GRID_SAMPLE] = "grid_sample",
    [CHARGE_GATHER] = "gather",
    [CHARGE_WINDOW] = "window",
    [CHARGE_WINDOW_LINE] = "window_line",
    [CHARGE_PLAIN_FLOP] = "plain_flop",
    [CHARGE_PLAIN_SAMPLE] = "plain_sample",
    [CHARGE_SPECTRUM] = "spectrum",
};

/* The built-in prices of one level. */
struct builtin {
    const char *level;
    double prices[CPU_CHARGES];
};

#include "cpu/builtin_prices.h"

/* A level without built-in prices takes the prices of the baseline. */
static const struct builtin *find_builtin(const char *level)
{
    const struct builtin *found = NULL;
    for (size_t i = 0; i < sizeof builtins / sizeof builtins[0]; i++)
        if (!strcmp(builtins[i].level, level) || (!found && !strcmp(builtins[i].level, "baseline")))
            found = &builtins[i];
    return found;
}

void cpu_set_prices(enum core_level level, abbe_device *device)
{
    const char *name = core_level_name(level);
    memcpy(device->prices, find_builtin(name)->prices, sizeof builtins->prices);
    snprintf(device->section, sizeof device->section, "cpu:%s", name);
    prices_read(device,
                &(struct price_list){ device->section, cpu_charge_names, CPU_CHARGES, device->prices });
}
