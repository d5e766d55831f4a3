/* SPIR-V of the shaders in shaders/vulkan, as the build compiled it for one and for two planes. */
#include "vulkan/vk.h"

#include "columns_1.h"
#include "columns_2.h"
#include "columns_bluestein_1.h"
#include "columns_bluestein_2.h"
#include "direct_1.h"
#include "direct_2.h"
#include "finish_1.h"
#include "finish_2.h"
#include "rows_1.h"
#include "rows_2.h"
#include "rows_back_1.h"
#include "rows_back_2.h"
#include "rows_back_bluestein_1.h"
#include "rows_back_bluestein_2.h"
#include "rows_bluestein_1.h"
#include "rows_bluestein_2.h"
#include "separable_columns_1.h"
#include "separable_columns_2.h"
#include "separable_rows_1.h"
#include "separable_rows_2.h"

#define CODE(name)                               \
    {                                            \
        { vk_##name##_1, sizeof vk_##name##_1 }, \
        {                                        \
            vk_##name##_2, sizeof vk_##name##_2  \
        }                                        \
    }

const struct vk_code vk_codes[VK_SHADERS][2] = {
    [VK_ROWS] = CODE(rows),
    [VK_COLUMNS] = CODE(columns),
    [VK_ROWS_BACK] = CODE(rows_back),
    [VK_ROWS_BLUESTEIN] = CODE(rows_bluestein),
    [VK_COLUMNS_BLUESTEIN] = CODE(columns_bluestein),
    [VK_ROWS_BACK_BLUESTEIN] = CODE(rows_back_bluestein),
    [VK_DIRECT] = CODE(direct),
    [VK_SEPARABLE_ROWS] = CODE(separable_rows),
    [VK_SEPARABLE_COLUMNS] = CODE(separable_columns),
    [VK_FINISH] = CODE(finish),
};
