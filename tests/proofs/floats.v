(* >>floats: the bound of a term in pairs of floats, rows one by one, for any number of rows. A number v is rounded to
   one off by u |v| at most, or by u times the result. A row y + l, of exact sum z and rounded sum Y, multiplies p + c:
     |p + c - product of z| <= (1 + u)^(n + 3) (2 n^2 + 4 n) u^2 P + (1 + u)^(3 n + 2) u L D,
   P the product of |Y|, D the sum over rows of the product of the other |Y|, and D <= (Q - P) / w of Q, the product of
   |Y| + w. Rows that move by M at most move the product of |z| by M (Q - P) / w.
   CODE src/dense/floats.h: leaf->bound_relative = (2 * n * n + 12 * n + 2) * PERMI_FLOAT_SQUARE * 1.0001;
   CODE src/gpu/text_floats.h: e = permi_fma_float(p, l, e);
   FALSE s|(2 \* INR n \* INR n + 4 \* INR n)|(INR n * INR n)|
*)
From Coq Require Import Reals Lra Lia Psatz List.
Open Scope R_scope.

Section Floats.
Variables u L : R.
Hypothesis u_pos : 0 <= u.
Hypothesis u_small : u <= 1.
Hypothesis L_pos : 0 <= L.

Record row := { y : R; l : R; Y : R }.
Definition z (r : row) := y r + l r.
Definition fine (r : row) := Rabs (l r) <= L /\ Rabs (Y r - z r) <= u * Rabs (Y r).

(* What a row does to p + c. *)
Definition step (r : row) (p c p' c' : R) :=
  Rabs p' <= (1 + u) * Rabs (p * Y r) /\
  Rabs c' <= (1 + u) * Rabs (c * Y r) + 2 * (1 + u) ^ 3 * u * Rabs (p * Y r) + (1 + u) ^ 2 * u * Rabs (p * l r) /\
  Rabs (p' + c' - (p + c) * z r) <=
    2 * u * Rabs (c * Y r) + 6 * (1 + u) ^ 3 * (u * u) * Rabs (p * Y r) + (1 + u) ^ 2 * u * Rabs (p * l r).

Lemma off_at_most a b : Rabs (a - b) <= u * Rabs b -> Rabs a <= (1 + u) * Rabs b.
Proof. intro H. replace a with (b + (a - b)) by ring. pose proof (Rabs_triang b (a - b)). lra. Qed.

