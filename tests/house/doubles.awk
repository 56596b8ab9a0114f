# Statements of src/ that print a double by the C library, whose locale may write a comma, and not by permi_say; only
# %.0f has no point anywhere; and permi_say has no %ld. Usage: awk -f tests/house/doubles.awk FILE...; the exit status
# is 1 if there is one.
/permi_vsay\(.*va_list arguments\)$/ { said = 1 } # the one function that may
FNR == 1 || /^}/ { said = open = 0 }
/^ *(\/\*|\*)/ || said { next }
/%[-0-9.*]*l[dux]/ && !/getpid/ { print FILENAME ":" FNR ": " $0; bad = 1 }
/[^a-z_](v?s?n?printf|vfprintf)\(/ { text = ""; open = 1; at = FNR }
open { text = text $0 }
open && /[;{]$/ {
  open = 0
  gsub(/%%|%\.0f/, "", text)
  if (text ~ /[^a-z_]v[a-z]*printf\(/ || text ~ /%[-+ #0]*[0-9*]*(\.[0-9*]*)?[gGeEfF]/) {
    print FILENAME ":" at ": " text
    bad = 1
  }
}
END { exit bad }
# SPDX-License-Identifier: MIT
