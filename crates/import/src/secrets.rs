//! Which values are secrets, and the variables of the environment that are put in their place.

use crate::draft::Variable;
use crate::marks::has_variable;
use crate::remark::Remark;

/// Words in a name that say that the value is a secret.
const WORDS: [&str; 10] = [
    "password",
    "passwd",
    "pwd",
    "passphrase",
    "secret",
    "token",
    "apikey",
    "credential",
    "credentials",
    "authorization",
];
/// Pairs of words that say so together.
const PAIRS: [(&str, &str); 4] = [("api", "key"), ("access", "key"), ("private", "key"), ("session", "id")];

/// Whether the name of a field or a header says that its value is a secret.
pub(crate) fn is_secret(name: &str) -> bool {
    let words = words(name);
    let pair = |pair: &[String]| PAIRS.iter().any(|(one, other)| pair[0] == *one && pair[1] == *other);
    words.iter().any(|word| WORDS.contains(&word.as_str())) || words.windows(2).any(pair)
}

/// Splits a name into its words, in small letters: `X-Auth-Token`, `accessKey`.
fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut was_small = false;
    for c in name.chars() {
        let begins = !c.is_alphanumeric() || c.is_uppercase() && was_small;
        if begins && words.last().is_some_and(|word| !word.is_empty()) {
            words.push(String::new());
        }
        was_small = c.is_lowercase() || c.is_numeric();
        if let Some(word) = words.last_mut().filter(|_| c.is_alphanumeric()) {
            word.extend(c.to_lowercase());
        }
    }
    words
}

/// Puts secrets into variables, one for each value.
#[derive(Debug, Default)]
pub(crate) struct Vault {
    /// Whether secrets stay where they are.
    pub(crate) keeps: bool,
    /// The variables, each with its secret.
    kept: Vec<(Variable, String)>,
}

impl Vault {
    /// Returns what stands for a secret: the variable `${name}`, or the secret itself as a template.
    pub(crate) fn hide(&mut self, name: &str, secret: &str) -> String {
        if self.keeps || secret.is_empty() || secret.starts_with("${") || has_variable(secret) {
            return secret.to_owned();
        }
        if let Some((variable, _)) = self.kept.iter().find(|(_, kept)| kept == secret) {
            return format!("${{{}}}", variable.name);
        }
        let base = words(name).join("_");
        let base = if base.is_empty() { "secret".to_owned() } else { base };
        let mut unique = base.clone();
        let mut number = 2;
        while self.kept.iter().any(|(variable, _)| variable.name == unique) {
            unique = format!("{base}_{number}");
            number += 1;
        }
        let environment = unique.to_uppercase();
        let variable = Variable {
            name: unique.clone(),
            value: format!("${{env('{environment}')}}"),
            remark: Remark::Secret { environment },
        };
        self.kept.push((variable, secret.to_owned()));
        format!("${{{unique}}}")
    }

    /// Returns the variables.
    pub(crate) fn into_variables(self) -> Vec<Variable> {
        self.kept.into_iter().map(|(variable, _)| variable).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_is_known_by_its_name() {
        for name in ["password", "userPassword", "X-Auth-Token", "API_KEY", "apiKey", "client-secret", "pwd"]
        {
            assert!(is_secret(name), "{name}");
        }
        for name in ["user", "keyword", "monkey", "tokens_used_x", "Accept", "passenger"] {
            assert!(!is_secret(name), "{name}");
        }
    }

    #[test]
    fn each_secret_has_one_variable() {
        let mut vault = Vault::default();
        assert_eq!(vault.hide("password", "a"), "${password}");
        assert_eq!(vault.hide("Password", "b"), "${password_2}");
        assert_eq!(vault.hide("pw", "a"), "${password}");
        assert_eq!(vault.hide("x", "${env('HOME')}"), "${env('HOME')}");
        let variables = vault.into_variables();
        assert_eq!(variables[1].value, "${env('PASSWORD_2')}");
        let mut open = Vault { keeps: true, ..Vault::default() };
        assert_eq!(open.hide("password", "a"), "a");
    }
}
