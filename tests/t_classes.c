/* >>classes >>classes_build >>classes_run >>classes_order */
/* Method classes against expansions, other engines and closed forms, on matrices of few classes and beside them. */

TEST(t_classes_equals_expansion)
{
  t_seeds_against_oracles(PERM_METHOD_CLASSES, T_SEEDS_MAX - 1, 1500, 1, 1);
}

TEST(t_classes_fails_every_allocation)
{
  t_seeds_allocations(PERM_METHOD_CLASSES, 1);
}
