//! An arm with another value for some of its keys: what a diagnosis suggests, to be tried.

use crate::arm::Arm;
use crate::arm::key::Reading;
use crate::arm::keys;
use crate::available::Available;
use crate::node::{Node, Value};
use crate::outcome::Change;

impl Arm {
    /// The arm with these changes; `None` where one of them cannot be made so.
    pub fn with(&self, changes: &[Change]) -> Option<Self> {
        let mut arm = self.clone();
        changes.iter().try_for_each(|change| arm.set(change))?;
        // Of a heap as large as all that it may use the JVM itself would die.
        let limits = arm.surroundings.limits;
        let fits = limits.memory.is_none_or(|memory| arm.heap < memory);
        fits.then_some(arm)
    }

    fn set(&mut self, Change { key, value }: &Change) -> Option<()> {
        match key.split_once('.') {
            Some(("attributes", name)) => {
                let attributes = &mut self.settings.attributes;
                attributes.insert(name.to_owned(), value.clone());
            }
            Some(("properties", name)) => {
                let properties = &mut self.settings.properties;
                properties.insert(name.to_owned(), value.clone());
            }
            Some(_) => return None,
            // Whether there is such a release is seen when it is looked up in the catalog.
            None if key == "server" => {
                let (server, version) = value.split_once(':')?;
                (self.server, self.version) = (server.to_owned(), version.to_owned());
            }
            None => {
                let key = keys::find(key)?;
                let (node, known) = (&node(value), &Available::default());
                (key.read)(&Reading { key, node, known }, self).ok()?;
            }
        }
        Some(())
    }
}

/// A value as a file would have it.
fn node(text: &str) -> Node {
    let number = |text: &str| text.parse().ok().filter(|number: &f64| number.is_finite());
    let whole = text.parse().ok().map(Value::Integer);
    let value = whole
        .or_else(|| number(text).map(Value::Float))
        .or_else(|| text.parse().ok().map(Value::Bool))
        .unwrap_or_else(|| Value::Text(text.to_owned()));
    Node { span: 0..0, value }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arm::Threads;
    use crate::units::Bytes;

    fn arm() -> Arm {
        let known = Available {
            servers: vec![("tomcat".to_owned(), vec!["1".to_owned()])],
            ..Available::default()
        };
        Arm::from_command_line("tomcat:1,threads=20,memory=300M", &known).expect("an arm")
    }

    fn changed(changes: &[(&str, &str)]) -> Option<Arm> {
        let change = |(key, value): &(&str, &str)| Change {
            key: (*key).to_owned(),
            value: (*value).to_owned(),
        };
        arm().with(&changes.iter().map(change).collect::<Vec<_>>())
    }

    #[test]
    fn keys_take_the_values_that_a_file_gives_them() {
        let arm = changed(&[
            ("threads", "50"),
            ("cpus", "1.5"),
            ("memory", "1G"),
            ("heap", "512M"),
            ("attributes.maxKeepAliveRequests", "-1"),
            ("properties.server.jetty.threads.max", "1000"),
            ("server", "tomcat:2"),
        ])
        .expect("all can be made");
        assert_eq!(
            (arm.settings.threads, arm.heap),
            (Some(Threads::Platform(50)), Bytes(512 << 20))
        );
        let limits = arm.surroundings.limits;
        assert_eq!((limits.cpus, limits.memory), (Some(1.5), Some(Bytes(1 << 30))));
        assert_eq!(arm.settings.attributes["maxKeepAliveRequests"], "-1");
        assert_eq!(arm.settings.properties["server.jetty.threads.max"], "1000");
        assert_eq!(arm.version, "2");
    }

    #[test]
    fn what_no_file_could_ask_for_is_not_tried() {
        assert_eq!(changed(&[("heap", "512M")]), None, "more than all its memory");
        assert_eq!(changed(&[("threads", "many")]), None);
        assert_eq!(changed(&[("other", "1")]), None);
        assert_eq!(changed(&[]), Some(arm()));
    }
}
