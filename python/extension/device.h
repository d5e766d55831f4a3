/* Device: where filtering runs. */
#ifndef ABBE_EXTENSION_DEVICE_H
#define ABBE_EXTENSION_DEVICE_H

#include "extension.h"

struct device {
    PyObject_HEAD abbe_device *handle;
};

#endif
