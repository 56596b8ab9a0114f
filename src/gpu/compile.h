/* ======================================================================================== >>compile
   Kernels by key: NVRTC compiles them, and memory and a directory keep them. */
#pragma once
#include "text_exact.h"
#include "text_batch_floats.h"
#include "text_signs.h"
#include "text_minors.h"
#include "text_frontier.h"
#include "text_amplitudes.h"
#include "driver.h"

static int permi_blocks(const permi_kernel_key *key)
{
#if defined(PERMI_GPU_BLOCKS)
  return PERMI_GPU_BLOCKS;
#endif
  if (key->product == PERM_GPU_FLOATS)
    return key->form >= 16   ? key->form / 16
           : key->parts == 2 ? (key->n <= 30 ? 3 : 2)
           : key->low        ? (key->n <= 46 ? 4 : 3)
                             : 5 + (key->n > 42 && key->n <= 50);
  const int need = 2 * key->n * key->parts * (1 + key->low) + 40;
  return need <= 128 ? 4 : need <= 168 ? 3 : 2;
}

static permi_kernel_key permi_step_key(perm_gpu_cell cell, int words, int parts, int device)
{
  permi_kernel_key key;
  memset(&key, 0, sizeof key);
  key.family = 1;
  key.product = (int)cell;
  key.n = cell == PERM_GPU_INTEGER ? words : 1;
  key.parts = cell == PERM_GPU_INTEGER ? parts : 1;
  key.device = device;
  key.arch = permi_cuda.arch[device];
  return key;
}

static int permi_step_planes(const permi_kernel_key *key)
{
  static const int planes[] = {1, 2, 2, 4};
  return key->product == PERM_GPU_INTEGER ? key->n * key->parts : planes[key->product];
}

static uint64_t permi_digest(uint64_t hash, const void *data, size_t bytes)
{
  const unsigned char *byte = (const unsigned char *)data;
  for (size_t i = 0; i < bytes; i++)
    hash = (hash ^ byte[i]) * UINT64_C(1099511628211);
  return hash;
}
#define PERMI_DIGEST_START UINT64_C(14695981039346656037)

static permi_kernel_key permi_key(const perm_gpu_work *work, int device)
{
  permi_kernel_key key;
  memset(&key, 0, sizeof key);
  key.device = device;
  key.arch = device >= 0 ? permi_cuda.arch[device] : 0;
  if (work->program) {
    key.length = strlen(work->program->text);
    key.digest = permi_digest(PERMI_DIGEST_START, work->program->text, (size_t)key.length);
    return key;
  }
  key.n = work->n;
  key.parts = work->parts;
  key.product = work->product;
  key.low = work->low;
  key.block = work->block;
  key.plain = work->product == PERM_GPU_FLOATS ? 0 : work->plain;
  key.form = 2 * work->group + work->majorant;
  return key;
}

static void permi_source_end(const permi_kernel_key *key, char *text, size_t room)
{
  const int planes = key->family == 1 ? permi_step_planes(key) : 0;
  const int constants = key->block * key->n * key->parts * (1 + key->low) + key->plain * key->parts;
  const int count = constants ? constants : 1;
#define PERMI_GLOBAL "extern \"C\" __global__ void "
  static const char scale[] =
      PERMI_GLOBAL "permi_scale_kernel(double *x, unsigned long long count, double first, double second)\n"
      "{ permi_scale(x, count, first, second); }\n";
  if (key->family == 0 && key->product == PERM_GPU_FLOATS)
    snprintf(text, room,
             PERMI_GLOBAL "__launch_bounds__(128, %d) permi_kernel(const permi_arguments<%d, float> a)\n"
             "{ permi_float_chunk<%d, %d, %d, %d, %d, %d, %d>(a); }\n", permi_blocks(key), 2 * key->n + 1, key->n,
             key->parts, key->form / 2 % 8, key->low, key->form % 2, key->block, 2 * key->n + 1);
  else if (key->family == 0)
    snprintf(text, room,
             PERMI_GLOBAL "__launch_bounds__(128, %d) permi_kernel(const permi_arguments<%d> a)\n"
             "{ permi_chunk<%d, %d, %d, %d, %d, %d, %d>(a); }\n",
             permi_blocks(key), count, key->n, key->parts, key->product, key->low, key->block, key->plain, count);
  else if (key->family == 2)
    snprintf(text, room, PERMI_GLOBAL "__launch_bounds__(%d) permi_photon_kernel(const permi_photon_arguments a)\n"
             "{ permi_photons_block(a); }\n", PERMI_PHOTON_THREADS);
  else
    snprintf(text, room,
             PERMI_GLOBAL "__launch_bounds__(%d) permi_step_kernel(const permi_step_arguments a)\n"
             "{ permi_step<%d, %d, %d, %d>(a); }\n"
             PERMI_GLOBAL "permi_places_kernel(const permi_step_arguments a) { permi_places(a); }\n%s",
             PERMI_STEP_THREADS, key->product, key->n, key->parts, planes == 1 ? 4 : planes == 2 ? 2 : 1, scale);
#undef PERMI_GLOBAL
}

