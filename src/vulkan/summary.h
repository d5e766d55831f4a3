/* The summary of the Vulkan device, in builds with the device and without it. */
#ifndef ABBE_VULKAN_SUMMARY_H
#define ABBE_VULKAN_SUMMARY_H

#define ABVK_SUMMARY "a GPU through Vulkan; vulkan:1 or vulkan:NAME selects one"

#endif
