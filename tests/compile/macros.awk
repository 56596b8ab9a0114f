# Reads macros.txt, writes the definitions: NAME and NAME( become what no compiler accepts, NAME=OTHER is what it says.
/^#/ || /:$/ { next }
{
  for (i = 1; i <= NF; i++) {
    split($i, part, /[(=]/)
    print "#undef " part[1]
    print "#define " part[1] ($i ~ /\($/ ? "(...)" : "") " " ($i ~ /=/ ? part[2] : "@ " part[1] " is a macro elsewhere @")
  }
}
# SPDX-License-Identifier: MIT