/* Returns the kernel's text, which the caller frees. */
static char *permi_source(const permi_kernel_key *key, const perm_gpu_program *program)
{
  const char *more = key->family == 2  ? permi_text_amplitudes
                     : key->family     ? permi_text_arrays
                     : !program        ? ""
                     : program->exact  ? permi_text_exact
                     : program->batch  ? permi_text_batch
                     : program->signs  ? permi_text_signs
                     : program->minors ? permi_text_minors
                                       : "";
  const int floats = program ? program->floats : !key->family && key->product == PERM_GPU_FLOATS;
  const char *before = floats ? permi_text_floats : "", *after = program && floats ? permi_text_batch_floats : "";
  const char *end_of_more = key->family || program ? "\n" : "";
  char end[2048];
  if (!program)
    permi_source_end(key, end, sizeof end);
  const size_t size = sizeof permi_vocabulary + sizeof permi_text_dense + strlen(before) + strlen(more) +
                      strlen(after) + (program ? (size_t)key->length : strlen(end)) + 4;
  char *source = (char *)malloc(size);
  if (source)
    snprintf(source, size, "%s%s\n%s%s%s%s%s", permi_vocabulary, permi_text_dense, before, more, after, end_of_more,
             program ? program->text : end);
  return source;
}

/* The names of cache files depend on these options, too. */
#define PERMI_COMPILE_OPTIONS "-std=c++14", "--fmad=false"
#define PERMI_COMPILE_TEXT "-std=c++14 --fmad=false"

static int permi_compile_flow(void *, void *)
{
  return permi_cuda.leaving;
}

/* Compiles to machine code if NVRTC knows the architecture, else to PTX for the newest below. */
static char *permi_compile(const char *source, int arch, size_t *size, char *message)
{
  const permi_nvrtc *nvrtc = &permi_cuda.nvrtc;
  permi_program program = NULL;
  int known[64], count = 0, best = 0, i, failed;
  char option[64], *image = NULL;
  const char *options[3] = {option, PERMI_COMPILE_OPTIONS};
  if (nvrtc->archs(&count) || count > 64 || nvrtc->arch(known))
    count = 0;
  for (i = 0; i < count; i++)
    best = known[i] <= arch && known[i] > best ? known[i] : best;
  if (!best) {
    snprintf(message, PERM_MESSAGE_BYTES, "NVRTC knows no architecture up to sm_%d, this GPU's", arch);
    return NULL;
  }
  snprintf(option, sizeof option, "--gpu-architecture=%s_%d", best == arch ? "sm" : "compute", best);
  if (nvrtc->create(&program, source, "perm_cuda.cu", 0, NULL, NULL)) {
    snprintf(message, PERM_MESSAGE_BYTES, "NVRTC cannot create a program");
    return NULL;
  }
  if (permi_cuda.flow)
    permi_cuda.flow(program, permi_compile_flow, NULL);
  failed = nvrtc->compile(program, 3, options);
  if (failed) {
    size_t bytes = 0;
    char *log = !nvrtc->log_size(program, &bytes) && bytes ? (char *)malloc(bytes + 1) : NULL;
    if (log && !nvrtc->log(program, log)) {
      log[bytes] = 0;
      snprintf(message, PERM_MESSAGE_BYTES, "NVRTC: error %d: %.200s", failed, log);
    } else {
      snprintf(message, PERM_MESSAGE_BYTES, "NVRTC: error %d without a log", failed);
    }
    free(log);
  } else if (best == arch ? !nvrtc->cubin_size(program, size) : !nvrtc->ptx_size(program, size)) {
    image = (char *)malloc(*size + 1);
    if (image && (best == arch ? nvrtc->cubin(program, image) : nvrtc->ptx(program, image))) {
      free(image);
      image = NULL;
    }
    if (!image)
      snprintf(message, PERM_MESSAGE_BYTES, "NVRTC compiled a kernel but did not hand it over, or memory ran out");
    else
      image[*size] = 0;
  } else {
    snprintf(message, PERM_MESSAGE_BYTES, "NVRTC compiled a kernel but tells no size");
  }
  nvrtc->destroy(&program);
  return image;
}

