# >>small >>minors_dense >>compute: why values from PERMI_SMALL_LEAST, PERMI_FAR_LEAST and PERMI_FOUR_LEAST keep all
# bits: what is lost by underflow is far below their last place.

# CLAIM four
# n <= 4, entries to 1e60: 24 products; 200 operations underflow, each by 2^-1074 times at most 2e120; flushed to zero
# by 2^-1022, and 32 parts of entries by that times at most 1e180.
# CODE src/dense/small.h: #define PERMI_FOUR_LEAST 1e-110
# CODE src/dense/small.h: #define PERMI_FOUR_LARGEST 1e60
# FALSE s/<= 1e-126/<= 1e-127/
{ 24 * 1e60 * 1e60 * 1e60 * 1e60 <= 1e308 /\ 200 * 1b-1074 * 2e120 <= 1e-200
  /\ 32 * 1b-1022 * 1e180 + 200 * 1b-1022 * 2e120 <= 1e-126 /\ 1e-126 - 1e-110 * 1b-53 <= 0 }

# CLAIM eight_flushed
# n <= 8, parts to 1e12: 10^4 operations and 128 parts of entries, each by 2^-1022 times at most seven row sums.
# CODE src/plan/compute.h: #define PERMI_UNLOOKED_N 8
# FALSE s/<= 1e-209/<= 1e-213/
x = 1.2e13 * 1.2e13 * 1.2e13;
{ 1.5e4 * 1b-1022 * (x * x * 1.2e13) <= 1e-209 /\ 1e-209 - 1e-150 * 1b-53 <= 0 }

# CLAIM twelve
# n <= 12, parts to 1e12: a row sum is below 12 2^(1/2) 1e12.
# CODE src/dense/small.h: #define PERMI_SMALL_LEAST 1e-150
# FALSE s/2e-172/1e-173/g
x2 = 1.7e13 * 1.7e13;
x4 = x2 * x2;
x8 = x4 * x4;
x11 = x8 * x2 * 1.7e13;
{ r in [1.4142, 1.4143] ->
  12 * r * 1e12 <= 1.7e13 /\ x8 * x4 <= 1e159 /\ x11 <= 4e145 /\ 1e6 * 1b-1074 * 4e145 <= 2e-172
  /\ 2e-172 - 1e-150 * 1b-53 <= 0 }

# CLAIM sixteen
# CODE src/dense/small.h: #define PERMI_FAR_LEAST 1e-98
# FALSE s/2e-116/1e-117/g
x2 = 2.3e13 * 2.3e13;
x4 = x2 * x2;
x8 = x4 * x4;
x15 = x8 * x4 * x2 * 2.3e13;
{ r in [1.4142, 1.4143] ->
  16 * r * 1e12 <= 2.3e13 /\ x8 * x8 <= 1e214 /\ x15 <= 3e200 /\ 1e7 * 1b-1074 * 3e200 <= 2e-116
  /\ 2e-116 - 1e-98 * 1b-53 <= 0 }

# CLAIM minors
# >>minors_dense 4: operations underflow by 2^-1074 times the rest of a product.
# FALSE s/<= 1e-170/<= 1e-175/
x2 = 1.7e13 * 1.7e13;
x4 = x2 * x2;
x11 = x4 * x4 * x2 * 1.7e13;
{ 1b-1074 * x11 <= 2e-178 /\ 1e6 * 2e-178 <= 1e-170 /\ 200 * 1b-1074 * 2e120 <= 1e-200 }

# CLAIM four_cancelled
# Eight roundings, each by at most 2u in any mode, of a value that is at least 2e-5 of the sum of |terms| leave 1e-10.
# CODE src/dense/small.h: #define PERMI_FOUR_CANCELLED 2e-5
# FALSE s/<= 1e-10/<= 1e-12/
x = 8 * 1b-52;
{ x / (1 - x) / 2e-5 <= 1e-10 }
# SPDX-License-Identifier: MIT
