//! Changes keys of an arm as a diagnosis suggests, so that a trial can show what the change does.

use crate::arm::Arm;
use crate::arm::file_settings::FileSettings;
use crate::arm::key::KeyReading;
use crate::arm::keys;
use crate::available::Available;
use crate::change::Change;
use crate::node::{Node, Value};
use crate::tunable::{ENVIRONMENT, PROPERTY};

impl Arm {
    /// Returns the arm with these changes; `None` if a key does not exist or cannot have the value.
    pub fn with(&self, changes: &[Change]) -> Option<Self> {
        let mut arm = self.clone();
        changes.iter().try_for_each(|change| arm.set(change))?;
        // A heap as large as the memory limit leaves nothing for the JVM itself: the kernel would kill it.
        let limits = arm.surroundings.limits;
        let fits = limits.memory.is_none_or(|memory| arm.heap < memory);
        fits.then_some(arm)
    }

    fn set(&mut self, Change { key, value }: &Change) -> Option<()> {
        if let Some(property) = key.strip_prefix(PROPERTY) {
            return self.set_system_property(property, value);
        }
        match key.split_once('.') {
            // prony does not start a server that runs already.
            Some((ENVIRONMENT, name)) if self.origin.is_none() => {
                let environment = &mut self.surroundings.environment;
                environment.insert(name.to_owned(), value.clone());
            }
            Some(("attributes", name)) => {
                let attributes = &mut self.settings.attributes;
                attributes.insert(name.to_owned(), value.clone());
            }
            Some(("properties", name)) => {
                let properties = &mut self.settings.properties;
                properties.insert(name.to_owned(), value.clone());
            }
            Some(_) => return None,
            // Whether the release exists shows when it is looked up in the catalog.
            None if key == "server" => {
                let (server, version) = value.split_once(':')?;
                (self.server, self.version) = (server.to_owned(), version.to_owned());
            }
            None => {
                let key = keys::find(key)?;
                let (node, known, file) = (&node(value), &Available::default(), &FileSettings::default());
                (key.read)(&KeyReading { key, node, known, file }, self).ok()?;
            }
        }
        Some(())
    }

    /// Sets a system property in the place of an earlier value; `None` where the arm's server is in no JVM that prony starts.
    fn set_system_property(&mut self, name: &str, value: &str) -> Option<()> {
        if self.command.is_some() || self.image.is_some() || self.origin.is_some() {
            return None;
        }
        let setting = format!("{PROPERTY}{name}=");
        let options = &mut self.jvm_options;
        options.retain(|option| !option.starts_with(&setting));
        options.push(setting + value);
        Some(())
    }
}

/// Converts a text to the value that a file would have.
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
    use crate::command::OwnCommand;
    use crate::origin::Origin;
    use model::units::{Bytes, Cpus};

    fn arm() -> Arm {
        let known =
            Available { servers: vec![("tomcat".to_owned(), vec!["1".to_owned()])], ..Available::default() };
        Arm::from_command_line("tomcat:1,threads=20,memory=300M", &known).expect("an arm")
    }

    fn changed(changes: &[(&str, &str)]) -> Option<Arm> {
        let change =
            |(key, value): &(&str, &str)| Change { key: (*key).to_owned(), value: (*value).to_owned() };
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
        assert_eq!((arm.settings.threads, arm.heap), (Some(Threads::Platform(50)), Bytes(512 << 20)));
        let limits = arm.surroundings.limits;
        assert_eq!((limits.cpus, limits.memory), (Some(Cpus(1.5)), Some(Bytes(1 << 30))));
        assert_eq!(arm.settings.attributes["maxKeepAliveRequests"], "-1");
        assert_eq!(arm.settings.properties["server.jetty.threads.max"], "1000");
        assert_eq!(arm.version, "2");
    }

    #[test]
    fn settings_of_the_application_are_variables_and_system_properties() {
        let changes = [("environment.POOL", "16"), ("-Dpool.size", "8")];
        let set = changed(&changes).expect("both can be set");
        assert_eq!(set.surroundings.environment["POOL"], "16");
        assert_eq!(set.jvm_options, ["-Dpool.size=8"]);
        let again = Change { key: "-Dpool.size".to_owned(), value: "32".to_owned() };
        let again = set.with(&[again]).expect("set again");
        assert_eq!(again.jvm_options, ["-Dpool.size=32"]);
        let (origin, command) = ("http://127.0.0.1:1".to_owned(), OwnCommand::default());
        let running = Arm { origin: Some(Origin::try_from(origin).expect("an address")), ..self::arm() };
        let own = Arm { command: Some(command), ..self::arm() };
        let change = |(key, value): (&str, &str)| Change { key: key.to_owned(), value: value.to_owned() };
        let can = |arm: &Arm| changes.map(|one| arm.with(&[change(one)]).is_some());
        assert_eq!(can(&running), [false, false]);
        assert_eq!(can(&own), [true, false], "it may be no JVM");
    }

    #[test]
    fn what_no_file_could_ask_for_is_not_tried() {
        assert_eq!(changed(&[("heap", "512M")]), None, "more than all its memory");
        assert_eq!(changed(&[("threads", "many")]), None);
        assert_eq!(changed(&[("other", "1")]), None);
        assert_eq!(changed(&[]), Some(arm()));
    }
}
