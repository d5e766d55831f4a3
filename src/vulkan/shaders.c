/* SPIR-V of the shaders in shaders/vulkan, compiled by the build for each variant. */
#include "vulkan/shaders.h"

#include "columns_1.h"
#include "columns_2.h"
#include "columns_bluestein_1.h"
#include "columns_bluestein_2.h"
#include "columns_few_1.h"
#include "columns_few_2.h"
#include "columns_few_bluestein_1.h"
#include "columns_few_bluestein_2.h"
#include "columns_half_1.h"
#include "columns_half_2.h"
#include "columns_half_bluestein_1.h"
#include "columns_half_bluestein_2.h"
#include "columns_long_1.h"
#include "columns_long_2.h"
#include "direct_1.h"
#include "direct_2.h"
#include "direct_from_image.h"
#include "direct_images.h"
#include "direct_to_image.h"
#include "finish_1.h"
#include "finish_2.h"
#include "finish_from_image.h"
#include "finish_images.h"
#include "finish_to_image.h"
#include "rows_1.h"
#include "rows_2.h"
#include "rows_back_1.h"
#include "rows_back_2.h"
#include "rows_back_bluestein_1.h"
#include "rows_back_bluestein_2.h"
#include "rows_back_bluestein_to_image.h"
#include "rows_back_few_1.h"
#include "rows_back_few_2.h"
#include "rows_back_few_bluestein_1.h"
#include "rows_back_few_bluestein_2.h"
#include "rows_back_few_bluestein_to_image.h"
#include "rows_back_few_to_image.h"
#include "rows_back_half_1.h"
#include "rows_back_half_2.h"
#include "rows_back_half_bluestein_1.h"
#include "rows_back_half_bluestein_2.h"
#include "rows_back_half_bluestein_to_image.h"
#include "rows_back_half_to_image.h"
#include "rows_back_long_1.h"
#include "rows_back_long_2.h"
#include "rows_back_long_to_image.h"
#include "rows_back_to_image.h"
#include "rows_bluestein_1.h"
#include "rows_bluestein_2.h"
#include "rows_bluestein_from_image.h"
#include "rows_few_1.h"
#include "rows_few_2.h"
#include "rows_few_bluestein_1.h"
#include "rows_few_bluestein_2.h"
#include "rows_few_bluestein_from_image.h"
#include "rows_few_from_image.h"
#include "rows_from_image.h"
#include "rows_half_1.h"
#include "rows_half_2.h"
#include "rows_half_bluestein_1.h"
#include "rows_half_bluestein_2.h"
#include "rows_half_bluestein_from_image.h"
#include "rows_half_from_image.h"
#include "rows_long_1.h"
#include "rows_long_2.h"
#include "rows_long_from_image.h"
#include "separable_columns_1.h"
#include "separable_columns_2.h"
#include "separable_columns_to_image.h"
#include "separable_rows_1.h"
#include "separable_rows_2.h"
#include "separable_rows_from_image.h"

#define CODE(name)                  \
    {                               \
        vk_##name, sizeof vk_##name \
    }

#define NEITHER(name) [ABVK_VARIANT_PLANE] = CODE(name##_1), [ABVK_VARIANT_PLANES] = CODE(name##_2)
#define READER(name) NEITHER(name), [ABVK_VARIANT_FROM_IMAGE] = CODE(name##_from_image)
#define WRITER(name) NEITHER(name), [ABVK_VARIANT_TO_IMAGE] = CODE(name##_to_image)
#define BOTH(name) \
    READER(name), [ABVK_VARIANT_TO_IMAGE] = CODE(name##_to_image), [ABVK_VARIANT_IMAGES] = CODE(name##_images)

const struct vk_code vk_codes[ABVK_SHADERS][ABVK_VARIANTS] = {
    [ABVK_SHADER_ROWS] = { READER(rows) },
    [ABVK_SHADER_COLUMNS] = { NEITHER(columns) },
    [ABVK_SHADER_ROWS_BACK] = { WRITER(rows_back) },
    [ABVK_SHADER_ROWS_BLUESTEIN] = { READER(rows_bluestein) },
    [ABVK_SHADER_COLUMNS_BLUESTEIN] = { NEITHER(columns_bluestein) },
    [ABVK_SHADER_ROWS_BACK_BLUESTEIN] = { WRITER(rows_back_bluestein) },
    [ABVK_SHADER_ROWS_FEW] = { READER(rows_few) },
    [ABVK_SHADER_COLUMNS_FEW] = { NEITHER(columns_few) },
    [ABVK_SHADER_ROWS_BACK_FEW] = { WRITER(rows_back_few) },
    [ABVK_SHADER_ROWS_FEW_BLUESTEIN] = { READER(rows_few_bluestein) },
    [ABVK_SHADER_COLUMNS_FEW_BLUESTEIN] = { NEITHER(columns_few_bluestein) },
    [ABVK_SHADER_ROWS_BACK_FEW_BLUESTEIN] = { WRITER(rows_back_few_bluestein) },
    [ABVK_SHADER_ROWS_HALF] = { READER(rows_half) },
    [ABVK_SHADER_COLUMNS_HALF] = { NEITHER(columns_half) },
    [ABVK_SHADER_ROWS_BACK_HALF] = { WRITER(rows_back_half) },
    [ABVK_SHADER_ROWS_HALF_BLUESTEIN] = { READER(rows_half_bluestein) },
    [ABVK_SHADER_COLUMNS_HALF_BLUESTEIN] = { NEITHER(columns_half_bluestein) },
    [ABVK_SHADER_ROWS_BACK_HALF_BLUESTEIN] = { WRITER(rows_back_half_bluestein) },
    [ABVK_SHADER_ROWS_LONG] = { READER(rows_long) },
    [ABVK_SHADER_COLUMNS_LONG] = { NEITHER(columns_long) },
    [ABVK_SHADER_ROWS_BACK_LONG] = { WRITER(rows_back_long) },
    [ABVK_SHADER_DIRECT] = { BOTH(direct) },
    [ABVK_SHADER_SEPARABLE_ROWS] = { READER(separable_rows) },
    [ABVK_SHADER_SEPARABLE_COLUMNS] = { WRITER(separable_columns) },
    [ABVK_SHADER_FINISH] = { BOTH(finish) },
};
