# Sourced by scripts that need cargo's sub-commands. They are kept in target/release-tools, apart from what the user installed.
PATH=$PWD/target/release-tools/bin:$PATH

# need_tool NAME VERSION: builds this version of a sub-command of cargo unless it is there. It runs seldom, so it is not optimized.
need_tool() {
    grep -qs "^\"$1 $2 " target/release-tools/.crates.toml && return
    # Not into our own target folder: that would mix its dependencies with ours.
    CARGO_TARGET_DIR=$PWD/target/release-tools/build cargo install --locked --debug --root target/release-tools "$1@$2"
    rm -rf target/release-tools/build
}
