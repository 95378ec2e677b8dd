# Sourced by scripts that need tools of the Rust world. They are kept in target/release-tools, apart from what the user installed.
PATH=$PWD/target/release-tools/bin:$PATH

# need_tool NAME VERSION [FLAG...]: builds this version of a program unless it is there. It runs seldom, so it is not optimized. The
# flags choose its features.
need_tool() {
    tool=$1
    tool_version=$2
    grep -qs "^\"$tool $tool_version " target/release-tools/.crates.toml && return
    shift 2
    # Not into our own target folder: that would mix its dependencies with ours.
    CARGO_TARGET_DIR=$PWD/target/release-tools/build env -u RUSTC_WORKSPACE_WRAPPER cargo install --locked --debug --root target/release-tools "$@" "$tool@$tool_version"
    rm -rf target/release-tools/build
}

# need_wheel PROGRAM LIST: installs a program that comes compiled in a package of Python. The list has its version and hashes.
need_wheel() {
    wheel=target/release-tools/$1
    PATH=$PWD/$wheel/bin:$PATH
    cmp -s "$2" "$wheel/list" && return
    rm -rf "$wheel"
    PIP_ROOT_USER_ACTION=ignore pip3 install -q --no-deps --require-hashes --target "$wheel" -r "$2" >&2
    cp "$2" "$wheel/list"
}
