#!/bin/sh
# The release: build/perm-VERSION.tar.gz of what git tracks, its checksum, and a bill of materials in SPDX's tags.
# The same commit gives the same bytes: names sorted, owners and times fixed, no time in gzip's head.
# Usage: tests/house/dist.sh VERSION
set -e
cd "$(dirname "$0")/../.."
name=perm-$1 at=build/dist
when=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}
rm -rf $at; mkdir -p $at/$name
git ls-files | while read -r file; do
  mkdir -p "$at/$name/$(dirname "$file")"
  cp -p "$file" "$at/$name/$file"
done
find $at/$name -type d -exec chmod 755 {} +
find $at/$name -type f -perm -100 -exec chmod 755 {} +
find $at/$name -type f ! -perm -100 -exec chmod 644 {} +
tar --sort=name --mtime="@$when" --owner=0 --group=0 --numeric-owner --format=ustar -C $at -cf $at/$name.tar $name
gzip -9n $at/$name.tar
{
  printf '%s\n' 'SPDXVersion: SPDX-2.3' 'DataLicense: CC0-1.0' 'SPDXID: SPDXRef-DOCUMENT' "DocumentName: $name" \
    "DocumentNamespace: urn:perm:$1:$(sha256sum <$at/$name.tar.gz | cut -d ' ' -f 1)" 'Creator: Tool: tests/house/dist.sh' \
    "Created: $(date -u -d "@$when" +%Y-%m-%dT%H:%M:%SZ)" '' \
    'PackageName: perm' 'SPDXID: SPDXRef-perm' "PackageVersion: $1" 'PackageDownloadLocation: NOASSERTION' \
    'FilesAnalyzed: true' 'PackageLicenseConcluded: MIT' 'PackageLicenseDeclared: MIT' \
    'PackageCopyrightText: Copyright (c) 2026 the perm authors' \
    "PackageVerificationCode: $(cd $at/$name && find . -type f -exec sha1sum {} + | cut -d ' ' -f 1 | LC_ALL=C sort |
      tr -d '\n' | sha1sum | cut -d ' ' -f 1)" 'Relationship: SPDXRef-DOCUMENT DESCRIBES SPDXRef-perm'
  (cd $at/$name && find . -type f | LC_ALL=C sort | while read -r file; do
    printf '\nFileName: %s\nSPDXID: SPDXRef-%s\nFileChecksum: SHA1: %s\nFileChecksum: SHA256: %s\n' "$file" \
      "$(echo "$file" | sed 's/^\.\///; s/[^A-Za-z0-9.]/-/g')" "$(sha1sum <"$file" | cut -d ' ' -f 1)" \
      "$(sha256sum <"$file" | cut -d ' ' -f 1)"
    printf 'LicenseConcluded: MIT\nLicenseInfoInFile: MIT\nFileCopyrightText: NOASSERTION\n'
  done)
} >$at/$name.spdx
(cd $at && sha256sum $name.tar.gz $name.spdx >SHA256SUMS)
mv $at/$name.tar.gz $at/$name.spdx $at/SHA256SUMS build/
rm -rf $at
echo "build/$name.tar.gz, build/$name.spdx, build/SHA256SUMS"
# SPDX-License-Identifier: MIT