/* Returns the image in a cache file, or NULL if anything is amiss. */
static char *permi_cache_read(const char *path, size_t *size)
{
  uint64_t head[2];
  char *image = NULL;
  FILE *file = fopen(path, "rb");
  if (!file)
    return NULL;
  if (fread(head, sizeof head, 1, file) == 1 && head[0] < (uint64_t)1 << 28) {
    *size = (size_t)head[0];
    image = (char *)malloc(*size + 1);
    if (image && (fread(image, 1, *size, file) != *size ||
                  permi_digest(PERMI_DIGEST_START, image, *size) != head[1])) {
      free(image);
      image = NULL;
    }
  }
  fclose(file);
  if (image)
    image[*size] = 0;
  return image;
}

static void permi_cache_write(const char *path, const char *image, size_t size)
{
  uint64_t head[2] = {size, permi_digest(PERMI_DIGEST_START, image, size)};
  char temporary[1200];
  snprintf(temporary, sizeof temporary, "%s.%ld", path, (long)getpid());
  remove(temporary); /* a killed process of this number may have left it */
  FILE *file = fopen(temporary, "wbx"); /* x refuses a planted link */
  if (!file)
    return;
  int fine = fwrite(head, sizeof head, 1, file) == 1 && fwrite(image, 1, size, file) == size;
  fine = !fclose(file) && fine;
  if (!fine || rename(temporary, path))
    remove(temporary);
}

/* Returns the device's context. Needs no lock, as all threads get the same one. */
static CUcontext permi_context(int device, char *message)
{
  pthread_mutex_lock(&permi_cuda_lock);
  CUcontext context = permi_cuda.context[device];
  pthread_mutex_unlock(&permi_cuda_lock);
  if (context || !PERMI_CALL(retain, (&context, device), device, message))
    return context;
  pthread_mutex_lock(&permi_cuda_lock);
  permi_cuda.context[device] = context;
  pthread_mutex_unlock(&permi_cuda_lock);
  return context;
}

static int permi_current(int device, char *message)
{
  CUcontext context = permi_context(device, message);
  return context && PERMI_CALL(current, (context), device, message);
}

/* The same until permi_leave. */
static int permi_enter(int device, char *message)
{
  CUcontext context = permi_context(device, message);
  return context && PERMI_CALL(push, (context), device, message);
}

static perm_status permi_leave(int fine)
{
  CUcontext context;
  permi_cuda.driver.pop(&context);
  return fine ? PERM_OK : PERM_ERROR_DEVICE;
}

/* Returns a copy of the image that another device of the architecture has or is making, or NULL. The caller holds
   permi_cuda_lock, which is free while waiting. */
static char *permi_image_of(const permi_kernel_key *key, size_t *size)
{
  permi_making *other;
  permi_loaded *loaded;
  char *image = NULL;
  for (other = permi_cuda.making; other;) {
    permi_kernel_key same = other->key;
    same.device = key->device;
    if (other->compiling && !memcmp(&same, key, sizeof same)) {
      pthread_cond_wait(&permi_made, &permi_cuda_lock);
      other = permi_cuda.making;
    } else {
      other = other->next;
    }
  }
  for (loaded = permi_cuda.loaded; loaded && !image; loaded = loaded->next) {
    permi_kernel_key same = loaded->key;
    same.device = key->device;
    if (!memcmp(&same, key, sizeof same)) {
      *size = loaded->size;
      image = (char *)malloc(*size + 1);
      if (image)
        memcpy(image, loaded->image, *size + 1);
    }
  }
  return image;
}

