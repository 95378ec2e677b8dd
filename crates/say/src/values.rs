//! The words of plain values, and what texts ask of values: whether they are there, whether they are one, and their number.

use crate::units::{BitRate, Bytes, Count, Cpus, Rate, Seconds, Share};
use crate::{Cause, Say, Writer, lists};
use std::net::{IpAddr, SocketAddr};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Values whose own text is the same in both languages. `f64` is none of them: a number needs a unit or a format.
macro_rules! own_text {
    ($($kind:ty)*) => {
        $(impl Say for $kind {
            fn say(&self, out: &mut Writer) {
                out.value(self);
            }
        })*
    };
}

own_text! {
    str String char u8 u16 u32 u64 usize i32 i64 IpAddr SocketAddr std::io::Error
    Seconds Share Count Cpus Rate BitRate Bytes
}

impl Say for Path {
    fn say(&self, out: &mut Writer) {
        out.value(self.display());
    }
}

impl Say for PathBuf {
    fn say(&self, out: &mut Writer) {
        self.as_path().say(out);
    }
}

/// Nothing.
impl Say for () {
    fn say(&self, _: &mut Writer) {}
}

/// Values that say what is behind them.
macro_rules! behind {
    ($($kind:ty)*) => {
        $(impl<T: Say + ?Sized> Say for $kind {
            fn say(&self, out: &mut Writer) {
                (**self).say(out);
            }

            fn hint(&self, out: &mut Writer) {
                (**self).hint(out);
            }

            fn below(&self) -> Option<Cause<'_>> {
                (**self).below()
            }
        })*
    };
}

behind! { &T Box<T> Arc<T> }

/// `None` is nothing.
impl<T: Say> Say for Option<T> {
    fn say(&self, out: &mut Writer) {
        if let Some(value) = self {
            value.say(out);
        }
    }

    fn hint(&self, out: &mut Writer) {
        if let Some(value) = self {
            value.hint(out);
        }
    }
}

impl<T: Say> Say for [T] {
    fn say(&self, out: &mut Writer) {
        lists::and(self, out);
    }
}

impl<T: Say> Say for Vec<T> {
    fn say(&self, out: &mut Writer) {
        lists::and(self, out);
    }
}

/// A value that may be missing, as `{name?…}` asks.
pub trait Present {
    /// What is there.
    type Value: ?Sized;

    /// What is there; `None` where it is missing.
    fn present(&self) -> Option<&Self::Value>;
}

impl<T> Present for Option<T> {
    type Value = T;

    fn present(&self) -> Option<&T> {
        self.as_ref()
    }
}

/// `false` is missing.
impl Present for bool {
    type Value = ();

    fn present(&self) -> Option<&()> {
        self.then_some(&())
    }
}

/// An empty list is missing.
impl<T> Present for Vec<T> {
    type Value = [T];

    fn present(&self) -> Option<&[T]> {
        Some(self.as_slice()).filter(|items| !items.is_empty())
    }
}

impl<T: Present + ?Sized> Present for &T {
    type Value = T::Value;

    fn present(&self) -> Option<&Self::Value> {
        (**self).present()
    }
}

/// A value that is one or many, as `{name|start|starts}` asks.
pub trait Counted {
    /// Whether it is exactly one.
    fn is_one(&self) -> bool;
}

impl<T> Counted for Vec<T> {
    fn is_one(&self) -> bool {
        self.len() == 1
    }
}

impl<T: Counted + ?Sized> Counted for &T {
    fn is_one(&self) -> bool {
        (**self).is_one()
    }
}

/// A number that a format of [`crate::numbers`] takes.
pub trait Number {
    /// Its value.
    fn number(&self) -> f64;
}

impl Number for f64 {
    fn number(&self) -> f64 {
        *self
    }
}

impl<T: Number + ?Sized> Number for &T {
    fn number(&self) -> f64 {
        (**self).number()
    }
}

macro_rules! whole_numbers {
    ($($kind:ty)*) => {
        $(impl Counted for $kind {
            fn is_one(&self) -> bool {
                *self == 1
            }
        }

        impl Number for $kind {
            fn number(&self) -> f64 {
                *self as f64
            }
        })*
    };
}

whole_numbers! { u8 u16 u32 u64 usize }
