//! [`open`]: reads a PKCS #12 store, as Java and browsers keep client certificates in.
//!
//! AWS-LC, which is below rustls, has a reader of all that such files are encrypted with, but no safe interface to it. The one maintained
//! library (`p12-keystore` 0.4) would add 45 crates, one of them a pre-release, and a second set of ciphers.
#![allow(unsafe_code)]

use aws_lc_sys as lc;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer};
use std::ffi::CString;
use std::ptr::{NonNull, null_mut};

/// A client certificate with those that have signed it, and its private key.
pub(crate) type OpenedIdentity = (Vec<CertificateDer<'static>>, PrivateKeyDer<'static>);

/// Something of the library's that is freed with this.
struct Owned<T> {
    at: NonNull<T>,
    free: unsafe extern "C" fn(*mut T),
}

impl<T> Owned<T> {
    /// Takes what a function of the library has made; `None` where it has failed.
    fn new(made: *mut T, free: unsafe extern "C" fn(*mut T)) -> Option<Self> {
        Some(Self { at: NonNull::new(made)?, free })
    }

    const fn get(&self) -> *mut T {
        self.at.as_ptr()
    }
}

impl<T> Drop for Owned<T> {
    fn drop(&mut self) {
        // SAFETY: the library has made it, and nobody else frees it.
        unsafe { (self.free)(self.at.as_ptr()) }
    }
}

/// The certificates of a stack of the library's, first to last.
fn take_all(stack: &Owned<lc::OPENSSL_STACK>) -> Vec<Owned<lc::X509>> {
    let mut all = Vec::new();
    loop {
        // SAFETY: the stack is alive. What it gives is not in it any more, so that it has one owner; it gives null when it is empty.
        let last = unsafe { lc::OPENSSL_sk_pop(stack.get()) };
        match Owned::new(last.cast::<lc::X509>(), lc::X509_free) {
            Some(certificate) => all.push(certificate),
            None => break,
        }
    }
    all.reverse();
    all
}

/// What a store contains; `None` where the password is wrong, or where it is no such store, or has no key with a certificate. The password
/// is UTF-8.
pub(crate) fn open(store: &[u8], password: &str) -> Option<OpenedIdentity> {
    let password = CString::new(password).ok()?;
    let opened = opened(store, &password);
    // SAFETY: the function has no preconditions. What went wrong is of no use to whoever looks for an error of theirs on this thread.
    unsafe { lc::ERR_clear_error() };
    opened
}

fn opened(store: &[u8], password: &CString) -> Option<OpenedIdentity> {
    let mut at = store.as_ptr();
    // SAFETY: `at` and the length describe `store`, which is read and not kept; a null pointer asks for a new object.
    let read = unsafe { lc::d2i_PKCS12(null_mut(), &raw mut at, store.len()) };
    let read = Owned::new(read, lc::PKCS12_free)?;
    let (mut key, mut own, mut others) = (null_mut(), null_mut(), null_mut());
    // SAFETY: the store is alive and the password ends with 0; the three pointers are null, so that what is found is stored there.
    let result = unsafe {
        lc::PKCS12_parse(read.get(), password.as_ptr(), &raw mut key, &raw mut own, &raw mut others)
    };
    if result != 1 {
        return None;
    }
    let key = Owned::new(key, lc::EVP_PKEY_free);
    let own = Owned::new(own, lc::X509_free);
    // A stack of certificates is a stack of pointers (`sk_X509_num` and the like cast in this way).
    let others = Owned::new(others.cast::<lc::OPENSSL_STACK>(), lc::OPENSSL_sk_free)?;
    let mut chain = vec![own?];
    chain.extend(take_all(&others));
    let certificates = chain.iter().map(certificate_bytes).collect::<Option<_>>()?;
    Some((certificates, PrivatePkcs8KeyDer::from(key_bytes(&key?)?).into()))
}

fn certificate_bytes(certificate: &Owned<lc::X509>) -> Option<CertificateDer<'static>> {
    let mut bytes = null_mut();
    // SAFETY: the certificate is alive, and `bytes` is null, so that memory is taken for it.
    let length = unsafe { lc::i2d_X509(certificate.get(), &raw mut bytes) };
    taken(bytes, usize::try_from(length).ok()?).map(CertificateDer::from)
}

/// The key as PKCS #8.
fn key_bytes(key: &Owned<lc::EVP_PKEY>) -> Option<Vec<u8>> {
    // SAFETY: all zeroes is a valid builder that is not in use.
    let mut builder: lc::CBB = unsafe { std::mem::zeroed() };
    let (mut bytes, mut length) = (null_mut(), 0);
    // SAFETY: the builder is initialised before it is used, and finished or cleaned up after it.
    let is_done = unsafe {
        let is_written = lc::CBB_init(&raw mut builder, 0) == 1
            && lc::EVP_marshal_private_key(&raw mut builder, key.get()) == 1
            && lc::CBB_finish(&raw mut builder, &raw mut bytes, &raw mut length) == 1;
        if !is_written {
            lc::CBB_cleanup(&raw mut builder);
        }
        is_written
    };
    if is_done { taken(bytes, length) } else { None }
}

/// Copies bytes of memory that the library has taken for them, and gives the memory back.
fn taken(bytes: *mut u8, length: usize) -> Option<Vec<u8>> {
    let bytes = NonNull::new(bytes)?;
    // SAFETY: the library has written so many bytes there.
    let copy = unsafe { std::slice::from_raw_parts(bytes.as_ptr(), length) }.to_vec();
    // SAFETY: the library has taken the memory, and nobody uses it after this; it overwrites it before.
    unsafe { lc::OPENSSL_free(bytes.as_ptr().cast()) };
    Some(copy)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A store of `openssl pkcs12 -export` (AES-256) and one of `-legacy` (RC2 and 3DES), with a key of P-256 and the password `tea time`.
    const STORES: [&[u8]; 2] =
        [include_bytes!("pkcs12/client.p12"), include_bytes!("pkcs12/client-legacy.p12")];

    #[test]
    fn stores_of_both_generations_are_opened_by_their_password() {
        for store in STORES {
            let (chain, key) = open(store, "tea time").expect("the store");
            assert_eq!(chain.len(), 2, "the certificate and its authority");
            assert!(matches!(key, PrivateKeyDer::Pkcs8(_)));
            assert!(open(store, "wrong").is_none() && open(store, "tea\0time").is_none());
            assert!((0..store.len()).step_by(97).all(|end| open(&store[..end], "tea time").is_none()));
        }
        assert!(open(b"-----BEGIN CERTIFICATE-----", "").is_none());
    }
}
