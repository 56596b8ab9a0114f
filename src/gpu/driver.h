/* ========================================================================================= >>driver
   The CUDA driver and NVRTC, opened at run time. A call that fails returns 0 or NULL, and `message` says why. */
#pragma once

#define PERMI_DRIVER_LIST(X)                                                                                           \
  X(init, "cuInit", (unsigned flags))                                                                                  \
  X(count, "cuDeviceGetCount", (int *count))                                                                           \
  X(attribute, "cuDeviceGetAttribute", (int *value, CUdevice_attribute attribute, CUdevice device))                    \
  X(retain, "cuDevicePrimaryCtxRetain", (CUcontext *context, CUdevice device))                                         \
  X(current, "cuCtxSetCurrent", (CUcontext context))                                                                   \
  X(load, "cuModuleLoadData", (CUmodule *module, const void *image))                                                   \
  X(unload, "cuModuleUnload", (CUmodule module))                                                                       \
  X(function, "cuModuleGetFunction", (CUfunction *function, CUmodule module, const char *name))                        \
  X(allow, "cuFuncSetAttribute", (CUfunction function, CUfunction_attribute attribute, int value))                     \
  X(launch, "cuLaunchKernel",                                                                                          \
    (CUfunction function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,                \
     unsigned shared, CUstream stream, void **parameters, void **extra))                                               \
  X(stream, "cuStreamCreate", (CUstream *stream, unsigned flags))                                                      \
  X(stream_free, "cuStreamDestroy_v2", (CUstream stream))                                                              \
  X(event, "cuEventCreate", (CUevent *event, unsigned flags))                                                          \
  X(event_free, "cuEventDestroy_v2", (CUevent event))                                                                  \
  X(record, "cuEventRecord", (CUevent event, CUstream stream))                                                         \
  X(wait, "cuEventSynchronize", (CUevent event))                                                                       \
  X(allocate, "cuMemAlloc_v2", (CUdeviceptr *pointer, size_t bytes))                                                   \
  X(release, "cuMemFree_v2", (CUdeviceptr pointer))                                                                    \
  X(allocate_host, "cuMemAllocHost_v2", (void **pointer, size_t bytes))                                                \
  X(release_host, "cuMemFreeHost", (void *pointer))                                                                    \
  X(pointer, "cuPointerGetAttribute", (void *value, CUpointer_attribute attribute, CUdeviceptr pointer))               \
  X(copy, "cuMemcpyAsync", (CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream))                          \
  X(set, "cuMemsetD8Async", (CUdeviceptr to, unsigned char byte, size_t bytes, CUstream stream))                       \
  X(drain, "cuStreamSynchronize", (CUstream stream))                                                                   \
  X(upload, "cuMemcpyHtoD_v2", (CUdeviceptr to, const void *from, size_t bytes))                                       \
  X(send, "cuMemcpyHtoDAsync_v2", (CUdeviceptr to, const void *from, size_t bytes, CUstream stream))                   \
  X(memory, "cuMemGetInfo_v2", (size_t *free, size_t *total))                                                          \
  X(total, "cuDeviceTotalMem_v2", (size_t *bytes, CUdevice device))                                                    \
  X(push, "cuCtxPushCurrent_v2", (CUcontext context))                                                                  \
  X(pop, "cuCtxPopCurrent_v2", (CUcontext *context))                                                                   \
  X(synchronise, "cuCtxSynchronize", (void))                                                                           \
  X(download, "cuMemcpyDtoHAsync_v2", (void *to, CUdeviceptr from, size_t bytes, CUstream stream))                     \
  X(text, "cuGetErrorString", (CUresult error, const char **text))

typedef struct permi_driver {
#define PERMI_DRIVER_MEMBER(name, symbol, parameters) CUresult(CUDAAPI *name) parameters;
  PERMI_DRIVER_LIST(PERMI_DRIVER_MEMBER)
#undef PERMI_DRIVER_MEMBER
} permi_driver;

typedef struct permi_nvrtc_program *permi_program;
#define PERMI_NVRTC_LIST(X)                                                                                            \
  X(version, "nvrtcVersion", (int *major, int *minor))                                                                 \
  X(archs, "nvrtcGetNumSupportedArchs", (int *count))                                                                  \
  X(arch, "nvrtcGetSupportedArchs", (int *archs))                                                                      \
  X(create, "nvrtcCreateProgram",                                                                                      \
    (permi_program * program, const char *source, const char *name, int headers, const char *const *texts,             \
     const char *const *names))                                                                                        \
  X(destroy, "nvrtcDestroyProgram", (permi_program * program))                                                         \
  X(compile, "nvrtcCompileProgram", (permi_program program, int count, const char *const *options))                    \
  X(cubin_size, "nvrtcGetCUBINSize", (permi_program program, size_t *size))                                            \
  X(cubin, "nvrtcGetCUBIN", (permi_program program, char *cubin))                                                      \
  X(ptx_size, "nvrtcGetPTXSize", (permi_program program, size_t *size))                                                \
  X(ptx, "nvrtcGetPTX", (permi_program program, char *ptx))                                                            \
  X(log_size, "nvrtcGetProgramLogSize", (permi_program program, size_t *size))                                         \
  X(log, "nvrtcGetProgramLog", (permi_program program, char *log))

