//! The user's own server.xml, in which only ports and folders are changed. Everything else stays as it is, to the byte.

use crate::error::ConfigurationError;
use record::configuration::ConfigurationChange;
use roxmltree::{Document, Node, ParsingOptions};
use std::net::SocketAddr;
use std::ops::Range;
use std::path::{Path, PathBuf};

/// A change in a text: these bytes become this.
type Edit = (Range<usize>, String);

/// A server.xml with its changes.
#[derive(Debug)]
pub(super) struct ServerXml {
    text: String,
    edits: Vec<Edit>,
    pub(super) changes: Vec<ConfigurationChange>,
    /// The folder of the host's applications, relative to the base folder.
    pub(super) app_base: String,
    /// The folder of the host's descriptors in `conf`: `Catalina/localhost`.
    pub(super) descriptors: PathBuf,
    /// The contexts that are written in it.
    pub(super) contexts: Vec<Context>,
    /// The attributes of its connectors for HTTP, as they are written.
    pub(super) attributes: Vec<String>,
    /// Whether the connector that is loaded speaks TLS.
    pub(super) is_encrypted: bool,
}

/// An application that a configuration has.
#[derive(Clone, Debug)]
pub(super) struct Context {
    /// Its path, without a slash at its end; empty for the root.
    pub(super) path: String,
    /// Where its application is.
    pub(super) doc_base: Option<String>,
    /// The file that describes it; `None` where server.xml does.
    pub(super) descriptor: Option<PathBuf>,
    /// The place where its `docBase` is written, with what precedes it there.
    place: (Range<usize>, &'static str),
}

/// The default folder of a host's applications.
const APP_BASE: &str = "webapps";
/// The folder of logs in the base folder.
const LOGS: &str = "logs";
/// The port that waits for the command to shut down, where server.xml names none.
const SHUTDOWN: &str = "8005";
/// The attributes of listeners that open ports for management.
const MANAGEMENT: [&str; 2] = ["rmiRegistryPortPlatform", "rmiServerPortPlatform"];

impl ServerXml {
    /// Reads the text of a server.xml in this place, and changes it so that the first connector for plain HTTP, or else for
    /// HTTPS, listens at `at`. All other connectors get ports that the kernel chooses.
    pub(super) fn read(path: &Path, text: &str, at: SocketAddr) -> Result<Self, ConfigurationError> {
        let document = parse(path, text)?;
        let server = document.root_element();
        let connectors: Vec<Node<'_, '_>> = elements(server, "Connector").collect();
        let first = |what: &str| connectors.iter().find(|connector| speaks(**connector) == what);
        let loaded = first("HTTP").or_else(|| first("HTTPS"));
        let loaded = *loaded.ok_or_else(|| ConfigurationError::NoHttp { path: path.to_owned() })?;
        let host = host_of(loaded).ok_or_else(|| ConfigurationError::NoHost { path: path.to_owned() })?;
        let app_base = host.attribute("appBase").unwrap_or(APP_BASE);
        let engine = host.parent().and_then(|engine| engine.attribute("name")).unwrap_or("Catalina");
        let mut xml = Self {
            text: text.to_owned(),
            edits: Vec::new(),
            changes: Vec::new(),
            app_base: app_base.to_owned(),
            descriptors: Path::new(engine).join(host.attribute("name").unwrap_or("localhost")),
            contexts: elements(host, "Context").filter_map(|context| context_in(context, None)).collect(),
            attributes: connectors
                .iter()
                .filter(|connector| speaks(**connector) != "AJP")
                .flat_map(|connector| connector.attributes().map(|attribute| attribute.name().to_owned()))
                .collect(),
            is_encrypted: speaks(loaded) == "HTTPS",
        };
        xml.without_shutdown(server);
        for connector in connectors {
            xml.listen(connector, (connector == loaded).then_some(at), at);
        }
        xml.folders(server, host);
        Ok(xml)
    }

    /// Turns the shutdown port off, and what moves all ports.
    fn without_shutdown(&mut self, server: Node<'_, '_>) {
        let port = server.attribute("port").unwrap_or(SHUTDOWN);
        if port != "-1" {
            self.changes.push(ConfigurationChange::ShutdownPort { port: port.to_owned() });
            self.set(server, "port", "-1");
        }
        self.without_offset(server);
        for listener in elements(server, "Listener") {
            for name in MANAGEMENT {
                if let Some(port) = listener.attribute(name) {
                    let (port, what) = (port.to_owned(), "JMX".to_owned());
                    self.changes.push(ConfigurationChange::OtherPort { port, what });
                    self.set(listener, name, "0");
                }
            }
        }
    }

    fn without_offset(&mut self, element: Node<'_, '_>) {
        if element.attribute("portOffset").is_some() {
            self.set(element, "portOffset", "0");
        }
    }

