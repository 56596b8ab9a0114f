/* ================================================================================ >>small_instances
   The instances of the kernels for small orders, see >>small_kernels. */

/* Small orders: PERMI_PASS_SMALL is n, or 0 for any. */
#define PERMI_PASS_PARTS 1
#if PERMI_WIDTH == 8
#define PERMI_PASS PERMI_NAME(small_real_n6)
#define PERMI_PASS_SMALL 6
#define PERMI_PASS_BLOCK 0
#include PERM_HEADER_FILE
#define PERMI_PASS PERMI_NAME(small_real_n7)
#define PERMI_PASS_SMALL 7
#define PERMI_PASS_BLOCK 1
#include PERM_HEADER_FILE
#define PERMI_PASS PERMI_NAME(small_real_n8)
#define PERMI_PASS_SMALL 8
#define PERMI_PASS_BLOCK 2
#include PERM_HEADER_FILE
#define PERMI_PASS PERMI_NAME(small_real_n12)
#define PERMI_PASS_SMALL 12
#define PERMI_PASS_BLOCK 2
#include PERM_HEADER_FILE
#elif PERMI_WIDTH == 4
#define PERMI_PASS PERMI_NAME(small_real_n5)
#define PERMI_PASS_SMALL 5
#define PERMI_PASS_BLOCK 0
#include PERM_HEADER_FILE
#define PERMI_PASS PERMI_NAME(small_real_n6)
#define PERMI_PASS_SMALL 6
#define PERMI_PASS_BLOCK 1
#include PERM_HEADER_FILE
#elif PERMI_WIDTH == 1
#define PERMI_PASS PERMI_NAME(small_real_n5)
#define PERMI_PASS_SMALL 5
#define PERMI_PASS_BLOCK 2
#include PERM_HEADER_FILE
#endif
#define PERMI_PASS PERMI_NAME(small_real)
#define PERMI_PASS_SMALL 0
#define PERMI_PASS_BLOCK (PERMI_WIDTH == 8 ? 2 : 1)
#include PERM_HEADER_FILE
#undef PERMI_PASS_PARTS
#if !defined(PERM_NO_COMPLEX)
#define PERMI_PASS_PARTS 2
#if PERMI_WIDTH == 8
#define PERMI_PASS PERMI_NAME(small_complex_n6)
#define PERMI_PASS_SMALL 6
#define PERMI_PASS_BLOCK 0
#include PERM_HEADER_FILE
#define PERMI_PASS PERMI_NAME(small_complex_n7)
#define PERMI_PASS_SMALL 7
#define PERMI_PASS_BLOCK 1
#include PERM_HEADER_FILE
#elif PERMI_WIDTH == 4
#define PERMI_PASS PERMI_NAME(small_complex_n5)
#define PERMI_PASS_SMALL 5
#define PERMI_PASS_BLOCK 0
#include PERM_HEADER_FILE
#endif
#define PERMI_PASS PERMI_NAME(small_complex)
#define PERMI_PASS_SMALL 0
#define PERMI_PASS_BLOCK (PERMI_WIDTH == 8)
#include PERM_HEADER_FILE
#undef PERMI_PASS_PARTS
#endif
