/* ================================================================================= >>amplitudes_gpu */
#pragma once
#include "../dense/dense_gpu.h"
#include "amplitudes.h"

#define PERMI_AMPLITUDES_GPU_SECONDS 5e-10 /* H200, 16 in 16: a state, with its way to the host */

static perm_status permi_photons_poll(void *context)
{
  permi_amplitudes *p = (permi_amplitudes *)context;
  return p->watch->stopped =
             permi_control_poll(p->watch, p->done, p->layer ? "adding photons" : "compiling for the GPU");
}

static const double *permi_photons_layer(void *context, int layer)
{
  permi_amplitudes *p = (permi_amplitudes *)context;
  p->done += p->layer ? p->each * (double)permi_ranks_first(&p->ranks, p->modes - 1, layer) : 0;
  p->layer = layer;
  permi_amplitudes_layer(p);
  return p->unit;
}

static perm_status permi_photons_give(void *context, size_t first, size_t count)
{
  permi_amplitudes *p = (permi_amplitudes *)context;
  (void)first;
  return permi_amplitudes_hand(p, count) == PERM_OK ? permi_photons_poll(p) : p->watch->stopped;
}

static int permi_amplitudes_gpu_takes(permi_amplitudes *p, const perm_options *options)
{
  char message[PERM_MESSAGE_BYTES];
  if (!options->gpu.devices)
    return 0;
  const double seconds = PERMI_GPU_START_SECONDS +
                         p->places * PERMI_AMPLITUDES_GPU_SECONDS * permi_gpu_slower(PERM_GPU_MEMORY);
  if ((!p->asked.on_gpu && options->isa != PERM_ISA_CUDA && seconds >= p->places * p->each) ||
      (options->gpu.cpu_fallback && !permi_gpu_devices(1, message)))
    return 0;
  p->each = seconds / p->places;
  return 1;
}

static perm_status permi_amplitudes_gpu_run(permi_amplitudes *p, perm_result *result)
{
  const perm_options *options = p->watch->options;
  char *message = p->watch->message;
  int device = 0;
  perm_status status = p->asked.on_gpu ? permi_gpu_owns(p->out, 8, "out", &device, result) : PERM_OK;
  const perm_gpu_photons work = {p->modes, p->n, p->asked.probabilities, p->elsewhere, p->asked.on_gpu, device,
                                 p->ranks.first, p->root, p->ranks.most, p->offset, p->count,
                                 p->pieces ? PERMI_AMPLITUDES_CALL : (size_t)1 << 24, p->out, p, permi_photons_poll,
                                 permi_photons_layer, p->pieces ? permi_photons_give : NULL};
  if (status != PERM_OK)
    return status;
  status = perm_cuda_amplitudes(&work, options, &p->total, message);
  p->done = p->places * p->each;
  return status == PERM_ERROR_DEVICE ? permi_fail(result, status, 0, "%s", message) : status;
}
/* SPDX-License-Identifier: MIT */
