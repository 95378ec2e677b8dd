//! The names of what a CPU profile shows.

use crate::words::{self, Lang};
use model::cpu_profile::JvmPart;

/// The name of a frame: that of a method or a function as it is, and a part of the JVM in words.
pub fn frame(name: &str, lang: Lang) -> String {
    let words = words::of(lang);
    match JvmPart::named(name) {
        None => name.to_owned(),
        Some(JvmPart::Kernel) => words.part_kernel.to_owned(),
        Some(JvmPart::Compiler) => words.part_compiler.to_owned(),
        Some(JvmPart::Collector) => words.part_collector.to_owned(),
        Some(JvmPart::Machine) => words.part_machine.to_owned(),
        Some(JvmPart::Native) => words.part_native.to_owned(),
        Some(JvmPart::Unknown) => words.part_unknown.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_the_jvm_have_words_and_methods_their_names() {
        assert_eq!(frame("shop.Cart.total", Lang::Zh), "shop.Cart.total");
        for lang in [Lang::En, Lang::Zh] {
            for part in JvmPart::ALL {
                assert_ne!(frame(part.frame(), lang), part.frame());
            }
        }
    }
}
