//! Writes a certificate and its key as a Java key store (JKS), for servers that read no PEM files.
//!
//! Tomcat and Spring Boot read the PEM files; Jetty and an embedded Undertow need a key store. Every JDK reads JKS, and
//! writing it needs nothing but SHA-1. PKCS #12 would need ciphers (`p12-keystore`, the only maintained crate, brings
//! over fifty crates, two of them pre-releases) and would protect nothing here, because the password is public. The key
//! is protected because only our user can read the file, and because it is deleted after the start. The layout is the
//! one in `sun.security.provider.JavaKeyStore` and `KeyProtector` of OpenJDK.

use aws_lc_rs::digest::{Context, SHA1_FOR_LEGACY_USE_ONLY};

/// The password that a reader has to give.
pub(crate) const PASSWORD: &str = "prony";
/// The name of its only entry.
pub(crate) const ALIAS: &str = "server";
/// The name of the format for Java.
pub(crate) const FORMAT: &str = "JKS";

const MAGIC: u32 = 0xFEED_FEED;
const VERSION: u32 = 2;
const PRIVATE_KEY: u32 = 1;
/// The digest over the whole file starts with the password and this text: a joke of its author, and part of the format.
const WHITENER: &[u8] = b"Mighty Aphrodite";
/// The object identifier 1.3.6.1.4.1.42.2.17.1.1 (Sun's own key protection) without parameters, in DER.
const PROTECTED: [u8; 16] =
    [0x30, 0x0E, 0x06, 0x0A, 0x2B, 0x06, 0x01, 0x04, 0x01, 0x2A, 0x02, 0x11, 0x01, 0x01, 0x05, 0x00];

/// The bytes of a key store with this certificate and its key (PKCS #8), both given in DER.
pub(crate) fn jks(certificate: &[u8], key: &[u8]) -> Vec<u8> {
    let mut file = Vec::new();
    for word in [MAGIC, VERSION, 1, PRIVATE_KEY] {
        file.extend(word.to_be_bytes());
    }
    text(&mut file, ALIAS);
    file.extend(0u64.to_be_bytes()); // The time of creation, which nobody reads.
    block(&mut file, &protected(key));
    file.extend(1u32.to_be_bytes());
    text(&mut file, "X.509");
    block(&mut file, certificate);
    let whole = sha1(&[&password(), WHITENER, &file]);
    file.extend(whole);
    file
}

/// The protected key: every 20 bytes are XORed with the digest of the password and of the 20 bytes of pad before them.
fn protected(key: &[u8]) -> Vec<u8> {
    let salt = [0; 20]; // The password is public, so the salt need not be secret either.
    let mut hidden = salt.to_vec();
    let mut pad = salt;
    for part in key.chunks(pad.len()) {
        pad = sha1(&[&password(), &pad]);
        hidden.extend(part.iter().zip(pad).map(|(byte, pad)| byte ^ pad));
    }
    hidden.extend(sha1(&[&password(), key]));
    let octets = der(0x04, &hidden);
    der(0x30, &[&PROTECTED, octets.as_slice()].concat())
}

/// The password in UTF-16, as Java holds it in memory.
fn password() -> Vec<u8> {
    PASSWORD.encode_utf16().flat_map(u16::to_be_bytes).collect()
}

fn sha1(parts: &[&[u8]]) -> [u8; 20] {
    let mut digest = Context::new(&SHA1_FOR_LEGACY_USE_ONLY);
    for part in parts {
        digest.update(part);
    }
    let mut sum = [0; 20];
    sum.copy_from_slice(digest.finish().as_ref());
    sum
}

/// Encodes an ASN.1 value shorter than 64 KiB.
fn der(tag: u8, content: &[u8]) -> Vec<u8> {
    let [high, low] = (content.len() as u16).to_be_bytes();
    let length = match (high, low) {
        (0, 0..=127) => vec![low],
        (0, _) => vec![0x81, low],
        _ => vec![0x82, high, low],
    };
    [&[tag], length.as_slice(), content].concat()
}

fn text(file: &mut Vec<u8>, text: &str) {
    file.extend((text.len() as u16).to_be_bytes());
    file.extend(text.as_bytes());
}

fn block(file: &mut Vec<u8>, bytes: &[u8]) {
    file.extend((bytes.len() as u32).to_be_bytes());
    file.extend(bytes);
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    /// Java itself checks the file: `keytool` reads it, checks its digest, and signs with the key, so the key fits.
    #[test]
    fn java_reads_it_and_signs_with_the_key_in_it() {
        let Some(jdk) = crate::tools::jdk::jdks().pop() else {
            eprintln!("skipped: there is no Java");
            return;
        };
        let made = rcgen::generate_simple_self_signed(["localhost".to_owned()]).expect("made");
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("store.jks");
        let bytes = jks(made.cert.der(), &made.signing_key.serialize_der());
        std::fs::write(&file, &bytes).expect("written");
        let keytool = |file: &std::path::Path| {
            let mut command = Command::new(jdk.home.join("bin/keytool"));
            let words = ["-certreq", "-alias", "server", "-storetype", FORMAT, "-storepass", PASSWORD];
            command.args(words).arg("-keystore").arg(file);
            command.output().expect("keytool runs")
        };
        let output = keytool(&file);
        let request = String::from_utf8_lossy(&output.stdout);
        assert!(request.contains("BEGIN NEW CERTIFICATE REQUEST"), "{output:?}");
        let mut broken = bytes;
        broken[100] ^= 1;
        std::fs::write(&file, broken).expect("written");
        assert!(!keytool(&file).status.success(), "its digest is not checked");
    }

    #[test]
    fn lengths_are_encoded_as_asn_1_demands() {
        assert_eq!(der(4, &[7; 2]), [4, 2, 7, 7]);
        assert_eq!(der(4, &[0; 200])[..3], [4, 0x81, 200]);
        assert_eq!(der(4, &[0; 300])[..4], [4, 0x82, 1, 44]);
    }
}
