/* ========================================================================================= >>prices
   Predicted times of engines. They choose engines and orders and cut work into slices, but change no value; no clock is
   asked, so a plan is the same on every machine. Units: _SECONDS of one thread, _RATE a second, _BYTES. Measured in
   November 2026 on a 2.5 GHz Xeon (Cascade Lake), gcc 12 -O2, and an H200 (_GPU_), unless a line says otherwise;
   "chosen" limits were set, not measured. Rates of kernels: >>kernels, >>limbs, >>hybrid_leaf, >>arrays_run,
   >>band_order. */
#pragma once
#include "platform.h"

/* ---- limits */
#define PERMI_PARALLEL_SECONDS 2e-4 /* a parallel region: tens of microseconds */
#ifndef PERMI_SHARE_SECONDS
#define PERMI_SHARE_SECONDS PERMI_PARALLEL_SECONDS /* shorter steps run on one thread */
#endif
#define PERMI_CHUNK_SECONDS 0.1        /* chosen: lost if a call stops in one */
#define PERMI_ESCALATE_SECONDS 1.0     /* chosen: higher precisions below it are tried unasked */
#define PERMI_HOPELESS_SECONDS 1e12    /* chosen: longer sparse jobs are refused, and those */
#define PERMI_HOPELESS_BYTES 1e13      /* that need more, unless max_bytes allows it */
#define PERMI_DEFAULT_BYTES 1.6e10     /* chosen: above it auto prefers other sparse engines */
#define PERMI_LOW_RANK_BYTES 1.6e10    /* chosen, without max_bytes */
#define PERMI_COUNTS_BYTES 4e9

/* ---- dense sums, exact integers */
#define PERMI_RATE_GLYNN 6e8
#define PERMI_RATE_RYSER 3e8
#define PERMI_RATE_EXPANSION 3e7 /* visited prefixes */
#define PERMI_TERMS_SECONDS 5e-8 /* minors: a row of a term in double-double; */
#define PERMI_PLACING_SECONDS 5e-9 /* subsets: a row of a state; */
#define PERMI_MINORS_TABLES_SECONDS 5e-6 /* chosen: of kernels, whose tables take longer than small sums */
#define PERMI_LOW_RANK_SECONDS 1.2e-8 /* a product and a sum in double-double */
#define PERMI_RANK_PRODUCT_SECONDS 4e-9 /* a monomial and line, of rank 2 to 4 */
#define PERMI_RANK_ENTRY_SECONDS 5e-8
#define PERMI_RATE_EXACT_ROWS 6e8     /* row additions and products */
#define PERMI_RATE_EXACT_WORDS 2.5e8  /* words of limbs times words */
#define PERMI_RATE_MODULAR 2.2e8      /* the same modulo p */
#define PERMI_BATCH_RATE {2.5e10, 7e9} /* real, complex elements, against GPUs */
#define PERMI_GPU_DENSE_RATES {{1.02e13, 2.7e12}, {3e12, 1e12}, {1.1e12, 2.5e11}} /* elements, by */
                                               /* perm_gpu_product: real, complex */
#define PERMI_GPU_DENSE_COMPILE 1.0
#define PERMI_EXACT_GPU_RATE 2e13
#define PERMI_MINORS_GPU_RATE {1.3e12, 6e11} /* real, complex: lines of terms; H100, order 38 */
#define PERMI_MINORS_GPU_SLOWER 1.8          /* with sums by digits: order 34; */
#define PERMI_MINORS_GPU_SUM_SECONDS 4e-8    /* and on the host for each part of a minor and chunk: order 30 */
#define PERMI_BATCH_GPU_RATE {8e12, 2.5e12} /* real, complex elements; a second for compiling */
#define PERMI_BATCH_GPU_BYTES_RATE 2e10