    /// Has a connector listen where it is loaded, or on a port that the kernel chooses.
    fn listen(&mut self, connector: Node<'_, '_>, loaded: Option<SocketAddr>, at: SocketAddr) {
        let port = connector.attribute("port").unwrap_or("8080").to_owned();
        let what = speaks(connector).to_owned();
        self.changes.push(match loaded {
            Some(_) => ConfigurationChange::LoadedPort { port },
            None => ConfigurationChange::OtherPort { port, what },
        });
        let port = loaded.map_or(0, |at| at.port());
        self.set(connector, "port", &port.to_string());
        self.set(connector, "address", &at.ip().to_string());
        self.without_offset(connector);
    }

    /// Puts the folders that several servers would share into the base folder.
    fn folders(&mut self, server: Node<'_, '_>, host: Node<'_, '_>) {
        if is_elsewhere(&self.app_base) {
            let folder = std::mem::replace(&mut self.app_base, APP_BASE.to_owned());
            self.changes.push(ConfigurationChange::AppBase { folder });
            self.set(host, "appBase", APP_BASE);
        }
        for valve in elements(server, "Valve") {
            let folder = valve.attribute("directory").filter(|folder| is_elsewhere(folder));
            if let Some(folder) = folder {
                self.changes.push(ConfigurationChange::LogFolder { folder: folder.to_owned() });
                self.set(valve, "directory", LOGS);
            }
        }
    }

    /// Sets an attribute of an element.
    fn set(&mut self, element: Node<'_, '_>, name: &str, value: &str) {
        let value = escaped(value);
        self.edits.push(match element.attribute_node(name) {
            Some(attribute) => (attribute.range_value(), value),
            None => (after_name(element), format!(" {name}=\"{value}\"")),
        });
    }

    /// Has a context of the file serve the application in this place.
    pub(super) fn serve(&mut self, context: &Context, application: &Path) {
        self.edits.push(context.edit(application));
    }

    /// The text with all changes.
    pub(super) fn text(&self) -> String {
        edited(&self.text, &self.edits)
    }
}

impl Context {
    fn edit(&self, application: &Path) -> Edit {
        let (range, before) = self.place.clone();
        let value = escaped(&application.display().to_string());
        let after = if before.is_empty() { "" } else { "\"" };
        (range, format!("{before}{value}{after}"))
    }

    /// Whether it is an application of the distribution, as the manager.
    fn is_of_distribution(&self) -> bool {
        self.doc_base.as_ref().is_some_and(|folder| folder.contains("${catalina.home}"))
    }

    /// The name of its application without its ending.
    fn stem(&self) -> Option<&str> {
        Path::new(self.doc_base.as_ref()?).file_stem()?.to_str()
    }

    /// Its path as people write it.
    pub(super) fn shown(&self) -> String {
        if self.path.is_empty() { "/".to_owned() } else { self.path.clone() }
    }
}

/// Returns the context of a descriptor in `conf`, whose path its name tells: `shop#v2.xml` is `/shop/v2`.
pub(super) fn described(path: &Path, text: &str) -> Result<Option<Context>, ConfigurationError> {
    let document = parse(path, text)?;
    let name = path.file_stem().unwrap_or_default().to_string_lossy();
    let name = name.split("##").next().unwrap_or_default();
    let context = match name {
        "ROOT" => String::new(),
        name => format!("/{}", name.replace('#', "/")),
    };
    Ok(context_in(document.root_element(), Some((path, context))))
}

/// Returns the text of a descriptor whose context serves the application in this place.
pub(super) fn serving(text: &str, context: &Context, application: &Path) -> String {
    edited(text, &[context.edit(application)])
}

/// Chooses the context that is the arm's: the one of `context_path`, else the only one, else the one that is called like the application.
pub(super) fn choose<'a>(
    path: &Path,
    contexts: &'a [Context],
    application: &Path,
    context_path: Option<&str>,
) -> Result<Option<&'a Context>, ConfigurationError> {
    if let Some(asked) = context_path {
        return Ok(contexts.iter().find(|context| context.path == asked));
    }
    let own: Vec<&Context> = contexts.iter().filter(|context| !context.is_of_distribution()).collect();
    let stem = application.file_stem().and_then(|stem| stem.to_str());
    let is_called =
        |context: &&&Context| context.stem() == stem || Some(context.path.trim_start_matches('/')) == stem;
    let called: Vec<&&Context> = own.iter().filter(is_called).collect();
    match (own.as_slice(), called.as_slice()) {
        ([], _) => Ok(None),
        ([only], _) => Ok(Some(only)),
        (_, [only]) => Ok(Some(only)),
        _ => Err(ConfigurationError::SeveralContexts {
            path: path.to_owned(),
            contexts: own.iter().map(|context| context.shown()).collect(),
        }),
    }
}