static int permi_load(permi_loaded *loaded, size_t shared, char *message)
{
  const int device = loaded->key.device, family = loaded->key.family;
  int fine = PERMI_CALL(load, (&loaded->module, loaded->image), device, message), k;
  if (!fine)
    return 0;
  for (k = 0; fine && k < PERMI_FUNCTIONS && permi_functions[family][k]; k++)
    fine = PERMI_CALL(function, (&loaded->function[k], loaded->module, permi_functions[family][k]), device, message);
  if (fine && shared > (size_t)permi_cuda.shared[device]) {
    snprintf(message, PERM_MESSAGE_BYTES,
             "GPU %d: the kernel for this matrix needs %.0f bytes of shared memory, a block there has %d: compute it "
             "on the CPU (options.gpu.devices = 0)", device, (double)shared, permi_cuda.shared[device]);
    fine = 0;
  }
  if (fine && shared > 48 * 1024) /* CUDA gives more only if asked */
    fine = PERMI_CALL(allow, (loaded->function[0], CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, (int)shared),
                      device, message);
  if (!fine)
    permi_cuda.driver.unload(loaded->module);
  return fine;
}

static void permi_cache_path(const permi_making *making, char *path, size_t room)
{
  static const char options[] = PERMI_COMPILE_TEXT;
  int major = 0, minor = 0;
  path[0] = 0;
  if (permi_cuda.twin || !making->cache || strlen(making->cache) >= 1000)
    return;
  permi_cuda.nvrtc.version(&major, &minor);
  snprintf(path, room, "%s/perm-sm%d-nvrtc%d.%d-%016llx.cubin", making->cache, permi_cuda.arch[making->key.device],
           major, minor,
           (unsigned long long)permi_digest(permi_digest(PERMI_DIGEST_START, options, sizeof options), making->source,
                                            strlen(making->source)));
}

static char *permi_image_make(const permi_making *making, size_t *size, char *message)
{
  if (!permi_cuda.twin)
    return permi_compile(making->source, permi_cuda.arch[making->key.device], size, message);
  permi_cuda.twin();
  *size = sizeof making->key; /* a twin's module is its key */
  char *image = (char *)malloc(*size + 1);
  if (image)
    memcpy(image, &making->key, *size);
  return image;
}

static permi_loaded *permi_make(permi_making *making)
{
  permi_loaded *loaded = (permi_loaded *)calloc(1, sizeof *loaded);
  char *message = making->message, path[1100] = "";
  int fine = loaded != NULL && permi_current(making->key.device, message), turn;
  pthread_mutex_lock(&permi_cuda_lock);
  if (fine) {
    loaded->key = making->key;
    loaded->image = permi_image_of(&making->key, &loaded->size);
    making->compiling = !loaded->image;
  }
  pthread_mutex_unlock(&permi_cuda_lock);
  if (fine && loaded->image) {
    fine = permi_load(loaded, making->shared, message);
  } else if (fine) {
    permi_cache_path(making, path, sizeof path);
    for (fine = turn = 0; turn < 2 && !fine; turn++) { /* also a whole file may not suit this driver */
      free(loaded->image);
      message[0] = 0;
      loaded->image = turn ? permi_image_make(making, &loaded->size, message) : permi_cache_read(path, &loaded->size);
      fine = loaded->image && permi_load(loaded, making->shared, message);
    }
    if (fine && turn == 2 && path[0])
      permi_cache_write(path, loaded->image, loaded->size);
  }
  if (fine)
    return loaded;
  if (!message[0])
    snprintf(message, PERM_MESSAGE_BYTES, "out of memory");
  if (loaded)
    free(loaded->image);
  free(loaded);
  return NULL;
}

#define PERMI_MAKING_STACK (16 << 20) /* compilers recurse */

/* The caller holds permi_cuda_lock. */
static void permi_making_leave(permi_making *making)
{
  permi_making **at;
  if (!making->ended || making->calls)
    return;
  for (at = &permi_cuda.making; *at != making;)
    at = &(*at)->next;
  *at = making->next;
  free(making->source);
  free(making->cache);
  free(making);
}

