/* ================================================================================= >>amplitudes_gpu */
#pragma once
#include "../dense/dense_gpu.h"
#include "amplitudes.h"

#define PERMI_AMPLITUDES_GPU_SECONDS 5e-10 /* H200, 16 in 16: a state, with its way to the host */

typedef struct permi_photons_call {
  permi_amplitudes *of;
  const perm_outputs *outputs;
} permi_photons_call;

static perm_status permi_photons_poll(void *context)
{
  permi_amplitudes *p = ((permi_photons_call *)context)->of;
  return p->watch->stopped =
             permi_control_poll(p->watch, p->done, p->layer ? "adding photons" : "compiling for the GPU");
}

static const double *permi_photons_layer(void *context, int layer)
{
  permi_amplitudes *p = ((permi_photons_call *)context)->of;
  p->done += p->layer ? p->each * (double)permi_ranks_first(&p->ranks, p->modes - 1, layer) : 0;
  p->layer = layer;
  permi_amplitudes_layer(p);
  return p->unit;
}

static perm_status permi_photons_give(void *context, size_t first, size_t count)
{
  const permi_photons_call *call = (const permi_photons_call *)context;
  return call->outputs->block(call->outputs->user_data, first, count, call->of->out)
             ? call->of->watch->stopped = PERM_STOPPED_CANCELLED
             : permi_photons_poll(context);
}

static int permi_amplitudes_gpu_takes(permi_amplitudes *p, const perm_options *options)
{
  const double seconds = PERMI_GPU_START_SECONDS + p->places * PERMI_AMPLITUDES_GPU_SECONDS;
  char message[PERM_MESSAGE_BYTES];
  if (!options->gpu.devices || (!p->resident && options->isa != PERM_ISA_CUDA && seconds >= p->places * p->each) ||
      (options->gpu.cpu_fallback && !permi_gpu_devices(1, message)))
    return 0;
  p->each = seconds / p->places;
  return 1;
}

static perm_status permi_amplitudes_gpu_run(permi_amplitudes *p, const perm_outputs *outputs)
{
  permi_photons_call call = {p, outputs};
  const int block = outputs && outputs->block;
  const perm_gpu_photons work = {p->modes, p->n, p->probabilities, p->elsewhere, p->resident, p->ranks.first, p->root,
                                 p->ranks.most, p->offset, p->count,
                                 block ? PERMI_AMPLITUDES_CALL : (size_t)1 << 24, p->out, &call, permi_photons_poll,
                                 permi_photons_layer, block ? permi_photons_give : NULL};
  return perm_cuda_amplitudes(&work, p->watch->options, &p->total, p->watch->message);
}
/* SPDX-License-Identifier: MIT */
