/* The Vulkan loader and its functions, found at run time: neither linking nor loading Abbe needs Vulkan. */
#define _GNU_SOURCE
#include "core/error.h"
#include "vulkan/vk.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char layer[] = "VK_LAYER_KHRONOS_validation";

static bool is_set(const char *variable)
{
    const char *value = secure_getenv(variable);
    return value && *value && strcmp(value, "0") != 0;
}

int vk_fail(struct vk *vk, VkResult result, const char *what)
{
    if (result == VK_ERROR_OUT_OF_HOST_MEMORY || result == VK_ERROR_OUT_OF_DEVICE_MEMORY)
        return core_fail(
            vk, vk && result == VK_ERROR_OUT_OF_DEVICE_MEMORY ? DEVICE_ERR_FULL : ABBE_ERR_MEMORY,
            "vulkan: %s: out of %s memory", what, result == VK_ERROR_OUT_OF_HOST_MEMORY ? "host" : "device");
    if (result != VK_ERROR_DEVICE_LOST)
        return core_fail(vk, ABBE_ERR_DEVICE, "vulkan: %s failed with %d", what, (int)result);
    if (vk)
        atomic_store(&vk->lost, true);
    return core_fail(vk, ABBE_ERR_DEVICE, "vulkan: %s: the device was lost%s", what,
                     vk && vk->adopted ? "; the application that owns it must open another" : "");
}

