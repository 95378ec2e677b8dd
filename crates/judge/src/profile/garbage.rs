//! What allocates most of what the collector has to clean up, from the flight recorder's samples of allocations.

use super::frames::{Owner, owner};
use model::units::{Bytes, Share};
use record::finding::{Garbage, InMethod};
use record::inspection::{AllocationSeen, Inspection};
use std::collections::BTreeMap;

/// Smallest share of all bytes that makes a method worth naming.
const NAMED: f64 = 0.15;

/// What allocates most; `None` where it was not recorded, or where no method stands out.
pub(crate) fn garbage(inspection: &Inspection) -> Option<Garbage> {
    let jfr = inspection.jfr.as_ref()?;
    let all: f64 = jfr.allocations.iter().map(|one| one.bytes).sum();
    let mut methods: BTreeMap<&str, Vec<&AllocationSeen>> = BTreeMap::new();
    for one in &jfr.allocations {
        if let Some(method) = method(one) {
            methods.entry(method).or_default().push(one);
        }
    }
    let bytes = |all: &[&AllocationSeen]| all.iter().map(|one| one.bytes).sum::<f64>();
    let (method, most) =
        methods.into_iter().max_by(|one, other| bytes(&one.1).total_cmp(&bytes(&other.1)))?;
    let share = bytes(&most) / all.max(1.0);
    let largest = most.iter().max_by(|one, other| one.bytes.total_cmp(&other.bytes))?;
    let per_request = jfr.allocated? / inspection.ok.max(1) as f64;
    (share >= NAMED && inspection.ok > 0).then(|| Garbage {
        per_request: Bytes(per_request as u64),
        share: Share(share),
        class: largest_class(&most),
        at: InMethod {
            method: largest.place_of(method),
            caller: caller(largest, method).and_then(|caller| largest.place_of(caller)),
        },
    })
}

/// The innermost method of the application, or else of a library.
fn method(one: &AllocationSeen) -> Option<&str> {
    let of = |wanted: Owner| one.frames.iter().map(String::as_str).find(|method| owner(method) == wanted);
    of(Owner::Application).or_else(|| of(Owner::Library))
}

/// The next method of the application further out.
fn caller<'a>(one: &'a AllocationSeen, method: &str) -> Option<&'a str> {
    let outer = one.frames.iter().skip_while(|frame| *frame != method).map(String::as_str);
    outer.filter(|other| *other != method).find(|other| owner(other) == Owner::Application)
}

/// The class whose objects take most bytes.
fn largest_class(all: &[&AllocationSeen]) -> String {
    let mut classes: BTreeMap<&str, f64> = BTreeMap::new();
    for one in all {
        *classes.entry(one.class.as_str()).or_default() += one.bytes;
    }
    let most = classes.into_iter().max_by(|one, other| one.1.total_cmp(&other.1));
    most.map(|(class, _)| class.to_owned()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use record::inspection::JfrFacts;

    fn seen(class: &str, bytes: f64, frames: &[&str]) -> AllocationSeen {
        let lines = (1..).map(|line| 10 * line).take(frames.len()).collect();
        let frames = frames.iter().map(|frame| (*frame).to_owned()).collect();
        AllocationSeen { class: class.to_owned(), bytes, frames, lines }
    }

    fn of(allocations: Vec<AllocationSeen>) -> Option<Garbage> {
        let allocated = Some(allocations.iter().map(|one| one.bytes).sum());
        let jfr = JfrFacts { allocations, allocated, ..JfrFacts::default() };
        garbage(&Inspection { ok: 100, jfr: Some(jfr), ..Inspection::default() })
    }

    const RENDER: [&str; 4] =
        ["java.util.Arrays.copyOf", "shop.Report.render", "shop.Sales.doGet", "java.lang.Thread.run"];

    #[test]
    fn the_method_that_allocates_most_is_named_with_its_class_and_its_caller() {
        let found = of(vec![
            seen("byte[]", 5e6, &RENDER),
            seen("char[]", 2e6, &RENDER),
            seen("shop.Row", 3e6, &["shop.Rows.read", "shop.Sales.doGet"]),
        ]);
        let expected = Garbage {
            per_request: Bytes(100_000),
            share: Share(0.7),
            class: "byte[]".to_owned(),
            at: InMethod {
                method: Some("shop.Report.render:20".to_owned()),
                caller: Some("shop.Sales.doGet:30".to_owned()),
            },
        };
        assert_eq!(found, Some(expected));
    }

    #[test]
    fn garbage_of_many_methods_names_none() {
        let many = |at: usize| seen("byte[]", 1e6, &[format!("shop.Part{at}.render").as_str()]);
        assert_eq!(of((0..10).map(many).collect()), None);
        assert_eq!(of(Vec::new()), None);
        assert_eq!(garbage(&Inspection::default()), None, "nothing was recorded");
    }
}
