(* >>bounds >>steps >>reduce >>hybrid_offer: what rounding does to
   a complex product, in units of u |p| |s|; every rounding is off by at most u times its exact result.
     with fused multiply-adds (two roundings a part)   2 + u           "2 u |ps|", 3 u
     without (three)                                   1 + 2^(1/2) (1 + u)  "2.42 u |ps|", 3 u, 2 2^(1/2) u
     double-doubles                                    below 60 u
   and complex numbers are a kind of number for chains.v.
   CODE src/dense/bounds.h: const double product = parts == 1 ? 1 : plan->isa == PERM_ISA_PLAIN ? 2.42 : 2; /* in u */
   CODE src/dense/bounds.h: leaf->bound_relative = ((parts == 2 ? 60 : 14) * n + ldexp(40, terms_log2)) * square * 1.0001;
   CODE src/frontier/frontier.h: (block->imaginary ? 2.42 : 1.0) * (block->n - 1) + frontier->additions,
   CODE src/graph/reduce.h: #define PERMI_COMPLEX_ROUNDINGS 4
   FALSE s|(242 / 100 \* u)|(241 / 100 * u)|
*)
From Coq Require Import Reals Lra Lia Psatz.
Open Scope R_scope.

Definition norm (x y : R) := sqrt (x * x + y * y).

Lemma squares_pos x y : 0 <= x * x + y * y.
Proof. nra. Qed.

Lemma norm_pos x y : 0 <= norm x y.
Proof. apply sqrt_pos. Qed.

Lemma norm_square x y : norm x y * norm x y = x * x + y * y.
Proof. apply sqrt_sqrt, squares_pos. Qed.

Lemma norm_at_most x y b : 0 <= b -> x * x + y * y <= b * b -> norm x y <= b.
Proof.
  intros Hb H. unfold norm. rewrite <- (sqrt_square b Hb). apply sqrt_le_1_alt. exact H.
Qed.

Lemma cauchy a b c d : a * c + b * d <= norm a b * norm c d.
Proof.
  pose proof (norm_pos a b); pose proof (norm_pos c d).
  pose proof (norm_square a b); pose proof (norm_square c d).
  assert (0 <= norm a b * norm c d) by nra.
  assert ((a * c + b * d) * (a * c + b * d) <= (norm a b * norm c d) * (norm a b * norm c d)).
  { replace ((norm a b * norm c d) * (norm a b * norm c d)) with ((norm a b * norm a b) * (norm c d * norm c d)) by
    ring.
    rewrite H1, H2. pose proof (Rle_0_sqr (a * d - b * c)). unfold Rsqr in *. nra. }
  nra.
Qed.

(* Minkowski *)
Lemma norm_plus a b c d : norm (a + c) (b + d) <= norm a b + norm c d.
Proof.
  pose proof (norm_pos a b); pose proof (norm_pos c d).
  apply norm_at_most; [lra|].
  pose proof (norm_square a b); pose proof (norm_square c d). pose proof (cauchy a b c d). nra.
Qed.

Lemma norm_times a b c d : norm (a * c - b * d) (a * d + b * c) = norm a b * norm c d.
Proof.
  unfold norm. rewrite <- sqrt_mult by apply squares_pos. f_equal. ring.
Qed.

Lemma norm_scaled k a b : 0 <= k -> norm (k * a) (k * b) = k * norm a b.
Proof.
  intro. unfold norm. replace (k * a * (k * a) + k * b * (k * b)) with ((k * k) * (a * a + b * b)) by ring.
  rewrite sqrt_mult; [|nra|apply squares_pos]. rewrite sqrt_square by assumption. reflexivity.
Qed.

Lemma square_of_abs x : x * x = Rabs x * Rabs x.
Proof. rewrite <- Rabs_mult. symmetry. apply Rabs_pos_eq. nra. Qed.

(* Parts at most those of another. *)
Lemma norm_monotone x y a b : Rabs x <= a -> Rabs y <= b -> norm x y <= norm a b.
Proof.
  intros. apply sqrt_le_1_alt. rewrite (square_of_abs x), (square_of_abs y).
  pose proof (Rabs_pos x); pose proof (Rabs_pos y). nra.