(* permi_float_times<1>: t, e, s and c' are rounded once each, t = p'. *)
Lemma times_is_a_step r p c t e s c' : fine r ->
  Rabs (t - p * Y r) <= u * Rabs (p * Y r) ->
  Rabs (e - (p * y r - t)) <= u * Rabs (p * y r - t) ->
  Rabs (s - (p * l r + e)) <= u * Rabs (p * l r + e) ->
  Rabs (c' - (c * Y r + s)) <= u * Rabs (c * Y r + s) ->
  step r p c t c'.
Proof.
  intros [_ HY] Ht He Hs Hc. unfold step.
  pose proof (Rabs_pos (p * Y r)) as A0. pose proof (Rabs_pos (p * l r)) as B0. pose proof (Rabs_pos (c * Y r)) as C0.
  set (A := Rabs (p * Y r)) in *. set (B := Rabs (p * l r)) in *. set (C := Rabs (c * Y r)) in *.
  assert (HpY : Rabs (p * (z r - Y r)) <= u * A).
  { unfold A; rewrite !Rabs_mult. rewrite Rabs_minus_sym in HY. pose proof (Rabs_pos p). nra. }
  assert (HcY : Rabs (c * (Y r - z r)) <= u * C).
  { unfold C; rewrite !Rabs_mult. pose proof (Rabs_pos c). nra. }
  (* p y - t = p (z - Y) - p l - (t - p Y) *)
  assert (H1 : Rabs (p * y r - t) <= 2 * u * A + B).
  { replace (p * y r - t) with (p * (z r - Y r) - p * l r - (t - p * Y r)) by (unfold z; ring).
    pose proof (Rabs_triang (p * (z r - Y r) - p * l r) (- (t - p * Y r))).
    pose proof (Rabs_triang (p * (z r - Y r)) (- (p * l r))). rewrite !Rabs_Ropp in *. unfold Rminus at 1. fold B in H0.
    unfold Rminus in *. lra. }
  assert (He' : Rabs (e - (p * y r - t)) <= u * (2 * u * A + B)) by nra.
  (* p l + e = p (z - Y) - (t - p Y) + (e - (p y - t)) *)
  assert (H2 : Rabs (p * l r + e) <= 2 * (1 + u) * u * A + u * B).
  { replace (p * l r + e) with (p * (z r - Y r) + - (t - p * Y r) + (e - (p * y r - t))) by (unfold z; ring).
    pose proof (Rabs_triang (p * (z r - Y r) + - (t - p * Y r)) (e - (p * y r - t))).
    pose proof (Rabs_triang (p * (z r - Y r)) (- (t - p * Y r))). rewrite Rabs_Ropp in *. nra. }
  assert (Hs' : Rabs s <= (1 + u) * (2 * (1 + u) * u * A + u * B)).
  { pose proof (off_at_most _ _ Hs). nra. }
  assert (H3 : Rabs (c * Y r + s) <= C + (1 + u) * (2 * (1 + u) * u * A + u * B)).
  { pose proof (Rabs_triang (c * Y r) s). fold C in H. lra. }
  assert (U2 : 0 <= u * u) by nra. assert (UA : 0 <= u * A) by nra. assert (UB : 0 <= u * B) by nra.
  assert (UUA : 0 <= u * u * A) by nra. assert (UUB : 0 <= u * u * B) by nra.
  assert (U3A : 0 <= u * u * u * A) by nra. assert (U4A : 0 <= u * u * u * u * A) by nra.
  assert (U5A : 0 <= u * u * u * u * u * A) by nra. assert (U3B : 0 <= u * u * u * B) by nra.
  split; [exact (off_at_most _ _ Ht)|split].
  - pose proof (off_at_most _ _ Hc).
    assert ((1 + u) * Rabs (c * Y r + s) <= (1 + u) * (C + (1 + u) * (2 * (1 + u) * u * A + u * B))) by
      (apply Rmult_le_compat_l; lra).
    replace (2 * (1 + u) ^ 3 * u * A) with ((1 + u) * ((1 + u) * (2 * (1 + u) * u * A))) by ring.
    replace ((1 + u) ^ 2 * u * B) with ((1 + u) * ((1 + u) * (u * B))) by ring. lra.
  - replace (t + c' - (p + c) * z r) with
      ((c' - (c * Y r + s)) + (s - (p * l r + e)) + (e - (p * y r - t)) + c * (Y r - z r)) by (unfold z; ring).
    pose proof (Rabs_triang ((c' - (c * Y r + s)) + (s - (p * l r + e)) + (e - (p * y r - t))) (c * (Y r - z r))).
    pose proof (Rabs_triang ((c' - (c * Y r + s)) + (s - (p * l r + e))) (e - (p * y r - t))).
    pose proof (Rabs_triang (c' - (c * Y r + s)) (s - (p * l r + e))).
    assert (Rabs (c' - (c * Y r + s)) <= u * (C + (1 + u) * (2 * (1 + u) * u * A + u * B))) by nra.
    assert (Rabs (s - (p * l r + e)) <= u * (2 * (1 + u) * u * A + u * B)) by nra.
    nra.
Qed.

(* The first row: both = Y, and (y - Y) + l by two roundings. *)
Lemma first_is_a_step r d c' : fine r ->
  Rabs (d - (y r - Y r)) <= u * Rabs (y r - Y r) ->
  Rabs (c' - (d + l r)) <= u * Rabs (d + l r) ->
  step r 1 0 (Y r) c'.
Proof.
  intros [_ HY] Hd Hc. unfold step. rewrite !Rmult_0_l, Rabs_R0, !Rmult_1_l.
  pose proof (Rabs_pos (Y r)). pose proof (Rabs_pos (l r)). set (A := Rabs (Y r)) in *. set (B := Rabs (l r)) in *.
  assert (HZ : Rabs (z r - Y r) <= u * A) by (rewrite Rabs_minus_sym; exact HY).
  assert (H1 : Rabs (y r - Y r) <= u * A + B).
  { replace (y r - Y r) with ((z r - Y r) + - l r) by (unfold z; ring).
    pose proof (Rabs_triang (z r - Y r) (- l r)). rewrite Rabs_Ropp in *. unfold B; lra. }
  assert (Hd' : Rabs (d - (y r - Y r)) <= u * (u * A + B)) by nra.
  assert (H2 : Rabs (d + l r) <= u * A + u * (u * A + B)).
  { replace (d + l r) with ((z r - Y r) + (d - (y r - Y r))) by (unfold z; ring).
    pose proof (Rabs_triang (z r - Y r) (d - (y r - Y r))). lra. }
  assert (0 <= u * A) by nra. assert (0 <= u * B) by nra. assert (0 <= u * u * A) by nra.
  assert (0 <= u * u * B) by nra. assert (0 <= u * u * u * A) by nra. assert (0 <= u * u * u * B) by nra.
  assert (0 <= u * u * u * u * A) by nra. assert (0 <= u * u * u * u * u * A) by nra.
  split; [lra|split].
  - pose proof (off_at_most _ _ Hc). nra.
  - replace (Y r + c' - (1 + 0) * z r) with ((c' - (d + l r)) + (d - (y r - Y r))) by (unfold z; ring).
    pose proof (Rabs_triang (c' - (d + l r)) (d - (y r - Y r))). nra.
Qed.

Inductive runs : list row -> R -> R -> Prop :=
  | begins : runs nil 1 0
  | goes_on r rows p c p' c' : runs rows p c -> fine r -> step r p c p' c' -> runs (r :: rows) p' c'.

Definition product_of (f : row -> R) (rows : list row) := fold_right (fun r rest => f r * rest) 1 rows.
Definition P := product_of (fun r => Rabs (Y r)).
Definition Q (w : R) := product_of (fun r => Rabs (Y r) + w).
Fixpoint D (rows : list row) := match rows with nil => 0 | r :: rest => D rest * Rabs (Y r) + P rest end.

Lemma P_pos rows : 0 <= P rows.
Proof. induction rows; simpl; [lra|]. pose proof (Rabs_pos (Y a)). unfold P in *; simpl. nra. Qed.
Lemma D_pos rows : 0 <= D rows.
Proof. induction rows; simpl; [lra|]. pose proof (Rabs_pos (Y a)). pose proof (P_pos rows). nra. Qed.
Lemma power_1 k : 1 <= (1 + u) ^ k.
Proof. apply pow_R1_Rle; lra. Qed.
Lemma power_more j k : (j <= k)%nat -> (1 + u) ^ j <= (1 + u) ^ k.
Proof. intro; apply Rle_pow; [lra|assumption]. Qed.

Theorem rows_one_by_one rows p c : runs rows p c -> let n := length rows in
  Rabs p <= (1 + u) ^ n * P rows /\
  Rabs c <= 2 * INR n * (1 + u) ^ (n + 2) * u * P rows + (1 + u) ^ (n + 1) * u * L * D rows /\
  Rabs (p + c - product_of z rows) <=
    (1 + u) ^ (n + 3) * (2 * INR n * INR n + 4 * INR n) * (u * u) * P rows + (1 + u) ^ (3 * n + 2) * u * L * D rows.
Proof.
  induction 1 as [|r rows p c p' c' _ [IHp [IHc IHe]] [Hl HY] [Sp [Sc Se]]]; intro n.
  - simpl. replace (1 + 0 - 1) with 0 by ring. rewrite Rabs_R0, Rabs_R1. simpl; lra.
  - assert (Hn : n = S (length rows)) by reflexivity. clearbody n; subst n. set (k := length rows) in *.
    change (P (r :: rows)) with (Rabs (Y r) * P rows). change (D (r :: rows)) with (D rows * Rabs (Y r) + P rows).
    change (product_of z (r :: rows)) with (z r * product_of z rows).
    rewrite !S_INR.
    pose proof (P_pos rows) as P0; pose proof (D_pos rows) as D0; pose proof (Rabs_pos (Y r)) as Y0.
    pose proof (pos_INR k) as K0.
    assert (HZ : Rabs (z r) <= (1 + u) * Rabs (Y r)).
    { replace (z r) with (Y r + - (Y r - z r)) by ring. pose proof (Rabs_triang (Y r) (- (Y r - z r))).
      rewrite Rabs_Ropp in *. lra. }
    assert (HpY : Rabs (p * Y r) <= (1 + u) ^ k * (Rabs (Y r) * P rows)).
    { rewrite Rabs_mult. replace ((1 + u) ^ k * (Rabs (Y r) * P rows)) with ((1 + u) ^ k * P rows * Rabs (Y r)) by ring.
      apply Rmult_le_compat_r; assumption. }
    assert (Hpl : Rabs (p * l r) <= (1 + u) ^ k * (L * P rows)).
    { rewrite Rabs_mult. replace ((1 + u) ^ k * (L * P rows)) with ((1 + u) ^ k * P rows * L) by ring.
      apply Rmult_le_compat; try apply Rabs_pos; assumption. }
    assert (HcY : Rabs (c * Y r) <= 2 * INR k * (1 + u) ^ (k + 2) * u * (Rabs (Y r) * P rows) +
                                    (1 + u) ^ (k + 1) * u * L * (D rows * Rabs (Y r))).
    { rewrite Rabs_mult.
      replace (2 * INR k * (1 + u) ^ (k + 2) * u * (Rabs (Y r) * P rows) +
               (1 + u) ^ (k + 1) * u * L * (D rows * Rabs (Y r)))
        with ((2 * INR k * (1 + u) ^ (k + 2) * u * P rows + (1 + u) ^ (k + 1) * u * L * D rows) * Rabs (Y r)) by ring.
      apply Rmult_le_compat_r; assumption. }
    set (PP := Rabs (Y r) * P rows) in *. set (DY := D rows * Rabs (Y r)) in *. set (PR := P rows) in *.
    assert (PP0 : 0 <= PP) by (unfold PP; nra). assert (DY0 : 0 <= DY) by (unfold DY; nra).
    pose proof (power_1 k) as G1. set (g := (1 + u) ^ k) in *.
    assert (e1 : (1 + u) ^ (k + 1) = g * (1 + u)) by (rewrite pow_add; simpl; fold g; ring).
    assert (e2 : (1 + u) ^ (k + 2) = g * (1 + u) ^ 2) by (rewrite pow_add; fold g; ring).
    assert (e3 : (1 + u) ^ (k + 3) = g * (1 + u) ^ 3) by (rewrite pow_add; fold g; ring).
    assert (g3 : (1 + u) ^ (3 * k) = g * g * g)
      by (replace (3 * k)%nat with (k + k + k)%nat by lia; rewrite !pow_add; fold g; ring).
    assert (e4 : (1 + u) ^ (3 * k + 2) = g * g * g * (1 + u) ^ 2) by (rewrite pow_add, g3; ring).
    assert (e5 : (1 + u) ^ (3 * S k + 2) = g * g * g * (1 + u) ^ 5)
      by (replace (3 * S k + 2)%nat with (3 * k + 5)%nat by lia; rewrite pow_add, g3; ring).
    assert (e6 : (1 + u) ^ (S k + 1) = g * (1 + u) ^ 2) by (replace (S k + 1)%nat with (k + 2)%nat by lia; exact e2).
    assert (e7 : (1 + u) ^ (S k + 2) = g * (1 + u) ^ 3) by (replace (S k + 2)%nat with (k + 3)%nat by lia; exact e3).
    assert (e8 : (1 + u) ^ (S k + 3) = g * (1 + u) ^ 4)
      by (replace (S k + 3)%nat with (k + 4)%nat by lia; rewrite pow_add; fold g; ring).
    assert (e9 : (1 + u) ^ S k = g * (1 + u)) by (simpl; fold g; ring).
    rewrite e1, e2 in *. rewrite e3, e4 in IHe. rewrite e5, e6, e7, e8, e9. clear e1 e2 e3 e4 e5 e6 e7 e8 e9 g3.
    assert (uL : 0 <= u * L) by nra.
    set (U := 1 + u) in *. assert (U1 : 1 <= U) by (unfold U; lra).
    assert (gU : g <= g * U) by nra.
    split; [|split].
    + replace (g * U * PP) with (U * (g * PP)) by ring. apply Rle_trans with (1 := Sp). apply Rmult_le_compat_l; lra.
    + apply Rle_trans with (1 := Sc).
      assert (t1 : U * Rabs (c * Y r) <= U * (2 * INR k * (g * U ^ 2) * u * PP + g * U * u * L * DY)) by
        (apply Rmult_le_compat_l; lra).
      assert (t2 : 2 * U ^ 3 * u * Rabs (p * Y r) <= 2 * U ^ 3 * u * (g * PP)).
      { apply Rmult_le_compat_l; [|exact HpY]. assert (0 <= U ^ 3) by (apply pow_le; lra). nra. }
      assert (t3 : U ^ 2 * u * Rabs (p * l r) <= U ^ 2 * u * (g * (L * PR))).
      { apply Rmult_le_compat_l; [|exact Hpl]. assert (0 <= U ^ 2) by (apply pow_le; lra). nra. }
      apply Rle_trans with (U * (2 * INR k * (g * U ^ 2) * u * PP + g * U * u * L * DY) + 2 * U ^ 3 * u * (g * PP) +
                            U ^ 2 * u * (g * (L * PR))); [lra|].
      right; ring.
    + replace (p' + c' - z r * product_of z rows) with
        ((p' + c' - (p + c) * z r) + (p + c - product_of z rows) * z r) by ring.
      eapply Rle_trans; [apply Rabs_triang|]. rewrite (Rabs_mult (p + c - product_of z rows)).
      set (F := 2 * INR k * INR k + 4 * INR k) in *.
      assert (F0 : 0 <= F) by (unfold F; nra).
      assert (t0 : Rabs (p + c - product_of z rows) * Rabs (z r) <=
                   (g * U ^ 3 * F * (u * u) * PR + g * g * g * U ^ 2 * u * L * D rows) * (U * Rabs (Y r))) by
        (apply Rmult_le_compat; [apply Rabs_pos | apply Rabs_pos | exact IHe | exact HZ]).
      replace ((g * U ^ 3 * F * (u * u) * PR + g * g * g * U ^ 2 * u * L * D rows) * (U * Rabs (Y r))) with
        (g * U ^ 4 * F * (u * u) * PP + g * g * g * U ^ 3 * u * L * DY) in t0 by (unfold PP, DY; ring).
      assert (t1 : 2 * u * Rabs (c * Y r) <= 2 * u * (2 * INR k * (g * U ^ 2) * u * PP + g * U * u * L * DY)) by
        (apply Rmult_le_compat_l; lra).
      assert (t2 : 6 * U ^ 3 * (u * u) * Rabs (p * Y r) <= 6 * U ^ 3 * (u * u) * (g * PP)).
      { apply Rmult_le_compat_l; [|exact HpY]. assert (0 <= U ^ 3) by (apply pow_le; lra). nra. }
      assert (t3 : U ^ 2 * u * Rabs (p * l r) <= U ^ 2 * u * (g * (L * PR))).
      { apply Rmult_le_compat_l; [|exact Hpl]. assert (0 <= U ^ 2) by (apply pow_le; lra). nra. }
      assert (m1 : 4 * INR k * (g * U ^ 2) * (u * u * PP) <= 4 * INR k * (g * U ^ 4) * (u * u * PP)).
      { apply Rmult_le_compat_r; [nra|]. apply Rmult_le_compat_l; [lra|]. apply Rmult_le_compat_l; [lra|].
        apply Rle_pow; [lra|lia]. }
      assert (m2 : 6 * (g * U ^ 3) * (u * u * PP) <= 6 * (g * U ^ 4) * (u * u * PP)).
      { apply Rmult_le_compat_r; [nra|]. apply Rmult_le_compat_l; [lra|]. apply Rmult_le_compat_l; [lra|].
        apply Rle_pow; [lra|lia]. }
      assert (ggg : g <= g * g * g) by (assert (1 <= g * g) by nra; nra).
      assert (m3 : U ^ 2 * g * (u * L * PR) <= g * g * g * U ^ 5 * (u * L * PR)).
      { apply Rmult_le_compat_r; [nra|]. rewrite Rmult_comm.
        apply Rmult_le_compat; [lra | apply pow_le; lra | exact ggg |].
        apply Rle_pow; [lra|lia]. }
      assert (m4 : (g * g * g * U ^ 3 + 2 * u * (g * U)) * (u * L * DY) <= g * g * g * U ^ 5 * (u * L * DY)).
      { apply Rmult_le_compat_r; [nra|].
        assert (2 * u * (g * U) <= 2 * u * (g * g * g * U ^ 3)).
        { apply Rmult_le_compat_l; [lra|]. apply Rmult_le_compat; try lra.
          rewrite <- (pow_1 U) at 1. apply Rle_pow; [lra|lia]. }
        assert (0 <= g * g * g * U ^ 3) by (apply Rmult_le_pos; [lra|apply pow_le; lra]).
        assert (1 + 2 * u <= U ^ 2) by (unfold U; nra).
        replace (g * g * g * U ^ 5) with (g * g * g * U ^ 3 * U ^ 2) by ring. nra. }
      assert (goal : g * U ^ 4 * F * (u * u) * PP + 4 * INR k * (g * U ^ 4) * (u * u * PP) +
        6 * (g * U ^ 4) * (u * u * PP) <=
        g * U ^ 4 * (2 * (INR k + 1) * (INR k + 1) + 4 * (INR k + 1)) * (u * u) * PP).
      { replace (g * U ^ 4 * F * (u * u) * PP + 4 * INR k * (g * U ^ 4) * (u * u * PP) +
                 6 * (g * U ^ 4) * (u * u * PP)) with
          ((F + 4 * INR k + 6) * (g * U ^ 4 * (u * u) * PP)) by ring.
        replace (g * U ^ 4 * (2 * (INR k + 1) * (INR k + 1) + 4 * (INR k + 1)) * (u * u) * PP) with
          ((2 * (INR k + 1) * (INR k + 1) + 4 * (INR k + 1)) * (g * U ^ 4 * (u * u) * PP)) by ring.
        apply Rmult_le_compat_r; [|unfold F; nra].
        apply Rmult_le_pos; [|exact PP0]. apply Rmult_le_pos; [|nra]. apply Rmult_le_pos; [lra|apply pow_le; lra]. }
      lra.
Qed.

(* What the majorant Q gives of D, and of rows that move. *)
Theorem others rows w : 0 <= w -> w * D rows <= Q w rows - P rows.
Proof.
  intro Hw. induction rows as [|r rows IH]; simpl; [unfold Q, P; simpl; lra|].
  change (Q w (r :: rows)) with ((Rabs (Y r) + w) * Q w rows). change (P (r :: rows)) with (Rabs (Y r) * P rows).
  pose proof (Rabs_pos (Y r)). pose proof (D_pos rows). pose proof (P_pos rows).
  assert (P rows <= Q w rows) by nra. nra.
Qed.
End Floats.

Definition raised (x : R) (sizes : list R) := fold_right (fun a rest => (a + x) * rest) 1 sizes.
Lemma raised_pos x sizes : 0 <= x -> Forall (Rle 0) sizes -> 0 <= raised x sizes.
Proof. intro Hx. induction 1; simpl; [lra|]. nra. Qed.

Theorem convex M w sizes : 0 <= M <= w -> Forall (Rle 0) sizes ->
  w * (raised M sizes - raised 0 sizes) <= M * (raised w sizes - raised 0 sizes) /\
  raised 0 sizes <= raised M sizes <= raised w sizes.
Proof.
  intros [HM Hw]. induction 1 as [|a sizes Ha Hs [IH [I0 I1]]]; simpl; [lra|].
  pose proof (raised_pos 0 sizes (Rle_refl 0) Hs). pose proof (raised_pos M sizes HM Hs).
  set (g0 := raised 0 sizes) in *. set (gM := raised M sizes) in *. set (gw := raised w sizes) in *.
  split; [|split; nra].
  assert (a * (w * (gM - g0)) <= a * (M * (gw - g0))) by (apply Rmult_le_compat_l; lra).
  assert (w * M * gM <= w * M * gw) by (apply Rmult_le_compat_l; nra). nra.
Qed.

(* Products of rows z_i + m_i, |m_i| <= M. *)
Theorem moved (M : R) (rows : list (R * R)) : 0 <= M -> Forall (fun r => Rabs (snd r) <= M) rows ->
  Rabs (fold_right (fun r rest => (fst r + snd r) * rest) 1 rows - fold_right (fun r rest => fst r * rest) 1 rows) <=
    raised M (map (fun r => Rabs (fst r)) rows) - raised 0 (map (fun r => Rabs (fst r)) rows) /\
  Rabs (fold_right (fun r rest => fst r * rest) 1 rows) <= raised 0 (map (fun r => Rabs (fst r)) rows).
Proof.
  intro HM. induction 1 as [|r rows Hr Hs [IH I0]]; simpl.
  - replace (1 - 1) with 0 by ring. rewrite Rabs_R0, Rabs_R1. lra.
  - set (A := fold_right (fun r rest => (fst r + snd r) * rest) 1 rows) in *.
    set (B := fold_right (fun r rest => fst r * rest) 1 rows) in *.
    set (g0 := raised 0 _) in *. set (gM := raised M _) in *.
    pose proof (Rabs_pos (fst r)). pose proof (Rabs_pos (snd r)). pose proof (Rabs_pos A).
    split; [|rewrite Rabs_mult, Rplus_0_r; apply Rmult_le_compat_l; assumption].
    assert (HA : Rabs A <= gM). { replace A with (B + (A - B)) by ring. pose proof (Rabs_triang B (A - B)). lra. }
    replace ((fst r + snd r) * A - fst r * B) with (fst r * (A - B) + snd r * A) by ring.
    eapply Rle_trans; [apply Rabs_triang|]. rewrite !Rabs_mult.
    assert (Rabs (fst r) * Rabs (A - B) <= Rabs (fst r) * (gM - g0)) by (apply Rmult_le_compat_l; assumption).
    assert (Rabs (snd r) * Rabs A <= M * gM) by (apply Rmult_le_compat; try apply Rabs_pos; assumption).
    rewrite Rplus_0_r. lra.
Qed.
(* SPDX-License-Identifier: MIT *)
