# >>amplitudes_bound: constants of a layer's roundings. u = 2^-53; its proof is in docs/proofs-rounding.md.

# CLAIM amplitude_layer
# gamma_k = k u / (1 - k u) is at most (1 + 1e-6) k u for k = nu + 6 roundings, nu up to PERM_MAX_LINES; 2^(1/2) of both
# parts.
# CODE src/amplitudes/amplitudes_bound.h: const double local = 1.4142136 * (nu + 6) * PERMI_UNIT * (1 + 1e-6) * sqrt((double)k / copy) * (1 + before[k - 1]);
# CODE src/api/types.h: #define PERM_MAX_LINES 4096 /* with multiplicities, of rectangular and repeated matrices */
# FALSE s/1.4142136/1.4142135/g
{ k in [1, 4102] -> 1 / (1 - k * 1b-53) <= 1.000001 /\ 1.4142136 * 1.4142136 >= 2 }

# CLAIM amplitude_underflow
# A layer's states lose 2^-1074 in 4 nu + 16 operations of both parts each, nu up to 64 where there are up to 2^57
# states: below 2^-1022 in all, in units of 2^-1074, the root of the states times operations.
# CODE src/amplitudes/amplitudes_bound.h: tiny = DBL_MIN * fmax(p->scale != 0 ? 2 : size, 1);
# CODE src/amplitudes/amplitudes_calls.h: if (states > PTRDIFF_MAX / 64)
# FALSE s/1b57/1b88/
{ nu in [1, 4096] /\ states in [1, 1b57] -> sqrt(2 * states) * (4 * nu + 16) <= 1b52 }
# SPDX-License-Identifier: MIT
