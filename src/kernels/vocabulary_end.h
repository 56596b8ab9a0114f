/* ================================================================================= >>vocabulary_end
   Undefines the words that the next family defines otherwise. */

#undef PERMI_TARGET
#undef PERMI_LEAVE
#undef PERMI_MM
#undef PERMI_V
#undef PERMI_N
#undef PERMI_LOAD
#undef PERMI_LOAD_ANY
#undef PERMI_STORE_ANY
#undef PERMI_STORE
#undef PERMI_SET
#undef PERMI_FMA
#undef PERMI_FMS
#undef PERMI_FNMA
#undef PERMI_FMS_EXACT
#undef PERMI_KEEP
#undef PERMI_ABS
#undef PERMI_EVEN
#undef PERMI_ODD
#undef PERMI_ROOT
#undef PERMI_LARGER
#undef PERMI_LESSER
#undef PERMI_GREATER
#undef PERMI_UNLESS_ZERO
#undef PERMI_ELEMENT
#undef PERMI_ABS_SUM
#undef PERMI_I_DOUBLES
#undef PERMI_I_BITS
#undef PERMI_I_LOAD_ANY
#undef PERMI_I_STORE_ANY
#undef PERMI_I_TABLE
#undef PERMI_I_NONZERO8
#undef PERMI_I
#undef PERMI_FAMILY
#undef PERMI_FAMILY_WIDTH
/* SPDX-License-Identifier: MIT */
