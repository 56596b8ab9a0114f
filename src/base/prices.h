/* ========================================================================================= >>prices
   Prices predict times, choose engines, orders and slices, but change no value. No clock is asked: plans are the same
   everywhere. Units: _SECONDS of one thread, _RATE a second, _BYTES. Measured on a Cascade Lake, a later Xeon, a Zen 3
   core and an H200 (_GPU_), gcc -O2, November 2026, unless a line says else; `make prices` repeats what it lists;
   "chosen" limits were set. Rates of kernels: >>kernels, >>limbs, >>hybrid_offer, >>arrays_run, >>band_order. */
#pragma once
#include "platform.h"

/* ---- limits */
#define PERMI_PARALLEL_SECONDS 2e-4 /* a parallel region takes tens of microseconds */
#ifndef PERMI_SHARE_SECONDS
#define PERMI_SHARE_SECONDS PERMI_PARALLEL_SECONDS /* shorter steps run on one thread */
#endif
#define PERMI_FREE_SECONDS 1e-3       /* chosen: proven bounds win below it */
#define PERMI_CHUNK_SECONDS 0.1       /* chosen: lost if a call stops; a tenth wakes threads */
#define PERMI_ESCALATE_SECONDS 1.0    /* chosen: higher precisions are tried unasked */
#define PERMI_EXACT_FREE_SECONDS 10.0 /* chosen: integers are exact by default up to this, */
#define PERMI_EXACT_WORTH 5           /* and to this multiple of doubles */
#define PERMI_HOPELESS_SECONDS 1e12   /* chosen: refused */
#define PERMI_DEFAULT_BYTES 1.6e10    /* chosen: above it auto prefers others, low rank is refused */
#define PERMI_HYBRID_CAUTION 1.25     /* chosen: escalates more often if larger */

/* ---- dense sums, integers, low rank */
#define PERMI_RATE_GLYNN 6e8 /* rows; half for Ryser, a twentieth for expansion */
#define PERMI_RATE_EXACT_WORDS 2.5e8   /* products of words, residues */
#define PERMI_RIVAL_RATE 2e11          /* elements: more than exact sums reach */
static const double permi_exact_spread[2] = {8, 1024}; /* slower at most: vectors, none */
#define PERMI_TERMS_SECONDS 5e-8       /* minors by subsets: ten rows of states */
#define PERMI_MINORS_DD_SECONDS 1e-9   /* minors: an element in double-double; AVX2 */
#define PERMI_LOW_RANK_SECONDS 1.2e-8  /* a double-double product and sum */
#define PERMI_TRIAL_SECONDS 1.5e-9 /* a sample over n^2: --guarantee 0.1,0.05 --threads 1 --generate binary:60:0.5 */
#define PERMI_BATCH_RATE {2.5e10, 7e9} /* real, complex elements, against GPUs */

/* ---- counts: [real, complex]; within a factor of two beyond a few microseconds */
static const double permi_seconds_sweep[2] = {3e-9, 6e-9}; /* subsets: a transition */
static const double permi_seconds_sweep_dd[2] = {4.5e-8, 8e-8};
static const double permi_seconds_form[2] = {8e-10, 1.8e-9}; /* multiplicities: a form moves, is multiplied */
static const double permi_seconds_form_dd[2] = {8e-9, 2.8e-8};
static const double permi_seconds_e[2] = {5e-10, 1.2e-9}; /* multiplicities: a step of e_M */
static const double permi_seconds_e_dd[2] = {2.5e-8, 8e-8};
static const double permi_seconds_exact[2] = {1.2e-8, 2.7e-8}; /* integers: a step, */
static const double permi_seconds_word[2] = {3.2e-9, 7e-9};    /* and for each word */
#define PERMI_SECONDS_SCAN 8e-9 /* subsets: a row of states */
#define PERMI_SECONDS_TERM 3e-8 /* multiplicities: a term */
#define PERMI_DIGIT_SECONDS 1e-10 /* rectangles: a subset, at least */
PERMI_UNUSED static const double permi_rectangle_least[2] = {3e4, 1.2e6}; /* chosen: planned; if a quarter is not 0 */
#ifndef PERMI_COUNTS_CHEAP_SECONDS
#define PERMI_COUNTS_CHEAP_SECONDS 2e-5 /* chosen: double-double at once */
#endif

