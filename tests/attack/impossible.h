static const struct {
  const char *factor, *levels, *other, *others;
  impossible is;
  const char *why;
} rules[] = {
    {"kind", "residue gaussian-residue", "modulus", "none", NEVER, "a residue has a modulus"},
    {"kind", "!residue gaussian-residue", "modulus", "!none", NEVER, "nothing else has one"},
    {"kind", "residue gaussian-residue", "form", "none", NEVER, "a modulus has a form"},
    {"kind", "!residue gaussian-residue", "form", "!none", NEVER, "nothing else has one"},
    {"modulus", "none", "form", "!none", NEVER, "no modulus, no form"},
    {"modulus", "!none", "form", "none", NEVER, "a modulus has a form"},
    {"modulus", "2", "form", "power", NEVER, "4 has three bits"},
    {"kind", "!real complex", "scale", "!none", NEVER, "integers have no exponents"},
    {"call", "minors gradient batch", "kind", "!real complex", NEVER, "there is no such call"},
    {"call", "sample", "kind", "residue gaussian-residue", NEVER, "samples know no modulus"},
    {"call", "!job parts checkpoint", "stage", "!all", NEVER, "one call has no stages"},
};
/* SPDX-License-Identifier: MIT */
