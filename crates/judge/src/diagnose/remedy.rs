//! What a remedy needs to know of the server that is there: its kind, the keys that set it, how much room to give.

use model::arm::Arm;
use model::kind::Kind;
use model::outcome::Effective;

/// The kind of the server that an arm runs; an executable jar of the user's is known by what its server told of itself.
pub(super) fn server_kind(arm: &Arm, effective: &Effective) -> Kind {
    let told = || Kind::in_boot_jar(effective.server.as_deref()?);
    Kind::named(&arm.server).or_else(told).unwrap_or(Kind::Command)
}

/// Room for so many at once: the next two digits that leave a tenth to spare.
pub(super) fn room_for(wanted: f64) -> u64 {
    let wanted = (1.1 * wanted).max(1.0);
    let step = 10f64.powf(wanted.log10().floor() - 1.0).max(1.0);
    // What is a round number but for the last bit is one.
    ((wanted / step - 1e-9).ceil() * step) as u64
}

/// The version of the Spring Boot in an arm, as numbers that compare.
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
