//! Digest authentication (RFC 7616, and RFC 2617 before it): a request that was answered by a challenge is sent again with the proof that
//! its user knows the password.

use md5::Md5;
use memchr::memmem;
use sha2::{Digest as _, Sha256};
use std::fmt::Write as _;

/// A challenge that can be answered.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct DigestChallenge {
    realm: String,
    nonce: String,
    opaque: Option<String>,
    algorithm: Option<String>,
    is_sha: bool,
    /// Whether the proof covers what the client has chosen, too.
    is_session: bool,
    protects: Protection,
}

/// What a proof covers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Protection {
    /// As in RFC 2069: method and path.
    Old,
    /// Method and path, and a number that the client has chosen.
    Request,
    /// The body, too.
    Whole,
}

/// A user who proves that it knows its password.
#[derive(Clone, Copy, Debug)]
pub(super) struct Prover<'a> {
    pub(super) user: &'a str,
    pub(super) password: &'a str,
    /// The number that the client has chosen.
    pub(super) chosen: u64,
}

impl DigestChallenge {
    /// Reads the value of a header `WWW-Authenticate`; `None` for another scheme, and for an algorithm that is not known here.
    pub(super) fn parse(header: &[u8]) -> Option<Self> {
        let text = std::str::from_utf8(header).ok()?;
        let is_scheme =
            |at: &usize| text[*at..].get(..7).is_some_and(|word| word.eq_ignore_ascii_case("Digest "));
        let begins = |at: &usize| *at == 0 || text[..*at].trim_end().ends_with(',');
        let at = (0..text.len()).filter(|at| text.is_char_boundary(*at)).filter(is_scheme).find(begins)?;
        let parameters = parameters(&text[at + 7..]);
        let value = |name: &str| {
            let found = parameters.iter().find(|(known, _)| known.eq_ignore_ascii_case(name));
            found.map(|(_, value)| value.clone())
        };
        let algorithm = value("algorithm");
        let (is_sha, is_session) = match algorithm.as_deref().unwrap_or("MD5").to_ascii_uppercase().as_str() {
            "MD5" => (false, false),
            "MD5-SESS" => (false, true),
            "SHA-256" => (true, false),
            "SHA-256-SESS" => (true, true),
            _ => return None,
        };
        let protects = match value("qop") {
            None => Protection::Old,
            Some(offered) => {
                let offers =
                    |wanted: &str| offered.split(',').any(|one| one.trim().eq_ignore_ascii_case(wanted));
                match (offers("auth"), offers("auth-int")) {
                    (true, _) => Protection::Request,
                    (false, true) => Protection::Whole,
                    (false, false) => return None,
                }
            }
        };
        let (realm, nonce, opaque) = (value("realm")?, value("nonce")?, value("opaque"));
        Some(Self { realm, nonce, opaque, algorithm, is_sha, is_session, protects })
    }

    /// The bytes of a request with the proof, in the place of any `Authorization` that it had.
    pub(super) fn answered(&self, request: &[u8], prover: Prover<'_>) -> Option<Vec<u8>> {
        let head_end = memmem::find(request, b"\r\n\r\n")?;
        let (head, body) = (&request[..head_end + 2], &request[head_end + 4..]);
        let mut words = head.split(|byte| *byte == b' ');
        let [method, path] = [words.next()?, words.next()?];
        let value = self.proof(
            [method, path].map(String::from_utf8_lossy).map(|word| word.into_owned()),
            body,
            prover,
        );
        let mut out = Vec::with_capacity(request.len() + value.len() + 20);
        for line in head.split_inclusive(|byte| *byte == b'\n') {
            let is_authorization =
                line.get(..14).is_some_and(|name| name.eq_ignore_ascii_case(b"Authorization:"));
            if !is_authorization {
                out.extend_from_slice(line);
            }
        }
        out.extend_from_slice(b"Authorization: ");
        out.extend_from_slice(value.as_bytes());
        out.extend_from_slice(b"\r\n\r\n");
        out.extend_from_slice(body);
        Some(out)
    }

