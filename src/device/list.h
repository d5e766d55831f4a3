/* A list of adapters under construction. */
#ifndef ABBE_DEVICE_LIST_H
#define ABBE_DEVICE_LIST_H

#include "device/device.h"

/* Adds an adapter; its texts are copied, and NULL is "". An adapter beyond the 96th is left out. */
void device_list_add(struct adapter_list *list, const abbe_adapter *adapter);

/* registry.c: adds the adapters of every device. ABBE_OK or ABBE_ERR_MEMORY, with a message. */
int device_list_all(struct adapter_list *list);

#endif
