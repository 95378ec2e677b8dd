//! `include_dir!` sees a changed file but not a new one: name the folder, so that a new server needs no `cargo clean`.

fn main() {
    println!("cargo::rerun-if-changed=../../catalog");
}