/* ---- counts: [real, complex]. Predictions were within a factor of two, but for matrices of a few microseconds. */
static const double permi_seconds_sweep[2] = {2e-9, 4e-9}; /* subsets: a transition */
static const double permi_seconds_sweep_dd[2] = {4.5e-8, 8e-8};
static const double permi_seconds_form[2] = {8e-10, 1.8e-9}; /* repeats: a form moves, is multiplied */
static const double permi_seconds_form_dd[2] = {8e-9, 2.8e-8};
static const double permi_seconds_e[2] = {5e-10, 1.2e-9}; /* repeats: a step of e_M */
static const double permi_seconds_e_dd[2] = {2.5e-8, 8e-8};
static const double permi_seconds_exact[2] = {1.2e-8, 2.7e-8}; /* integers: a step, */
static const double permi_seconds_word[2] = {3.2e-9, 7e-9};    /* and for each word */
#define PERMI_SECONDS_SCAN 8e-9          /* subsets: a row of states */
#define PERMI_SECONDS_STEP 1e-6          /* subsets: weights of a form */
#define PERMI_SECONDS_TERM 3e-8          /* repeats: a term */
#ifndef PERMI_COUNTS_CHEAP_SECONDS
#define PERMI_COUNTS_CHEAP_SECONDS 2e-5  /* chosen: below it double-double at once */
#endif
#define PERMI_COUNTS_GPU_RATE 4e12       /* operations of terms on their forms */

#define PERMI_PLAN_SHARE 0.035         /* chosen: of the predicted run, or */
#define PERMI_PLAN_SECONDS 1.8e-3      /* this, */
#define PERMI_PLAN_ARRAY_SECONDS 1.5e-4 /* of arrays this; */
#define PERMI_PLAN_REST 0.25            /* of it for programs and later engines */
#define PERMI_PLAN_RIVAL 0.4             /* chosen: of what is left, for the layouts of hybrid */
#define PERMI_GREEDY_SHARE 0.05         /* of the run, for orders to begin with, up to PERMI_GREEDY_PART; */
#define PERMI_GREEDY_BEHIND_SHARE 0.004 /* chosen: behind a rival */
#define PERMI_ANNEAL_SHARE 0.03         /* of the run, for annealing an order; */
#define PERMI_ANNEAL_SHORT_SHARE 0.03   /* of a short run, */
#define PERMI_ANNEAL_LEAST 1.5e-3       /* up to this */
#define PERMI_ORDER_PLAN_SECONDS 1e-6   /* per vertex and entry: an order and its programme */
#define PERMI_ORDER_FORGET_SECONDS 1e5  /* chosen: longer orders are not annealed */
#define PERMI_TREE_PLAN_SECONDS 1e-6    /* per vertex and entry */
#define PERMI_TREE_PLAN_LEAST 5e-3      /* chosen: a shorter search needs no long run */
#define PERMI_HYBRID_LEAST_SECONDS 7e-3 /* chosen: not planned against quicker rivals: a layout takes a millisecond */
#define PERMI_HYBRID_PLAN_SHARE 0.02    /* chosen: of the run, for layouts */
#define PERMI_HYBRID_MOVE_SECONDS 6e-6  /* a move of the searches for GPUs */

#define PERMI_STEP_SECONDS 1e-6    /* lists: of a step */
#define PERMI_STATE_SECONDS 1.3e-9 /* lists: per unit of the order's cost */
#define PERMI_SORTING_SLOWER 30    /* than merged lists: a regular graph of order 80 */
#define PERMI_ARRAY_STATES 5000    /* smaller peaks are left to the lists */
/* Arrays and lists: 30 graphs on a Zen 4 core, times 1.3, by which that core runs dense sums and hybrid faster. */
/* By permi_algebra: of a unit of cost (words: and of a word); */
PERMI_UNUSED static const double permi_array_seconds[] = {2.7e-10, 6e-10, 1.4e-9,  1.3e-9, 1.5e-9,
                                                          3e-8,    6e-10, 5.5e-10, 1.2e-9, 2e-8};
/* of AVX-512, AVX2, others: residues; products of which are reduced. */
PERMI_UNUSED static const double permi_residue_seconds[3][2] = {
    {3.2e-10, 4.5e-10}, {4.5e-10, 7e-10}, {6.5e-10, 5.5e-9}};
