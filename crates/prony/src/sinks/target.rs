//! [`SinkTarget`]: the kind of a sink and where it is.

use super::kind::{BadAddress, Place, Sending, SinkKind};
use super::kinds;
use crate::failure::Failure;
use crate::user_config::ConfigComplaint;
use std::fmt;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

/// A sink as `--sink` names it: `FORMAT=ADDRESS`.
pub(crate) struct SinkTarget {
    pub(super) kind: SinkKind,
    place: Box<dyn Place>,
    /// The value of the header `Authorization`.
    authorization: Option<String>,
}

impl SinkTarget {
    /// Reads `FORMAT=ADDRESS`.
    ///
    /// # Errors
    ///
    /// [`ConfigComplaint::NoSink`], and [`ConfigComplaint::PasswordInSink`] where the address holds a secret; neither quotes it.
    pub(crate) fn parse(text: &str) -> Result<Self, ConfigComplaint> {
        let no_sink = || ConfigComplaint::NoSink { forms: kinds::examples() };
        let (format, address) = text.split_once('=').ok_or_else(no_sink)?;
        let kind = kinds::named(format).ok_or_else(no_sink)?;
        let place = (kind.place)(address).map_err(|bad| match bad {
            BadAddress::NoAddress => no_sink(),
            BadAddress::HasSecret => ConfigComplaint::PasswordInSink,
        })?;
        Ok(Self { kind, place, authorization: None })
    }

    /// Prepares to send.
    ///
    /// # Errors
    ///
    /// See [`Place::open`].
    pub(super) fn open(&self) -> Result<Box<dyn Sending>, Failure> {
        self.place.open(self.authorization.as_deref())
    }

    /// The sink, with the header `Authorization` that this file holds.
    ///
    /// # Errors
    ///
    /// [`ConfigComplaint::Authorization`] when the file cannot be read, or can be read by others, or holds no value of a header.
    pub(crate) fn with_authorization(self, path: &Path) -> Result<Self, ConfigComplaint> {
        let because = |refused| ConfigComplaint::Authorization { path: path.to_owned(), refused };
        let facts = std::fs::metadata(path).map_err(|source| because(Some(source)))?;
        let text = std::fs::read_to_string(path).map_err(|source| because(Some(source)))?;
        let value = text.trim();
        let is_value = !value.is_empty() && value.bytes().all(|byte| (b' '..=b'~').contains(&byte));
        if facts.permissions().mode() & 0o077 != 0 || !is_value {
            return Err(because(None));
        }
        Ok(Self { authorization: Some(value.to_owned()), ..self })
    }
}

impl fmt::Display for SinkTarget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.kind.name, self.place)
    }
}

impl fmt::Debug for SinkTarget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SinkTarget({self})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sink_is_shown_without_its_query() {
        let sink = SinkTarget::parse("influx=http://127.0.0.1:8086/write?db=perf").expect("a sink");
        assert_eq!(sink.to_string(), "influx at http://127.0.0.1:8086");
        let sink = SinkTarget::parse("statsd=127.0.0.1:8125").expect("a sink");
        assert_eq!(sink.to_string(), "statsd at 127.0.0.1:8125");
        let sink = SinkTarget::parse("prometheus-scrape=[::1]:9464").expect("a sink");
        assert_eq!(sink.to_string(), "prometheus-scrape at [::1]:9464");
    }

    #[test]
    fn what_is_no_sink_or_holds_a_password_is_refused_and_not_quoted() {
        for text in [
            "influx",
            "kafka=http://127.0.0.1/",
            "influx=127.0.0.1:8086",
            "statsd=http://127.0.0.1/",
            "prometheus-scrape=9464",
            "jtl=",
            "influx=http://nina:marked-secret@127.0.0.1/write?db=perf",
            "influx=http://127.0.0.1/write?db=perf&u=nina&p=marked-secret",
            "opensearch=https://127.0.0.1/?API_KEY=marked-secret",
        ] {
            let refused = SinkTarget::parse(text).expect_err("refused");
            assert_eq!(
                matches!(refused, ConfigComplaint::PasswordInSink),
                text.contains("marked-secret"),
                "{text}"
            );
            assert!(!format!("{refused:?}").contains("marked-secret"));
        }
    }
}
