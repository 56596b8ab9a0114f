/* ========================================================================================= >>prices
   Predicted times of engines. They choose engines and orders and cut work into slices, but change no value; no clock is
   asked, so a plan is the same on every machine. Units: _SECONDS of one thread, _RATE a second, _BYTES. `make prices`
   measures them. They are of a 2.5 GHz Xeon (Cascade Lake), gcc 12 -O2, and an H200 (_GPU_), November 2026, unless a
   line says otherwise; "chosen" limits were set. Engines derive prices from others where they are about a multiple.
   Rates of kernels: >>kernels, >>limbs, >>hybrid_leaf, >>arrays_run, >>band_order. */
#pragma once
#include "platform.h"

/* ---- limits */
#define PERMI_PARALLEL_SECONDS 2e-4 /* a parallel region: tens of microseconds */
#ifndef PERMI_SHARE_SECONDS
#define PERMI_SHARE_SECONDS PERMI_PARALLEL_SECONDS /* shorter steps run on one thread */
#endif
#define PERMI_FREE_SECONDS 1e-3       /* chosen: proven bounds win below it; longer runs are worth another look */
#define PERMI_CHUNK_SECONDS 0.1       /* chosen: lost if a call stops in one; a tenth of it wakes threads */
#define PERMI_ESCALATE_SECONDS 1.0    /* chosen: higher precisions below it are tried unasked */
#define PERMI_EXACT_FREE_SECONDS 10.0 /* chosen: integers are exact by default up to here, */
#define PERMI_EXACT_WORTH 5           /* and up to so many times the seconds of doubles */
#define PERMI_HOPELESS_SECONDS 1e12   /* chosen: longer sparse jobs are refused */
#define PERMI_DEFAULT_BYTES 1.6e10    /* chosen: above it auto prefers other engines, and small ranks are refused */
#define PERMI_HYBRID_CAUTION 1.25     /* chosen: larger estimates are escalated more often */

/* ---- dense sums, integers, small ranks */
#define PERMI_RATE_GLYNN 6e8 /* rows' sums and their products; half for Ryser, a twentieth for prefixes of expansion */
#define PERMI_RATE_EXACT_WORDS 2.5e8   /* words of limbs times words, residues */
#define PERMI_RIVAL_RATE 2e11          /* elements: more than the exact engine has reached */
static const double permi_exact_spread[3] = {2, 8, 1024}; /* times slower, at most: by IFMA, other vectors, none */
#define PERMI_TERMS_SECONDS 5e-8       /* minors: a row of a term in double-double */
#define PERMI_LOW_RANK_SECONDS 1.2e-8  /* a product and a sum in double-double */
#define PERMI_BATCH_RATE {2.5e10, 7e9} /* real, complex elements, against GPUs */

/* ---- counts: [real, complex]. Predictions were within a factor of two, but for matrices of a few microseconds. */
static const double permi_seconds_sweep[2] = {3e-9, 6e-9}; /* subsets: a transition */
static const double permi_seconds_sweep_dd[2] = {4.5e-8, 8e-8};
static const double permi_seconds_form[2] = {8e-10, 1.8e-9}; /* repeats: a form moves, is multiplied */
static const double permi_seconds_form_dd[2] = {8e-9, 2.8e-8};
static const double permi_seconds_e[2] = {5e-10, 1.2e-9}; /* repeats: a step of e_M */
static const double permi_seconds_e_dd[2] = {2.5e-8, 8e-8};
static const double permi_seconds_exact[2] = {1.2e-8, 2.7e-8}; /* integers: a step, */
static const double permi_seconds_word[2] = {3.2e-9, 7e-9};    /* and for each word */
#define PERMI_SECONDS_SCAN 8e-9 /* subsets: a row of states */
#define PERMI_SECONDS_TERM 3e-8 /* repeats: a term */
#ifndef PERMI_COUNTS_CHEAP_SECONDS
#define PERMI_COUNTS_CHEAP_SECONDS 2e-5 /* chosen: below it double-double at once */
#endif

