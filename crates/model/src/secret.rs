//! Hides secrets: reports are passed on to others.

/// The text in the place of a secret.
pub const HIDDEN: &str = "(hidden)";

/// Words in the name of a variable or a property that say that its value is a secret.
const SECRETS: [&str; 6] = ["PASSWORD", "PASSWD", "SECRET", "TOKEN", "KEY", "CREDENTIAL"];

/// Returns the value, or [`HIDDEN`] where the name says that it is a secret.
pub fn redacted(name: &str, value: &str) -> String {
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
            assert_eq!(redacted(name, "abc"), HIDDEN, "{name}");
        }
        assert_eq!(redacted("LANG", "abc"), "abc");
    }
}
