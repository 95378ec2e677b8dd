//! What the tests start: `guard PARENT PROGRAM…` is the guard, as `prony __guard` is in the product.

use std::process::ExitCode;

fn main() -> ExitCode {
    let mut arguments = std::env::args_os().skip(1);
    match arguments.next().as_deref().and_then(std::ffi::OsStr::to_str) {
        Some("guard") => sut::guard::main(arguments),
        _ => ExitCode::from(2),
    }
}
