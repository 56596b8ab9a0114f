/* ======================================================================================== >>devices
   Which GPUs there are. */
#pragma once
#include "driver.h"

static int permi_open(const char *const *libraries, const char *const *symbols, void *table, const char *what,
                      const char *none, char *message, void **library)
{
  int i;
  *library = NULL;
  for (i = 0; libraries[i] && !*library; i++)
    *library = dlopen(libraries[i], RTLD_NOW | RTLD_LOCAL);
  if (!*library)
    snprintf(message, PERM_MESSAGE_BYTES, "%s", none);
  for (i = 0; *library && symbols[i]; i++) {
    void *symbol = dlsym(*library, symbols[i]);
    if (!symbol) {
      snprintf(message, PERM_MESSAGE_BYTES, "%s is too old: it has no %s", what, symbols[i]);
      return 0;
    }
    memcpy((char *)table + (size_t)i * sizeof symbol, &symbol, sizeof symbol);
  }
  return *library != NULL;
}

#define PERMI_NAME(name, symbol, parameters) symbol,

/* The caller holds permi_cuda_lock. */
static int permi_driver_open(void)
{
  static const char *const symbols[] = {PERMI_DRIVER_LIST(PERMI_NAME) NULL};
  static const char *const libraries[] = {"libcuda.so.1", "libcuda.so", NULL};
  char *message = permi_cuda.driver_message;
  void *library;
  int i, major, minor;
  if (permi_cuda.driver_state)
    return permi_cuda.driver_state > 0;
  permi_cuda.driver_state = -1;
  if (!permi_cuda.twin && !permi_open(libraries, symbols, &permi_cuda.driver, "the CUDA driver",
                                      "no CUDA driver: libcuda.so.1 cannot be opened", message, &library))
    return 0;
  if (!PERMI_CALL(init, (0), 0, message) || !PERMI_CALL(count, (&permi_cuda.devices), 0, message))
    return 0;
  if (permi_cuda.devices > PERMI_GPUS)
    permi_cuda.devices = PERMI_GPUS;
  for (i = 0; i < permi_cuda.devices; i++) {
    if (!PERMI_CALL(attribute, (&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, i), i, message) ||
        !PERMI_CALL(attribute, (&minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, i), i, message) ||
        !PERMI_CALL(attribute, (&permi_cuda.processors[i], CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, i), i, message) ||
        !PERMI_CALL(attribute, (&permi_cuda.shared[i], CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, i), i,
                    message))
      return 0;
    permi_cuda.arch[i] = 10 * major + minor;
  }
  if (!permi_cuda.devices) {
    snprintf(message, PERM_MESSAGE_BYTES, "the CUDA driver is there, but no GPU");
    return 0;
  }
  permi_cuda.driver_state = 1;
  return 1;
}

static int permi_nvrtc_open(void)
{
  static const char *const symbols[] = {PERMI_NVRTC_LIST(PERMI_NAME) NULL};
  static const char *const libraries[] = {
      "libnvrtc.so",    "libnvrtc.so.13",   "libnvrtc.so.12",
      "libnvrtc.so.11.2", "/usr/local/cuda/lib64/libnvrtc.so", NULL};
  static const char none[] =
      "no NVRTC: libnvrtc.so cannot be opened (a part of the CUDA toolkit; LD_LIBRARY_PATH says where)";
  void *library, *flow;
  if (permi_cuda.nvrtc_state)
    return permi_cuda.nvrtc_state > 0;
  permi_cuda.nvrtc_state = 1;
  if (permi_cuda.twin)
    return 1;
  if (!permi_open(libraries, symbols, &permi_cuda.nvrtc, "NVRTC", none, permi_cuda.nvrtc_message, &library))
    permi_cuda.nvrtc_state = -1;
  flow = library ? dlsym(library, "nvrtcSetFlowCallback") : NULL; /* since 12.8 */
  memcpy(&permi_cuda.flow, &flow, sizeof flow);
  return permi_cuda.nvrtc_state > 0;
}
#undef PERMI_NAME

int perm_cuda_devices(int gpus, char message[PERM_MESSAGE_BYTES])
{
  int found = 0;
  pthread_mutex_lock(&permi_cuda_lock);
  message[0] = 0;
  if (!permi_driver_open())
    memcpy(message, permi_cuda.driver_message, PERM_MESSAGE_BYTES);
  else if (!permi_nvrtc_open())
    memcpy(message, permi_cuda.nvrtc_message, PERM_MESSAGE_BYTES);
  else
    found = gpus >= 0 && gpus < permi_cuda.devices ? gpus : permi_cuda.devices;
  pthread_mutex_unlock(&permi_cuda_lock);
  return found;
}
/* SPDX-License-Identifier: MIT */