#define PERMI_ARRAY_MISS_SECONDS 4e-11   /* a byte of it more if the values of a step */
#define PERMI_ARRAY_CACHE_BYTES 3e7      /* take more than this */
#define PERMI_ARRAY_STREAM_SECONDS 3e-6  /* a stream */
PERMI_UNUSED static const double permi_list_weight[] = {1, 1.3, 1.8, 3.3, 3.8, 18, 1, 1.4, 1.5, 1}; /* to doubles; */
#define PERMI_LIST_WORD_WEIGHT 0.8       /* a word more */
#define PERMI_GPU_START_SECONDS 0.4
#define PERMI_GPU_STEP_SECONDS 3e-5
#define PERMI_GPU_STATE_SECONDS 3e-12 /* per unit of the order's cost */
#define PERMI_GPU_SHARE 0.98          /* chosen: of a GPU's memory, for arrays */
#define PERMI_BAND_ROW_SECONDS 3e-7
#define PERMI_BAND_MADE_SECONDS 3e-8 /* a transition of a new shape: 2 to 5e-8 on regular and hub graphs */
#define PERMI_CLASS_WAY_SECONDS 4e-8
#define PERMI_CLASS_WORD_SECONDS 1.5e-9
#define PERMI_CLASS_STEP_SECONDS 3e-7
#define PERMI_CLASS_PLAN_SECONDS 1e-8   /* per pair of vertices */
#define PERMI_CLASS_SHARE 0.02          /* chosen: of the rival's time, for an order, */
#define PERMI_CLASS_ENTRY_SECONDS 1e-6  /* and at most this an entry */
#define PERMI_CLASS_NAMED_SECONDS 100   /* chosen: by name */
#define PERMI_CLASS_ATTEMPTS 12
#define PERMI_CLASS_AGAIN 0.1           /* chosen: of the run, for further orders */
#define PERMI_ROOK_BYTE_SECONDS 3e-11   /* rook numbers by the frontier: a byte of a value read; */
#define PERMI_ROOK_WORD_SECONDS 1.5e-9  /* a word of values of several */
#define PERMI_ROOK_STEP_SECONDS 1e-6
#define PERMI_ROOK_UNIT_SECONDS 1e-9   /* a unit of the order's cost */
#define PERMI_ROOK_PLAN_SHARE 0.05      /* chosen: of the predicted run, for orders, which differ by 2 x; of */
#define PERMI_ROOK_PLAN_SECONDS 20      /* this at most */
#define PERMI_ROOK_FREE_SECONDS 1e-3    /* chosen: quicker ones are not compared with evaluation */
#define PERMI_TREE_NODE_SECONDS 2.5e-7
#define PERMI_TREE_JOIN_SECONDS 2.5e-7
#define PERMI_TREE_PAIR_SECONDS 1.6e-9
#define PERMI_TREE_SORT_SECONDS 6e-9 /* a state and vertex of a factor; 18 graphs */
#define PERMI_TREE_STATE_SECONDS 1.5e-9
#define PERMI_TREE_CACHE_BYTES 1e6   /* pairs of a larger table */
#define PERMI_TREE_MISS_SECONDS 1e-8 /* take this much longer (mesh1e1: 9e7 pairs 1.5 s) */

#define PERMI_PLANAR_PLAN_SECONDS 4e-7     /* of a vertex and entry: drawing, dissection; boards of 60 x 60 and more */
#define PERMI_PLANAR_PRODUCT_SECONDS 2.2e-9 /* a residue product and difference: boards of 30 x 30 and 100 x 100 */
#define PERMI_PLANAR_ENTRY_SECONDS 8e-8    /* a pair and an entry of such an elimination */
#define PERMI_PLANAR_BALL_SECONDS 2.2e-8   /* a product and difference in double-double, with a radius; */
#define PERMI_PLANAR_BALL_ENTRY_SECONDS 1e-6 /* a pair and an entry */

#define PERMI_WALK_SECONDS 1e-2        /* chosen: longer walks wake threads; the top of a tree takes a ms */
#define PERMI_SIGNS_NODE_SECONDS 1.4e-8 /* signs (Zen 4): a node, */
#define PERMI_SIGNS_CUT_SECONDS 6e-10  /* a row that thins out patterns, */
#define PERMI_SIGNS_JOIN_SECONDS 4.5e-8 /* a join, */
#define PERMI_SIGNS_ITEM_SECONDS 1.2e-8 /* a pattern in it, */
#define PERMI_SIGNS_PAIR_SECONDS 9e-10 /* a pair; */
#define PERMI_SIGNS_SCALAR_ITEM 3e-8  /* rows odd or long (Zen 5) */
#define PERMI_SIGNS_SCALAR_PAIR 5e-9
#define PERMI_SIGNS_WIDE_SECONDS 1e-9 /* a word of a row, in words */
#define PERMI_SIGNS_MOVE_UNITS(n) (25.0 * (n)) /* a move of the order: 12 if full, 30 with 6 ones */
#define PERMI_SIGNS_WEIGH_UNITS 7     /* of the weights: an entry of a row, times the row's size */
#define PERMI_SIGNS_PLAN_SHARE 0.03   /* chosen: of the run, for the order; as much for probes */
#define PERMI_SIGNS_PLAN_MOST 0.25    /* chosen: seconds of the last round of orders, and of probes, half of it of */
                                      /* weights; times plan_effort */