Qed.

Lemma norm_of_abs a b : norm (Rabs a) (Rabs b) = norm a b.
Proof. unfold norm. rewrite <- (square_of_abs a), <- (square_of_abs b). reflexivity. Qed.

(* A vector of roundings of x and y. *)
Lemma norm_rounded u x y dx dy : 0 <= u -> Rabs dx <= u * Rabs x -> Rabs dy <= u * Rabs y -> norm dx dy <= u * norm x y.
Proof.
  intros. rewrite <- (norm_of_abs x y), <- norm_scaled by assumption. apply norm_monotone; assumption.
Qed.

(* |a c| + |b d|, |a d| + |b c|: what cancels in a product, if it does not. *)
Lemma norm_uncancelled a b c d :
  norm (Rabs a * Rabs c + Rabs b * Rabs d) (Rabs a * Rabs d + Rabs b * Rabs c) <= sqrt 2 * (norm a b * norm c d).
Proof.
  pose proof (norm_pos a b); pose proof (norm_pos c d). pose proof (sqrt_pos 2).
  assert (0 <= norm a b * norm c d) by nra.
  apply norm_at_most; [nra|].
  replace (sqrt 2 * (norm a b * norm c d) * (sqrt 2 * (norm a b * norm c d)))
    with ((sqrt 2 * sqrt 2) * ((norm a b * norm a b) * (norm c d * norm c d))) by ring.
  rewrite sqrt_sqrt, !norm_square by lra.
  rewrite (square_of_abs a), (square_of_abs b), (square_of_abs c), (square_of_abs d).
  set (A := Rabs a); set (B := Rabs b); set (C := Rabs c); set (D := Rabs d).
  pose proof (Rle_0_sqr (A * C - B * D)); pose proof (Rle_0_sqr (A * D - B * C)). unfold Rsqr in *. nra.
Qed.

Lemma root_of_2 : sqrt 2 <= 14143 / 10000.
Proof.
  replace (14143 / 10000) with (sqrt (14143 / 10000 * (14143 / 10000))) by (apply sqrt_square; lra).
  apply sqrt_le_1_alt; lra.
Qed.

(* ---- products in doubles. p = (a, b), s = (c, d). *)
Section Rounded.
Variable u : R.
Hypothesis u_pos : 0 <= u.
Hypothesis u_small : u <= 1 / 1000000.

(* fl(b d) first, then a c - it; the other part alike. *)
Theorem with_fma a b c d bd bc re im :
  Rabs (bd - b * d) <= u * Rabs (b * d) -> Rabs (bc - b * c) <= u * Rabs (b * c) ->
  Rabs (re - (a * c - bd)) <= u * Rabs (a * c - bd) -> Rabs (im - (a * d + bc)) <= u * Rabs (a * d + bc) ->
  norm (re - (a * c - b * d)) (im - (a * d + b * c)) <= (2 * u + u * u) * (norm a b * norm c d).
Proof.
  intros Hbd Hbc Hre Him.
  assert (first : norm (b * d - bd) (bc - b * c) <= u * (norm a b * norm c d)).
  { apply Rle_trans with (u * norm (b * d) (b * c)).
    - apply norm_rounded; [assumption| |assumption]. rewrite <- Rabs_Ropp.
      replace (- (b * d - bd)) with (bd - b * d) by ring. assumption.
    - apply Rmult_le_compat_l; [assumption|].
      replace (norm (b * d) (b * c)) with (norm 0 b * norm c d).
      + apply Rmult_le_compat_r; [apply norm_pos|]. apply norm_at_most; [apply norm_pos|]. rewrite norm_square. nra.
      + rewrite <- norm_times. unfold norm. f_equal. ring. }
  assert (exact : norm (a * c - bd) (a * d + bc) <= (1 + u) * (norm a b * norm c d)).
  { replace (a * c - bd) with ((a * c - b * d) + (b * d - bd)) by ring.
    replace (a * d + bc) with ((a * d + b * c) + (bc - b * c)) by ring.
    eapply Rle_trans; [apply norm_plus|]. rewrite norm_times. lra. }
  assert (second : norm (re - (a * c - bd)) (im - (a * d + bc)) <= u * ((1 + u) * (norm a b * norm c d))).
  { eapply Rle_trans; [apply (norm_rounded u (a * c - bd) (a * d + bc)); assumption|]. apply Rmult_le_compat_l;
    assumption. }
  replace (re - (a * c - b * d)) with ((re - (a * c - bd)) + (b * d - bd)) by ring.
  replace (im - (a * d + b * c)) with ((im - (a * d + bc)) + (bc - b * c)) by ring.
  eapply Rle_trans; [apply norm_plus|]. lra.
