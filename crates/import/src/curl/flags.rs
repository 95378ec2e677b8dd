//! The options of curl.

/// What an option means for a load.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Flag {
    /// `-X`.
    Method,
    /// `-H`.
    Header,
    /// What is sent.
    Body(BodyFlag),
    /// `-u`.
    User,
    /// `-b`.
    Cookie,
    /// `-A`.
    Agent,
    /// `-e`.
    Referer,
    /// `-r`.
    Range,
    /// `--oauth2-bearer`.
    Bearer,
    /// `--compressed`.
    Compressed,
    /// `--url`.
    Url,
    /// `--url-query`.
    Query,
    /// `--request-target`.
    Target,
    /// `-m`.
    MaxTime,
    /// `--max-redirs`.
    MaxRedirects,
    /// `--cacert`.
    Authorities,
    /// `-G`.
    Get,
    /// `-I`.
    Head,
    /// `-k`.
    Insecure,
    /// `-L`.
    Follow,
    /// `-g`.
    NoGlobbing,
    /// `--path-as-is`.
    KeepDots,
    /// `--next`.
    Next,
    /// It changes what curl prints or how it works, but not what it sends.
    Nothing,
    /// It changes the connection; the file tells that it was left out.
    LeftOut,
    /// prony cannot do it.
    Unsupported,
}

/// An option of curl that gives a part of the request's body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BodyFlag {
    /// `-d` and `--data-ascii`.
    Data,
    /// `--data-raw`: an `@` is a part of the text.
    RawData,
    /// `--data-binary`: line breaks of a file stay.
    BinaryData,
    /// `--data-urlencode`.
    EncodedData,
    /// `--json`.
    Json,
    /// `-F`.
    Form,
    /// `--form-string`.
    FormString,
    /// `-T`.
    Upload,
}

impl Flag {
    /// Whether it has a value.
    const fn has_value(self) -> bool {
        matches!(
            self,
            Self::Method
                | Self::Header
                | Self::Body(_)
                | Self::User
                | Self::Cookie
                | Self::Agent
                | Self::Referer
                | Self::Range
                | Self::Bearer
                | Self::Url
                | Self::Query
                | Self::Target
                | Self::MaxTime
                | Self::MaxRedirects
                | Self::Authorities
        )
    }
}

/// An option that is known.
#[derive(Clone, Copy, Debug)]
pub(super) struct Known {
    pub(super) flag: Flag,
    pub(super) has_value: bool,
}

/// The options that mean something, by their long and short name; `-` where there is no short one.
const MEANINGFUL: [(&str, char, Flag); 32] = [
    ("request", 'X', Flag::Method),
    ("header", 'H', Flag::Header),
    ("data", 'd', Flag::Body(BodyFlag::Data)),
    ("data-ascii", '-', Flag::Body(BodyFlag::Data)),
    ("data-raw", '-', Flag::Body(BodyFlag::RawData)),
    ("data-binary", '-', Flag::Body(BodyFlag::BinaryData)),
    ("data-urlencode", '-', Flag::Body(BodyFlag::EncodedData)),
    ("json", '-', Flag::Body(BodyFlag::Json)),
    ("form", 'F', Flag::Body(BodyFlag::Form)),
    ("form-string", '-', Flag::Body(BodyFlag::FormString)),
    ("user", 'u', Flag::User),
    ("cookie", 'b', Flag::Cookie),
    ("user-agent", 'A', Flag::Agent),
    ("referer", 'e', Flag::Referer),
    ("range", 'r', Flag::Range),
    ("oauth2-bearer", '-', Flag::Bearer),
    ("upload-file", 'T', Flag::Body(BodyFlag::Upload)),
    ("url", '-', Flag::Url),
    ("url-query", '-', Flag::Query),
    ("request-target", '-', Flag::Target),
    ("compressed", '-', Flag::Compressed),
    ("path-as-is", '-', Flag::KeepDots),
    ("max-time", 'm', Flag::MaxTime),
    ("max-redirs", '-', Flag::MaxRedirects),
    ("cacert", '-', Flag::Authorities),
    ("get", 'G', Flag::Get),
    ("head", 'I', Flag::Head),
    ("insecure", 'k', Flag::Insecure),
    ("location", 'L', Flag::Follow),
    ("location-trusted", '-', Flag::Follow),
    ("globoff", 'g', Flag::NoGlobbing),
    ("next", ':', Flag::Next),
];

