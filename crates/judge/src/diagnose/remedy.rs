//! What remedies need to know: the kind and release of the server, and how far to raise a limit.

use ask::arm::Arm;
use ask::kind::Kind;
use record::outcome::Effective;

/// The kind of the server that an arm runs. That of a user's executable jar is known by the name that its server reports.
pub(super) fn server_kind(arm: &Arm, effective: &Effective) -> Kind {
    let told = || Kind::in_boot_jar(effective.server.as_deref()?);
    Kind::named(&arm.server).or_else(told).unwrap_or(Kind::Command)
}

/// A limit with room for `wanted`: at least a tenth more, rounded up to two significant digits.
pub(super) fn room_for(wanted: f64) -> u64 {
    rounded(1.1 * wanted)
}

/// A number rounded up to two significant digits, at least 1.
pub(super) fn rounded(wanted: f64) -> u64 {
    let wanted = wanted.max(1.0);
    let step = 10f64.powf(wanted.log10().floor() - 1.0).max(1.0);
    // A number that is round except for its last bit must not be rounded up.
    ((wanted / step - 1e-9).ceil() * step) as u64
}

/// A version as a list of numbers, which compares correctly.
pub(super) fn release(version: &str) -> Vec<u32> {
    let numbers = version.split(['.', '-']);
    numbers.map_while(|number| number.parse().ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_is_room_to_spare_in_round_numbers() {
        assert_eq!([1.0, 32.0, 500.0, 8300.0].map(room_for), [2, 36, 550, 9200]);
    }

    #[test]
    fn releases_compare_as_numbers() {
        assert!(release("4.0.3") > release("4.0.1") && release("4.0.10") > release("4.0.3"));
        assert!(release("4.1.1") > release("4.0.3"));
    }
}