    /// The value of the header `Authorization`.
    fn proof(&self, [method, path]: [String; 2], body: &[u8], prover: Prover<'_>) -> String {
        let Prover { user, password, chosen } = prover;
        let (realm, nonce) = (&self.realm, &self.nonce);
        let chosen = format!("{chosen:016x}");
        let mut secret = self.hash(format!("{user}:{realm}:{password}").as_bytes());
        if self.is_session {
            secret = self.hash(format!("{secret}:{nonce}:{chosen}").as_bytes());
        }
        let mut asked = format!("{method}:{path}");
        if self.protects == Protection::Whole {
            let _ = write!(asked, ":{}", self.hash(body));
        }
        let asked = self.hash(asked.as_bytes());
        let protection = match self.protects {
            Protection::Old => None,
            Protection::Request => Some("auth"),
            Protection::Whole => Some("auth-int"),
        };
        let response = match protection {
            None => self.hash(format!("{secret}:{nonce}:{asked}").as_bytes()),
            Some(qop) => self.hash(format!("{secret}:{nonce}:{COUNT}:{chosen}:{qop}:{asked}").as_bytes()),
        };
        let mut value = format!(
            "Digest username=\"{}\", realm=\"{}\", nonce=\"{}\", uri=\"{}\", response=\"{response}\"",
            escaped(user),
            escaped(realm),
            escaped(nonce),
            escaped(&path)
        );
        if let Some(qop) = protection {
            let _ = write!(value, ", qop={qop}, nc={COUNT}, cnonce=\"{chosen}\"");
        }
        if let Some(algorithm) = &self.algorithm {
            let _ = write!(value, ", algorithm={algorithm}");
        }
        if let Some(opaque) = &self.opaque {
            let _ = write!(value, ", opaque=\"{}\"", escaped(opaque));
        }
        value
    }

    fn hash(&self, bytes: &[u8]) -> String {
        match self.is_sha {
            true => hexadecimal(&Sha256::digest(bytes)[..]),
            false => hexadecimal(&Md5::digest(bytes)[..]),
        }
    }
}

/// How often a number of the server's was used: each challenge is answered once.
const COUNT: &str = "00000001";

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().fold(String::with_capacity(2 * bytes.len()), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// As it is written between quotes.
fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"")
}

/// The names and values of a challenge, up to the scheme of the next one.
fn parameters(text: &str) -> Vec<(String, String)> {
    let mut all = Vec::new();
    let mut rest = text.trim_start_matches([' ', ',']);
    while let Some((name, behind)) = rest.split_once('=') {
        let name = name.trim();
        if name.is_empty() || name.contains(char::is_whitespace) {
            break;
        }
        let behind = behind.trim_start();
        let value;
        (value, rest) = match behind.strip_prefix('"') {
            Some(quoted) => unquoted(quoted),
            None => {
                let end = behind.find(',').unwrap_or(behind.len());
                (behind[..end].trim().to_owned(), &behind[end..])
            }
        };
        all.push((name.to_owned(), value));
        rest = rest.trim_start_matches([' ', ',']);
    }
    all
}

/// A text up to its closing quote, and what follows that.
fn unquoted(text: &str) -> (String, &str) {
    let mut value = String::new();
    let mut letters = text.char_indices();
    while let Some((at, letter)) = letters.next() {
        match letter {
            '"' => return (value, &text[at + 1..]),
            '\\' => value.extend(letters.next().map(|(_, escaped)| escaped)),
            other => value.push(other),
        }
    }
    (value, "")
}

#[cfg(test)]
mod tests {
    use super::*;

    const MUFASA: Prover<'_> = Prover { user: "Mufasa", password: "Circle Of Life", chosen: 0x0a4f_113b };