/* ---- planning: shares are chosen, of the predicted run */
#define PERMI_PLAN_SHARE 0.025          /* or */
#define PERMI_PLAN_SECONDS 1.4e-3       /* this, of arrays a twelfth; */
#define PERMI_PLAN_REST 0.25            /* of it for programs and later engines */
#define PERMI_PLAN_RIVAL 0.4            /* of what is left, for the layouts of hybrid */
#define PERMI_GREEDY_SHARE 0.035        /* for orders to begin with; behind a rival a twelfth */
#define PERMI_ANNEAL_SHARE 0.02         /* for annealing an order; */
#define PERMI_ANNEAL_LEAST 1.25e-3      /* up to this */
#define PERMI_SEARCH_SHARE 0.014        /* for layouts of hybrid; of the rival's, for orders of twins */
#define PERMI_ORDER_PLAN_SECONDS 1e-6   /* per vertex and entry: an order and its programme */
#define PERMI_ORDER_FORGET_SECONDS 1e5  /* chosen: longer orders are not annealed */
#define PERMI_CLASS_PLAN_SECONDS 1e-8   /* per pair of vertices */
#define PERMI_CLASS_NAMED_SECONDS 100   /* chosen: by name */
#define PERMI_CLASS_AGAIN 0.1           /* for further orders */
#define PERMI_HYBRID_LEAST_SECONDS 7e-3 /* chosen: not planned against quicker rivals: a layout takes a millisecond */
#define PERMI_HYBRID_MOVE_SECONDS 6e-6  /* a move of the searches for GPUs */

/* ---- lists, arrays, bands, classes, rook numbers, trees */
#define PERMI_STEP_SECONDS 1e-6    /* a step of lists, of rook numbers, of subsets */
#define PERMI_WORD_SECONDS 1.5e-9  /* a word of a value of several: twins, rook numbers */
#define PERMI_ROW_SECONDS 3e-7     /* a row of a band, a step of twins */
#define PERMI_STATE_SECONDS 1.3e-9 /* lists: per unit of the order's cost */
/* By permi_algebra, to doubles; the last: a word more. */
PERMI_UNUSED static const double permi_list_weight[] = {1, 1.3, 1.8, 3.3, 3.8, 18, 1, 1.4, 1.5, 1, 0.8};
/* Arrays and lists: 30 graphs on a Zen 4 core, times 1.3, by which that core runs dense sums and hybrid faster. By
   permi_algebra: of a unit of cost (words: and of a word); */
PERMI_UNUSED static const double permi_array_seconds[] = {4e-10, 6e-10, 1.4e-9,  1.3e-9, 1.5e-9,
                                                          3e-8,    6e-10, 5.5e-10, 1.2e-9, 2e-8};
/* of AVX-512, AVX2, others: residues; products of which are reduced. */
PERMI_UNUSED static const double permi_residue_seconds[3][2] = {
    {3.2e-10, 4.5e-10}, {4.5e-10, 7e-10}, {6.5e-10, 5.5e-9}};
#define PERMI_ARRAY_MISS_SECONDS 4e-11  /* a byte of it more if the values of a step */
#define PERMI_ARRAY_CACHE_BYTES 3e7     /* take more than this */
#define PERMI_ARRAY_STREAM_SECONDS 3e-6 /* a stream */
#define PERMI_BAND_MADE_SECONDS 6e-8    /* a transition of a new shape: 2 to 8e-8 on regular and hub graphs */
#define PERMI_CLASS_WAY_SECONDS 1.6e-8
#define PERMI_ROOK_BYTE_SECONDS 3e-11   /* rook numbers by the frontier: a byte of a value read */
#define PERMI_TREE_NODE_SECONDS 2.5e-7  /* a node, a join */
#define PERMI_TREE_PAIR_SECONDS 2e-9    /* a pair, a state */
#define PERMI_TREE_SORT_SECONDS 6e-9    /* a state and vertex of a factor; 18 graphs */
#define PERMI_TREE_CACHE_BYTES 1e6      /* pairs of a larger table */
#define PERMI_TREE_MISS_SECONDS 1e-8    /* take this much longer (mesh1e1: 9e7 pairs 1.5 s) */

