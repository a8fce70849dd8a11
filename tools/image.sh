#!/bin/sh
# Builds the image from the Dockerfile and the binary in bin/linux-ARCH, with
# docker or buildah, whichever is there: image.sh NAME ARCH [ARCHIVE].
# With ARCHIVE the image goes into that file, in the format of `docker save`;
# without, into the store of docker or buildah.
# buildah works without a daemon; its timestamp is the commit's, so that one
# commit gives one image, byte for byte.
set -eu
name=$1
arch=$2
archive=${3:-}
cd "$(dirname "$0")/.."
date=$(git show -s --format=%ct HEAD 2>/dev/null || echo 0)

if command -v docker >/dev/null && docker info >/dev/null 2>&1; then
  echo "image: docker builds $name for $arch"
  docker build --platform "linux/$arch" --build-arg "TARGETARCH=$arch" -t "$name" .
  [ -z "$archive" ] || docker save -o "$archive" "$name"
  exit
fi
if ! command -v buildah >/dev/null; then
  echo 'image: neither a running docker nor buildah was found; install one of them (Debian: apt-get install buildah)' >&2
  exit 1
fi

echo "image: buildah builds $name for $arch"
set -- --storage-driver vfs
if [ -n "$archive" ]; then
  # A store of its own, so that the archive is all that stays.
  store=$(mktemp -d)
  trap 'rm -rf "$store"' EXIT
  set -- "$@" --root "$store/root" --runroot "$store/run"
fi
buildah "$@" bud --quiet --isolation chroot --arch "$arch" --timestamp "$date" \
  --build-arg "TARGETARCH=$arch" -t "$name" .
if [ -n "$archive" ]; then
  rm -f "$archive"
  buildah "$@" push --quiet "$name" "docker-archive:$archive:$name"
fi
