#!/bin/sh
# Builds the image from the Dockerfile and the binary in bin/linux-ARCH, with
# docker or buildah, whichever is there: image.sh NAME ARCH.
# buildah works without a daemon; its timestamp is the commit's, so that one
# commit gives one image.
set -eu
name=$1
arch=$2
cd "$(dirname "$0")/.."
date=$(git show -s --format=%ct HEAD 2>/dev/null || echo 0)

if command -v docker >/dev/null && docker info >/dev/null 2>&1; then
  exec docker build --platform "linux/$arch" --build-arg "TARGETARCH=$arch" -t "$name" .
fi
if command -v buildah >/dev/null; then
  exec buildah --storage-driver vfs bud --isolation chroot --arch "$arch" --timestamp "$date" \
    --build-arg "TARGETARCH=$arch" -t "$name" .
fi
echo 'image: neither a running docker nor buildah was found; install one of them' >&2
exit 1