/* ---- planning: chosen shares of the predicted run */
#define PERMI_PLAN_SHARE 0.025          /* all of planning, */
#define PERMI_PLAN_SECONDS 1.4e-3       /* or this; of arrays a twelfth */
#define PERMI_PLAN_REST 0.25            /* of it: left for programs and later engines */
#define PERMI_PLAN_RIVAL 0.4            /* of what is left: for the layouts of hybrid */
#define PERMI_GREEDY_SHARE 0.035        /* for first orders; behind a rival a twelfth */
#define PERMI_ANNEAL_SHARE 0.02         /* for annealing; */
#define PERMI_ANNEAL_LEAST 1.25e-3      /* up to this */
#define PERMI_SEARCH_SHARE 0.014        /* for layouts of hybrid; of the rival for twins */
#define PERMI_ORDER_PLAN_SECONDS 1e-6   /* an order, per vertex and entry */
#define PERMI_ORDER_FORGET_SECONDS 1e5  /* chosen: not annealed */
#define PERMI_CLASS_PLAN_SECONDS 1e-8   /* per pair of vertices */
#define PERMI_CLASS_NAMED_SECONDS 100   /* chosen: by name */
#define PERMI_CLASS_AGAIN 0.1           /* for further orders */
#define PERMI_HYBRID_LEAST_SECONDS 7e-3 /* chosen: faster rivals win unasked: a layout takes a millisecond */
#define PERMI_HYBRID_MOVE_SECONDS 6e-6  /* a move for GPUs */

/* ---- lists, arrays, bands, classes, trees */
#define PERMI_STEP_SECONDS 1e-6    /* lists, polynomials, subsets */
#define PERMI_WORD_SECONDS 1.5e-9  /* of long values: twins */
#define PERMI_ROW_SECONDS 3e-7     /* a row of a band, a step of twins */
#define PERMI_STATE_SECONDS 1.3e-9 /* lists: a unit of cost */
/* By permi_algebra, relative to doubles; the last: a word more. */
PERMI_UNUSED static const double permi_list_weight[] = {1, 1.3, 1.8, 3.3, 3.8, 18, 1, 1.4, 1.5, 1, 0.8};
/* A unit of cost by permi_algebra (words: and a word), on 30 graphs on a Zen 4 core, times 1.3: that core is faster. */
PERMI_UNUSED static const double permi_array_seconds[] = {4e-10, 6e-10, 1.4e-9,  1.3e-9, 1.5e-9,
                                                          3e-8,    6e-10, 5.5e-10, 1.2e-9, 2e-8};
/* AVX-512, AVX2, others: residues; reduced products. */
PERMI_UNUSED static const double permi_residue_seconds[3][2] = {
    {3.2e-10, 4.5e-10}, {4.5e-10, 7e-10}, {6.5e-10, 5.5e-9}};
#define PERMI_ARRAY_MISS_SECONDS 4e-11  /* a byte of a step whose values */
#define PERMI_ARRAY_CACHE_BYTES 3e7     /* take more than this */
#define PERMI_ARRAY_STREAM_SECONDS 3e-6 /* a stream */
#define PERMI_BAND_MADE_SECONDS 6e-8    /* a new transition: 2 to 8e-8 */
#define PERMI_CLASS_WAY_SECONDS 1.6e-8
#define PERMI_TREE_NODE_SECONDS 2.5e-7  /* a node, a join */
#define PERMI_TREE_PAIR_SECONDS 2e-9    /* a pair, a state; 0.4 of it unsorted */
#define PERMI_TREE_SORT_SECONDS 6e-9    /* a state and vertex; 18 graphs */
#define PERMI_TREE_MISS_SECONDS 1e-8    /* more for a pair (mesh1e1: 9e7 pairs 1.5 s) of a table */
#define PERMI_TREE_CACHE_BYTES 1e6      /* larger than this */

