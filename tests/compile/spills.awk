# Reads `objdump -d --no-show-raw-insn` (x86-64 or AArch64) of one kernel; finds its row loop, i.e. the shortest
# backward jump whose body holds at least `least` vector multiplies, fused ones included, and counts stack operands in
# it: spilled registers. (The row sums are on the stack too, but are reached through an index.) Exit 1 if there are
# more than `allowed`, or if no loop was found.
/^[0-9a-f]+ <.*>:$/ { split($0, part, /[<>]/); inside = part[2] == kernel; next }
inside && /^ *[0-9a-f]+:/ {
  address = $1; sub(/:/, "", address)
  place[address] = ++count
  text[count] = $0
  if ($2 ~ /^(j|b$|b\.|cbn?z|tbn?z)/)
    for (k = 3; k < NF; k++)
      if ($(k + 1) ~ /^</ && $k in place) jump[count] = place[$k] # known already: backward
}
END {
  best = 0
  for (i in jump) {
    fused = stack = 0
    end = i + 0 # an index is text, and compares as such
    length_ = end - jump[i] + 1
    for (k = jump[i]; k <= end; k++) {
      if (text[k] ~ /vfn?m(add|sub)|vmul[sp]d|fm(ul|la|ls)\tv/) fused++
      if (text[k] ~ /\(%r[sb]p\)|\[(sp|x29)(, #-?[0-9]+)?\]/) stack++
    }
    if (fused >= least && (!best || length_ < best)) { best = length_; best_fused = fused; best_stack = stack }
  }
  if (!best) { print kernel ": no row loop found"; exit 1 }
  printf "%s: row loop of %d instructions, %d multiplies, %d stack operands\n", kernel, best, best_fused, best_stack
  exit best_stack > allowed
}
# SPDX-License-Identifier: MIT