fn parse<'a>(path: &Path, text: &'a str) -> Result<Document<'a>, ConfigurationError> {
    let options = ParsingOptions { allow_dtd: true, ..ParsingOptions::default() };
    Document::parse_with_options(text, options)
        .map_err(|error| ConfigurationError::NotXml { path: path.to_owned(), why: error.to_string() })
}

/// The elements of this name below an element.
fn elements<'a, 'input: 'a>(
    below: Node<'a, 'input>,
    name: &'static str,
) -> impl Iterator<Item = Node<'a, 'input>> {
    below.descendants().filter(move |node| node.has_tag_name(name))
}

/// What a connector speaks.
fn speaks(connector: Node<'_, '_>) -> &'static str {
    let protocol = connector.attribute("protocol").unwrap_or("HTTP/1.1");
    let is_http = protocol.contains("HTTP/1.1") || protocol.contains("Http11");
    let is_encrypted = connector.attribute("SSLEnabled").is_some_and(|set| set.eq_ignore_ascii_case("true"));
    match (is_http, is_encrypted) {
        (true, false) => "HTTP",
        (true, true) => "HTTPS",
        (false, _) => "AJP",
    }
}

/// The host that answers requests of a connector which name no other.
fn host_of<'a, 'input>(connector: Node<'a, 'input>) -> Option<Node<'a, 'input>> {
    let engine = connector.parent()?.children().find(|node| node.has_tag_name("Engine"))?;
    let default = engine.attribute("defaultHost");
    let mut hosts = engine.children().filter(|node| node.has_tag_name("Host"));
    let named = hosts.clone().find(|host| host.attribute("name") == default);
    named.or_else(|| hosts.next())
}

/// The context of an element; `None` for one in server.xml without a path.
fn context_in(element: Node<'_, '_>, described: Option<(&Path, String)>) -> Option<Context> {
    let (descriptor, path) = match described {
        Some((file, path)) => (Some(file.to_owned()), path),
        None => (None, element.attribute("path")?.trim_end_matches('/').to_owned()),
    };
    let place = match element.attribute_node("docBase") {
        Some(attribute) => (attribute.range_value(), ""),
        None => (after_name(element), " docBase=\""),
    };
    Some(Context { path, doc_base: element.attribute("docBase").map(str::to_owned), descriptor, place })
}

/// The place after the name of an element, where an attribute can begin.
fn after_name(element: Node<'_, '_>) -> Range<usize> {
    let at = element.range().start + 1 + element.tag_name().name().len();
    at..at
}

/// Whether a folder is not within the base folder.
fn is_elsewhere(folder: &str) -> bool {
    folder.starts_with('/') || folder.contains("${") || folder.split('/').any(|part| part == "..")
}

fn escaped(value: &str) -> String {
    value.replace('&', "&amp;").replace('<', "&lt;").replace('"', "&quot;").replace('\'', "&apos;")
}