Qed.

(* All four products are rounded. *)
Theorem without_fma a b c d ac bd ad bc re im :
  Rabs (ac - a * c) <= u * Rabs (a * c) -> Rabs (bd - b * d) <= u * Rabs (b * d) ->
  Rabs (ad - a * d) <= u * Rabs (a * d) -> Rabs (bc - b * c) <= u * Rabs (b * c) ->
  Rabs (re - (ac - bd)) <= u * Rabs (ac - bd) -> Rabs (im - (ad + bc)) <= u * Rabs (ad + bc) ->
  norm (re - (a * c - b * d)) (im - (a * d + b * c)) <= (242 / 100 * u) * (norm a b * norm c d).
Proof.
  intros Hac Hbd Had Hbc Hre Him.
  pose proof (norm_pos a b); pose proof (norm_pos c d). assert (0 <= norm a b * norm c d) by nra.
  assert (first : norm ((ac - a * c) - (bd - b * d)) ((ad - a * d) + (bc - b * c)) <= u * (sqrt 2 * (norm a b * norm
  c d))).
  { apply Rle_trans with (u * norm (Rabs a * Rabs c + Rabs b * Rabs d) (Rabs a * Rabs d + Rabs b * Rabs c)).
    - rewrite <- norm_scaled by assumption. rewrite !Rabs_mult in *. apply norm_monotone.
      + eapply Rle_trans; [apply Rabs_triang|]. rewrite Rabs_Ropp. lra.
      + eapply Rle_trans; [apply Rabs_triang|]. lra.
    - apply Rmult_le_compat_l; [assumption|apply norm_uncancelled]. }
  assert (exact : norm (ac - bd) (ad + bc) <= (1 + u * sqrt 2) * (norm a b * norm c d)).
  { replace (ac - bd) with ((a * c - b * d) + ((ac - a * c) - (bd - b * d))) by ring.
    replace (ad + bc) with ((a * d + b * c) + ((ad - a * d) + (bc - b * c))) by ring.
    eapply Rle_trans; [apply norm_plus|]. rewrite norm_times. lra. }
  assert (second : norm (re - (ac - bd)) (im - (ad + bc)) <= u * ((1 + u * sqrt 2) * (norm a b * norm c d))).
  { eapply Rle_trans; [apply (norm_rounded u (ac - bd) (ad + bc)); assumption|]. apply Rmult_le_compat_l; assumption. }
  replace (re - (a * c - b * d)) with ((re - (ac - bd)) + ((ac - a * c) - (bd - b * d))) by ring.
  replace (im - (a * d + b * c)) with ((im - (ad + bc)) + ((ad - a * d) + (bc - b * c))) by ring.
  eapply Rle_trans; [apply norm_plus|].
  pose proof root_of_2. pose proof (sqrt_pos 2).
  apply Rle_trans with ((u * sqrt 2 + u * (1 + u * sqrt 2)) * (norm a b * norm c d)); [lra|].
  apply Rmult_le_compat_r; [assumption|].
  assert (u * sqrt 2 <= 14143 / 10000 * u) by nra.
  assert (u * (u * sqrt 2) <= u * (1 / 1000)) by (apply Rmult_le_compat_l; nra).
  lra.
Qed.

(* ---- the double-double product of split_complex_setting: (p + C) (s + l), p = (a, b), C = (ca, cb), s = (c, d),
   l = (lc, ld), each part a normalised double-double. Products' rests and TwoSum's are exact (exact_sums.v); with the
   cross products their moduli are together at most 1 + 3 2^(1/2) < 5.25, in units of u |p| |s|. *)
