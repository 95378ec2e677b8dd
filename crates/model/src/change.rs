//! An arm with another value for some of its keys: what a diagnosis suggests, to be tried.

use crate::arm::{Arm, JdkChoice, Threads};
use crate::outcome::Change;
use crate::takes::AccessLog;
use crate::values;

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
        let whole = || value.parse::<u32>().ok();
        match key.split_once('.') {
            Some(("attributes", name)) => {
                self.attributes.insert(name.to_owned(), value.clone());
            }
            Some(("properties", name)) => {
                self.properties.insert(name.to_owned(), value.clone());
            }
            Some(_) => return None,
            None => match key.as_str() {
                "threads" if value == "virtual" => self.threads = Some(Threads::Virtual),
                "threads" => self.threads = Some(Threads::Platform(whole()?)),
                "max_connections" => self.max_connections = Some(whole()?),
                "accept_count" => self.accept_count = Some(whole()?),
                "jdk" => self.jdk = Some(JdkChoice::Release(whole()?)),
                "access_log" if value == "true" => self.access_log = Some(AccessLog::Buffered),
                "heap" => self.heap = values::size(value).ok()?,
                "memory" => self.surroundings.limits.memory = Some(values::size(value).ok()?),
                "cpus" => self.surroundings.limits.cpus = Some(value.parse().ok()?),
                "server" => {
                    let (server, version) = value.split_once(':')?;
                    (self.server, self.version) = (server.to_owned(), version.to_owned());
                }
                _ => return None,
            },
        }
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arm::{Known, from_command_line};
    use crate::units::Bytes;

    fn arm() -> Arm {
        let known = Known {
            servers: vec![("tomcat".to_owned(), vec!["1".to_owned()])],
            ..Known::default()
        };
        from_command_line("tomcat:1,threads=20,memory=300M", &known).expect("an arm")
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
            (arm.threads, arm.heap),
            (Some(Threads::Platform(50)), Bytes(512 << 20))
        );
        let limits = arm.surroundings.limits;
        assert_eq!((limits.cpus, limits.memory), (Some(1.5), Some(Bytes(1 << 30))));
        assert_eq!(arm.attributes["maxKeepAliveRequests"], "-1");
        assert_eq!(arm.properties["server.jetty.threads.max"], "1000");
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