#define PERMI_SIGNS_LEAST_SECONDS 0.06 /* chosen: not planned against quicker rivals */
#define PERMI_SIGNS_RANGE_SECONDS 0.02 /* chosen */
#define PERMI_SIGNS_GPU_RANGE 2e-3     /* chosen: on GPUs, in seconds of the CPU; */
#define PERMI_SIGNS_GPU_TASK 20000     /* chosen: nodes of a task of a warp, on average */
#define PERMI_SIGNS_GPU_BLOCKS 6       /* chosen: blocks of 4 warps on a multiprocessor */
#define PERMI_SIGNS_GPU_PLAN 4         /* chosen: times the share of planning, which has one core */
#define PERMI_SIGNS_GPU_FASTER 240     /* than one core with AVX-512: regular:64:6, H100 */
#define PERMI_SIGNS_GPU_NODE 1e-10     /* as those of a core, from counts of instructions; together measured, */
#define PERMI_SIGNS_GPU_JOIN 2.9e-10   /* regular:64:6, H100: 9.7 s */
#define PERMI_SIGNS_GPU_ITEM 5.6e-12
#define PERMI_SIGNS_GPU_PAIR 1.6e-12   /* and a word of 8 rows of both blocks */
#define PERMI_SIGNS_PROBE_SECONDS 1e-4 /* chosen: longer subtrees are probed further down */
#define PERMI_SIGNS_PATHS_SECOND 20000 /* chosen: prefixes a second */
#define PERMI_SIGNS_LEAF_SECONDS 4e-9 /* chosen: what a leaf takes at least, many being merged */
#define PERMI_SIGNS_HOPE 5             /* chosen: the expected time may be so many times too long */
#define PERMI_SIGNS_HOPE_ORDER 30      /* chosen: smaller blocks are not asked beforehand, */
#define PERMI_SIGNS_HOPE_ENTRIES 5     /* nor those with fewer entries a line; */
#define PERMI_SIGNS_HOPE_LEAST 2       /* nor where a greedy order of the frontier is sooner done; */
#define PERMI_SIGNS_HOPE_SECONDS 0.05  /* larger ones planned as against a rival of this time */
#define PERMI_SIGNS_MOVES 20           /* chosen: a column, of the first orders, */
#define PERMI_SIGNS_LENGTHS 3          /* of blocks of 9, 8, 7 columns */
#define PERMI_GPU_PIPE 1.67e13         /* FP64 operations a second */
#define PERMI_GPU_PART 0.81            /* of it: programs with folds */
#define PERMI_CODEGEN_PART 0.6         /* of it: codegen. Order 40: registers 3.05 s, memory 1.66 s with a fifth of */
                                       /* the entries, 3.13 and 2.42 s with three tenths */
#define PERMI_GPU_COMPILE 0.3
#define PERMI_GPU_COMPILE_EACH 1.7e-4 /* a statement; more if it has two parts */

#define PERMI_ROUTE_SECONDS 1e-3         /* chosen: longer dense runs are worth a search for zeros */
#define PERMI_RIVAL_RATE 2e11            /* elements: more than the exact engine has reached */
#define PERMI_RIVAL_SPREAD 2             /* times slower, at most about, by IFMA (1.5 to 1.9), */
#define PERMI_RIVAL_SPREAD_HALF 8        /* by other vectors (2.7 to 6), */
#define PERMI_RIVAL_SPREAD_PLAIN 1024    /* by none */
#define PERMI_RIVAL_GPU_RATE 1e15        /* on a GPU, after half a second for compiling */
#define PERMI_FULL_SECONDS 0.6e-9        /* a transition of a window of all columns; n 2^n of them */
#define PERMI_PROVEN_FAVOUR_SECONDS 1e-3 /* chosen: below it proven bounds win */
#define PERMI_HYBRID_CAUTION 1.25        /* chosen: larger estimates are escalated more often */
#define PERMI_EXACT_FREE_SECONDS 10.0    /* chosen: integers are exact by default up to here, */
#define PERMI_EXACT_WORTH 5              /* and up to so many times the seconds of doubles */
/* SPDX-License-Identifier: MIT */