fn edited(text: &str, edits: &[Edit]) -> String {
    let mut edits: Vec<&Edit> = edits.iter().collect();
    edits.sort_by_key(|(range, _)| range.start);
    let mut out = text.to_owned();
    for (range, new) in edits.into_iter().rev() {
        out.replace_range(range.clone(), new);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    const OWN: &str = r#"<?xml version="1.0"?>
<!-- ours -->
<Server port='8005' shutdown="STOP">
  <Service name="Catalina">
    <Connector port="8443" protocol="org.apache.coyote.http11.Http11NioProtocol" SSLEnabled="true"/>
    <Connector protocol="AJP/1.3" address="::1" port="8009" redirectPort="8443" />
    <Connector port="${http.port}" maxThreads="150" portOffset="5"/>
    <Engine name="Shop" defaultHost="shop.example">
      <Host name="other"/>
      <Host name="shop.example" appBase="/srv/apps">
        <Context path="/shop" docBase="/srv/apps/shop-1.war"/>
        <Valve className="org.apache.catalina.valves.AccessLogValve" directory="/var/log/tomcat" pattern="a &lt; b"/>
      </Host>
    </Engine>
  </Service>
</Server>
"#;

    fn read(text: &str) -> Result<ServerXml, ConfigurationError> {
        ServerXml::read(Path::new("server.xml"), text, ([127, 0, 0, 1], 4711).into())
    }

    #[test]
    fn only_ports_and_folders_are_changed() {
        let mut xml = read(OWN).expect("read");
        let context = xml.contexts[0].clone();
        xml.serve(&context, Path::new("/work/a & b.war"));
        let expected = OWN
            .replace("port='8005'", "port='-1'")
            .replace("<Connector port=\"8443\"", "<Connector address=\"127.0.0.1\" port=\"0\"")
            .replace("address=\"::1\" port=\"8009\"", "address=\"127.0.0.1\" port=\"0\"")
            .replace("<Connector port=\"${http.port}\"", "<Connector address=\"127.0.0.1\" port=\"4711\"")
            .replace("portOffset=\"5\"", "portOffset=\"0\"")
            .replace("appBase=\"/srv/apps\"", "appBase=\"webapps\"")
            .replace("/srv/apps/shop-1.war", "/work/a &amp; b.war")
            .replace("/var/log/tomcat", "logs");
        assert_eq!(xml.text(), expected);
        assert_eq!(
            (xml.app_base.as_str(), xml.descriptors.as_path()),
            ("webapps", Path::new("Shop/shop.example"))
        );
        let changes: Vec<String> =
            xml.changes.iter().map(|change| say::text(change, say::Language::En)).collect();
        assert_eq!(
            changes,
            [
                "the shutdown port 8005 is off",
                "port 8443 (HTTPS) is another free port",
                "port 8009 (AJP) is another free port",
                "port ${http.port} is loaded, on a port of prony's",
                "the folder of applications /srv/apps is one of prony's",
                "the folder of logs /var/log/tomcat is one of prony's",
            ]
        );
    }

    #[test]
    fn the_context_of_the_arm_is_the_only_one_or_the_one_that_is_named() {
        let xml = |contexts: &str| {
            let text = format!(
                "<Server><Service><Connector/><Engine><Host name='h'>{contexts}</Host></Engine></Service></Server>"
            );
            read(&text).expect("read").contexts
        };
        let chosen = |contexts: &[Context], path: Option<&str>| {
            let chosen = choose(Path::new("conf"), contexts, Path::new("target/shop.war"), path);
            chosen.map(|context| context.map(Context::shown))
        };
        let manager = "<Context path='/manager' docBase='${catalina.home}/webapps/manager'/>";
        let two = format!(
            "{manager}<Context path='/a' docBase='/srv/a.war'/><Context path='' docBase='shop.war'/>"
        );
        assert_eq!(chosen(&xml(manager), None).expect("none"), None);
        assert_eq!(chosen(&xml(&two), None).expect("by its name").as_deref(), Some("/"));
        assert_eq!(chosen(&xml(&two), Some("/a")).expect("asked for").as_deref(), Some("/a"));
        assert_eq!(chosen(&xml(&two), Some("/b")).expect("none"), None);
        let open = two.replace("shop.war", "b.war");
        let refused = chosen(&xml(&open), None).expect_err("either").to_string();
        assert!(refused.contains("several applications: /a, /"), "{refused}");
    }

    #[test]
    fn a_descriptor_is_named_by_its_path() {
        let text = "<Context>\n</Context>";
        let context = described(Path::new("/conf/Catalina/localhost/shop#v2##7.xml"), text);
        let context = context.expect("read").expect("a context");
        assert_eq!(context.path, "/shop/v2");
        assert_eq!(serving(text, &context, Path::new("/x.war")), "<Context docBase=\"/x.war\">\n</Context>");
        let root =
            described(Path::new("ROOT.xml"), "<Context docBase='a'/>").expect("read").expect("a context");
        assert_eq!(root.shown(), "/");
        assert_eq!(serving("<Context docBase='a'/>", &root, Path::new("/x")), "<Context docBase='/x'/>");
    }

    #[test]
    fn without_plain_http_the_first_connector_for_https_is_loaded() {
        assert!(!read(OWN).expect("read").is_encrypted);
        let xml = read(&OWN.replace("port=\"${http.port}\"", "SSLEnabled=\"TRUE\"")).expect("read");
        assert!(xml.is_encrypted);
        assert!(
            xml.text().contains("address=\"127.0.0.1\" port=\"4711\" protocol=\"org.apache"),
            "{}",
            xml.text()
        );
        let changes: Vec<String> =
            xml.changes.iter().map(|change| say::text(change, say::Language::En)).collect();
        assert!(changes.contains(&"port 8443 is loaded, on a port of prony's".to_owned()), "{changes:?}");
    }

    #[test]
    fn what_cannot_be_loaded_is_refused() {
        let only_ajp = "<Server><Service><Connector protocol='AJP/1.3'/></Service></Server>";
        assert!(matches!(read(only_ajp), Err(ConfigurationError::NoHttp { .. })));
        assert!(matches!(read("<Server>"), Err(ConfigurationError::NotXml { .. })));
        assert!(matches!(
            read("<Server><Service><Connector/></Service></Server>"),
            Err(ConfigurationError::NoHost { .. })
        ));
    }
}
