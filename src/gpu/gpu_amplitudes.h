/* ================================================================================= >>gpu_amplitudes
   Runs amplitudes on one GPU and stream, in place: a launch for each d_(m-1) of a layer. */
#pragma once
#include "compile.h"

#define PERMI_PHOTON_ROOMS 7
typedef struct permi_photons {
  const perm_gpu_photons *work;
  permi_holder holder;
  CUstream stream;
  CUevent done;
  CUdeviceptr room[PERMI_PHOTON_ROOMS], states; /* ranks, roots, limits, c, states, a piece, norms; or out's states */
  CUfunction function;
  permi_photon_arguments a;
  double *sums; /* of blocks */
  perm_status stopped;
} permi_photons;

static int permi_photons_wait(permi_photons *run)
{
  return PERMI_ON(&run->holder, record, (run->done, run->stream)) && PERMI_ON(&run->holder, wait, (run->done));
}

static int permi_photons_stop(void *context)
{
  permi_photons *run = (permi_photons *)context;
  run->stopped = run->work->poll(run->work->context);
  return run->stopped != PERM_OK;
}

/* Adds the layer's photon to places [low, high). total: given sums of |A|^2, or NULL. */
static int permi_photons_add(permi_photons *run, uint64_t low, uint64_t high, double *total)
{
  const unsigned blocks = (unsigned)((high - low + PERMI_PHOTON_THREADS - 1) / PERMI_PHOTON_THREADS);
  void *parameters[1] = {&run->a};
  if (low >= high)
    return 1;
  run->a.low = low;
  run->a.high = high;
  run->a.norm = total ? (double *)(uintptr_t)run->room[6] : NULL;
  int fine = PERMI_ON(&run->holder, launch, (run->function, blocks, 1, 1, PERMI_PHOTON_THREADS, 1, 1, 0, run->stream,
                                             parameters, NULL));
  if (!fine || !total)
    return fine;
  fine = PERMI_ON(&run->holder, download, (run->sums, run->room[6], blocks * sizeof(double), run->stream)) &&
         permi_photons_wait(run);
  for (unsigned k = 0; k < blocks && fine; k++)
    *total += run->sums[k];
  return fine;
}

static int permi_photons_layer(permi_photons *run)
{
  const perm_gpu_photons *work = run->work;
  if (!permi_photons_wait(run) || permi_photons_stop(run))
    return 0;
  const double *c = work->layer(work->context, ++run->a.layer);
  return PERMI_ON(&run->holder, send, (run->room[3], c, 16 * (size_t)work->modes, run->stream));
}

/* Takes memory and fills tables. */
static int permi_photons_open(permi_photons *run)
{
  const perm_gpu_photons *work = run->work;
  const size_t modes = (size_t)work->modes, levels = (size_t)work->n + 2, values = work->probabilities ? 1 : 2;
  const size_t *last = work->ranks + (modes - 1) * levels;
  const void *const from[3] = {work->ranks, work->root, work->most};
  const double one[2] = {1, 0};
  const int elsewhere = work->elsewhere, resident = work->resident;
  size_t most = work->piece;
  permi_holder *holder = &run->holder;
  for (int d = 0; d <= work->n && !elsewhere; d++)
    most = last[d + 1] - last[d] > most ? (size_t)(last[d + 1] - last[d]) : most;
  const size_t norms = most / PERMI_PHOTON_THREADS + 1;
  const size_t bytes[PERMI_PHOTON_ROOMS] = {
      16 * modes * levels, 8 * (levels - 1), modes * sizeof(int), 16 * modes,
      elsewhere || !resident ? 16 * (size_t)last[work->n + !elsewhere] : 0,
      elsewhere && !resident ? values * 8 * work->piece : 0, norms * sizeof(double)};
  if (!permi_has_room(holder, (double)bytes[4] + (double)bytes[5] + (double)bytes[6], "amplitudes"))
    return 0;
  run->sums = (double *)malloc(norms * sizeof *run->sums);
  int fine = run->sums && (resident ? PERMI_ON(holder, drain, (run->stream))
                                    : permi_hold(holder, PERMI_STREAM, &run->stream, 0)) &&
             permi_hold(holder, PERMI_EVENT, &run->done, CU_EVENT_DISABLE_TIMING);
  for (int k = 0; k < PERMI_PHOTON_ROOMS && fine; k++)
    fine = permi_hold(holder, PERMI_MEMORY, &run->room[k], bytes[k]) &&
           (k > 2 || PERMI_ON(holder, upload, (run->room[k], from[k], bytes[k])));
  run->states = bytes[4] ? run->room[4] : (CUdeviceptr)(uintptr_t)work->out;
  run->a.from = (const double *)(uintptr_t)run->states;
  run->a.ranks = (const unsigned long long *)(uintptr_t)run->room[0];
  run->a.root = (const double *)(uintptr_t)run->room[1];
  run->a.most = (const int *)(uintptr_t)run->room[2];
  run->a.c = (const double *)(uintptr_t)run->room[3];
  run->a.modes = work->modes;
  run->a.n = work->n;
  return fine && PERMI_ON(holder, upload, (run->states, one, sizeof one)) && PERMI_ON(holder, synchronise, ());
}

