//! The base folder of a Tomcat with the user's own configuration: a copy of it, in which only ports and folders are changed.

use super::server_xml::{self, Context, ServerXml};
use crate::error::{ConfigurationError, Error, FileAct};
use crate::files::tree;
use ask::configuration::OwnConfiguration;
use record::configuration::ConfigurationChange;
use std::fs;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};

/// The user's own configuration of a Tomcat, read from its files.
#[derive(Debug)]
pub(super) struct OwnFiles<'a> {
    own: &'a OwnConfiguration,
    /// The file from which `server` was read.
    path: PathBuf,
    server: ServerXml,
    /// The context that serves the application; `None` deploys it by its name.
    context: Option<Context>,
}

/// The folder in the base folder with the application of a context.
const APPLICATION: &str = "application";
/// The folder in the base folder whose applications Tomcat migrates from javax to jakarta.
pub(super) const MIGRATED: &str = "webapps-javaee";
/// The part of a name that Tomcat reads as a slash in the path of an application.
const SLASH: &str = "#";

impl<'a> OwnFiles<'a> {
    /// Reads the connectors and contexts; `None` where server.xml is not the user's own. `at` is where the server has to listen.
    pub(super) fn read(
        own: &'a OwnConfiguration,
        application: &Path,
        context_path: Option<&str>,
        at: SocketAddr,
    ) -> Result<Option<Self>, ConfigurationError> {
        let in_conf = own.conf.as_ref().map(|conf| conf.join("server.xml"));
        let Some(path) = own.server_xml.clone().or(in_conf) else {
            return Ok(None);
        };
        let mut server = ServerXml::read(&path, &text(&path)?, at)?;
        let mut contexts = server.contexts.clone();
        if let Some(conf) = &own.conf {
            contexts.extend(described(&conf.join(&server.descriptors))?);
        }
        let context = server_xml::choose(&path, &contexts, application, context_path)?.cloned();
        if let Some(context) = &context {
            let (shown, was) = (context.shown(), context.doc_base.clone());
            server.changes.push(ConfigurationChange::Application { path: shown, was });
        }
        Ok(Some(Self { own, path, server, context }))
    }

    /// What is changed in it.
    pub(super) fn changes(self) -> Vec<ConfigurationChange> {
        self.server.changes
    }

    /// The attributes of its connectors for HTTP.
    pub(super) fn attributes(self) -> Vec<String> {
        self.server.attributes
    }

    /// Whether the connector that is loaded speaks TLS.
    pub(super) const fn is_encrypted(&self) -> bool {
        self.server.is_encrypted
    }

    /// Writes it into a base folder, in which the folders of every base are, and the application to where its context expects it, or where
    /// Tomcat migrates it.
    pub(super) fn write(
        mut self,
        base: &Path,
        application: &Path,
        context_path: Option<&str>,
        migrates: bool,
    ) -> Result<(), Error> {
        let conf = base.join("conf");
        // Without this folder, Tomcat deploys nothing that descriptors describe.
        let applications = base.join(&self.server.app_base);
        fs::create_dir_all(&applications).map_err(|error| Error::io(FileAct::Make, &applications, error))?;
        if let Some(own) = &self.own.conf {
            copy(own, &conf)?;
        }
        let is_served = match &self.context {
            Some(context) => self.serve(context.clone(), base, application)?,
            None => false,
        };
        if !is_served {
            let path = self.context.as_ref().map(|context| context.path.as_str()).or(context_path);
            let name = deployed_name(path.unwrap_or_default(), application);
            let folder = if migrates { base.join(MIGRATED) } else { applications };
            copy(application, &folder.join(name))?;
        }
        write_like(&self.path, &conf.join("server.xml"), &self.server.text())
    }

    /// Puts the application where a context finds it; `false` for a context that takes it from the folder of the host.
    fn serve(&mut self, context: Context, base: &Path, application: &Path) -> Result<bool, Error> {
        if context.descriptor.is_some() && context.doc_base.is_none() {
            return Ok(false);
        }
        let place = base.join(APPLICATION).join(deployed_name(&context.path, application));
        copy(application, &place)?;
        match &context.descriptor {
            None => self.server.serve(&context, &place),
            Some(descriptor) => {
                let changed = server_xml::serving(&text(descriptor)?, &context, &place);
                let name = descriptor.file_name().unwrap_or_default();
                write_like(
                    descriptor,
                    &base.join("conf").join(&self.server.descriptors).join(name),
                    &changed,
                )?;
            }
        }
        Ok(true)
    }
}

/// Copies the parts of the user's own configuration that are no connectors into a base folder.
pub(super) fn copy_parts(own: &OwnConfiguration, base: &Path) -> Result<(), Error> {
    if let Some(context) = &own.context_xml {
        copy(context, &base.join("conf/context.xml"))?;
    }
    if let Some(lib) = &own.lib {
        copy(lib, &base.join("lib"))?;
    }
    if let Some(setenv) = &own.setenv {
        copy(setenv, &base.join("bin").join(OWN_SETENV))?;
        super::write(&base.join("bin/setenv.sh"), SETENV)?;
    }
    Ok(())
}