/* Planar eliminations of residues, of double-doubles with a radius: a product and difference; a pair and an entry.
   Boards of 30 x 30 and 100 x 100. */
PERMI_UNUSED static const double permi_planar_seconds[2][2] = {{2.2e-9, 8e-8}, {2.2e-8, 1e-6}};

/* Sign search: a node, a join, a pattern in it, a pair of them. On a core by tables (Zen 4); with rows odd or long
   (Zen 5); on a GPU, from counts of instructions, together measured (regular:64:6, H100: 9.7 s), where a pair is one
   word of 8 rows of both blocks. */
PERMI_UNUSED static const double permi_signs_each[3][4] = {
    {1.7e-8, 5.5e-8, 1.5e-8, 1.1e-9}, {1.4e-8, 4.5e-8, 3e-8, 5e-9}, {1e-10, 2.9e-10, 5.6e-12, 1.6e-12}};
#define PERMI_SIGNS_CUT_SECONDS 6e-10          /* a row that thins out patterns */
#define PERMI_SIGNS_WIDE_SECONDS 1e-9          /* a word of a row, in words */
#define PERMI_SIGNS_MOVE_UNITS(n) (25.0 * (n)) /* a move of the order: 12 if full, 30 with 6 ones */
#define PERMI_SIGNS_WEIGH_UNITS 7              /* of the weights: an entry of a row, times the row's size */
#define PERMI_SIGNS_PLAN_MOST 0.25     /* chosen: seconds of the last round of orders, and of probes, half of it of */
                                       /* weights; times plan_effort */
#define PERMI_SIGNS_LEAST_SECONDS 0.06 /* chosen: not planned against quicker rivals */
#define PERMI_SIGNS_HOPE 5             /* chosen: the expected time may be so many times too long */
#define PERMI_SIGNS_HOPE_ENTRIES 5     /* chosen: blocks with fewer entries a line are not asked beforehand */

/* ---- GPUs */
#define PERMI_GPU_DENSE_RATES {{1.02e13, 2.7e12}, {3e12, 1e12}, {1.1e12, 2.5e11}} /* elements, by */
                                             /* perm_gpu_product: real, complex */
#define PERMI_GPU_DENSE_COMPILE 1.0
#define PERMI_EXACT_GPU_RATE 2e13
#define PERMI_COUNTS_GPU_RATE 4e12           /* operations of terms on their forms */
#define PERMI_MINORS_GPU_RATE {1.3e12, 6e11} /* real, complex: lines of terms; H100, order 38 */
#define PERMI_MINORS_GPU_SLOWER 1.8          /* with sums by digits: order 34; */
#define PERMI_MINORS_GPU_SUM_SECONDS 4e-8    /* and on the host for each part of a minor and chunk: order 30 */
#define PERMI_BATCH_GPU_BYTES_RATE 2e10
#define PERMI_GPU_START_SECONDS 0.4
#define PERMI_GPU_STEP_SECONDS 3e-5
#define PERMI_GPU_STATE_SECONDS 3e-12 /* per unit of the order's cost */
#define PERMI_GPU_SHARE 0.98          /* chosen: of a GPU's memory, for arrays */
#define PERMI_SIGNS_GPU_PLAN 4        /* chosen: times the share of planning, which has one core */
#define PERMI_SIGNS_GPU_FASTER 240    /* than one core with AVX-512: regular:64:6, H100 */
#define PERMI_GPU_PIPE 1.67e13        /* FP64 operations a second */
#define PERMI_GPU_PART 0.81           /* of it: programs with folds */
#define PERMI_CODEGEN_PART 0.6        /* of it: codegen. Order 40: registers 3.05 s, memory 1.66 s with a fifth of */
                                      /* the entries, 3.13 and 2.42 s with three tenths */
#define PERMI_GPU_COMPILE 0.3
#define PERMI_GPU_COMPILE_EACH 1.7e-4 /* a statement; more if it has two parts */
/* SPDX-License-Identifier: MIT */
