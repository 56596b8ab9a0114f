(* >>reduce >>bounds >>steps >>hybrid_offer >>sparyser >>tree >>derive_tree >>derive_frontier >>band >>classes_run: the induction
   that their comments call "each term times at most K factors 1 + d, |d| <= u".
   A computed value v with K roundings stands for the exact x, and s is x with moduli for entries and + for -:
     |v - x| <= ((1 + u)^K - 1) s.
   Products add K's and 1, sums take the larger and 1: so it is for any program of products and sums, of any order n.
   Numbers are of any kind with a modulus (reals below; pairs, the complex numbers, in complex.v).
   CODE src/graph/reduce.h: return k * PERMI_UNIT / (1 - k * PERMI_UNIT) * (1 + 8 * PERMI_UNIT);
   FALSE s|(INR k \* u / (1 - INR k \* u))|(INR k * u)|
*)
From Coq Require Import Reals Lra Lia Psatz.
Open Scope R_scope.

Definition grown (u : R) (k : nat) := (1 + u) ^ k - 1.

Section Chain.
Variables (V : Type) (plus times : V -> V -> V) (minus : V -> V) (norm : V -> R).
Hypothesis norm_pos : forall x, 0 <= norm x.
Hypothesis norm_plus : forall x y, norm (plus x y) <= norm x + norm y.
Hypothesis norm_times : forall x y, norm (times x y) = norm x * norm y.
(* What is used of V's algebra: how errors of operands become those of results. *)
Definition off (v x : V) := norm (plus v (minus x)).
Hypothesis off_through : forall v w x, off v x <= off v w + off w x.
Hypothesis off_plus : forall v w x y, off (plus v w) (plus x y) <= off v x + off w y.
Hypothesis off_times : forall v w x y, off (times v w) (times x y) <= off v x * norm w + norm x * off w y.
Hypothesis norm_off : forall v x, norm v <= norm x + off v x.

Variable u : R.
Hypothesis u_pos : 0 <= u.

Lemma power_at_least_1 k : 1 <= (1 + u) ^ k.
Proof. apply pow_R1_Rle; lra. Qed.

Lemma grown_pos k : 0 <= grown u k.
Proof. unfold grown; pose proof (power_at_least_1 k); lra. Qed.

Lemma grown_more j k : (j <= k)%nat -> grown u j <= grown u k.
Proof. intros; unfold grown. assert ((1 + u) ^ j <= (1 + u) ^ k) by (apply Rle_pow; [lra|assumption]). lra. Qed.

Definition stands (k : nat) (v x : V) (s : R) := off v x <= grown u k * s /\ norm x <= s.

Lemma stands_pos k v x s : stands k v x s -> 0 <= s.
Proof. intros [_ H]; pose proof (norm_pos x); lra. Qed.

Lemma stands_norm k v x s : stands k v x s -> norm v <= (1 + u) ^ k * s.
Proof. intros [H1 H2]; pose proof (norm_off v x); unfold grown in *; lra. Qed.

(* More roundings, a larger s: a weaker statement. *)
Lemma stands_more j k v x s t : (j <= k)%nat -> s <= t -> stands j v x s -> stands k v x t.
Proof.
  intros Hjk Hst H; pose proof (stands_pos _ _ _ _ H); destruct H as [H1 H2]; split; [|lra].
  pose proof (grown_more j k Hjk); pose proof (grown_pos j); nra.
Qed.

(* w is v rounded once: a product or a sum by at most u times itself (of a complex product, by u times the moduli). *)
Lemma stands_rounded k v w x s : stands k v x s -> off w v <= u * ((1 + u) ^ k * s) -> stands (S k) w x s.
Proof.
  intros [H1 H2] H; split; [|assumption].
  pose proof (off_through w v x); unfold grown in *; simpl; lra.
Qed.

Theorem product j k v w x y s t r :
  stands j v x s -> stands k w y t -> off r (times v w) <= u * (norm v * norm w) ->
  stands (S (j + k)) r (times x y) (s * t).
Proof.
  intros Hv Hw Hr.
  pose proof (stands_norm _ _ _ _ Hv); pose proof (stands_norm _ _ _ _ Hw).
  pose proof (stands_pos _ _ _ _ Hv); pose proof (stands_pos _ _ _ _ Hw).
  pose proof (norm_pos v); pose proof (norm_pos w); pose proof (norm_pos x); pose proof (norm_pos y).
  pose proof (power_at_least_1 j); pose proof (power_at_least_1 k).
  destruct Hv as [V1 V2], Hw as [W1 W2]; unfold grown in *.
  assert (norm v * norm w <= (1 + u) ^ (j + k) * (s * t)).
  { rewrite pow_add. replace ((1 + u) ^ j * (1 + u) ^ k * (s * t)) with (((1 + u) ^ j * s) * ((1 + u) ^ k * t)) by ring.
    apply Rmult_le_compat; lra. }
  apply stands_rounded with (times v w).
  - split.
    + pose proof (off_times v w x y).
      assert (off v x * norm w <= ((1 + u) ^ j - 1) * s * ((1 + u) ^ k * t)).
      { apply Rmult_le_compat; try lra. unfold off; apply norm_pos. }
      assert (norm x * off w y <= s * (((1 + u) ^ k - 1) * t)).
      { apply Rmult_le_compat; try lra. unfold off; apply norm_pos. }
      unfold grown; rewrite pow_add; lra.
    + rewrite norm_times; apply Rmult_le_compat; lra.
  - apply Rle_trans with (1 := Hr); apply Rmult_le_compat_l; lra.
Qed.

Theorem sum j k v w x y s t r :
  stands j v x s -> stands k w y t -> off r (plus v w) <= u * (norm v + norm w) ->
  stands (S (max j k)) r (plus x y) (s + t).
Proof.
  intros Hv Hw Hr.
  apply (stands_more _ (max j k) _ _ _ s) in Hv; [|lia|lra].
  apply (stands_more _ (max j k) _ _ _ t) in Hw; [|lia|lra].
  pose proof (stands_norm _ _ _ _ Hv); pose proof (stands_norm _ _ _ _ Hw).
  destruct Hv as [V1 V2], Hw as [W1 W2].
  apply stands_rounded with (plus v w).
  - split; [pose proof (off_plus v w x y); lra | pose proof (norm_plus x y); lra].
  - apply Rle_trans with (1 := Hr); apply Rmult_le_compat_l; lra.
Qed.
End Chain.

(* ---- what K roundings are at most: [Hig02, 3.1] *)
Lemma grown_gamma u k : 0 <= u -> INR k * u < 1 -> grown u k <= (INR k * u / (1 - INR k * u)).
Proof.
  intros Hu H. unfold grown.
  assert (Hk : (1 + u) ^ k * (1 - INR k * u) <= 1).
  { revert H; induction k; intro H; [simpl; lra|].
    rewrite S_INR in *. assert (Hik : INR k * u < 1) by (pose proof (pos_INR k); nra).
    specialize (IHk Hik). pose proof (pos_INR k). pose proof (power_at_least_1 u Hu k).
    simpl. apply Rle_trans with ((1 + u) ^ k * (1 - INR k * u)); [|lra].
    rewrite (Rmult_comm (1 + u)), Rmult_assoc. apply Rmult_le_compat_l; nra. }
  apply Rmult_le_reg_r with (1 - INR k * u); [lra|].
  unfold Rdiv; rewrite Rmult_assoc, Rinv_l; lra.
Qed.

(* Second order, as a factor: n <= 64, so K u is far below 1e-4 (>>bounds 6). *)
Lemma grown_second_order u k : 0 <= u -> INR k * u <= 1 / 20000 -> grown u k <= 10001 / 10000 * (INR k * u).
Proof.
  intros Hu H. pose proof (pos_INR k).
  assert (INR k * u < 1) by lra. pose proof (grown_gamma u k Hu H1).
  apply Rle_trans with (1 := H2). apply Rmult_le_reg_r with (1 - INR k * u); [lra|].
  unfold Rdiv at 1; rewrite Rmult_assoc, Rinv_l by lra. assert (0 <= INR k * u) by nra. nra.
Qed.

(* Rounded products and sums of different kinds in one term: their K's add. *)
Lemma grown_two u v j k : 0 <= u -> 0 <= v ->
  (1 + u) ^ j * (1 + v) ^ k - 1 = grown u j * (1 + grown v k) + grown v k.
Proof. intros; unfold grown; ring. Qed.

(* A factor 1 + 3 u (a complex product) is at most three of 1 + u, a 1 + c v at most c of 1 + v. *)
Lemma factor_of_many u c : 0 <= u -> 1 + INR c * u <= (1 + u) ^ c.
Proof.
  intro Hu. induction c; [simpl; lra|].
  rewrite S_INR; simpl. pose proof (pos_INR c). pose proof (power_at_least_1 u Hu c). nra.
Qed.

(* ---- the computed sum of moduli S' stands for S too: |error| <= g / (1 - g) S' (>>steps 3) *)
Lemma of_the_computed_sum g h error S' S : 0 <= g -> 0 <= h < 1 -> error <= g * S -> (1 - h) * S <= S' ->
  error <= g / (1 - h) * S'.
Proof.
  intros Hg Hh HE HS. apply Rle_trans with (1 := HE).
  apply Rle_trans with (g / (1 - h) * ((1 - h) * S)).
  - right; field; lra.
  - apply Rmult_le_compat_l; [|assumption].
    unfold Rdiv; apply Rmult_le_pos; [assumption|left; apply Rinv_0_lt_compat; lra].
Qed.

(* ---- TwoSum's rests: each at most u times a partial sum, N of them are added to lo with N roundings at most.
   What is lost is below (N u)^2, so below gamma_N^2 (>>hybrid_offer 3, >>sparyser) and below 2^36 u^2 for N = 2^18
   (>>bounds 4). *)
Lemma rests_of_two_sums u N A rests lost : 0 <= u -> 0 <= A ->
  rests <= INR N * (u * A) -> lost <= INR N * u * rests -> lost <= INR N * INR N * (u * u) * A.
Proof. intros. pose proof (pos_INR N). assert (0 <= INR N * u) by nra. nra. Qed.

(* ---- entries that were lost (>>hybrid_offer 5): row sums y are off by e, |e| <= L <= floor, and z = |y| + floor. *)
From Coq Require Import List.
Record row := { y : R; e : R; L : R; floor : R }.
Definition kept (r : row) := Rabs (e r) <= L r /\ L r <= floor r /\ 0 < floor r.
Definition product_of (f : row -> R) (rows : list row) := fold_right (fun r rest => f r * rest) 1 rows.
Definition share_of (rows : list row) := fold_right (fun r rest => L r / floor r + rest) 0 rows.
Definition z (r : row) := Rabs (y r) + floor r.

Theorem lost_entries rows : Forall kept rows ->
  Rabs (product_of (fun r => y r + e r) rows - product_of y rows) <= share_of rows * product_of z rows /\
  Rabs (product_of (fun r => y r + e r) rows) <= product_of z rows /\ 0 <= share_of rows.
Proof.
  induction 1 as [|r rows [He [HL Hf]] _ [IH [IHz IHs]]]; simpl.
  - rewrite Rminus_diag_eq, Rabs_R0, Rabs_R1 by reflexivity. lra.
  - set (A := product_of (fun r => y r + e r) rows) in *; set (B := product_of y rows) in *.
    set (Z := product_of z rows) in *; set (S := share_of rows) in *.
    pose proof (Rabs_pos A); pose proof (Rabs_pos (y r)); pose proof (Rabs_pos (e r)).
    assert (HS : 0 <= L r / floor r) by (apply Rmult_le_pos; [lra|left; apply Rinv_0_lt_compat; assumption]).
    assert (Hl : L r / floor r * floor r = L r) by (field; lra).
    assert (HZ : 0 <= Z) by lra. assert (HL0 : 0 <= L r) by lra. assert (0 <= S * Z) by (apply Rmult_le_pos;
    assumption).
    split; [|split; [|lra]].
    + replace ((y r + e r) * A - y r * B) with (e r * A + y r * (A - B)) by ring.
      eapply Rle_trans; [apply Rabs_triang|]. rewrite !Rabs_mult.
      assert (Rabs (e r) * Rabs A <= L r * Z) by (apply Rmult_le_compat; assumption).
      assert (Rabs (y r) * Rabs (A - B) <= Rabs (y r) * (S * Z)) by (apply Rmult_le_compat_l; assumption).
      assert (0 <= L r / floor r * Rabs (y r) * Z) by (apply Rmult_le_pos; [apply Rmult_le_pos|]; assumption).
      assert (0 <= S * Z * floor r) by (apply Rmult_le_pos; lra).
      unfold z at 1.
      replace ((L r / floor r + S) * ((Rabs (y r) + floor r) * Z)) with
        (L r / floor r * floor r * Z + L r / floor r * Rabs (y r) * Z + Rabs (y r) * (S * Z) + S * Z * floor r) by ring.
      rewrite Hl. lra.
    + rewrite Rabs_mult. apply Rmult_le_compat; try assumption; [apply Rabs_pos|].
      unfold z. eapply Rle_trans; [apply Rabs_triang|]. lra.
Qed.

(* ---- real numbers are of this kind *)
Lemma real_off_times v w x y : Rabs (v * w + - (x * y)) <= Rabs (v + - x) * Rabs w + Rabs x * Rabs (w + - y).
Proof.
  replace (v * w + - (x * y)) with ((v + - x) * w + x * (w + - y)) by ring.
  rewrite <- !Rabs_mult. apply Rabs_triang.
Qed.

Theorem real_product u j k v w x y s t r : 0 <= u ->
  stands R Rplus Ropp Rabs u j v x s -> stands R Rplus Ropp Rabs u k w y t ->
  Rabs (r + - (v * w)) <= u * Rabs (v * w) ->
  stands R Rplus Ropp Rabs u (S (j + k)) r (x * y) (s * t).
Proof.
  intros Hu Hv Hw Hr. rewrite Rabs_mult in Hr.
  eapply (product R Rplus Rmult Ropp Rabs); eauto using Rabs_pos, Rabs_mult, real_off_times.
  - intros; unfold off. replace (v0 + - x0) with ((v0 + - w0) + (w0 + - x0)) by ring. apply Rabs_triang.
  - intros; unfold off. replace v0 with (x0 + (v0 + - x0)) at 1 by ring. apply Rabs_triang.
Qed.

Theorem real_sum u j k v w x y s t r : 0 <= u ->
  stands R Rplus Ropp Rabs u j v x s -> stands R Rplus Ropp Rabs u k w y t ->
  Rabs (r + - (v + w)) <= u * Rabs (v + w) ->
  stands R Rplus Ropp Rabs u (S (max j k)) r (x + y) (s + t).
Proof.
  intros Hu Hv Hw Hr. pose proof (Rabs_triang v w).
  eapply (sum R Rplus Ropp Rabs); eauto using Rabs_pos, Rabs_triang.
  - intros; unfold off. replace (v0 + - x0) with ((v0 + - w0) + (w0 + - x0)) by ring. apply Rabs_triang.
  - intros; unfold off. replace (v0 + w0 + - (x0 + y0)) with ((v0 + - x0) + (w0 + - y0)) by ring. apply Rabs_triang.
  - intros; unfold off. replace v0 with (x0 + (v0 + - x0)) at 1 by ring. apply Rabs_triang.
  - unfold off. nra.
Qed.

(* A chain of n products of numbers given exactly has n roundings at most, n - 1 as one begins it. *)
Theorem real_chain u (y computed : nat -> R) : 0 <= u -> computed 0%nat = y 0%nat ->
  (forall n, Rabs (computed (S n) + - (computed n * y (S n))) <= u * Rabs (computed n * y (S n))) ->
  forall n, Rabs (computed n - prod_f_R0 y n) <= grown u n * Rabs (prod_f_R0 y n).
Proof.
  intros Hu H0 HS n.
  assert (H : stands R Rplus Ropp Rabs u n (computed n) (prod_f_R0 y n) (Rabs (prod_f_R0 y n))).
  { induction n as [|n IH].
    - rewrite H0; split; [|apply Rle_refl]. unfold off, grown, prod_f_R0. rewrite Rplus_opp_r, Rabs_R0. simpl; lra.
    - assert (step : stands R Rplus Ropp Rabs u (S (n + 0)) (computed (S n)) (prod_f_R0 y n * y (S n))
                       (Rabs (prod_f_R0 y n) * Rabs (y (S n)))).
      { apply real_product with (computed n) (y (S n)); [assumption | exact IH | | apply HS].
        split; [|apply Rle_refl]. unfold off, grown. rewrite Rplus_opp_r, Rabs_R0. simpl; lra. }
      rewrite Nat.add_0_r, <- Rabs_mult in step. exact step. }
  exact (proj1 H).
Qed.
(* SPDX-License-Identifier: MIT *)