/// The name that the user's own setenv.sh gets.
const OWN_SETENV: &str = "setenv-own.sh";
/// The variables by which the options of prony reach [`SETENV`].
pub(super) const OPTIONS: &str = "PRONY_OPTIONS";
pub(super) const COLLECTOR: &str = "PRONY_COLLECTOR";
pub(super) const HEAP: &str = "PRONY_HEAP";

/// The script that catalina.sh reads before it starts Java. The options of the user come after those of prony, so that they win; the JDK
/// and the folders are those of the start.
const SETENV: &str = r#"# Written by prony around the file of the user.
prony_home=$CATALINA_HOME prony_base=$CATALINA_BASE prony_java=$JAVA_HOME
. "$CATALINA_BASE/bin/setenv-own.sh"
CATALINA_HOME=$prony_home CATALINA_BASE=$prony_base JAVA_HOME=$prony_java
export CATALINA_HOME CATALINA_BASE JAVA_HOME
unset JRE_HOME CATALINA_PID
# Java starts neither with two collectors nor with a heap whose sizes contradict each other.
case " $JAVA_OPTS $CATALINA_OPTS " in
*" -XX:+Use"*"GC "*) ;;
*) PRONY_OPTIONS="$PRONY_OPTIONS $PRONY_COLLECTOR" ;;
esac
case " $JAVA_OPTS $CATALINA_OPTS " in
*" -Xm"* | *HeapSize* | *RAMPercentage*) ;;
*) PRONY_OPTIONS="$PRONY_HEAP $PRONY_OPTIONS" ;;
esac
JAVA_OPTS="$PRONY_OPTIONS $JAVA_OPTS"
unset PRONY_OPTIONS PRONY_COLLECTOR PRONY_HEAP
"#;

/// The name under which Tomcat deploys an application at a path: `shop#v2.war` for `/shop/v2`.
pub(super) fn deployed_name(context_path: &str, application: &Path) -> PathBuf {
    let name = match context_path.trim_start_matches('/') {
        "" => "ROOT".to_owned(),
        path => path.replace('/', SLASH),
    };
    match application.is_dir() {
        true => name.into(),
        false => format!("{name}.war").into(),
    }
}

/// The contexts that have descriptors in this folder.
fn described(folder: &Path) -> Result<Vec<Context>, ConfigurationError> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    files.retain(|file| file.extension().is_some_and(|end| end == "xml"));
    files.sort_unstable();
    let mut contexts = Vec::new();
    for file in files {
        contexts.extend(server_xml::described(&file, &text(&file)?)?);
    }
    Ok(contexts)
}

/// Reads a file of the user. One that is no UTF-8 is read as ISO 8859-1, in which each byte is a character: all that is looked at and changed is
/// ASCII.
fn text(path: &Path) -> Result<String, ConfigurationError> {
    let unreadable = |error: std::io::Error| {
        let (path, why) = (path.to_owned(), error.to_string());
        ConfigurationError::Unreadable { path, why }
    };
    let bytes = fs::read(path).map_err(unreadable)?;
    let read = String::from_utf8(bytes);
    Ok(read.unwrap_or_else(|error| error.into_bytes().into_iter().map(char::from).collect()))
}

/// Writes a changed text of the user in the encoding in which [`text`] read it from its file.
fn write_like(file: &Path, to: &Path, changed: &str) -> Result<(), Error> {
    let is_utf8 = fs::read(file).is_ok_and(|bytes| std::str::from_utf8(&bytes).is_ok());
    let bytes: Vec<u8> = match is_utf8 {
        true => changed.as_bytes().to_vec(),
        false => changed.chars().map(|c| u8::try_from(u32::from(c)).unwrap_or(b'?')).collect(),
    };
    fs::write(to, bytes).map_err(|error| Error::io(FileAct::Write, to, error))
}

/// Copies the files of a distribution that its own server.xml names into the folder `conf` of a base.
pub(super) fn copy_distribution(from: &Path, to: &Path) -> Result<(), Error> {
    tree::copy_without(from, to, &["server.xml", "logging.properties"])
        .map_err(|error| Error::io(FileAct::Copy, from, error))
}