static int permi_photons_run(permi_photons *run, double *total)
{
  const perm_gpu_photons *work = run->work;
  const size_t *last = work->ranks + (work->modes - 1) * (work->n + 2);
  const size_t values = work->probabilities ? 1 : 2;
  const int full = work->most[work->modes - 1];
  run->a.to = (double *)(uintptr_t)run->states;
  for (int layer = 1; layer < work->n + !work->elsewhere; layer++) {
    if (!permi_photons_layer(run))
      return 0;
    for (int d = layer; d >= 0 && layer - d <= full; d--)
      if (!permi_photons_add(run, last[d], last[d + 1], layer == work->n ? total : NULL))
        return 0;
  }
  if (work->elsewhere && !permi_photons_layer(run))
    return 0;
  run->a.probabilities = work->probabilities;
  for (uint64_t at = 0; at < work->count; at += work->piece) {
    const size_t many = work->count - at > work->piece ? work->piece : (size_t)(work->count - at);
    double *const to = work->out + (work->give ? 0 : values * at);
    CUdeviceptr from = run->states + 16 * (work->offset + at);
    if (work->elsewhere) {
      run->a.origin = work->offset + (work->resident ? 0 : at);
      run->a.to = work->resident ? work->out : (double *)(uintptr_t)run->room[5];
      from = run->room[5];
      if (!permi_photons_add(run, work->offset + at, work->offset + at + many, total))
        return 0;
    }
    if (!work->resident && (!PERMI_ON(&run->holder, download, (to, from, 8 * values * many, run->stream)) ||
                            !permi_photons_wait(run)))
      return 0;
    if (work->give && (run->stopped = work->give(work->context, at, many)) != PERM_OK)
      return 0;
  }
  return permi_photons_wait(run);
}

perm_status perm_cuda_amplitudes(const perm_gpu_photons *work, const perm_options *options, double *total,
                                 char message[PERM_MESSAGE_BYTES])
{
  permi_photons run;
  permi_kernel_key key;
  memset(&run, 0, sizeof run);
  memset(&key, 0, sizeof key);
  run.work = work;
  run.holder.message = message;
  run.holder.device = work->device;
  run.stream = (CUstream)options->gpu.stream;
  if (!perm_cuda_devices(1, message) || !permi_enter(work->device, message))
    return PERM_ERROR_DEVICE;
  key.family = 2;
  key.device = work->device;
  key.arch = permi_cuda.arch[work->device];
  permi_loaded *module = permi_module(key, NULL, options->gpu.cache, permi_photons_stop, &run, message);
  run.function = module ? module->function[0] : NULL;
  const int fine = module && permi_photons_open(&run) && permi_photons_run(&run, total);
  permi_cuda.driver.synchronise();
  permi_give_back(&run.holder);
  free(run.sums);
  const perm_status status = permi_leave(fine);
  return run.stopped != PERM_OK ? run.stopped : status;
}
/* SPDX-License-Identifier: MIT */
