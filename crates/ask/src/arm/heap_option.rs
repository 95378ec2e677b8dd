//! [`largest_heap`]: the size of the heap that the options of a JVM set.

use model::units::Bytes;

/// The largest size of the heap by the last of the options that set it, `-Xmx64m` or `-XX:MaxHeapSize=64m`; `None` if none does.
pub fn largest_heap(options: &[String]) -> Option<Bytes> {
    let sizes = options.iter().filter_map(|option| {
        let size = option.strip_prefix("-Xmx");
        size.or_else(|| option.strip_prefix("-XX:MaxHeapSize="))
    });
    sizes.filter_map(bytes).next_back()
}

/// A size as a JVM reads it: bytes, or a number with `k`, `m`, `g` or `t` in either case.
fn bytes(size: &str) -> Option<Bytes> {
    let digits = size.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let factor = match size[digits.len()..].to_ascii_lowercase().as_str() {
        "" => 1,
        "k" => 1 << 10,
        "m" => 1 << 20,
        "g" => 1 << 30,
        "t" => 1_u64 << 40,
        _ => return None,
    };
    digits.parse::<u64>().ok()?.checked_mul(factor).map(Bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_option_counts() {
        for (options, size) in [
            (&["-Xmx64m"][..], Some(64 << 20)),
            (&["-Xmx1G", "-Xms16m", "-XX:MaxHeapSize=131072k"], Some(128 << 20)),
            (&["-Xmx1048576"], Some(1 << 20)),
            (&["-Xms64m", "-Xss1m"], None),
            (&["-Xmx", "-Xmx5x", "-Xmx99999999999t"], None),
        ] {
            let options: Vec<String> = options.iter().map(|option| (*option).to_owned()).collect();
            assert_eq!(largest_heap(&options), size.map(Bytes), "{options:?}");
        }
    }
}
