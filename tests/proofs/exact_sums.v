(* >>doubles >>arithmetic: sums and products with their exact rests, in the order of operations of permi_two_sum,
   vector_two_sum, vector_fast_two_sum and permi_times_minus (Dekker's product), for doubles with denormals, rounding to
   nearest even. The theorems are Flocq's [Boldo, Melquiond]; what is proved here is that they are about this code.
   CODE src/base/doubles.h: r.hi = s.hi + s.lo; /* |s.lo| <= |s.hi| or the sum is 0: Fast2Sum */
   CODE src/base/doubles.h: s.lo = (a - (s.hi - t)) + (b - t);
   CODE src/base/doubles.h: const double p = a * b, u = split * a, v = split * b, high = u - (u - a), other = v - (v - b);
   CODE src/base/doubles.h: return (p - c) + (((high * other - p) + high * rest + low * other) + low * rest);
   CODE src/kernels/arithmetic.h: *error = (b - other) + (a - (sum - other));
   CODE src/kernels/arithmetic.h: *error = b - (sum - a);
   FALSE s|bpow radix2 (-969) <= Rabs|bpow radix2 (-970) <= Rabs|
*)
From Coq Require Import Reals Lra Lia ZArith.
From Flocq Require Import Core Plus_error Relative Sterbenz Pff2Flocq.
Open Scope R_scope.

#[local] Instance precise : Prec_gt_0 53 := eq_refl.
Definition format := generic_format radix2 (FLT_exp (-1074) 53).
Definition fl := round radix2 (FLT_exp (-1074) 53) ZnearestE.

Lemma even_choice x : negb (Z.even x) = negb (negb (Z.even (- (x + 1)))).
Proof. rewrite Z.even_opp, Z.even_add. destruct (Z.even x); reflexivity. Qed.

Lemma fl_opp x : fl (- x) = - fl x.
Proof. apply round_NE_opp. Qed.

Lemma fl_format x : format (fl x).
Proof. apply generic_format_round; typeclasses eauto. Qed.

Theorem two_sum a b : format a -> format b ->
  let sum := fl (a + b) in let t := fl (sum - a) in
  sum + fl (fl (a - fl (sum - t)) + fl (b - t)) = a + b.
Proof. intros. apply (TwoSum_correct (-1074) 53 _ eq_refl ltac:(lia) even_choice); assumption. Qed.

Theorem fast_two_sum a b : format a -> format b -> Rabs b <= Rabs a ->
  let sum := fl (a + b) in sum + fl (b - fl (sum - a)) = a + b.
Proof.
  intros Fa Fb H sum.
  replace (sum - a) with (- (a - sum)) by ring. rewrite fl_opp. unfold Rminus at 1. rewrite Ropp_involutive.
  apply (Fast2Sum_correct (-1074) 53 _ eq_refl ltac:(lia) even_choice); assumption.
Qed.

(* split = 2^27 + 1; the range of permi_times_minus, 2^-450 to 2^450, is far above where rests are lost. *)
Theorem dekker a b : format a -> format b -> a * b = 0 \/ bpow radix2 (-969) <= Rabs (a * b) ->
  let split := bpow radix2 27 + 1 in
  let p := fl (a * b) in let u := fl (split * a) in let v := fl (split * b) in
  let high := fl (u - fl (u - a)) in let other := fl (v - fl (v - b)) in
  let low := fl (a - high) in let rest := fl (b - other) in
  p + fl (fl (fl (fl (fl (high * other) - p) + fl (high * rest)) + fl (low * other)) + fl (low * rest)) = a * b.
Proof.
  intros Fa Fb H. cbv zeta.
  pose proof (Dekker radix2 (-1074) 53 (fun x => negb (Z.even x)) ltac:(lia) ltac:(lia) a b Fa Fb (or_introl
  eq_refl)) as D.
  cbv zeta in D. destruct D as [D _].
  specialize (D H). symmetry in D. rewrite <- D at 3. clear D.
  replace (53 - Z.div2 53)%Z with 27%Z by reflexivity.
  replace (round radix2 (FLT_exp (-1074) 53) (Znearest (fun x => negb (Z.even x)))) with fl by reflexivity.
  assert (V : forall x y, fl (fl (x - y) + y) = fl (y - fl (y - x))).
  { intros. replace (x - y) with (- (y - x)) by ring. rewrite fl_opp. f_equal. ring. }
  rewrite (Rmult_comm (bpow radix2 27 + 1) a), (Rmult_comm (bpow radix2 27 + 1) b).
  assert (W : forall x y, fl (- x + y) = fl (y - x)) by (intros; f_equal; ring).
  rewrite !V, W. reflexivity.
Qed.

(* What a sum's or product's rest is at most: u times the rounded value, u = 2^-53 (no underflow in sums). *)
Theorem rest_of_a_sum a b : format a -> format b -> Rabs (fl (a + b) - (a + b)) <= bpow radix2 (-53) * Rabs (fl (a +
b)).
Proof.
  intros Fa Fb.
  replace (bpow radix2 (-53)) with (/ 2 * bpow radix2 (- (53) + 1)) by (simpl; lra).
  destruct (Req_dec (fl (a + b)) 0) as [Z|NZ].
  - assert (a + b = 0) by (apply (round_plus_eq_0 radix2 (FLT_exp (-1074) 53) ZnearestE); assumption).
    rewrite Z, H, Rminus_0_r, Rabs_R0. lra.
  - destruct (Rle_or_lt (bpow radix2 (-1074 + 53 - 1)) (Rabs (a + b))) as [big|small].
    + apply (relative_error_N_FLT_round radix2 (-1074) 53 ltac:(lia) _ (a + b) big).
    + assert (E : fl (a + b) = a + b).
      { apply round_generic; [typeclasses eauto|]. apply FLT_format_plus_small; try assumption; [typeclasses eauto|].
        apply Rlt_le, Rlt_le_trans with (1 := small). apply bpow_le; lia. }
      rewrite E. replace (a + b - (a + b)) with 0 by ring. rewrite Rabs_R0.
      pose proof (Rabs_pos (a + b)). apply Rmult_le_pos; [|assumption]. simpl; lra.
Qed.

(* permi_dd_add_double takes FastTwoSum for the last sum: |low| <= |sum|, or sum is 0. (a, c) is a double-double: c is
   at most half a unit in a's last place, 2^(e - 54) for 2^(e - 1) <= |a| < 2^e. *)
Theorem add_double a b c : format a -> format b -> format c -> a <> 0 ->
  Rabs c <= bpow radix2 (mag radix2 a - 54) ->
  let sum := fl (a + b) in let low := fl ((a + b - sum) + c) in sum = 0 \/ Rabs low <= Rabs sum.
Proof.
  intros Fa Fb Fc Na Hc sum low.
  destruct (Req_dec sum 0) as [Z|NZ]; [left; assumption|right].
  apply abs_round_le_generic; [typeclasses eauto|typeclasses eauto|apply generic_format_abs, fl_format|].
  pose proof (bpow_mag_le radix2 a Na) as La.
  assert (least : bpow radix2 (mag radix2 a - 54) <= Rabs sum).
  { apply (round_FLT_plus_ge radix2 ZnearestE (-1074) 53 a b (mag radix2 a - 54) Fa Fb); [|assumption].
    replace (mag radix2 a - 54 + 53)%Z with (mag radix2 a - 1)%Z by lia. assumption. }
  destruct (Rle_or_lt (Rabs a / 2) (Rabs (a + b))) as [far|near].
  - pose proof (rest_of_a_sum a b Fa Fb) as rest. fold sum in rest.
    assert (small : Rabs c <= bpow radix2 (-53) * Rabs a).
    { apply Rle_trans with (1 := Hc). replace (mag radix2 a - 54)%Z with (-53 + (mag radix2 a - 1))%Z by lia.
      rewrite bpow_plus. apply Rmult_le_compat_l; [apply bpow_ge_0|assumption]. }
    assert (u : bpow radix2 (-53) <= 1 / 100) by (simpl; lra).
    pose proof (bpow_ge_0 radix2 (-53)) as u0.
    replace (a + b - sum + c) with (- (sum - (a + b)) + c) by ring.
    eapply Rle_trans; [apply Rabs_triang|]. rewrite Rabs_Ropp.
    assert (whole : Rabs (a + b) <= Rabs sum + Rabs (sum - (a + b))).
    { replace (a + b) with (sum + - (sum - (a + b))) at 1 by ring.
      eapply Rle_trans; [apply Rabs_triang|]. rewrite Rabs_Ropp. lra. }
    pose proof (Rabs_pos sum). pose proof (Rabs_pos a).
    set (U := bpow radix2 (-53)) in *. nra.
  - assert (exact : format (a + b)).
    { unfold format. destruct (Rle_or_lt 0 a) as [p|n].
      - replace (a + b) with (a - (- b)) by ring. rewrite (Rabs_pos_eq a p) in near. apply Rabs_lt_inv in near.
        apply sterbenz; [typeclasses eauto|typeclasses eauto|exact Fa|apply generic_format_opp; exact Fb|lra].
      - replace (a + b) with (b - (- a)) by ring. rewrite (Rabs_left a n) in near. apply Rabs_lt_inv in near.
        apply sterbenz; [typeclasses eauto|typeclasses eauto|exact Fb|apply generic_format_opp; exact Fa|lra]. }
    assert (E : sum = a + b) by (apply round_generic; [typeclasses eauto|exact exact]).
    rewrite <- E. replace (sum - sum + c) with c by ring. apply Rle_trans with (1 := Hc). assumption.
Qed.
(* SPDX-License-Identifier: MIT *)
