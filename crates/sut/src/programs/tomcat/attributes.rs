//! The attributes that the Connector of a version of Tomcat takes, as its own documentation and classes tell: Tomcat ignores any other.

use crate::error::{Error, FileAct};
use crate::programs::tomcat::connector::UPGRADE;
use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;
use zip::ZipArchive;

/// The page of a distribution's documentation that lists attributes, each marked like this.
const DOCUMENTED: &str = "webapps/docs/config/http.html";
const MARK: &str = "attributeName\">";
/// The jars with the classes of a connector, and where these are.
const JARS: [&str; 2] = ["lib/tomcat-coyote.jar", "lib/catalina.jar"];
const CLASSES: [&str; 5] = [
    UPGRADE_CLASSES,
    "org/apache/coyote/http11/",
    "org/apache/coyote/Abstract",
    "org/apache/tomcat/util/net/",
    "org/apache/catalina/connector/Connector.class",
];
/// The classes of HTTP/2, whose attributes are those of the UpgradeProtocol.
const UPGRADE_CLASSES: &str = "org/apache/coyote/http2/Http2Protocol";
/// The prefix of attributes that are properties of the socket.
const OF_SOCKET: &str = "socket.";

/// The attributes of the Connector of an unpacked distribution.
#[derive(Debug)]
pub struct ConnectorAttributes(BTreeSet<String>);

impl ConnectorAttributes {
    /// Reads the documentation and the setters of the classes of a distribution.
    pub fn of(home: &Path) -> Result<Self, Error> {
        let mut names = BTreeSet::new();
        let page = fs::read_to_string(home.join(DOCUMENTED)).unwrap_or_default();
        let documented = page.split(MARK).skip(1).filter_map(|rest| rest.split('<').next());
        names.extend(documented.map(|name| name.trim().to_owned()));
        for jar in JARS.map(|jar| home.join(jar)) {
            let setters = setters(&jar).map_err(|error| Error::io(FileAct::Read, &jar, error))?;
            names.extend(setters);
        }
        Ok(Self(names))
    }

    /// Whether the Connector takes an attribute of this name.
    pub fn has(&self, name: &str) -> bool {
        self.0.contains(name) || name.strip_prefix(OF_SOCKET).is_some_and(|name| self.0.contains(name))
    }

    /// The attribute whose name is nearest to this one.
    pub fn nearest(&self, name: &str) -> Option<String> {
        ask::diagnostic::nearest(name, self.0.iter().map(String::as_str)).map(str::to_owned)
    }
}

/// The properties that have a setter in the classes of a connector in a jar: `maxThreads` for `setMaxThreads`, and `SSLEnabled` for
/// `setSSLEnabled`.
fn setters(jar: &Path) -> io::Result<BTreeSet<String>> {
    let mut archive = ZipArchive::new(File::open(jar)?)?;
    let mut names = BTreeSet::new();
    for index in 0..archive.len() {
        let mut entry = archive.by_index(index)?;
        let name = entry.name()?.into_owned();
        if !name.ends_with(".class") || !CLASSES.iter().any(|place| name.starts_with(place)) {
            continue;
        }
        let of = if name.starts_with(UPGRADE_CLASSES) { UPGRADE } else { "" };
        let mut class = Vec::new();
        entry.read_to_end(&mut class)?;
        for text in constants(&class) {
            let Some(property) =
                text.strip_prefix("set").filter(|rest| rest.chars().all(char::is_alphanumeric))
            else {
                continue;
            };
            let mut letters = property.chars();
            if let Some(first) = letters.next() {
                names.insert(format!("{of}{property}"));
                names.insert(of.chars().chain(first.to_lowercase()).chain(letters).collect());
            }
        }
    }
    Ok(names)
}

/// The texts in the pool of constants of a class (JVM specification, 4.4). What cannot be read ends them.
fn constants(class: &[u8]) -> Vec<String> {
    let number = |at: usize| Some(usize::from(u16::from_be_bytes(class.get(at..at + 2)?.try_into().ok()?)));
    let mut texts = Vec::new();
    let Some(count) = number(8) else {
        return texts;
    };
    let (mut at, mut index) = (10, 1);
    while index < count {
        let Some(tag) = class.get(at) else {
            break;
        };
        // A long and a double take two places.
        index += if matches!(tag, 5 | 6) { 2 } else { 1 };
        at += match tag {
            1 => {
                let Some(length) = number(at + 1) else {
                    break;
                };
                let bytes = class.get(at + 3..at + 3 + length).unwrap_or_default();
                texts.push(String::from_utf8_lossy(bytes).into_owned());
                3 + length
            }
            7 | 8 | 16 | 19 | 20 => 3,
            15 => 4,
            3 | 4 | 9..=12 | 17 | 18 => 5,
            5 | 6 => 9,
            _ => break,
        };
    }
    texts
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;
    use zip::ZipWriter;
    use zip::write::SimpleFileOptions;

    /// A class with these constants, and nothing else.
    fn class(texts: &[&str]) -> Vec<u8> {
        let mut bytes = vec![0xca, 0xfe, 0xba, 0xbe, 0, 0, 0, 61];
        bytes.extend((texts.len() as u16 + 3).to_be_bytes());
        bytes.extend([5, 0, 0, 0, 0, 0, 0, 0, 1]); // A long.
        for text in texts {
            bytes.push(1);
            bytes.extend((text.len() as u16).to_be_bytes());
            bytes.extend(text.as_bytes());
        }
        bytes
    }

    #[test]
    fn attributes_are_those_of_the_documentation_and_of_the_setters() {
        let home = tempfile::tempdir().expect("a folder");
        let write = |jar: &str, entries: &[(&str, Vec<u8>)]| {
            let mut out = io::Cursor::new(Vec::new());
            let mut archive = ZipWriter::new(&mut out);
            for (name, bytes) in entries {
                archive.start_file(*name, SimpleFileOptions::default()).expect("begun");
                archive.write_all(bytes).expect("written");
            }
            archive.finish().expect("written");
            let path = home.path().join(jar);
            fs::create_dir_all(path.parent().expect("a folder")).expect("made");
            fs::write(path, out.into_inner()).expect("written");
        };
        let protocol = class(&["setMaxThreads", "setSSLEnabled", "getNothing", "setTxBufSize"]);
        write(
            JARS[0],
            &[
                ("org/apache/coyote/http11/A.class", protocol),
                ("org/apache/coyote/http2/Http2Protocol.class", class(&["setInitialWindowSize"])),
                ("other/B.class", class(&["setOther"])),
            ],
        );
        write(JARS[1], &[]);
        let docs = home.path().join(DOCUMENTED);
        fs::create_dir_all(docs.parent().expect("a folder")).expect("made");
        fs::write(docs, "<code class=\"attributeName\">rejectIllegalHeader</code>").expect("written");
        let known = ConnectorAttributes::of(home.path()).expect("read");
        for name in [
            "maxThreads",
            "SSLEnabled",
            "socket.txBufSize",
            "rejectIllegalHeader",
            "UpgradeProtocol.initialWindowSize",
        ] {
            assert!(known.has(name), "{name}");
        }
        for name in ["maxThreds", "nothing", "other", "initialWindowSize"] {
            assert!(!known.has(name), "{name}");
        }
        assert_eq!(known.nearest("maxThreds").as_deref(), Some("maxThreads"));
    }
}
