# Sourced by scripts that need cargo's sub-commands. They are kept in target/release-tools, apart from what the user installed.
PATH=$PWD/target/release-tools/bin:$PATH

# need_tool NAME VERSION: builds this version of a sub-command of cargo unless it is there. It runs seldom, so it is not optimized.
need_tool() {
    grep -qs "^\"$1 $2 " target/release-tools/.crates.toml && return
    # Not into our own target folder: that would mix its dependencies with ours.
    CARGO_TARGET_DIR=$PWD/target/release-tools/build cargo install --locked --debug --root target/release-tools "$1@$2"
    rm -rf target/release-tools/build
}

# need_wheel PROGRAM LIST: installs a program that comes compiled in a package of Python. The list has its version and hashes.
need_wheel() {
    folder=target/release-tools/$1
    PATH=$PWD/$folder/bin:$PATH
    cmp -s "$2" "$folder/list" && return
    rm -rf "$folder"
    PIP_ROOT_USER_ACTION=ignore pip3 install -q --no-deps --require-hashes --target "$folder" -r "$2" >&2
    cp "$2" "$folder/list"
}
