//! What a report, which is sent around, does not show.

/// What stands in the place of a secret.
pub const HIDDEN: &str = "(hidden)";

/// Words in the name of a variable or a property that say that its value is a secret.
const SECRETS: [&str; 6] = ["PASSWORD", "PASSWD", "SECRET", "TOKEN", "KEY", "CREDENTIAL"];

/// The value as others may read it.
pub fn shown(name: &str, value: &str) -> String {
    let name = name.to_uppercase();
    let secret = SECRETS.iter().any(|word| name.contains(word));
    if secret { HIDDEN } else { value }.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_is_known_by_its_name() {
        for name in [
            "DB_PASSWORD",
            "passwd",
            "ClientSecret",
            "GH_TOKEN",
            "API_KEY",
            "AWS_CREDENTIALS",
            "spring.datasource.password",
        ] {
            assert_eq!(shown(name, "abc"), HIDDEN, "{name}");
        }
        assert_eq!(shown("LANG", "abc"), "abc");
    }
}
