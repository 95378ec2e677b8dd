# An image with prony, a JDK and Maven, for x86-64 and arm64. docs/guide/install.md shows how to use it.
#
#   docker build -t prony .
#
# The base is Debian's public image. Any system with apt and a package of Rust 1.89 or newer serves as well: --build-arg BASE=IMAGE.
ARG BASE=docker.io/library/debian:bookworm-slim

FROM ${BASE} AS build
WORKDIR /src
RUN apt-get update -q && apt-get install -q -y --no-install-recommends ca-certificates
COPY . .
# Installs Rust and a C compiler, and builds.
RUN . scripts/need.sh && need_rust && need cc gcc libc6-dev && install_missing \
    && cargo build --release --locked -p prony

FROM ${BASE}
RUN apt-get update -q \
    # pip, because prony takes newer JDKs from the package index of Python.
    && apt-get install -q -y --no-install-recommends ca-certificates default-jdk-headless maven python3-pip \
    && rm -rf /var/lib/apt/lists/*
COPY --from=build /src/target/release/prony /usr/local/bin/prony
COPY experiments /prony/experiments
WORKDIR /prony
# Downloads and the history of runs: keep them in a volume.
ENV PRONY_HOME=/var/lib/prony LANG=C.UTF-8
VOLUME /var/lib/prony
ENTRYPOINT ["prony"]
CMD ["--help"]
