/* Pictures that a program owns: whether a recording can take them, and how its shaders see them. */
#include "vulkan/picture.h"
#include "core/error.h"

static int refuse(const struct vk *vk, const char *what, const char *why)
{
    return core_fail(vk, ABBE_ERR_INVALID, "%s: %s", what, why);
}

static size_t row_bytes(const struct work *work, abbe_type type)
{
    return (size_t)work->width * work->channels * abbe_type_size(type);
}

/* ---- Checks ------------------------------------------------------------------------------------------- */

static bool is_format(VkFormat format, abbe_type type)
{
    switch (type) {
    case ABBE_U8: return format == VK_FORMAT_R8G8B8A8_UNORM || format == VK_FORMAT_B8G8R8A8_UNORM;
    case ABBE_U16: return format == VK_FORMAT_R16G16B16A16_UNORM;
    case ABBE_F16: return format == VK_FORMAT_R16G16B16A16_SFLOAT;
    case ABBE_F32: return format == VK_FORMAT_R32G32B32A32_SFLOAT;
    }
    return false;
}

static int check_image(const struct vk *vk, const abbe_vulkan_picture *picture, abbe_type type, bool stored,
                       const char *what)
{
    static const char *const names[] = { "", "U8", "U16", "F16", "F32" };
    if (!picture->view || picture->buffer)
        return refuse(vk, what, "the slot is for images, and this is none");
    if (!is_format(picture->format, type))
        return core_fail(vk, ABBE_ERR_INVALID, "%s: VkFormat %d does not hold four channels of %s", what,
                         (int)picture->format, names[type]);
    if (picture->layout != VK_IMAGE_LAYOUT_GENERAL &&
        (stored || picture->layout != VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL))
        return core_fail(vk, ABBE_ERR_INVALID, "%s: VkImageLayout %d, but it must be GENERAL%s", what,
                         (int)picture->layout, stored ? "" : " or SHADER_READ_ONLY_OPTIMAL");
    return ABBE_OK;
}

static int check_buffer(const struct vk *vk, const struct work *work, const abbe_vulkan_picture *picture,
                        abbe_type type, const char *what)
{
    const VkPhysicalDeviceLimits *limits = &vk->properties.limits;
    VkDeviceSize unit = work->channels == 4 && type == ABBE_F32 ? 16 : 4;
    if (!picture->buffer || picture->view)
        return refuse(vk, what, "the slot is for buffers, and this is none");
    if (picture->offset % limits->minStorageBufferOffsetAlignment)
        return refuse(vk, what, "its offset is no multiple of minStorageBufferOffsetAlignment");
    if (picture->stride % unit || picture->stride < row_bytes(work, type))
        return core_fail(vk, ABBE_ERR_INVALID,
                         "%s: a stride of %llu bytes; it must be a multiple of %d, and a row has %zu", what,
                         (unsigned long long)picture->stride, (int)unit, row_bytes(work, type));
    if (picture->stride > limits->maxStorageBufferRange / (VkDeviceSize)work->height)
        return refuse(vk, what, "its rows take more bytes than maxStorageBufferRange");
    return ABBE_OK;
}

int vk_picture_check(const struct vk *vk, const struct work *work, const abbe_vulkan_picture *picture,
                     bool image, bool stored, const char *what)
{
    abbe_type type = stored ? work->result_type : work->source_type;
    if (picture->width != work->width || picture->height != work->height)
        return core_fail(vk, ABBE_ERR_INVALID, "%s: %d x %d, but the plan is for %d x %d", what,
                         picture->width, picture->height, work->width, work->height);
    return image ? check_image(vk, picture, type, stored, what) : check_buffer(vk, work, picture, type, what);
}

/* ---- Overlap ------------------------------------------------------------------------------------------ */

static VkDeviceSize picture_bytes(const abbe_vulkan_picture *picture)
{
    return picture->stride * (VkDeviceSize)picture->height;
}

bool vk_pictures_overlap(const abbe_vulkan_picture *a, const abbe_vulkan_picture *b)
{
    if (a->view || b->view)
        return a->view == b->view;
    return a->buffer == b->buffer && a->offset < b->offset + picture_bytes(b) &&
           b->offset < a->offset + picture_bytes(a);
}

/* ---- Descriptors -------------------------------------------------------------------------------------- */

VkDescriptorBufferInfo vk_picture_buffer(const abbe_vulkan_picture *picture)
{
    return (VkDescriptorBufferInfo){ picture->buffer, picture->offset, picture_bytes(picture) };
}

VkDescriptorImageInfo vk_picture_image(const abbe_vulkan_picture *picture)
{
    return (VkDescriptorImageInfo){ .imageView = picture->view, .imageLayout = picture->layout };
}
