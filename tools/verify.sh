#!/bin/sh
# Generates everything again and fails where that changed a file, so that what is
# committed is what the sources give, and fails where something that was built is
# about to be committed. It compares contents, not commits: a tree
# with other unfinished work in it can be verified.
set -eu
go=${GO:-go}
cd "$(dirname "$0")/.."

before=$(mktemp)
after=$(mktemp)
trap 'rm -f "$before" "$after"' EXIT

contents() { git ls-files -co --exclude-standard | sort | while read -r file; do
  [ -f "$file" ] && cksum "$file" || echo "gone $file"
done; }

contents >"$before"
$go generate ./...
contents >"$after"
if ! cmp -s "$before" "$after"; then
  echo 'verify: these files were not up to date; they are now, commit them:' >&2
  diff "$before" "$after" | sed -n 's/^[<>] [0-9]* [0-9]* /  /p' | sort -u >&2
  exit 1
fi
large=$(git ls-files -co --exclude-standard | while read -r file; do
  [ ! -f "$file" ] || find "$file" -size +1024k
done)
if [ -n "$large" ]; then
  echo 'verify: larger than 1 MB, so probably built and not to be committed:' >&2
  echo "$large" | sed 's/^/  /' >&2
  exit 1
fi
$go mod tidy -diff || {
  echo 'verify: go.mod or go.sum is not tidy; run: go mod tidy' >&2
  exit 1
}
$go mod verify
echo 'verify: everything that is generated is up to date'
