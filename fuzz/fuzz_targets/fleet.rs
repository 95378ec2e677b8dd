#![no_main]
#[path = "../fleet_checks.rs"]
mod checks;
libfuzzer_sys::fuzz_target!(|data: &[u8]| checks::fleet(data));
