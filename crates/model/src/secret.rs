//! Hides secrets: reports are passed on to others.

/// The text in the place of a secret.
pub const HIDDEN: &str = "(hidden)";

/// Words in the name of a variable, a property or a header that say that its value is a secret.
const SECRETS: [&str; 10] = [
    "PASSWORD",
    "PASSWD",
    "PASSPHRASE",
    "SECRET",
    "TOKEN",
    "KEY",
    "CREDENTIAL",
    "AUTHORIZATION",
    "BEARER",
    "COOKIE",
];

/// Returns the value [without secrets](without_secrets), or [`HIDDEN`] where the name says that it is one.
pub fn redacted(name: &str, value: &str) -> String {
    match says_secret(name) {
        true => HIDDEN.to_owned(),
        false => without_secrets(value),
    }
}

/// Returns a text such as options of a JVM with every secret replaced by [`HIDDEN`]: the value of `name=value`, and the word after an option
/// `--name`, where the name says that it is a secret, and user and password of a URL.
pub fn without_secrets(text: &str) -> String {
    let mut is_next_secret = false;
    let words = text.split_inclusive(char::is_whitespace).map(|piece| {
        let word = piece.trim_end();
        let end = &piece[word.len()..];
        let shown = match is_next_secret && !word.is_empty() {
            true => HIDDEN.to_owned(),
            false => public_word(word),
        };
        is_next_secret = word.starts_with('-') && !word.contains('=') && says_secret(word);
        format!("{shown}{end}")
    });
    words.collect()
}

/// A word without its secrets.
fn public_word(word: &str) -> String {
    let mut shown = String::new();
    let mut rest = word;
    while let Some((before, after)) = rest.split_once('=') {
        let name = before.rsplit([',', '"', '\'']).next().unwrap_or_default();
        shown.push_str(&without_user(before));
        shown.push('=');
        rest = after;
        if says_secret(name) {
            let end = value_end(after);
            shown.push_str(HIDDEN);
            rest = &after[end..];
        }
    }
    shown.push_str(&without_user(rest));
    shown
}

/// Where the value ends with which a text begins: before a quote, or before a comma that another `name=` follows.
fn value_end(text: &str) -> usize {
    let is_end = |(at, mark): &(usize, char)| match mark {
        '"' | '\'' => true,
        ',' => {
            let next = text[at + 1..].split([',', '"', '\'']).next().unwrap_or_default();
            let name = next.split_once('=').map(|(name, _)| name);
            name.is_some_and(|name| name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '-'))
        }
        _ => false,
    };
    text.char_indices().find(is_end).map_or(text.len(), |(at, _)| at)
}

/// A text with [`HIDDEN`] in place of user and password of a URL.
fn without_user(text: &str) -> String {
    let Some((scheme, rest)) = text.split_once("://") else {
        return text.to_owned();
    };
    let authority = rest.split('/').next().unwrap_or_default();
    match authority.rsplit_once('@') {
        Some((user, host)) if user.contains(':') => {
            format!("{scheme}://{HIDDEN}@{host}{}", &rest[authority.len()..])
        }
        _ => text.to_owned(),
    }
}

/// Returns whether the name of a variable or a header says that its value is a secret.
pub fn says_secret(name: &str) -> bool {
    let name = name.to_uppercase();
    SECRETS.iter().any(|word| name.contains(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_in_options_are_hidden_and_nothing_else() {
        for (text, shown) in [
            ("-Xmx512m -Dlang=en", "-Xmx512m -Dlang=en"),
            ("-Dspring.datasource.password=abc -Da=b", "-Dspring.datasource.password=(hidden) -Da=b"),
            ("server --db-password abc --port 80", "server --db-password (hidden) --port 80"),
            ("--token=abc,def", "--token=(hidden)"),
            (
                "tomcat:10.1,jvm_options=-Dpassword=a,b,threads=4",
                "tomcat:10.1,jvm_options=-Dpassword=(hidden),threads=4",
            ),
            (
                "-Ddb=postgres://nina:abc@db/shop -Dx=http://db/a@b",
                "-Ddb=postgres://(hidden)@db/shop -Dx=http://db/a@b",
            ),
            ("sh -c 'TOKEN=abc' x", "sh -c 'TOKEN=(hidden)' x"),
            ("", ""),
        ] {
            assert_eq!(without_secrets(text), shown);
        }
    }

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
