/* ======================================================================================== >>devices */
#pragma once
#include "driver.h"

/* Opens the driver and counts GPUs. permi_cuda_lock is held. */
static int permi_driver_open(void)
{
#define PERMI_NAME(name, symbol, parameters) symbol,
  static const char *const symbols[] = {PERMI_DRIVER_LIST(PERMI_NAME) NULL};
  static const char *const libraries[] = {"libcuda.so.1", "libcuda.so", NULL};
  char *message = permi_cuda.driver_message;
  void *library;
  const char *missing;
  int i, major, minor;
  if (permi_cuda.driver_state)
    return permi_cuda.driver_state > 0;
  permi_cuda.driver_state = -1;
  if (!permi_cuda.twin) {
    library = permi_open(libraries);
    if (!library) {
      snprintf(message, PERM_MESSAGE_BYTES, "no CUDA driver: libcuda.so.1 cannot be opened");
      return 0;
    }
    missing = permi_symbols(library, &permi_cuda.driver, symbols);
    if (missing) {
      snprintf(message, PERM_MESSAGE_BYTES, "the CUDA driver is too old: it has no %s", missing);
      return 0;
    }
  }
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
  static const char *const flow[] = {"nvrtcSetFlowCallback", NULL};
#undef PERMI_NAME
  void *library;
  const char *missing;
  if (permi_cuda.nvrtc_state)
    return permi_cuda.nvrtc_state > 0;
  permi_cuda.nvrtc_state = 1;
  if (permi_cuda.twin)
    return 1;
  library = permi_open(libraries);
  missing = library ? permi_symbols(library, &permi_cuda.nvrtc, symbols) : NULL;
  if (library)
    permi_symbols(library, &permi_cuda.flow, flow); /* from 12.8 on */
  if (!library || missing) {
    permi_cuda.nvrtc_state = -1;
    if (library)
      snprintf(permi_cuda.nvrtc_message, PERM_MESSAGE_BYTES, "NVRTC is too old: it has no %s", missing);
    else
      snprintf(permi_cuda.nvrtc_message, PERM_MESSAGE_BYTES,
               "no NVRTC: libnvrtc.so cannot be opened (a part of the CUDA toolkit; LD_LIBRARY_PATH says where)");
  }
  return permi_cuda.nvrtc_state > 0;
}

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
