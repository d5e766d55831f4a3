/* Buffers on the device and buffers that the host sees. */
#include "vulkan/vk.h"

enum { WISHES = 3 };

/* What a place wants of its memory, best first; the last is what it needs. */
static const VkMemoryPropertyFlags *wishes(const struct vk *vk, enum vk_place place)
{
    enum {
        DEVICE = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT,
        HOST = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT,
        CACHED = VK_MEMORY_PROPERTY_HOST_CACHED_BIT
    };
    static const VkMemoryPropertyFlags device[WISHES] = { DEVICE, DEVICE, 0 };
    static const VkMemoryPropertyFlags shared[WISHES] = { DEVICE | HOST | CACHED, DEVICE | HOST, HOST };
    static const VkMemoryPropertyFlags upload[WISHES] = { HOST, HOST, HOST };
    static const VkMemoryPropertyFlags download[WISHES] = { HOST | CACHED, HOST, HOST };
    switch (place) {
    case ABVK_MEMORY_DEVICE:
    case ABVK_MEMORY_EXCHANGE: return vk->unified ? shared : device;
    case ABVK_MEMORY_UPLOAD: return upload;
    case ABVK_MEMORY_DOWNLOAD: return download;
    }
    return device;
}

int vk_memory_type(const struct vk *vk, enum vk_place place, uint32_t allowed)
{
    const VkMemoryPropertyFlags *wanted = wishes(vk, place);
    for (int wish = 0; wish < WISHES; wish++)
        for (uint32_t i = 0; i < vk->memory.memoryTypeCount; i++)
            if (allowed >> i & 1 && (vk->memory.memoryTypes[i].propertyFlags & wanted[wish]) == wanted[wish])
                return (int)i;
    return -1;
}

static VkResult bind(const struct vk *vk, enum vk_place place, struct vk_buffer *buffer)
{
    VkMemoryRequirements needs;
    vk->f.GetBufferMemoryRequirements(vk->device, buffer->buffer, &needs);
    int type = vk_memory_type(vk, place, needs.memoryTypeBits);
    if (type < 0)
        return VK_ERROR_OUT_OF_DEVICE_MEMORY;
    const VkMemoryAllocateInfo info = { .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                        .allocationSize = needs.size,
                                        .memoryTypeIndex = (uint32_t)type };
    VkResult result = vk->f.AllocateMemory(vk->device, &info, NULL, &buffer->memory);
    if (!result)
        result = vk->f.BindBufferMemory(vk->device, buffer->buffer, buffer->memory, 0);
    bool near = place == ABVK_MEMORY_DEVICE || place == ABVK_MEMORY_EXCHANGE;
    if (!result && (!near || vk->unified))
        result = vk->f.MapMemory(vk->device, buffer->memory, 0, VK_WHOLE_SIZE, 0, &buffer->bytes);
    return result;
}

VkResult vk_buffer_create(const struct vk *vk, VkDeviceSize size, enum vk_place place,
                          struct vk_buffer *buffer)
{
    *buffer = (struct vk_buffer){ .size = size ? (size + 15) / 16 * 16 : 16 };
    const uint32_t families[] = { vk->family, vk->copy_family };
    bool exclusive = place != ABVK_MEMORY_EXCHANGE || !vk->copy_count || vk->copy_family == vk->family;
    const VkBufferCreateInfo info = { .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
                                      .size = buffer->size,
                                      .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT |
                                               VK_BUFFER_USAGE_TRANSFER_SRC_BIT |
                                               VK_BUFFER_USAGE_TRANSFER_DST_BIT,
                                      .sharingMode = exclusive ? VK_SHARING_MODE_EXCLUSIVE
                                                               : VK_SHARING_MODE_CONCURRENT,
                                      .queueFamilyIndexCount = exclusive ? 0 : 2,
                                      .pQueueFamilyIndices = families };
    VkResult result = vk->f.CreateBuffer(vk->device, &info, NULL, &buffer->buffer);
    return result ? result : bind(vk, place, buffer);
}

void vk_buffer_destroy(const struct vk *vk, struct vk_buffer *buffer)
{
    vk->f.DestroyBuffer(vk->device, buffer->buffer, NULL);
    vk->f.FreeMemory(vk->device, buffer->memory, NULL); /* unmaps it too */
    *buffer = (struct vk_buffer){ 0 };
}