Lemma low_parts a b c d ca cb lc ld hr hi e1 e2 :
  Rabs ca <= u * Rabs a -> Rabs cb <= u * Rabs b -> Rabs lc <= u * Rabs c -> Rabs ld <= u * Rabs d ->
  norm hr hi <= 1001 / 1000 * u * (norm a b * norm c d) -> (* TwoSum's rests of both parts *)
  Rabs e1 <= u * (Rabs a * Rabs c + Rabs b * Rabs d) -> Rabs e2 <= u * (Rabs a * Rabs d + Rabs b * Rabs c) ->
  norm (Rabs hr + Rabs e1 + (Rabs a * Rabs lc + Rabs b * Rabs ld) + (Rabs ca * Rabs c + Rabs cb * Rabs d))
       (Rabs hi + Rabs e2 + (Rabs a * Rabs ld + Rabs b * Rabs lc) + (Rabs ca * Rabs d + Rabs cb * Rabs c))
  <= 21 / 4 * u * (norm a b * norm c d).
Proof.
  intros Ha Hb Hc Hd Hh He1 He2.
  pose proof (norm_pos a b); pose proof (norm_pos c d). assert (0 <= norm a b * norm c d) by nra.
  pose proof (norm_uncancelled a b c d) as many. set (N := norm a b * norm c d) in *.
  set (X := Rabs a * Rabs c + Rabs b * Rabs d) in *; set (Y := Rabs a * Rabs d + Rabs b * Rabs c) in *.
  assert (Hk : 0 <= 3 * u) by lra.
  apply Rle_trans with (norm (Rabs hr + 3 * u * X) (Rabs hi + 3 * u * Y)).
  - pose proof (Rabs_pos a); pose proof (Rabs_pos b); pose proof (Rabs_pos c); pose proof (Rabs_pos d).
    pose proof (Rabs_pos ca); pose proof (Rabs_pos cb); pose proof (Rabs_pos lc); pose proof (Rabs_pos ld).
    pose proof (Rabs_pos hr); pose proof (Rabs_pos hi); pose proof (Rabs_pos e1); pose proof (Rabs_pos e2).
    apply norm_monotone; unfold X, Y in *.
    + rewrite Rabs_pos_eq by (repeat (apply Rplus_le_le_0_compat || apply Rmult_le_pos || assumption)).
      assert (Rabs a * Rabs lc <= Rabs a * (u * Rabs c)) by (apply Rmult_le_compat_l; assumption).
      assert (Rabs b * Rabs ld <= Rabs b * (u * Rabs d)) by (apply Rmult_le_compat_l; assumption).
      assert (Rabs ca * Rabs c <= u * Rabs a * Rabs c) by (apply Rmult_le_compat_r; assumption).
      assert (Rabs cb * Rabs d <= u * Rabs b * Rabs d) by (apply Rmult_le_compat_r; assumption). lra.
    + rewrite Rabs_pos_eq by (repeat (apply Rplus_le_le_0_compat || apply Rmult_le_pos || assumption)).
      assert (Rabs a * Rabs ld <= Rabs a * (u * Rabs d)) by (apply Rmult_le_compat_l; assumption).
      assert (Rabs b * Rabs lc <= Rabs b * (u * Rabs c)) by (apply Rmult_le_compat_l; assumption).
      assert (Rabs ca * Rabs d <= u * Rabs a * Rabs d) by (apply Rmult_le_compat_r; assumption).
      assert (Rabs cb * Rabs c <= u * Rabs b * Rabs c) by (apply Rmult_le_compat_r; assumption). lra.
  - eapply Rle_trans; [apply norm_plus|]. rewrite norm_of_abs, norm_scaled by assumption.
    pose proof root_of_2. assert (3 * u * norm X Y <= 3 * u * (sqrt 2 * N)) by (apply Rmult_le_compat_l; assumption).
    assert (u * (sqrt 2 * N) <= u * (14143 / 10000 * N)).
    { apply Rmult_le_compat_l; [assumption|]. apply Rmult_le_compat_r; assumption. }
    assert (0 <= u * N) by (apply Rmult_le_pos; assumption). lra.
Qed.
End Rounded.

(* A part's low word: addend after addend, each of them rounded (a product where there is no FMA) and each sum: ten
   roundings, each at most u times a running sum, which is at most 1.01 times the sum m of the addends' moduli. *)
Section Running.
Variable u : R.
Hypothesis u_pos : 0 <= u.
Hypothesis u_small : u <= 1 / 1000000.

Definition run (k : nat) (computed exact moduli : R) :=
  Rabs (computed - exact) <= INR k * (u * (101 / 100 * moduli)) /\ Rabs exact <= moduli.

Lemma run_start x : run 0 x x (Rabs x).
Proof. split; [simpl; replace (x - x) with 0 by ring; rewrite Rabs_R0; lra | lra]. Qed.

Lemma run_step k s x m t s' : (k <= 20)%nat -> run k s x m -> Rabs (s' - (s + t)) <= u * Rabs (s + t) ->
  run (S k) s' (x + t) (m + Rabs t).
Proof.
  intros Hk [H1 H2] H.
  assert (Hk' : INR k <= 20) by (replace 20 with (INR 20) by (simpl; lra); apply le_INR; assumption).
  pose proof (pos_INR k). pose proof (Rabs_pos t). pose proof (Rabs_pos x).
  assert (small : INR k * (u * (101 / 100 * m)) <= 1 / 100 * m).
  { assert (INR k * u <= 20 * (1 / 1000000)) by (apply Rmult_le_compat; lra). assert (0 <= m) by lra. nra. }
  assert (Hs : Rabs (s + t) <= 101 / 100 * (m + Rabs t)).
  { replace (s + t) with ((s - x) + (x + t)) by ring. pose proof (Rabs_triang (s - x) (x + t)).
    pose proof (Rabs_triang x t). lra. }
  split.
  - rewrite S_INR. replace (s' - (x + t)) with ((s' - (s + t)) + (s - x)) by ring.
    eapply Rle_trans; [apply Rabs_triang|].
    assert (u * Rabs (s + t) <= u * (101 / 100 * (m + Rabs t))) by (apply Rmult_le_compat_l; assumption).
    assert (INR k * (u * (101 / 100 * m)) <= INR k * (u * (101 / 100 * (m + Rabs t)))).
    { apply Rmult_le_compat_l; [assumption|]. apply Rmult_le_compat_l; lra. }
    lra.
  - eapply Rle_trans; [apply Rabs_triang|]. lra.
Qed.

(* An addend that is rounded itself: one more rounding. *)
Lemma run_step_rounded k s x m t t' s' : (k <= 19)%nat -> run k s x m -> Rabs (t' - t) <= u * Rabs t ->
  Rabs (s' - (s + t')) <= u * Rabs (s + t') -> run (S (S k)) s' (x + t) (m + Rabs t).
Proof.
  intros Hk [H1 H2] Ht H.
  assert (Hk' : INR k <= 20) by (replace 20 with (INR 20) by (simpl; lra); apply le_INR; lia).
  pose proof (pos_INR k). pose proof (Rabs_pos t). pose proof (Rabs_pos x).
  assert (small : INR k * (u * (101 / 100 * m)) <= 1 / 1000 * m).
  { assert (INR k * u <= 20 * (1 / 1000000)) by (apply Rmult_le_compat; lra). assert (0 <= m) by lra. nra. }
  assert (Hut : u * Rabs t <= 1 / 1000 * Rabs t) by nra.
  assert (Hs : Rabs (s + t') <= 101 / 100 * (m + Rabs t)).
  { replace (s + t') with ((s - x) + ((t' - t) + (x + t))) by ring.
    pose proof (Rabs_triang (s - x) ((t' - t) + (x + t))).
    pose proof (Rabs_triang (t' - t) (x + t)). pose proof (Rabs_triang x t). lra. }
  split.
  - rewrite !S_INR. replace (s' - (x + t)) with ((s' - (s + t')) + ((s - x) + (t' - t))) by ring.
    eapply Rle_trans; [apply Rabs_triang|]. pose proof (Rabs_triang (s - x) (t' - t)).
    assert (u * Rabs (s + t') <= u * (101 / 100 * (m + Rabs t))) by (apply Rmult_le_compat_l; assumption).
    assert (INR k * (u * (101 / 100 * m)) <= INR k * (u * (101 / 100 * (m + Rabs t)))).
    { apply Rmult_le_compat_l; [assumption|]. apply Rmult_le_compat_l; lra. }
    assert (u * Rabs t <= u * (101 / 100 * (m + Rabs t))) by (apply Rmult_le_compat_l; lra).
    lra.
  - eapply Rle_trans; [apply Rabs_triang|]. lra.
Qed.

Lemma low_word r e t1 t2 t3 t4 e' t1' t2' t3' t4' s1 s2 s3 s4 s5 :
  Rabs (e' - e) <= u * Rabs e -> Rabs (t1' - t1) <= u * Rabs t1 -> Rabs (t2' - t2) <= u * Rabs t2 ->
  Rabs (t3' - t3) <= u * Rabs t3 -> Rabs (t4' - t4) <= u * Rabs t4 ->
  Rabs (s1 - (r + e')) <= u * Rabs (r + e') -> Rabs (s2 - (s1 + t1')) <= u * Rabs (s1 + t1') ->
  Rabs (s3 - (s2 + t2')) <= u * Rabs (s2 + t2') -> Rabs (s4 - (s3 + t3')) <= u * Rabs (s3 + t3') ->
  Rabs (s5 - (s4 + t4')) <= u * Rabs (s4 + t4') ->
  Rabs (s5 - (r + e + t1 + t2 + t3 + t4)) <=
    101 / 10 * u * (Rabs r + Rabs e + Rabs t1 + Rabs t2 + Rabs t3 + Rabs t4).
Proof.
  intros He T1 T2 T3 T4 S1 S2 S3 S4 S5.
  pose proof (run_start r) as R0.
  pose proof (run_step_rounded 0 r r _ e e' s1 ltac:(lia) R0 He S1) as R1.
  pose proof (run_step_rounded 2 s1 _ _ t1 t1' s2 ltac:(lia) R1 T1 S2) as R2.
  pose proof (run_step_rounded 4 s2 _ _ t2 t2' s3 ltac:(lia) R2 T2 S3) as R3.
  pose proof (run_step_rounded 6 s3 _ _ t3 t3' s4 ltac:(lia) R3 T3 S4) as R4.
  pose proof (run_step_rounded 8 s4 _ _ t4 t4' s5 ltac:(lia) R4 T4 S5) as [H _].
  simpl in H. lra.
Qed.

End Running.

(* All together: x, y are the parts' low words, off as low_word says from what they should be; C l is dropped. *)
Theorem double_double u a b c d ca cb lc ld rr ii ri ir h1 h2 x y :
  0 <= u -> u <= 1 / 1000000 ->
  Rabs ca <= u * Rabs a -> Rabs cb <= u * Rabs b -> Rabs lc <= u * Rabs c -> Rabs ld <= u * Rabs d ->
  Rabs (rr - a * c) <= u * Rabs (a * c) -> Rabs (ii - b * d) <= u * Rabs (b * d) ->
  Rabs (ri - a * d) <= u * Rabs (a * d) -> Rabs (ir - b * c) <= u * Rabs (b * c) ->
  Rabs (h1 - (rr - ii)) <= u * Rabs (rr - ii) -> Rabs (h2 - (ri + ir)) <= u * Rabs (ri + ir) ->
  let r1 := rr - ii - h1 in let r2 := ri + ir - h2 in
  let e1 := (a * c - rr) - (b * d - ii) in let e2 := (a * d - ri) + (b * c - ir) in
  Rabs (x - (r1 + e1 + a * lc + - (b * ld) + ca * c + - (cb * d))) <=
    101 / 10 * u * (Rabs r1 + Rabs e1 + Rabs (a * lc) + Rabs (- (b * ld)) + Rabs (ca * c) + Rabs (- (cb * d))) ->
  Rabs (y - (r2 + e2 + a * ld + b * lc + ca * d + cb * c)) <=
    101 / 10 * u * (Rabs r2 + Rabs e2 + Rabs (a * ld) + Rabs (b * lc) + Rabs (ca * d) + Rabs (cb * c)) ->
  norm (h1 + x - ((a + ca) * (c + lc) - (b + cb) * (d + ld))) (h2 + y - ((a + ca) * (d + ld) + (b + cb) * (c + lc)))
  <= (60 * (u * u)) * (norm a b * norm c d).
Proof.
  intros Hu Hs Ha Hb Hc Hd Hrr Hii Hri Hir H1 H2 r1 r2 e1 e2 Hx Hy.
  pose proof (norm_pos a b); pose proof (norm_pos c d). set (N := norm a b * norm c d) in *.
  assert (HN : 0 <= N) by (apply Rmult_le_pos; assumption).
  rewrite !Rabs_Ropp, !Rabs_mult in *.
  assert (He1 : Rabs e1 <= u * (Rabs a * Rabs c + Rabs b * Rabs d)).
  { unfold e1. eapply Rle_trans; [apply Rabs_triang|].
    rewrite Rabs_Ropp, (Rabs_minus_sym (a * c)), (Rabs_minus_sym (b * d)). lra. }
  assert (He2 : Rabs e2 <= u * (Rabs a * Rabs d + Rabs b * Rabs c)).
  { unfold e2. eapply Rle_trans; [apply Rabs_triang|]. rewrite (Rabs_minus_sym (a * d)), (Rabs_minus_sym (b * c)).
    lra. }
  pose proof root_of_2 as root. pose proof (sqrt_pos 2).
  assert (products : norm e1 e2 <= u * (sqrt 2 * N)).
  { apply Rle_trans with (u * norm (Rabs a * Rabs c + Rabs b * Rabs d) (Rabs a * Rabs d + Rabs b * Rabs c)).
    - rewrite <- norm_scaled by assumption. apply norm_monotone; assumption.
    - apply Rmult_le_compat_l; [assumption|apply norm_uncancelled]. }
  assert (rests : norm r1 r2 <= 1001 / 1000 * u * N).
  { apply Rle_trans with (u * norm (rr - ii) (ri + ir)).
    - apply norm_rounded; [assumption| |]; unfold r1, r2; [rewrite <- Rabs_Ropp|rewrite <- Rabs_Ropp].
      + replace (- (rr - ii - h1)) with (h1 - (rr - ii)) by ring. assumption.
      + replace (- (ri + ir - h2)) with (h2 - (ri + ir)) by ring. assumption.
    - assert (norm (rr - ii) (ri + ir) <= N + u * (sqrt 2 * N)).
      { replace (rr - ii) with ((a * c - b * d) + - e1) by (unfold e1; ring).
        replace (ri + ir) with ((a * d + b * c) + - e2) by (unfold e2; ring).
        eapply Rle_trans; [apply norm_plus|]. rewrite norm_times. fold N.
        replace (norm (- e1) (- e2)) with (norm e1 e2) by (unfold norm; f_equal; ring). lra. }
      apply Rle_trans with (u * (1001 / 1000 * N)); [|lra]. apply Rmult_le_compat_l; [assumption|].
      assert (u * (sqrt 2 * N) <= 1 / 1000000 * (2 * N)).
      { apply Rmult_le_compat; try lra; [apply Rmult_le_pos; assumption|]. apply Rmult_le_compat_r; lra. }
      lra. }
  pose proof (low_parts u Hu a b c d ca cb lc ld r1 r2 e1 e2 Ha Hb Hc Hd rests He1 He2) as low. fold N in low.
  assert (dropped : norm (ca * lc - cb * ld) (ca * ld + cb * lc) <= u * u * N).
  { rewrite norm_times. replace (u * u * N) with (u * norm a b * (u * norm c d)) by (unfold N; ring).
    apply Rmult_le_compat; try apply norm_pos; apply norm_rounded; assumption. }
  set (M1 := Rabs r1 + Rabs e1 + (Rabs a * Rabs lc + Rabs b * Rabs ld) + (Rabs ca * Rabs c + Rabs cb * Rabs d)) in *.
  set (M2 := Rabs r2 + Rabs e2 + (Rabs a * Rabs ld + Rabs b * Rabs lc) + (Rabs ca * Rabs d + Rabs cb * Rabs c)) in *.
  set (X := x - (r1 + e1 + a * lc + - (b * ld) + ca * c + - (cb * d))) in *.
  set (Y := y - (r2 + e2 + a * ld + b * lc + ca * d + cb * c)) in *.
  assert (Hk : 0 <= 101 / 10 * u) by lra.
  assert (rounded : norm X Y <= 101 / 10 * u * (21 / 4 * u * N)).
  { apply Rle_trans with (101 / 10 * u * norm M1 M2); [|apply Rmult_le_compat_l; assumption].
    rewrite <- norm_scaled by assumption. apply norm_monotone.
    - apply Rle_trans with (1 := Hx). right. unfold M1. ring.
    - apply Rle_trans with (1 := Hy). right. unfold M2. ring. }
  replace (h1 + x - ((a + ca) * (c + lc) - (b + cb) * (d + ld))) with (X + - (ca * lc - cb * ld)) by (unfold X, r1,
  e1; ring).
  replace (h2 + y - ((a + ca) * (d + ld) + (b + cb) * (c + lc))) with (Y + - (ca * ld + cb * lc)) by (unfold Y, r2,
  e2; ring).
  eapply Rle_trans; [apply norm_plus|].
  replace (norm (- (ca * lc - cb * ld)) (- (ca * ld + cb * lc))) with (norm (ca * lc - cb * ld) (ca * ld + cb * lc))
    by (unfold norm; f_equal; ring).
  assert (0 <= u * u * N) by (apply Rmult_le_pos; [nra|assumption]). lra.
Qed.

(* ---- complex numbers are a kind of number for chains.v *)
Definition C := (R * R)%type.
Definition cplus (x y : C) : C := (fst x + fst y, snd x + snd y).
Definition cminus (x : C) : C := (- fst x, - snd x).
Definition ctimes (x y : C) : C := (fst x * fst y - snd x * snd y, fst x * snd y + snd x * fst y).
Definition cnorm (x : C) := norm (fst x) (snd x).
Definition coff (v x : C) := cnorm (cplus v (cminus x)).

Lemma cnorm_pos x : 0 <= cnorm x.
Proof. apply norm_pos. Qed.
Lemma cnorm_plus x y : cnorm (cplus x y) <= cnorm x + cnorm y.
Proof. apply norm_plus. Qed.
Lemma cnorm_times x y : cnorm (ctimes x y) = cnorm x * cnorm y.
Proof. apply norm_times. Qed.
Lemma coff_through v w x : coff v x <= coff v w + coff w x.
Proof.
  unfold coff, cnorm, cplus, cminus; simpl.
  replace (fst v + - fst x) with ((fst v + - fst w) + (fst w + - fst x)) by ring.
  replace (snd v + - snd x) with ((snd v + - snd w) + (snd w + - snd x)) by ring. apply norm_plus.
Qed.
Lemma coff_plus v w x y : coff (cplus v w) (cplus x y) <= coff v x + coff w y.
Proof.
  unfold coff, cnorm, cplus, cminus; simpl.
  replace (fst v + fst w + - (fst x + fst y)) with ((fst v + - fst x) + (fst w + - fst y)) by ring.
  replace (snd v + snd w + - (snd x + snd y)) with ((snd v + - snd x) + (snd w + - snd y)) by ring. apply norm_plus.
Qed.
Lemma coff_times v w x y : coff (ctimes v w) (ctimes x y) <= coff v x * cnorm w + cnorm x * coff w y.
Proof.
  unfold coff. rewrite <- !cnorm_times.
  replace (cplus (ctimes v w) (cminus (ctimes x y)))
    with (cplus (ctimes (cplus v (cminus x)) w) (ctimes x (cplus w (cminus y)))) by
    (unfold cplus, cminus, ctimes; simpl; f_equal; ring).
  apply cnorm_plus.
Qed.
Lemma cnorm_off v x : cnorm v <= cnorm x + coff v x.
Proof.
  unfold coff. replace v with (cplus x (cplus v (cminus x))) at 1; [apply cnorm_plus|].
  unfold cplus, cminus; destruct v; simpl; f_equal; ring.
Qed.
(* SPDX-License-Identifier: MIT *)
