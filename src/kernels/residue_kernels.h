/* ================================================================================== >>residue_kernels
   Residues modulo a number of at most 50 bits, in doubles: whole numbers of either sign, of modulus at most a little
   more than half of it. */
#define PERMI_P PERMI_NAME(prime)
typedef struct PERMI_P {
  PERMI_V prime, inverse;
} PERMI_P;

PERMI_TARGET PERMI_INLINE PERMI_P PERMI_NAME(prime_of)(double prime, double inverse)
{
  PERMI_P p;
  p.prime = PERMI_SET(prime);
  p.inverse = PERMI_SET(inverse);
  return p;
}

/* The whole number next to x / p, at most 2^51: in the binade of 1.5 2^52 bits count ones. */
PERMI_TARGET PERMI_INLINE PERMI_V PERMI_NAME(quotient)(PERMI_V x, PERMI_P p)
{
  const PERMI_V ones = PERMI_SET(6755399441055744.0);
  return PERMI_FMA(x, p.inverse, ones) - ones;
}

/* Of |x| <= 2^52: at most p / 2 + 1, as the quotient is wrong by at most |x| / p 2^-53 before it is rounded. */
PERMI_TARGET PERMI_INLINE PERMI_V PERMI_NAME(reduce)(PERMI_V x, PERMI_P p)
{
  return PERMI_FNMA(PERMI_NAME(quotient)(x, p), p.prime, x);
}

PERMI_TARGET PERMI_INLINE PERMI_V PERMI_NAME(reduce_product)(PERMI_V a, PERMI_V b, PERMI_P p)
{
  PERMI_V low;
  const PERMI_V high = PERMI_NAME(vector_two_product)(a, b, &low);
  return low - PERMI_FMS_EXACT(PERMI_NAME(quotient)(high, p), p.prime, high);
}