/// Options without a value that do not change what is sent.
const SILENT: [(&str, char); 40] = [
    ("silent", 's'),
    ("show-error", 'S'),
    ("verbose", 'v'),
    ("include", 'i'),
    ("show-headers", '-'),
    ("fail", 'f'),
    ("fail-with-body", '-'),
    ("fail-early", '-'),
    ("progress-bar", '#'),
    ("no-progress-meter", '-'),
    ("no-buffer", 'N'),
    ("basic", '-'),
    ("http1.1", '-'),
    ("ipv4", '4'),
    ("ipv6", '6'),
    ("tcp-nodelay", '-'),
    ("ssl-no-revoke", '-'),
    ("remote-name", 'O'),
    ("remote-header-name", 'J'),
    ("create-dirs", '-'),
    ("parallel", 'Z'),
    ("disable", 'q'),
    ("junk-session-cookies", 'j'),
    ("keepalive", '-'),
    ("styled-output", '-'),
    ("remote-name-all", '-'),
    ("remote-time", 'R'),
    ("retry-all-errors", '-'),
    ("retry-connrefused", '-'),
    ("no-progress-bar", '-'),
    ("trace-time", '-'),
    ("trace-ids", '-'),
    ("remove-on-error", '-'),
    ("no-clobber", '-'),
    ("parallel-immediate", '-'),
    ("skip-existing", '-'),
    ("test-event", '-'),
    ("ssl-reqd", '-'),
    ("crlf", '-'),
    ("xattr", '-'),
];

/// Options with a value that do not change what is sent.
const SILENT_WITH_VALUE: [(&str, char); 22] = [
    ("output", 'o'),
    ("output-dir", '-'),
    ("write-out", 'w'),
    ("dump-header", 'D'),
    ("cookie-jar", 'c'),
    ("stderr", '-'),
    ("trace", '-'),
    ("trace-ascii", '-'),
    ("retry", '-'),
    ("retry-delay", '-'),
    ("retry-max-time", '-'),
    ("connect-timeout", '-'),
    ("speed-limit", 'Y'),
    ("speed-time", 'y'),
    ("parallel-max", '-'),
    ("rate", '-'),
    ("proto", '-'),
    ("proto-redir", '-'),
    ("proto-default", '-'),
    ("noproxy", '-'),
    ("libcurl", '-'),
    ("max-filesize", '-'),
];

/// Options without a value that change the connection.
const CONNECTION: [&str; 13] = [
    "http2",
    "http2-prior-knowledge",
    "http1.0",
    "http3",
    "tlsv1.2",
    "tlsv1.3",
    "no-keepalive",
    "tcp-fastopen",
    "tlsv1",
    "tlsv1.0",
    "tlsv1.1",
    "ssl",
    "http3-only",
];

/// Options with a value that change the connection.
const CONNECTION_WITH_VALUE: [&str; 14] = [
    "limit-rate",
    "resolve",
    "connect-to",
    "interface",
    "ciphers",
    "tls-max",
    "keepalive-time",
    "local-port",
    "dns-servers",
    "capath",
    "pinnedpubkey",
    "tls13-ciphers",
    "doh-url",
    "happy-eyeballs-timeout-ms",
];

/// Options without a value that prony cannot follow.
const UNSUPPORTED: [&str; 12] = [
    "digest",
    "ntlm",
    "negotiate",
    "anyauth",
    "http0.9",
    "proxytunnel",
    "netrc",
    "post301",
    "post302",
    "post303",
    "etag-compare",
    "use-ascii",
];

/// Options with a value that prony cannot follow.
const UNSUPPORTED_WITH_VALUE: [(&str, char); 11] = [
    ("proxy", 'x'),
    ("proxy-user", 'U'),
    ("socks5", '-'),
    ("socks5-hostname", '-'),
    ("cert", 'E'),
    ("key", '-'),
    ("unix-socket", '-'),
    ("config", 'K'),
    ("aws-sigv4", '-'),
    ("continue-at", 'C'),
    ("variable", '-'),
];

/// Returns what is known of an option by its long name, or by its short one.
fn known(is_it: impl Fn(&str, char) -> bool) -> Option<Known> {
    let of = |flag: Flag, has_value: bool| Some(Known { flag, has_value });
    if let Some((_, _, flag)) = MEANINGFUL.iter().find(|(long, short, _)| is_it(long, *short)) {
        return of(*flag, flag.has_value());
    }
    let any = |list: &[(&str, char)]| list.iter().any(|(long, short)| is_it(long, *short));
    let any_long = |list: &[&str]| list.iter().any(|long| is_it(long, '-'));
    if any(&SILENT) || any(&SILENT_WITH_VALUE) {
        return of(Flag::Nothing, any(&SILENT_WITH_VALUE));
    }
    if any_long(&CONNECTION) || any_long(&CONNECTION_WITH_VALUE) {
        return of(Flag::LeftOut, any_long(&CONNECTION_WITH_VALUE));
    }
    if any_long(&UNSUPPORTED) || any(&UNSUPPORTED_WITH_VALUE) {
        return of(Flag::Unsupported, any(&UNSUPPORTED_WITH_VALUE));
    }
    None
}

/// Returns what is known of `--name`.
pub(super) fn long(name: &str) -> Option<Known> {
    known(|long, _| long == name)
}

/// Returns what is known of `-c`.
pub(super) fn short(c: char) -> Option<Known> {
    known(|_, short| short == c && c != '-')
}
