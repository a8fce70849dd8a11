# The program alone: no shell, no package manager, nothing else that could be old.
# `make image` builds the binary on the host and copies it in.
FROM scratch
ARG TARGETARCH
COPY bin/linux-${TARGETARCH}/colocate /colocate
USER 65532:65532
ENTRYPOINT ["/colocate"]
