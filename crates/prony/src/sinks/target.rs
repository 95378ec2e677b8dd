//! [`SinkTarget`]: the format of a sink and where it is.

use super::format::HttpFormat;
use crate::user_config::ConfigComplaint;
use import::Address;
use std::fmt;
use std::net::SocketAddr;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// Parameters of a URL that hold a secret, as InfluxDB and others take them.
const SECRET_PARAMETERS: [&str; 7] = ["p", "password", "token", "access_token", "api_key", "apikey", "key"];

/// A sink as `--sink` names it: `FORMAT=ADDRESS`.
#[derive(Clone)]
pub(crate) struct SinkTarget {
    pub(super) place: Place,
    /// The value of the header `Authorization`.
    pub(super) authorization: Option<String>,
}

/// Where a sink is, and what it takes there.
#[derive(Clone)]
pub(super) enum Place {
    /// A URL.
    Http {
        /// The format of the requests.
        format: HttpFormat,
        /// The URL.
        address: Address,
    },
    /// `HOST:PORT` of UDP, which takes StatsD's gauges.
    Statsd(String),
    /// The address of this machine at which Prometheus reads.
    Scrape(SocketAddr),
    /// A file of JMeter's results.
    Jtl(PathBuf),
}

impl SinkTarget {
    /// Reads `FORMAT=ADDRESS`.
    ///
    /// # Errors
    ///
    /// [`ConfigComplaint::NoSink`], and [`ConfigComplaint::PasswordInSink`] where the address holds a secret; neither quotes it.
    pub(crate) fn parse(text: &str) -> Result<Self, ConfigComplaint> {
        let (format, address) = text.split_once('=').ok_or(ConfigComplaint::NoSink)?;
        let place = match format {
            "statsd" => udp(address)?,
            "prometheus-scrape" => Place::Scrape(address.parse().map_err(|_| ConfigComplaint::NoSink)?),
            "jtl" if !address.is_empty() => Place::Jtl(address.into()),
            _ => Place::Http {
                format: HttpFormat::named(format).ok_or(ConfigComplaint::NoSink)?,
                address: http(address)?,
            },
        };
        Ok(Self { place, authorization: None })
    }

    /// Whether it has a place for verdicts.
    pub(super) const fn takes_verdicts(&self) -> bool {
        !matches!(self.place, Place::Jtl(_))
    }

    /// Whether it takes the trace of a run.
    pub(super) const fn takes_traces(&self) -> bool {
        let Place::Http { format, .. } = &self.place else {
            return false;
        };
        matches!(format, HttpFormat::Otlp)
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

/// Without the query, which is of no use to a reader and may hold what should not be shown.
impl fmt::Display for SinkTarget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.place {
            Place::Http { format, address } => write!(f, "{} at {}", format.name(), address.origin()),
            Place::Statsd(place) => write!(f, "statsd at {place}"),
            Place::Scrape(address) => write!(f, "prometheus-scrape at {address}"),
            Place::Jtl(path) => write!(f, "jtl in {}", path.display()),
        }
    }
}

impl fmt::Debug for SinkTarget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SinkTarget({self})")
    }
}

fn udp(address: &str) -> Result<Place, ConfigComplaint> {
    let (host, port) = address.rsplit_once(':').ok_or(ConfigComplaint::NoSink)?;
    match port.parse::<u16>() {
        Ok(_) if !host.is_empty() && !host.contains(['/', '@']) => Ok(Place::Statsd(address.to_owned())),
        _ => Err(ConfigComplaint::NoSink),
    }
}

fn http(address: &str) -> Result<Address, ConfigComplaint> {
    if !address.starts_with("http://") && !address.starts_with("https://") {
        return Err(ConfigComplaint::NoSink);
    }
    let address = Address::parse(address).map_err(|_| ConfigComplaint::NoSink)?;
    let query = address.path.split_once('?').map_or("", |(_, query)| query);
    let names = query.split('&').map(|pair| pair.split('=').next().unwrap_or_default());
    let mut secrets = names.filter(|name| SECRET_PARAMETERS.contains(&name.to_ascii_lowercase().as_str()));
    if address.user.is_some() || secrets.next().is_some() {
        return Err(ConfigComplaint::PasswordInSink);
    }
    Ok(address)
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
