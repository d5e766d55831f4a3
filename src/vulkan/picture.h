/* Pictures that a program owns. */
#ifndef ABBE_VULKAN_PICTURE_H
#define ABBE_VULKAN_PICTURE_H

#include "vulkan/vk.h"

#include <abbe/vulkan.h>

/* Whether a picture is of the kind and shape that a recording of the work reads, or stores. Records a sentence that
 * begins with `what`. */
int vk_picture_check(const struct vk *vk, const struct work *work, const abbe_vulkan_picture *picture,
                     bool image, bool stored, const char *what);

/* Whether two checked pictures share memory, as far as their handles tell. */
bool vk_pictures_overlap(const abbe_vulkan_picture *a, const abbe_vulkan_picture *b);

VkDescriptorBufferInfo vk_picture_buffer(const abbe_vulkan_picture *picture);
VkDescriptorImageInfo vk_picture_image(const abbe_vulkan_picture *picture);

#endif
