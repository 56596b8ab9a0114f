/* ========================================================================================= >>driver */
#pragma once

#define PERMI_DRIVER_LIST(X)                                                                                           \
  X(init, "cuInit", (unsigned flags))                                                                                  \
  X(version, "cuDriverGetVersion", (int *version))                                                                     \
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

#define PERMI_GPUS 64 /* most of a host */

/* A kernel's key, and where it is loaded. */
typedef struct permi_kernel_key {
  int n, parts, product, low, block, plain;
  int family; /* 0: dense sums and programs; 1, 2: the frontier on arrays, lists; cells `product`, n words a part */
  int arch, device, unused; /* 0, where padding would be: keys are compared as bytes */
  uint64_t digest, length; /* of a program's text */
} permi_kernel_key;

enum { PERMI_SCALE, PERMI_STEP, PERMI_PLACES }; /* of a frontier programme's module */
enum { PERMI_COUNT = 1, PERMI_HEADS, PERMI_SCAN, PERMI_EXPAND, PERMI_MERGE, PERMI_SUM, PERMI_FUNCTIONS };
static const char *const permi_functions[3][PERMI_FUNCTIONS] = {
    {"permi_kernel", NULL, NULL, NULL, NULL, NULL, NULL},
    {"permi_scale_kernel", "permi_step_kernel", "permi_places_kernel", NULL, NULL, NULL, NULL},
    {"permi_scale_kernel", "permi_count_kernel", "permi_heads_kernel", "permi_scan_kernel", "permi_expand_kernel",
     "permi_merge_kernel", "permi_sum_kernel"}};

typedef struct permi_loaded {
  permi_kernel_key key;
  CUmodule module;
  CUfunction function[PERMI_FUNCTIONS];
  char *image; /* for other devices of the architecture */
  size_t size;
  struct permi_loaded *next;
} permi_loaded;

/* A module in the making, by a thread of its own: neither a context, nor a compiler, nor a driver that compiles PTX can
   be interrupted. Calls wait for it and may leave; what it makes is kept for later ones. */
typedef struct permi_making {
  permi_kernel_key key;
  char *source, *cache; /* copies, the thread's */
  size_t shared;
  int compiling; /* 1: others with its architecture wait for what it compiles */
  int calls;     /* that wait */
  int ended;     /* 1: `loaded`, or NULL and why */
  permi_loaded *loaded;
  char message[PERM_MESSAGE_BYTES];
  struct permi_making *next;
} permi_making;

/* A condition whose waits end by a clock that nobody sets. */
static void permi_condition(pthread_cond_t *condition)
{
  pthread_condattr_t monotonic;
  pthread_condattr_init(&monotonic);
  pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
  pthread_cond_init(condition, &monotonic);
  pthread_condattr_destroy(&monotonic);
}

static pthread_cond_t permi_made_condition;
static void permi_made_begin(void)
{
  permi_condition(&permi_made_condition);
}

/* What is signalled when there is a module more, or something is compiled. */
static pthread_cond_t *permi_made(void)
{
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, permi_made_begin);
  return &permi_made_condition;
}

/* All that the process keeps. */
static pthread_mutex_t permi_cuda_lock = PTHREAD_MUTEX_INITIALIZER; /* guards it */
static struct {
  int driver_state, nvrtc_state; /* 0 not tried, 1 there, -1 not */
  permi_driver driver;
  permi_nvrtc nvrtc;
  int devices, arch[PERMI_GPUS], processors[PERMI_GPUS], shared[PERMI_GPUS];
  CUcontext context[PERMI_GPUS];
  permi_loaded *loaded;
  permi_making *making;
  int threads; /* that make them */
  volatile int leaving; /* 1: the process ends, compilers are to give up */
  pid_t process;        /* whose threads they are */
  char driver_message[PERM_MESSAGE_BYTES], nvrtc_message[PERM_MESSAGE_BYTES];
  int (*flow)(permi_program program, int (*callback)(void *, void *), void *payload); /* NULL: an older NVRTC */
  int twin; /* 1: the driver is that of >>twin */
} permi_cuda;

static double permi_clock(void)
{
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

#if defined(PERM_CUDA_TESTS)
static long permi_fault_after = -1; /* calls until one fails; below 0: none does */
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

/* Every call of the driver goes through here. 1: fine; otherwise message says what failed. */
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

static void *permi_open(const char *const *names)
{
  void *library = NULL;
  int i;
  for (i = 0; names[i] && !library; i++)
    library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
  return library;
}

/* dlsym gives an object pointer where a function's is wanted: POSIX says copy it. Returns the first name missing. */
static const char *permi_symbols(void *library, void *table, const char *const *names)
{
  int i;
  for (i = 0; names[i]; i++) {
    void *symbol = dlsym(library, names[i]);
    if (!symbol)
      return names[i];
    memcpy((char *)table + (size_t)i * sizeof symbol, &symbol, sizeof symbol);
  }
  return NULL;
}
