/* ======================================================================================== >>options */
#pragma once
#include "../base/memory.h"
#include "../base/cpu.h"

/* Returns whether a method is one of perm_sparse.h. */
static int permi_method_is_sparse(perm_method method)
{
  return method >= PERM_METHOD_FRONTIER;
}

static const char *permi_bad_option(const perm_options *options)
{
  const perm_checkpoint_file *checkpoint = &options->checkpoint;
  const struct {
    int bad;
    const char *because;
  } rule[] = {
      {(int)options->method < 0 || options->method >= PERM_METHOD_COUNT || options->method == PERM_METHOD_STRUCTURE,
       "method is not one of perm_method"},
      {(int)options->precision < 0 || options->precision >= PERM_PRECISION_COUNT,
       "precision is not one of perm_precision"},
      {(int)options->isa < 0 || options->isa >= PERM_ISA_COUNT, "isa is not one of perm_isa"},
      {(int)options->format < 0 || options->format >= PERM_FORMAT_COUNT, "format is not one of perm_format"},
      {options->certify != 0 && options->certify != 1, "certify is neither 0 nor 1"},
      {options->threads < 0, "threads is negative (0 means all)"},
      {options->threads > 1 << 16, "threads is above 65536"},
      {options->modulus == 1 || options->modulus > UINT64_C(1) << 63,
       "modulus is not between 2 and 2^63 (0 means none)"},
      {!(options->tolerance >= 0) || options->tolerance == (double)INFINITY,
       "tolerance is negative or not finite (0 means none)"},
      {!(options->max_seconds >= 0), "max_seconds is negative or NaN (0 means no limit)"},
      {!(options->max_bytes >= 0), "max_bytes is negative or NaN (0 means no limit)"},
      {!(options->plan_effort >= 0 && options->plan_effort <= 1e6), "plan_effort is not between 0 and 1e6 (0 means 1)"},
      {options->gpu.devices < PERM_ALL_GPUS, "gpu.devices is below -1 (PERM_ALL_GPUS)"},
      {options->gpu.cpu_fallback != 0 && options->gpu.cpu_fallback != 1, "gpu.cpu_fallback is neither 0 nor 1"},
      {options->isa == PERM_ISA_CUDA && !options->gpu.devices, "isa cuda needs gpu.devices"},
      {!(checkpoint->seconds >= 0), "checkpoint.seconds is negative or NaN (0 means 60)"},
      {checkpoint->parts < 0 || (checkpoint->parts && (checkpoint->part < 1 || checkpoint->part > checkpoint->parts)),
       "checkpoint.part is not one of 1 to parts (parts 0 means everything)"},
      {checkpoint->part && !checkpoint->parts, "checkpoint.part is given, but checkpoint.parts is 0"},
      {checkpoint->merge && !*checkpoint->merge, "checkpoint.merge is an empty list (NULL means none)"},
      {checkpoint->file && !*checkpoint->file, "checkpoint.file is an empty name (NULL means none)"},
      {!options->allocator.allocate != !options->allocator.release,
       "allocator needs both allocate and release, or neither"}
  };
  size_t k;
  for (k = 0; k < sizeof rule / sizeof *rule; k++)
    if (rule[k].bad)
      return rule[k].because;
  return NULL;
}

/* Do the options ask for no more than a small sum at once, without a job? Limits change no bits: the sum takes no
   memory and no time that a clock shows. exact: the matrix is of integers; bytes: its size. */
static int permi_asks_no_more(const perm_options *options, int exact, double bytes)
{
  return !options ||
         ((options->method == PERM_METHOD_AUTO || (exact && options->method == PERM_METHOD_EXACT)) &&
          (options->precision == PERM_PRECISION_DEFAULT || (exact && options->precision == PERM_PRECISION_EXACT)) &&
          !(options->certify && !exact) && !options->modulus && !options->gpu.devices &&
          !options->execute && (options->max_seconds == 0 || options->max_seconds >= 1e-3) &&
          (options->max_bytes == 0 || options->max_bytes >= bytes) && !permi_in_pieces(options) &&
          permi_isa_here(options->isa) && !permi_bad_option(options));
}

/* argument: position of the options. */
static perm_status permi_check_options(const perm_options *options, int argument, perm_result *result)
{
  const char *bad = permi_bad_option(options);
  if (bad)
    return permi_fail(result, PERM_ERROR_OPTION, argument, "options: %s", bad);
  if (options->isa != PERM_ISA_CUDA && !permi_isa_here(options->isa))
    return permi_fail(result, PERM_ERROR_UNSUPPORTED, argument, "options: this machine has no %s; its best is %s",
                      perm_name("isa", options->isa), perm_name("isa", perm_isa_best()));
  return PERM_OK;
}

/* Returns the error to expect, in units of 2^exp2; guaranteed under certify. */
static double permi_error(const perm_options *options, const perm_result *result)
{
  return result->error_bound < result->error_estimate || options->certify ? result->error_bound
                                                                          : result->error_estimate;
}

/* Returns the relative error; INFINITY for an inexact 0. */
static double permi_relative(const perm_options *options, const perm_result *result)
{
  const double size = hypot(0.5 * result->value, 0.5 * result->imaginary); /* halves cannot overflow */
  if (result->exact || result->error_bound == 0)
    return 0;
  return size == 0 ? (double)INFINITY : 0.5 * permi_error(options, result) / size;
}

/* Returns the result's status, PERM_TOLERANCE_NOT_MET if it is worse than what was asked for. */
static perm_status permi_judge(const perm_options *options, perm_result *result)
{
  double relative = permi_relative(options, result);
  if (result->status == PERM_OK && options->certify && result->error_bound == (double)INFINITY) {
    result->status = PERM_TOLERANCE_NOT_MET;
    snprintf(result->message, sizeof result->message, "certify: no guaranteed bound for this matrix by method %s",
             perm_name("method", result->method));
  }
  if (result->status == PERM_OK && options->tolerance > 0 && relative > options->tolerance) {
    result->status = PERM_TOLERANCE_NOT_MET;
    permi_say(result->message, sizeof result->message, "tolerance %.3g not met: the %s relative error is %.3g; %s",
             options->tolerance,
             options->certify || result->error_bound <= result->error_estimate ? "guaranteed" : "estimated", relative,
             permi_in_pieces(options) ? "in a job, with a checkpoint or parts the precision is not raised"
             : result->precision == PERM_PRECISION_DD ? "no precision is higher"
                                                      : "no higher precision fits method and limits");
  }
  return result->status;
}
/* SPDX-License-Identifier: MIT */