static void *permi_making_run(void *argument)
{
  permi_making *making = (permi_making *)argument;
  permi_loaded *loaded = permi_make(making);
  pthread_mutex_lock(&permi_cuda_lock);
  if (loaded) {
    loaded->next = permi_cuda.loaded;
    permi_cuda.loaded = loaded;
  }
  making->loaded = loaded;
  making->compiling = 0;
  making->ended = 1;
  permi_making_leave(making);
  permi_cuda.threads--;
  pthread_cond_broadcast(&permi_made);
  pthread_mutex_unlock(&permi_cuda_lock);
  return NULL;
}

/* Waits at exit for compilers, before their library ends. */
static void permi_cuda_leave(void)
{
  if (permi_cuda.process != getpid())
    return; /* a forked child has no such threads */
  permi_cuda.leaving = 1;
  pthread_mutex_lock(&permi_cuda_lock);
  while (permi_cuda.threads)
    pthread_cond_wait(&permi_made, &permi_cuda_lock);
  pthread_mutex_unlock(&permi_cuda_lock);
}

/* Starts to make a module; takes `source` over. The caller holds permi_cuda_lock. */
static permi_making *permi_making_start(const permi_kernel_key *key, char *source, size_t shared, const char *cache,
                                        char *message)
{
  permi_making *making = (permi_making *)calloc(1, sizeof *making);
  pthread_attr_t attributes;
  pthread_t thread;
  int started = 0;
  if (making && source && !permi_cuda.leaving) {
    making->key = *key;
    making->shared = shared;
    making->cache = cache ? strdup(cache) : NULL;
    if ((making->cache || !cache) && !pthread_attr_init(&attributes)) {
      making->source = source;
      pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
      pthread_attr_setstacksize(&attributes, PERMI_MAKING_STACK);
      started = !pthread_create(&thread, &attributes, permi_making_run, making);
      pthread_attr_destroy(&attributes);
    }
  }
  if (!started) {
    snprintf(message, PERM_MESSAGE_BYTES, "%s", making && source ? "a host thread cannot be created" : "out of memory");
    free(source);
    if (making)
      free(making->cache);
    free(making);
    return NULL;
  }
  permi_cuda.threads++;
  making->next = permi_cuda.making;
  permi_cuda.making = making;
  return making;
}

/* The caller holds permi_cuda_lock. */
static void permi_process_begin(void)
{
  if (permi_cuda.process == getpid())
    return;
  if (!permi_cuda.process) {
    permi_condition(&permi_made);
    atexit(permi_cuda_leave);
  }
  permi_cuda.process = getpid();
  permi_cuda.making = NULL;
  permi_cuda.threads = 0;
}

static permi_loaded *permi_module(permi_kernel_key key, const perm_gpu_program *program, const char *cache,
                                  int (*stop)(void *context), void *context, char *message)
{
  permi_making *making;
  permi_loaded *loaded;
  int stopped = 0;
  pthread_mutex_lock(&permi_cuda_lock);
  permi_process_begin();
  for (loaded = permi_cuda.loaded; loaded && memcmp(&loaded->key, &key, sizeof key);)
    loaded = loaded->next;
  for (making = permi_cuda.making; making && memcmp(&making->key, &key, sizeof key);)
    making = making->next;
  if (!loaded && !making)
    making = permi_making_start(&key, permi_source(&key, program), program ? program->shared : 0, cache, message);
  if (loaded || !making) {
    pthread_mutex_unlock(&permi_cuda_lock);
    return loaded;
  }
  making->calls++;
  while (!making->ended && !stopped) {
    const struct timespec until = permi_until(20000000);
    pthread_cond_timedwait(&permi_made, &permi_cuda_lock, &until);
    if (!making->ended) {
      pthread_mutex_unlock(&permi_cuda_lock);
      stopped = stop(context);
      pthread_mutex_lock(&permi_cuda_lock);
    }
  }
  loaded = making->ended ? making->loaded : NULL;
  if (!loaded)
    snprintf(message, PERM_MESSAGE_BYTES, "%s", making->ended ? making->message : "stopped");
  making->calls--;
  permi_making_leave(making);
  pthread_mutex_unlock(&permi_cuda_lock);
  return loaded;
}

static CUfunction permi_kernel(const perm_gpu_work *work, int device, const char *cache, int (*stop)(void *context),
                               void *context, char *message)
{
  permi_loaded *loaded = permi_module(permi_key(work, device), work->program, cache, stop, context, message);
  return loaded ? loaded->function[0] : NULL;
}
/* SPDX-License-Identifier: MIT */