pub(super) fn copy(from: &Path, to: &Path) -> Result<(), Error> {
    tree::copy(from, to).map_err(|error| Error::io(FileAct::Copy, from, error))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    /// What `catalina.sh` would start Java with after this setenv.sh of the user.
    fn options(own: &str) -> String {
        let base = tempfile::tempdir().expect("a folder");
        fs::write(base.path().join("setenv.sh"), own).expect("written");
        let configuration =
            OwnConfiguration { setenv: Some(base.path().join("setenv.sh")), ..OwnConfiguration::default() };
        copy_parts(&configuration, base.path()).expect("copied");
        let script = ". bin/setenv.sh; printf '%s|%s|%s' \"$JAVA_HOME\" \"$JAVA_OPTS\" \"$CATALINA_OPTS\"";
        let output = Command::new("sh")
            .args(["-c", script])
            .current_dir(base.path())
            .env("CATALINA_BASE", base.path())
            .env("JAVA_HOME", "/jdk")
            .env(OPTIONS, "'-Da=b'")
            .env(HEAP, "-Xms256m -Xmx256m")
            .env(COLLECTOR, "'-XX:+UseG1GC'")
            .env_remove("JAVA_OPTS")
            .env_remove("CATALINA_OPTS")
            .output();
        String::from_utf8_lossy(&output.expect("sh runs").stdout).into_owned()
    }

    #[test]
    fn the_options_of_the_user_come_last_and_the_jdk_stays() {
        assert_eq!(options("CATALINA_OPTS=-Xmx1g"), "/jdk|'-Da=b' '-XX:+UseG1GC' |-Xmx1g");
        assert_eq!(options("X=1"), "/jdk|-Xms256m -Xmx256m '-Da=b' '-XX:+UseG1GC' |");
        let other = "export JAVA_HOME=/other\nJAVA_OPTS='-XX:+UseZGC -Xmx2g'";
        assert_eq!(options(other), "/jdk|'-Da=b' -XX:+UseZGC -Xmx2g|");
    }

    #[test]
    fn an_application_is_deployed_by_its_name() {
        for (path, name) in [("", "ROOT.war"), ("/shop", "shop.war"), ("/shop/v2", "shop#v2.war")] {
            assert_eq!(deployed_name(path, Path::new("/no/such.war")), Path::new(name));
        }
        assert_eq!(deployed_name("/shop", Path::new("/")), Path::new("shop"));
    }

    #[test]
    fn a_context_serves_the_application_in_the_place_of_the_users() {
        let folder = tempfile::tempdir().expect("a folder");
        let write = |file: &str, text: &str| {
            let path = folder.path().join(file);
            fs::create_dir_all(path.parent().expect("a folder")).expect("made");
            fs::write(&path, text).expect("written");
            path
        };
        let xml = "<Server><!-- grün --><Service><Connector port='8080'/><Engine name='Catalina' defaultHost='localhost'>\
                   <Host name='localhost'/></Engine></Service></Server>";
        let at: SocketAddr = ([127, 0, 0, 1], 4711).into();
        write("conf/server.xml", xml);
        write("conf/tomcat-users.xml", "<tomcat-users/>");
        let war = write("target/shop-1.war", "war");
        let own = OwnConfiguration { conf: Some(folder.path().join("conf")), ..OwnConfiguration::default() };
        let base = folder.path().join("base");
        let written = |path: Option<&str>| {
            let files = OwnFiles::read(&own, &war, path, at).expect("read").expect("its own");
            let _ = fs::remove_dir_all(&base);
            fs::create_dir_all(base.join("conf")).expect("made");
            files.write(&base, &war, path, false).expect("written");
        };
        written(None);
        assert!(base.join("webapps/ROOT.war").is_file() && base.join("conf/tomcat-users.xml").is_file());
        let changed = fs::read_to_string(base.join("conf/server.xml")).expect("read");
        assert!(changed.contains("port='4711'") && changed.contains("port=\"-1\""), "{changed}");
        written(Some("/a/b"));
        assert!(base.join("webapps/a#b.war").is_file());
        write(
            "conf/Catalina/localhost/shop.xml",
            "<Context docBase='/srv/shop.war'><Resource name='jdbc/x'/></Context>",
        );
        written(None);
        let descriptor = fs::read_to_string(base.join("conf/Catalina/localhost/shop.xml")).expect("read");
        let place = base.join("application/shop.war");
        assert!(
            descriptor.contains(&place.display().to_string()) && descriptor.contains("jdbc/x"),
            "{descriptor}"
        );
        assert!(place.is_file() && base.join("webapps").read_dir().expect("a folder").next().is_none());
        // It takes the application from the folder of the host.
        write("conf/Catalina/localhost/shop.xml", "<Context/>");
        written(None);
        assert!(base.join("webapps/shop.war").is_file());
        // Bytes that are no UTF-8 stay what they are.
        let latin: Vec<u8> = xml.chars().map(|c| c as u8).collect();
        fs::write(folder.path().join("conf/server.xml"), latin).expect("written");
        written(None);
        let changed = fs::read(base.join("conf/server.xml")).expect("read");
        assert!(changed.windows(3).any(|bytes| bytes == b"r\xfcn"), "{}", changed.escape_ascii());
    }
}
