//! `include_dir!` sees a changed file but not a new one: name the folders, so that a new version needs no `cargo clean`.

fn main() {
    println!("cargo::rerun-if-changed=../../catalog");
    println!("cargo::rerun-if-changed=../../apps");
}
