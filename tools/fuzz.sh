#!/bin/sh
# Runs every fuzz target of this module whose name matches a pattern (all of them
# without one) for the given time: fuzz.sh 20s 'FuzzPod$'.
# Go runs one target of one package at a time, hence the loop. Making an interesting
# input smaller is bounded, or it takes most of a short run.
set -u
time=${1:-20s}
pattern=${2:-.}
go=${GO:-go}
cd "$(dirname "$0")/.." || exit 1

targets=$(git ls-files -co --exclude-standard -- '*_test.go' |
  xargs grep -HoE '^func Fuzz[A-Za-z0-9_]*' | sed 's/func //' | grep -E "$pattern" | sort)
[ -n "$targets" ] || { echo 'fuzz: no targets found' >&2; exit 1; }

failed=0
for target in $targets; do
  folder=$(dirname "${target%%:*}")
  name=${target##*:}
  echo "fuzz: ./$folder $name for $time"
  $go test -run '^$' -fuzz "^$name\$" -fuzztime "$time" -fuzzminimizetime 10x "./$folder" || {
    failed=1
    echo "fuzz: $name failed; its input is in $folder/testdata/fuzz/$name" >&2
  }
done
exit $failed
