/* SPIR-V of the shaders in shaders/vulkan, as the build compiled it for each variant. */
#include "vulkan/vk.h"

#include "columns_1.h"
#include "columns_2.h"
#include "columns_bluestein_1.h"
#include "columns_bluestein_2.h"
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

#define PLAIN(name) [VK_PLANE] = CODE(name##_1), [VK_PLANES] = CODE(name##_2)
#define READER(name) PLAIN(name), [VK_FROM_IMAGE] = CODE(name##_from_image)
#define WRITER(name) PLAIN(name), [VK_TO_IMAGE] = CODE(name##_to_image)
#define BOTH(name) READER(name), [VK_TO_IMAGE] = CODE(name##_to_image), [VK_IMAGES] = CODE(name##_images)

const struct vk_code vk_codes[VK_SHADERS][VK_VARIANTS] = {
    [VK_ROWS] = { READER(rows) },
    [VK_COLUMNS] = { PLAIN(columns) },
    [VK_ROWS_BACK] = { WRITER(rows_back) },
    [VK_ROWS_BLUESTEIN] = { READER(rows_bluestein) },
    [VK_COLUMNS_BLUESTEIN] = { PLAIN(columns_bluestein) },
    [VK_ROWS_BACK_BLUESTEIN] = { WRITER(rows_back_bluestein) },
    [VK_ROWS_HALF] = { READER(rows_half) },
    [VK_COLUMNS_HALF] = { PLAIN(columns_half) },
    [VK_ROWS_BACK_HALF] = { WRITER(rows_back_half) },
    [VK_ROWS_HALF_BLUESTEIN] = { READER(rows_half_bluestein) },
    [VK_COLUMNS_HALF_BLUESTEIN] = { PLAIN(columns_half_bluestein) },
    [VK_ROWS_BACK_HALF_BLUESTEIN] = { WRITER(rows_back_half_bluestein) },
    [VK_ROWS_LONG] = { READER(rows_long) },
    [VK_COLUMNS_LONG] = { PLAIN(columns_long) },
    [VK_ROWS_BACK_LONG] = { WRITER(rows_back_long) },
    [VK_DIRECT] = { BOTH(direct) },
    [VK_SEPARABLE_ROWS] = { READER(separable_rows) },
    [VK_SEPARABLE_COLUMNS] = { WRITER(separable_columns) },
    [VK_FINISH] = { BOTH(finish) },
};
