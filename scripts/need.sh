# Sourced by ./prony and ./test. It finds out what they lack and installs it as root; otherwise it prints the command to type.

# need PROGRAM PACKAGE...: adds the packages to the missing ones if there is no such program.
missing=
need() {
    program=$1
    shift
    command -v "$program" >/dev/null 2>&1 || missing="$missing $*"
}

# need_file PATTERN PACKAGE...: adds the packages to the missing ones if no file matches the pattern.
need_file() {
    file=$1
    shift
    # shellcheck disable=SC2086 # a pattern on purpose
    set -- $file -- "$@"
    while [ "$1" != -- ]; do
        [ -e "$1" ] && return
        shift
    done
    shift
    missing="$missing $*"
}

# need_rust: finds a Rust that can build prony, or the first package of the distribution that is new enough (edition 2024, Rust 1.89).
need_rust() {
    command -v cargo >/dev/null 2>&1 && return
    [ -x "$HOME/.cargo/bin/cargo" ] && PATH=$HOME/.cargo/bin:$PATH && return
    command -v apt-cache >/dev/null 2>&1 || { missing="$missing cargo"; return; }
    # A new machine or container has no package lists yet.
    [ "$(id -u)" != 0 ] || apt-cache policy cargo 2>/dev/null | grep -q Candidate || apt-get update -q >&2
    for package in cargo cargo-web; do
        version=$(apt-cache policy "$package" 2>/dev/null | sed -n 's/^ *Candidate: \([0-9]*\.[0-9]*\).*/\1/p')
        # Older versions of cargo have other numbers than Rust: cargo 0.66 came with Rust 1.65.
        case $version in
        1.89 | 1.9[0-9] | 1.[1-9][0-9][0-9])
            missing="$missing $package rustc${package#cargo}"
            return
            ;;
        esac
    done
    echo "error: this system has no package of Rust 1.89 or newer" >&2
    echo "hint: install Rust, for example with rustup, then run this again" >&2
    exit 2
}

# has_jdk MAJOR: whether there is a JDK of this release or a newer one, with its compiler, in any of the usual folders.
has_jdk() {
    for home in "${JAVA_HOME:-}" /usr/lib/jvm/* "$HOME"/.sdkman/candidates/java/*; do
        [ -x "$home/bin/javac" ] || continue
        major=$(sed -n 's/^JAVA_VERSION="\([0-9]*\).*/\1/p' "$home/release" 2>/dev/null || true)
        [ "${major:-0}" -ge "$1" ] && return
    done
    return 1
}

# need_jdk: needs a JDK 17 or newer.
need_jdk() {
    has_jdk 17 || missing="$missing default-jdk-headless"
}

# install_missing: installs the missing packages as root; otherwise prints the command and exits.
install_missing() {
    [ -z "$missing" ] && return
    demand_installer
    install_packages
    missing=
}

# demand_installer: exits with what to type unless the missing packages can be installed here.
demand_installer() {
    if ! command -v apt-get >/dev/null 2>&1; then
        echo "error: these packages are missing on this system (names as in Debian):$missing" >&2
        echo "hint: install them with your package manager, then run this again" >&2
        exit 2
    fi
    if [ "$(id -u)" != 0 ]; then
        echo "error: these packages are missing on this system:$missing" >&2
        echo "hint: sudo apt-get install -y$missing" >&2
        exit 2
    fi
}

# install_packages: installs the missing packages, or exits.
install_packages() {
    echo "installing:$missing" >&2
    export DEBIAN_FRONTEND=noninteractive
    # shellcheck disable=SC2086 # a list of words on purpose
    if ! { apt-get update -q && apt-get install -q -y --no-install-recommends $missing; } >&2; then
        echo "error: apt-get could not install:$missing" >&2
        echo "hint: see its messages above; you may have to configure a mirror or a proxy in /etc/apt" >&2
        exit 2
    fi
}