typedef struct permi_nvrtc {
#define PERMI_NVRTC_MEMBER(name, symbol, parameters) int(*name) parameters;
  PERMI_NVRTC_LIST(PERMI_NVRTC_MEMBER)
#undef PERMI_NVRTC_MEMBER
} permi_nvrtc;

#define PERMI_GPUS 64

/* A kernel's key, compared as bytes. */
typedef struct permi_kernel_key {
  int n, parts, product, low, block, plain;
  int family; /* 0: sums; 1: the frontier's arrays: product is the cell, n words in each part; 2: amplitudes */
  int arch, device;
  int form; /* of floats: 2 * rows of a group + majorants (+ 16 * blocks of a multiprocessor, for trials) */
  uint64_t digest, length;
} permi_kernel_key;

enum { PERMI_SCALE, PERMI_STEP, PERMI_PLACES, PERMI_FUNCTIONS }; /* the functions of family 1 */
static const char *const permi_functions[3][PERMI_FUNCTIONS] = {
    {"permi_kernel", NULL, NULL}, {"permi_scale_kernel", "permi_step_kernel", "permi_places_kernel"},
    {"permi_photon_kernel", NULL, NULL}};

typedef struct permi_loaded {
  permi_kernel_key key;
  CUmodule module;
  CUfunction function[PERMI_FUNCTIONS];
  char *image; /* kept for other devices of its architecture */
  size_t size;
  struct permi_loaded *next;
} permi_loaded;

/* A module that a thread of its own makes, since contexts, compilers and drivers cannot be interrupted. Calls may
   leave; the module is kept. */
typedef struct permi_making {
  permi_kernel_key key;
  char *source, *cache;
  size_t shared;
  int compiling; /* others of its architecture wait for the image */
  int calls, ended;
  permi_loaded *loaded;
  char message[PERM_MESSAGE_BYTES];
  struct permi_making *next;
} permi_making;

/* Timed waits use the monotonic clock. */
static void permi_condition(pthread_cond_t *condition)
{
  pthread_condattr_t monotonic;
  pthread_condattr_init(&monotonic);
  pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
  pthread_cond_init(condition, &monotonic);
  pthread_condattr_destroy(&monotonic);
}

static pthread_cond_t permi_made; /* a thread of >>compile has ended; permi_process_begin makes it */

/* The lock of all that follows. */
static pthread_mutex_t permi_cuda_lock = PTHREAD_MUTEX_INITIALIZER;
static struct {
  int driver_state, nvrtc_state; /* 0 not tried, 1 open, -1 absent */
  permi_driver driver;
  permi_nvrtc nvrtc;
  int devices, arch[PERMI_GPUS], processors[PERMI_GPUS], shared[PERMI_GPUS];
  double slower[PERM_GPU_PIPES]; /* the first */
  CUcontext context[PERMI_GPUS];
  permi_loaded *loaded;
  permi_making *making;
  int threads;
  volatile int leaving; /* compilers give up */
  pid_t process;
  char driver_message[PERM_MESSAGE_BYTES], nvrtc_message[PERM_MESSAGE_BYTES];
  int (*flow)(permi_program program, int (*callback)(void *, void *), void *payload); /* NULL: older NVRTC */
  void (*twin)(void); /* the tests' driver, called instead of compiling, unless NULL */
} permi_cuda;

