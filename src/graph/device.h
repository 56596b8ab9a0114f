/* ========================================================================================= >>device
   What engines ask of perm_cuda.cu, or what stands in for it. */
#pragma once
#include "vectors.h"

struct permi_arrays_run;
struct permi_frontier;

#if defined(PERM_WITH_CUDA)
/* >>arrays_gpu */
PERMI_DEVICE perm_status permi_gpu_create(struct permi_arrays_run *run, char *message);
PERMI_DEVICE perm_status permi_gpu_begin(struct permi_arrays_run *run);
PERMI_DEVICE perm_status permi_gpu_step(struct permi_arrays_run *run, int p);
PERMI_DEVICE perm_status permi_gpu_scale(struct permi_arrays_run *run, size_t states, double first, double second);
PERMI_DEVICE perm_status permi_gpu_value(struct permi_arrays_run *run, void *value);
PERMI_DEVICE void permi_gpu_free(struct permi_arrays_run *run);
PERMI_DEVICE double permi_gpu_needs(const struct permi_frontier *frontier);
PERMI_DEVICE double permi_gpu_bytes(void);
/* >>program_plan */
PERMI_DEVICE double permi_code_rate(const permi_maker *maker, const permi_block *block, double otherwise);
PERMI_DEVICE perm_status permi_code_offer(permi_maker *maker, const permi_block *block, double rival,
                                          permi_offer *offer);
PERMI_DEVICE perm_status permi_code_make(permi_maker *maker, const permi_block *block, permi_offer *offer,
                                         permi_leaf *leaf);
PERMI_DEVICE void permi_code_explain(const permi_hybrid *hybrid, char *buffer, size_t size, size_t *length);
PERMI_DEVICE void permi_code_drop(const perm_allocator *allocator, permi_hybrid *hybrid);
/* >>signs_gpu: the leaf takes over `signs` */
PERMI_DEVICE perm_status permi_signs_gpu_make(permi_maker *maker, permi_signs *signs, permi_leaf *leaf);
/* >>codegen */
PERMI_DEVICE perm_status permi_codegen_offer(permi_maker *maker, const permi_block *block, double rival,
                                             permi_offer *offer);
PERMI_DEVICE perm_status permi_codegen_make(permi_maker *maker, const permi_block *block, permi_offer *offer,
                                            permi_leaf *leaf);
PERMI_DEVICE void permi_codegen_release(const perm_allocator *allocator, void *context);
#else
#define permi_gpu_create(run, message) (permi_gpu_devices(1, message), PERM_ERROR_DEVICE)
#define permi_gpu_begin(run) PERM_ERROR_DEVICE
#define permi_gpu_step(run, p) PERM_ERROR_DEVICE
#define permi_gpu_scale(run, states, first, second) PERM_ERROR_DEVICE
#define permi_gpu_value(run, value) PERM_ERROR_DEVICE
#define permi_gpu_free(run) (void)0
#define permi_gpu_needs(frontier) \
  (((frontier)->room[0] + (frontier)->room[1]) * (double)permi_arrays_bytes_at(frontier, (frontier)->steps))
#define permi_gpu_bytes() 0.0
#define permi_code_rate(maker, block, otherwise) (otherwise)
#define permi_code_offer(maker, block, rival, offer) PERM_OK
#define permi_code_explain(hybrid, buffer, size, length) (void)0
#define permi_code_drop(allocator, hybrid) (void)0
#define permi_signs_gpu_make(maker, signs, leaf) permi_refuse_device(maker)
#define permi_codegen_make NULL
#define permi_codegen_release NULL

static perm_status permi_refuse_device(permi_maker *maker)
{
  char message[PERM_MESSAGE_BYTES];
  permi_gpu_devices(1, message);
  return permi_fail(maker->result, PERM_ERROR_DEVICE, 0, "%s", message);
}

static perm_status permi_code_make(permi_maker *maker, const permi_block *block, permi_offer *offer, permi_leaf *leaf)
{
  const int longer = !block->integer && offer->seconds > 2 * PERMI_GPU_COMPILE;
  (void)leaf;
  return permi_gpu_wanted(maker->options, block->n) && (maker->options->isa == PERM_ISA_CUDA || longer)
             ? permi_refuse_device(maker) : PERM_OK;
}

static perm_status permi_codegen_offer(permi_maker *maker, const permi_block *block, double rival, permi_offer *offer)
{
  (void)block, (void)rival;
  return permi_refuse(offer, PERM_ERROR_DEVICE, maker->options->gpu.devices
      ? "needs a GPU for this method: perm.h was compiled without PERM_WITH_CUDA"
      : "needs a GPU for this method: options.gpu.devices, or gpu.cpu_fallback");
}
#endif
/* SPDX-License-Identifier: MIT */
