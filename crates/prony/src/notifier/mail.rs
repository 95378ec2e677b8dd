//! [`Mailbox`]: mails news by the `sendmail` of this system, which every mail transport agent brings.

use super::{News, NewsPlace, NewsSubject, NewsText, NotifierComplaint};
use crate::outgoing::Trouble;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use say::Language;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Where sendmail is when it is not in the PATH.
const USUAL_PLACES: [&str; 2] = ["/usr/sbin", "/usr/lib"];
/// The longest time that sendmail may take.
const PATIENCE: Duration = Duration::from_secs(60);
/// How often it is asked whether it has ended.
const POLL: Duration = Duration::from_millis(50);
/// Bytes of a text in one encoded word, which may have 75 characters with its frame. (RFC 2047, section 2.)
const ENCODED_WORD: usize = 42;
/// Bytes in a line of base64 of 76 characters. (RFC 2045, section 6.8.)
const BASE64_LINE: usize = 57;

/// An address of mail.
pub(super) struct Mailbox {
    address: String,
    sendmail: PathBuf,
}

impl Mailbox {
    /// Reads an address, and looks for sendmail.
    ///
    /// # Errors
    ///
    /// [`NotifierComplaint::NoMailbox`] and [`NotifierComplaint::NoSendmail`].
    pub(super) fn parse(address: &str) -> Result<Self, NotifierComplaint> {
        if !is_address(address) {
            return Err(NotifierComplaint::NoMailbox { text: address.to_owned() });
        }
        Ok(Self { address: address.to_owned(), sendmail: sendmail().ok_or(NotifierComplaint::NoSendmail)? })
    }

    pub(super) fn place(&self) -> NewsPlace {
        NewsPlace::new(self.address.clone())
    }

    /// Hands news to sendmail.
    pub(super) fn send(&self, news: &News<'_>, lang: Language) -> Result<(), Trouble> {
        let mail =
            mail(&self.address, &say::text(&NewsSubject(news), lang), &say::text(&NewsText(news), lang));
        let unreachable =
            |source: io::Error| Trouble::Unreachable(format!("{}: {source}", self.sendmail.display()));
        let mut sendmail = Command::new(&self.sendmail)
            // A line with a single dot does not end the mail.
            .arg("-i")
            .arg(&self.address)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(unreachable)?;
        let handed = hand_over(&mut sendmail, mail.as_bytes());
        if handed.is_err() {
            // Whatever it still does is of no use; a child that has ended already is no failure.
            let _ = sendmail.kill();
            let _ = sendmail.wait();
        }
        handed.map_err(unreachable)
    }
}

/// Writes a mail to sendmail, and waits until it has taken it.
fn hand_over(sendmail: &mut Child, mail: &[u8]) -> io::Result<()> {
    if let Some(mut stdin) = sendmail.stdin.take() {
        // A sendmail that reads nothing tells why, and that is what is reported.
        let _ = stdin.write_all(mail);
    }
    let end = Instant::now() + PATIENCE;
    let status = loop {
        match sendmail.try_wait()? {
            Some(status) => break status,
            None if Instant::now() > end => return Err(io::ErrorKind::TimedOut.into()),
            None => std::thread::sleep(POLL),
        }
    };
    if status.success() {
        return Ok(());
    }
    let mut told = String::new();
    if let Some(stderr) = sendmail.stderr.take() {
        stderr.take(1000).read_to_string(&mut told)?;
    }
    let told = told.split_whitespace().collect::<Vec<_>>().join(" ");
    Err(io::Error::other(format!("{status} {told}").trim_end().to_owned()))
}

/// Whether this is an address that is neither an option nor breaks the head of a mail.
fn is_address(text: &str) -> bool {
    let allowed =
        |character: char| character.is_ascii_graphic() && !matches!(character, ',' | ';' | '<' | '>');
    let (user, host) = text.split_once('@').unwrap_or_default();
    !user.is_empty() && !host.is_empty() && !text.starts_with('-') && text.chars().all(allowed)
}

fn sendmail() -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = std::env::split_paths(&path).chain(USUAL_PLACES.map(|folder| Path::new(folder).to_owned()));
    let programs = folders.map(|folder| folder.join("sendmail"));
    programs.into_iter().find(|program| program.is_file())
}

/// A mail with its head. sendmail adds who sends it, and when.
fn mail(to: &str, subject: &str, text: &str) -> String {
    let body: Vec<String> = text.as_bytes().chunks(BASE64_LINE).map(|line| STANDARD.encode(line)).collect();
    let head = [
        format!("To: {to}"),
        format!("Subject: {}", in_a_head(subject)),
        "MIME-Version: 1.0".to_owned(),
        "Content-Type: text/plain; charset=utf-8".to_owned(),
        "Content-Transfer-Encoding: base64".to_owned(),
    ];
    format!("{}\n\n{}\n", head.join("\n"), body.join("\n"))
}

/// A text as the head of a mail takes it: what is not ASCII is encoded. (RFC 2047.)
fn in_a_head(text: &str) -> String {
    if text.chars().all(|character| character.is_ascii() && !character.is_ascii_control()) {
        return text.to_owned();
    }
    let mut words = vec![String::new()];
    for character in text.chars() {
        match words.last_mut() {
            Some(word) if word.len() + character.len_utf8() <= ENCODED_WORD => word.push(character),
            _ => words.push(character.to_string()),
        }
    }
    let encoded = words.iter().map(|word| format!("=?utf-8?B?{}?=", STANDARD.encode(word)));
    encoded.collect::<Vec<_>>().join("\n ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_would_be_an_option_or_break_the_head_is_no_address() {
        assert!(is_address("nina@perf.example"));
        for text in ["nina", "@perf", "nina@", "-nina@perf", "nina@perf\nBcc: all@perf", "a@b, c@d", "a b@c"]
        {
            assert!(!is_address(text), "{text}");
        }
    }

    #[test]
    fn heads_are_ascii_and_their_lines_short() {
        assert_eq!(in_a_head("prony: gate got worse"), "prony: gate got worse");
        let long = in_a_head(&"夜间".repeat(40));
        assert!(long.is_ascii() && long.lines().all(|line| line.len() <= 76), "{long}");
        let mail = mail("nina@perf", "a\nBcc: all@perf", "text");
        assert!(!mail.contains("Bcc") && mail.ends_with("\n\ndGV4dA==\n"), "{mail}");
    }
}