/* Residues, double-doubles with a radius: a product and difference; a pair and an entry. Boards of 30^2 and 100^2. */
PERMI_UNUSED static const double permi_planar_seconds[2][2] = {{2.2e-9, 8e-8}, {2.2e-8, 1e-6}};

/* A node, a join, a pattern, a pair: by tables; odd or long rows (Zen 5, times 1.37); a GPU, by
   counted instructions (regular:64:6, H100: 9.7 s), where a pair is a word of 8 rows of both blocks. */
PERMI_UNUSED static const double permi_signs_each[3][4] = {
    {1.9e-8, 6.2e-8, 1.7e-8, 1.25e-9}, {1.9e-8, 6.2e-8, 4.1e-8, 6.9e-9}, {1e-10, 2.9e-10, 5.6e-12, 1.6e-12}};
#define PERMI_SIGNS_CUT_SECONDS 6e-10          /* a row that thins out patterns */
#define PERMI_SIGNS_WIDE_SECONDS 1e-9          /* a word of a row */
#define PERMI_SIGNS_MOVE_UNITS(n) (25.0 * (n)) /* a move: 12 if full, 30 with 6 ones */
#define PERMI_SIGNS_WEIGH_UNITS 7              /* weights: an entry, times its row's size */
#define PERMI_SIGNS_PLAN_MOST 0.25     /* chosen: seconds of the last round, of probes, half of weights */
#define PERMI_SIGNS_LEAST_SECONDS 0.06 /* chosen: faster rivals win unasked */
#define PERMI_SIGNS_HOPE 5             /* chosen: how far predictions may be too long */
#define PERMI_SIGNS_HOPE_ENTRIES 5     /* chosen: fewer entries a line: not asked first */

/* ---- GPUs */
#define PERMI_GPU_DENSE_RATES {{1.02e13, 2.7e12}, {3e12, 1e12}, {1.1e12, 2.5e11}, {3.8e12, 6.9e11}} /* elements, */
                                             /* by perm_gpu_product: real, complex */
#define PERMI_GPU_DENSE_COMPILE 1.0
#define PERMI_EXACT_GPU_RATE 2e13
#define PERMI_MINORS_GPU_RATE {1.3e12, 6e11} /* real, complex: lines of terms; H100, order 38 */
#define PERMI_MINORS_GPU_SLOWER 1.8          /* with sums by digits, order 34; */
#define PERMI_MINORS_GPU_SUM_SECONDS 4e-8    /* on the host, a minor's part and chunk, order 30 */
#define PERMI_BATCH_GPU_BYTES_RATE 2e10
#define PERMI_GPU_START_SECONDS 0.4
#define PERMI_GPU_STEP_SECONDS 3e-5
#define PERMI_GPU_STATE_SECONDS 3e-12 /* a unit of cost */
#define PERMI_GPU_SHARE 0.98          /* chosen: of a GPU's memory, for arrays */
#define PERMI_SIGNS_GPU_PLAN 4        /* chosen: times the share of planning */
#define PERMI_SIGNS_GPU_FASTER 240    /* than an AVX-512 core: regular:64:6, H100 */
#define PERMI_GPU_PIPE 1.67e13        /* FP64 operations a second */
#define PERMI_GPU_PART 0.81           /* of it: programs with folds */
#define PERMI_CODEGEN_PART 0.6        /* of it. Order 40, a fifth of entries: registers 3.05 s, memory 1.66 s; */
                                      /* three tenths: 3.13, 2.42 s */
#define PERMI_GPU_COMPILE 0.3
#define PERMI_GPU_COMPILE_EACH 1.7e-4 /* a statement; more if it has two parts */
/* SPDX-License-Identifier: MIT */
