# Reads `objdump -d --no-show-raw-insn` of one kernel; finds its row loop, i.e. the shortest backward jump whose
# body holds at least `least` fused multiply-adds (or multiplies, for the pair form), and counts stack operands
# in it. Prints "KERNEL: N instructions, M fused, S stack operands". Exit 1 if S > 0 or no loop was found.
/^[0-9a-f]+ <.*>:$/ { split($0, part, /[<>]/); inside = part[2] == kernel; next }
inside && /^ *[0-9a-f]+:/ {
  address = $1; sub(/:/, "", address)
  place[address] = ++count
  text[count] = $0
  if ($2 ~ /^j/ && $3 ~ /^[0-9a-f]+$/ && $3 in place) jump[count] = place[$3] # known already: backward
}
END {
  best = 0
  for (i in jump) {
    fused = stack = 0
    length_ = i - jump[i] + 1
    for (k = jump[i]; k <= i; k++) {
      if (text[k] ~ /vfn?m(add|sub)|mul[sp]d/) fused++
      if (text[k] ~ /\(%r[sb]p\)/) stack++
    }
    if (fused >= least && (!best || length_ < best)) { best = length_; best_fused = fused; best_stack = stack }
  }
  if (!best) { print kernel ": no row loop found"; exit 1 }
  printf "%s: row loop of %d instructions, %d multiplies, %d stack operands\n", kernel, best, best_fused, best_stack
  exit best_stack > 0
}