    fn proof(challenge: &str, request: &str, prover: Prover<'_>) -> String {
        let challenge = DigestChallenge::parse(challenge.as_bytes()).expect("a challenge");
        let sent = challenge.answered(request.as_bytes(), prover).expect("a request");
        String::from_utf8(sent).expect("a text")
    }

    /// The value of `response` by RFC 2617 section 3.5, with the number that we choose in the place of theirs.
    #[test]
    fn a_proof_is_the_hash_that_the_standard_asks_for() {
        let challenge = "Digest realm=\"testrealm@host.com\", qop=\"auth,auth-int\", \
            nonce=\"dcd98b7102dd2f0e8b11d0f600bfb0c093\", opaque=\"5ccc069c403ebaf9f0171e9517f40e41\"";
        let sent = proof(challenge, "GET /dir/index.html HTTP/1.1\r\nHost: a\r\n\r\n", MUFASA);
        let hash = |text: &str| hexadecimal(&Md5::digest(text.as_bytes())[..]);
        let secret = hash("Mufasa:testrealm@host.com:Circle Of Life");
        assert_eq!(secret, "939e7578ed9e3c518a452acee763bce9", "as the standard has it");
        let asked = hash("GET:/dir/index.html");
        assert_eq!(asked, "39aff3a2bab6126f332b942af96d3366", "as the standard has it");
        let whole =
            format!("{secret}:dcd98b7102dd2f0e8b11d0f600bfb0c093:00000001:000000000a4f113b:auth:{asked}");
        let response = format!("response=\"{}\"", hash(&whole));
        for part in [
            "GET /dir/index.html HTTP/1.1\r\nHost: a\r\nAuthorization: Digest username=\"Mufasa\", ",
            "uri=\"/dir/index.html\"",
            &response,
            "qop=auth, nc=00000001, cnonce=\"000000000a4f113b\"",
            "opaque=\"5ccc069c403ebaf9f0171e9517f40e41\"\r\n\r\n",
        ] {
            assert!(sent.contains(part), "{part} is missing in {sent}");
        }
    }

    #[test]
    fn proofs_cover_bodies_and_sessions_where_they_are_asked_for() {
        let body = "POST /x HTTP/1.1\r\nAuthorization: Basic YTpi\r\nContent-Length: 2\r\n\r\nhi";
        let sent = proof("Digest realm=\"r\", nonce=\"n\", qop=auth-int, algorithm=SHA-256", body, MUFASA);
        assert!(sent.ends_with("algorithm=SHA-256\r\n\r\nhi") && !sent.contains("Basic"), "{sent}");
        let hash = |text: String| hexadecimal(&Sha256::digest(text.as_bytes())[..]);
        let secret = hash("Mufasa:r:Circle Of Life".to_owned());
        let asked = hash(format!("POST:/x:{}", hash("hi".to_owned())));
        let response = hash(format!("{secret}:n:00000001:000000000a4f113b:auth-int:{asked}"));
        assert!(sent.contains(&response), "{sent}");
        let old = proof("Digest realm=\"r\",nonce=\"n\"", "GET / HTTP/1.1\r\n\r\n", MUFASA);
        assert!(!old.contains("qop") && !old.contains("cnonce"), "{old}");
    }

    #[test]
    fn challenges_are_found_among_others_and_unknown_ones_are_not_answered() {
        let parse = |text: &str| DigestChallenge::parse(text.as_bytes());
        let two = parse(
            "Basic realm=\"Digest x\", Digest realm=\"a \\\"b\\\", c\", nonce=\"n\", stale=false, Bearer x=y",
        );
        assert_eq!(two.expect("the second").realm, "a \"b\", c");
        for other in [
            "Basic realm=\"x\"",
            "Digest realm=\"x\"",
            "Digest realm=\"x\", nonce=\"n\", algorithm=SHA-512-256",
        ] {
            assert_eq!(parse(other), None, "{other}");
        }
    }
}