static double permi_clock(void)
{
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static struct timespec permi_until(long nanoseconds)
{
  struct timespec until;
  clock_gettime(CLOCK_MONOTONIC, &until);
  until.tv_nsec += nanoseconds;
  if (until.tv_nsec >= 1000000000) {
    until.tv_nsec -= 1000000000;
    until.tv_sec++;
  }
  return until;
}

#if defined(PERM_CUDA_TESTS)
static long permi_fault_after = -1; /* for tests: calls until one fails; below 0: none does */
static int permi_fault(void)
{
  const long left = __atomic_fetch_sub(&permi_fault_after, 1, __ATOMIC_RELAXED);
  if (left < 0)
    __atomic_store_n(&permi_fault_after, -1, __ATOMIC_RELAXED);
  return left == 0;
}
#else
#define permi_fault() 0
#endif

static int permi_called(CUresult status, const char *what, int device, char *message)
{
  const char *text = NULL;
  if (status == CUDA_SUCCESS)
    return 1;
  if (permi_cuda.driver.text)
    permi_cuda.driver.text(status, &text);
  snprintf(message, PERM_MESSAGE_BYTES, "GPU %d: %s: %s (error %d)", device, what, text ? text : "unknown error",
           (int)status);
  return 0;
}

#define PERMI_CALL(name, arguments, device, message)                                                                   \
  permi_called(permi_fault() ? CUDA_ERROR_UNKNOWN : permi_cuda.driver.name arguments, "driver call " #name, device,    \
               message)

/* What a holder holds; a handle of 0 is nothing. */
typedef enum permi_held { PERMI_MEMORY, PERMI_HOST, PERMI_EVENT, PERMI_STREAM, PERMI_HELDS } permi_held;
typedef struct permi_holder {
  int device, held;
  char *message;
  struct {
    permi_held kind;
    void *at;
  } handle[24];
} permi_holder;

#define PERMI_ON(holder, name, arguments) PERMI_CALL(name, arguments, (holder)->device, (holder)->message)

/* Makes *at: `bytes` of GPU or host memory (0: later), an event with flags, a stream. */
static int permi_hold(permi_holder *holder, permi_held kind, void *at, size_t bytes)
{
  holder->handle[holder->held].kind = kind;
  holder->handle[holder->held++].at = at;
  return kind == PERMI_MEMORY ? !bytes || PERMI_ON(holder, allocate, ((CUdeviceptr *)at, bytes))
         : kind == PERMI_HOST ? PERMI_ON(holder, allocate_host, ((void **)at, bytes))
         : kind == PERMI_EVENT ? PERMI_ON(holder, event, ((CUevent *)at, (unsigned)bytes))
                               : PERMI_ON(holder, stream, ((CUstream *)at, CU_STREAM_NON_BLOCKING));
}

static int permi_has_room(permi_holder *holder, double needed, const char *what)
{
  size_t left = 0, total = 0;
  if (!PERMI_ON(holder, memory, (&left, &total)))
    return 0;
  if (needed > (double)left)
    snprintf(holder->message, PERM_MESSAGE_BYTES, "GPU %d: %s need %.0f bytes, and of %.0f only %.0f are free",
             holder->device, what, needed, (double)total, (double)left);
  return needed <= (double)left;
}

/* Gives all back, memory first, which waits; ignores failures. */
static void permi_give_back(permi_holder *holder)
{
  const permi_driver *driver = &permi_cuda.driver;
  for (int kind = 0; kind < PERMI_HELDS; kind++)
    for (int k = 0; k < holder->held; k++) {
      void *at = holder->handle[k].at;
      if ((int)holder->handle[k].kind != kind)
        continue;
      if (kind == PERMI_MEMORY && *(CUdeviceptr *)at)
        driver->release(*(CUdeviceptr *)at);
      else if (kind == PERMI_HOST && *(void **)at)
        driver->release_host(*(void **)at);
      else if (kind == PERMI_EVENT && *(CUevent *)at)
        driver->event_free(*(CUevent *)at);
      else if (kind == PERMI_STREAM && *(CUstream *)at)
        driver->stream_free(*(CUstream *)at);
    }
  holder->held = 0;
}

/* ---- the GPUs of this machine */

static int permi_open(const char *const *libraries, const char *const *symbols, void *table, const char *what,
                      const char *none, char *message, void **library)
{
  *library = NULL;
  for (int i = 0; libraries[i] && !*library; i++)
    *library = dlopen(libraries[i], RTLD_NOW | RTLD_LOCAL);
  if (!*library)
    snprintf(message, PERM_MESSAGE_BYTES, "%s", none);
  for (int i = 0; *library && symbols[i]; i++) {
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

/* An H200 has 132 multiprocessors at 1.98 GHz of 64 FP64 lanes, and a bus of 6016 bits at 3.2 GHz. */
static int permi_driver_rates(int arch, char *message)
{
  static const CUdevice_attribute asked[] = {
      CU_DEVICE_ATTRIBUTE_CLOCK_RATE, CU_DEVICE_ATTRIBUTE_SINGLE_TO_DOUBLE_PRECISION_PERF_RATIO,
      CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE, CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH};
  double *slower = permi_cuda.slower;
  int told[4];
  for (int k = 0; k < 4; k++)
    if (!PERMI_CALL(attribute, (&told[k], asked[k], 0), 0, message))
      return 0;
  if (arch == 103 && told[1] < 16) /* a B300's */
    told[1] = 64;
  const double lanes = arch <= 80 ? 64 : 128; /* of FP32 in a multiprocessor */
  slower[PERM_GPU_32] = 132 * 1.98e6 / ((double)permi_cuda.processors[0] * told[0]);
  slower[PERM_GPU_FP64] = slower[PERM_GPU_32] * 64 * told[1] / lanes;
  slower[PERM_GPU_MEMORY] = 6016 * 3.201e6 / ((double)told[2] * told[3]);
  for (int k = 0; k < PERM_GPU_PIPES; k++)
    slower[k] = slower[k] > 0 && slower[k] < 1e6 ? slower[k] : 1;
  return 1;
}

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
  if (!permi_driver_rates(permi_cuda.arch[0], message))
    return 0;
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

double perm_cuda_slower(perm_gpu_pipe pipe)
{
  char message[PERM_MESSAGE_BYTES];
  return perm_cuda_devices(1, message) ? permi_cuda.slower[pipe] : 1;
}
/* SPDX-License-Identifier: MIT */