static int open_library(struct vk *vk)
{
    vk->library = dlopen("libvulkan.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!vk->library)
        return core_fail(NULL, ABBE_ERR_DEVICE,
                         "device 'vulkan': libvulkan.so.1 was not found; install the Vulkan loader "
                         "(Debian: libvulkan1) and a driver");
    void *symbol = dlsym(vk->library, "vkGetInstanceProcAddr");
    memcpy(&vk->f.GetInstanceProcAddr, &symbol, sizeof symbol);
    if (!symbol)
        return core_fail(NULL, ABBE_ERR_DEVICE, "device 'vulkan': libvulkan.so.1 is not a Vulkan loader");
    return ABBE_OK;
}

static VkBool32 VKAPI_PTR print_message(VkDebugUtilsMessageSeverityFlagBitsEXT severity,
                                        VkDebugUtilsMessageTypeFlagsEXT types,
                                        const VkDebugUtilsMessengerCallbackDataEXT *data, void *user)
{
    (void)severity, (void)types;
    atomic_fetch_add((atomic_int *)user, 1);
    fprintf(stderr, "abbe: vulkan validation: %s\n", data->pMessage);
    return VK_FALSE;
}

static VkDebugUtilsMessengerCreateInfoEXT messenger_of(struct vk *vk)
{
    return (VkDebugUtilsMessengerCreateInfoEXT){
        .sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT,
        .messageSeverity = VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT |
                           VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT,
        .messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT |
                       VK_DEBUG_UTILS_MESSAGE_TYPE_PERFORMANCE_BIT_EXT,
        .pfnUserCallback = print_message,
        .pUserData = &vk->messages,
    };
}

static VkResult create_instance(struct vk *vk, PFN_vkCreateInstance create, bool validate)
{
    const VkValidationFeatureEnableEXT enabled[] = {
        VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT
    };
    const VkValidationFeaturesEXT features = { .sType = VK_STRUCTURE_TYPE_VALIDATION_FEATURES_EXT,
                                               .enabledValidationFeatureCount = 1,
                                               .pEnabledValidationFeatures = enabled };
    const char *const layers[] = { layer };
    const char *const extensions[] = { VK_EXT_DEBUG_UTILS_EXTENSION_NAME };
    const VkApplicationInfo application = { .sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
                                            .pApplicationName = "abbe",
                                            .apiVersion = VK_API_VERSION_1_1 };
    const VkInstanceCreateInfo info = { .sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
                                        .pNext = validate ? &features : NULL,
                                        .pApplicationInfo = &application,
                                        .enabledLayerCount = validate,
                                        .ppEnabledLayerNames = layers,
                                        .enabledExtensionCount = validate,
                                        .ppEnabledExtensionNames = extensions };
    return create(&info, NULL, &vk->instance);
}

static int add_messenger(struct vk *vk)
{
    PFN_vkVoidFunction found = vk->f.GetInstanceProcAddr(vk->instance, "vkCreateDebugUtilsMessengerEXT");
    PFN_vkCreateDebugUtilsMessengerEXT create = (PFN_vkCreateDebugUtilsMessengerEXT)found;
    VkDebugUtilsMessengerCreateInfoEXT info = messenger_of(vk);
    VkResult result = create ? create(vk->instance, &info, NULL, &vk->messenger)
                             : VK_ERROR_EXTENSION_NOT_PRESENT;
    return result ? vk_fail(NULL, result, "adding the validation layer's messenger") : ABBE_OK;
}

int vk_load_instance(struct vk *vk)
{
#define FIND(name)                                                                  \
    vk->f.name = (PFN_vk##name)vk->f.GetInstanceProcAddr(vk->instance, "vk" #name); \
    if (!vk->f.name)                                                                \
        return core_fail(NULL, ABBE_ERR_DEVICE, "device 'vulkan': the loader lacks vk" #name);
    ABVK_INSTANCE_FUNCTIONS(FIND)
#undef FIND
    return ABBE_OK;
}

int vk_load(struct vk *vk)
{
    int error = open_library(vk);
    if (error)
        return error;
    bool validate = is_set("ABBE_VULKAN_VALIDATE");
    PFN_vkCreateInstance create = (PFN_vkCreateInstance)vk->f.GetInstanceProcAddr(NULL, "vkCreateInstance");
    if (!create || !vk->f.GetInstanceProcAddr(NULL, "vkEnumerateInstanceVersion"))
        return core_fail(NULL, ABBE_ERR_DEVICE, "device 'vulkan': the loader is older than Vulkan 1.1");
    VkResult result = create_instance(vk, create, validate);
    if (result == VK_ERROR_LAYER_NOT_PRESENT)
        return core_fail(NULL, ABBE_ERR_DEVICE,
                         "ABBE_VULKAN_VALIDATE: %s is not installed (Debian: vulkan-validationlayers)",
                         layer);
    if (result == VK_ERROR_INCOMPATIBLE_DRIVER)
        return core_fail(NULL, ABBE_ERR_DEVICE,
                         "device 'vulkan': no driver is installed (Debian: mesa-vulkan-drivers, or the "
                         "vendor's)");
    if (result)
        return vk_fail(NULL, result, "creating an instance");
    error = vk_load_instance(vk);
    return error || !validate ? error : add_messenger(vk);
}

int vk_load_device(struct vk *vk)
{
#define FORGET(name) vk->f.name = NULL; /* of an earlier device */
    ABVK_DEVICE_FUNCTIONS(FORGET)
#undef FORGET
#define FIND(name)                                                              \
    vk->f.name = (PFN_vk##name)vk->f.GetDeviceProcAddr(vk->device, "vk" #name); \
    if (!vk->f.name)                                                            \
        return core_fail(NULL, ABBE_ERR_DEVICE, "device 'vulkan': the driver lacks vk" #name);
    ABVK_DEVICE_FUNCTIONS(FIND)
#undef FIND
    return ABBE_OK;
}

void vk_unload(struct vk *vk)
{
    if (vk->messenger) {
        PFN_vkDestroyDebugUtilsMessengerEXT destroy =
            (PFN_vkDestroyDebugUtilsMessengerEXT)vk->f.GetInstanceProcAddr(vk->instance,
                                                                           "vkDestroyDebugUtilsMessengerEXT");
        destroy(vk->instance, vk->messenger, NULL);
        if (atomic_load(&vk->messages))
            fprintf(stderr, "abbe: vulkan validation: %d messages\n", atomic_load(&vk->messages));
    }
    if (vk->instance && vk->f.DestroyInstance && !vk->adopted)
        vk->f.DestroyInstance(vk->instance, NULL);
    if (vk->library)
        dlclose(vk->library);
}
