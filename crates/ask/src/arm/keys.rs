//! The table of the keys of an arm. Keys that set something in a server are in [`settings`], all others are here.

use crate::arm::Arm;
use crate::arm::HeapSize;
use crate::arm::Telemetry;
use crate::arm::choices::{JdkChoice, LeftTo, Package};
use crate::arm::key::{Key, KeyReading, Taker, ValueType, choice};
use crate::arm::settings;
use crate::available::Available;
use crate::build;
use crate::command;
use crate::configuration;
use crate::deployment::{Migrate, Namespace};
use crate::diagnostic::{Diagnostic, near_or};
use crate::host::ArmHost;
use crate::image::{self, IMAGE};
use crate::jar::JAR;
use crate::limits;
use crate::network;
use crate::node::{self, Node};
use crate::observed::{self, FigureSource};
use crate::origin::{self, URL};
use crate::other_server;
use crate::service;
use crate::slip::{ArmAdvice, ArmHint, ArmSlip, Hint, Listing, NameSlip, OwnServer};
use crate::surroundings;
use model::jdk::JdkName;
use model::units::Bytes;
use std::path::PathBuf;

/// Every key of an arm, in the order of help and messages.
pub fn all() -> impl Iterator<Item = &'static Key> {
    [SERVER, JVM, settings::KEYS, DEPLOYMENT, CONFIGURATION, BUILD, SURROUNDINGS, USERS_OWN]
        .into_iter()
        .flatten()
}

/// The key of this name.
pub fn find(name: &str) -> Option<&'static Key> {
    all().find(|key| key.name == name)
}

/// What the server is, and what it is asked for.
const SERVER: &[Key] = &[
    Key {
        name: "name",
        about: "What reports call the arm.",
        read: |from, arm| name(from.node).map(|name| arm.name = name),
        ..Key::PLAIN
    },
    Key {
        name: "server",
        about: "NAME:VERSION of the catalog, or \"jar\", \"command\", \"image\" or \"url\".",
        read: |from, arm| server(from.node, from.known).map(|spec| (arm.server, arm.version) = spec),
        ..Key::PLAIN
    },
    Key {
        name: "path",
        about: "The path that this arm alone is asked for, where the file says `unlike_answers = true`.",
        read: |from, arm| command::path(from.node).map(|path| arm.path = Some(path)),
        asked: |arm| arm.path.clone(),
        ..Key::PLAIN
    },
];

/// The JVM that runs it.
const JVM: &[Key] = &[
    Key {
        name: "jdk",
        about: "The release of the JDK (21), its version (\"21.0.8\"), with a vendor (\"temurin-21\"), or its folder.",
        value: ValueType::AnyOf(&[ValueType::Whole { least: 8, most: 99 }, ValueType::Text]),
        takers: Taker::JVMS,
        read: |from, arm| jdk(from.node).map(|jdk| arm.jdk = Some(jdk)),
        asked: |arm| {
            Some(match arm.jdk.as_ref()? {
                JdkChoice::Release(release) => release.to_string(),
                JdkChoice::Named(name) => name.to_string(),
                JdkChoice::Home(home) => home.display().to_string(),
            })
        },
        ..Key::PLAIN
    },
    Key {
        name: "heap",
        about: "The Java heap, of fixed size; \"jvm\" leaves it to the JVM.",
        value: ValueType::AnyOf(&[ValueType::Size, ValueType::OneOf(|| vec![LeftTo::Jvm.id()])]),
        takers: Taker::JVMS,
        read: |from, arm| heap(from.node).map(|heap| arm.heap = heap),
        asked: |arm| match arm.heap_size() {
            HeapSize::Fixed(size) => Some(size.to_string()),
            // Reports show the same where the user starts the server.
            HeapSize::OfJvm | HeapSize::OfUser => Some(LeftTo::Jvm.id().to_owned()),
        },
        ..Key::PLAIN
    },
    Key {
        name: "gc",
        about: "\"jvm\" leaves the collector to the JVM.",
        takers: Taker::JVMS,
        asked: |arm| Some(arm.gc?.id().to_owned()),
        ..choice!(LeftTo, gc)
    },
    Key {
        name: "processors",
        about: "\"jvm\" leaves the number of processors to the JVM.",
        takers: Taker::JVMS,
        asked: |arm| Some(arm.processors?.id().to_owned()),
        ..choice!(LeftTo, processors)
    },
    Key {
        name: "jvm_options",
        about: "Further options of the JVM, in order.",
        value: ValueType::AnyOf(&[ValueType::Texts, ValueType::Text]),
        takers: Taker::JVMS,
        read: |from, arm| options(from.node).map(|options| arm.jvm_options = options),
        ..Key::PLAIN
    },
];

/// What it deploys.
const DEPLOYMENT: &[Key] = &[
    Key {
        name: "package",
        about: "How the application is packaged.",
        takers: &[Taker::Catalog, Taker::PlainJar],
        asked: |arm| Some(arm.package?.id().to_owned()),
        ..choice!(Package, package)
    },
    Key {
        name: "war",
        about: "A WAR of the user's own, in the place of the application.",
        takers: &[Taker::Catalog],
        everywhere: false,
        read: |from, arm| {
            arm.deployment.war = Some(PathBuf::from(from.node.text()?));
            arm.deployment.namespace = None; // That of the file belongs to the WAR of the file.
            Ok(())
        },
        ..Key::PLAIN
    },
    Key {
        name: "namespace",
        about: "The Servlet API that the WAR was written for, where the WAR itself does not show it.",
        takers: &[Taker::Catalog],
        everywhere: false,
        ..choice!(Namespace, deployment.namespace)
    },
    Key {
        name: "migrate",
        about: "When a javax WAR is migrated to jakarta.",
        takers: &[Taker::Catalog],
        everywhere: false,
        ..choice!(Migrate, deployment.migrate)
    },
    Key {
        name: "context_path",
        about: "The path at which the application is deployed, as \"/shop\"; by default that of the user's own configuration, or else \"/\".",
        takers: &[Taker::Catalog],
        everywhere: false,
        read: |from, arm| {
            configuration::context_path(from.node).map(|path| arm.deployment.context_path = Some(path))
        },
        asked: |arm| Some(format!("/{}", arm.deployment.context_path.as_ref()?.trim_start_matches('/'))),
        ..Key::PLAIN
    },
];

/// What they have in common that name a file or folder of the user's own configuration.
macro_rules! own_file {
    ($name:literal, $field:ident, $about:literal) => {
        Key {
            name: $name,
            about: $about,
            takers: &[Taker::Catalog],
            everywhere: false,
            read: |from, arm| {
                arm.configuration.$field = Some(PathBuf::from(from.node.text()?));
                Ok(())
            },
            asked: |arm| Some(arm.configuration.$field.as_ref()?.display().to_string()),
            ..Key::PLAIN
        }
    };
}

/// The user's own configuration of its server.
const CONFIGURATION: &[Key] = &[
    own_file!(
        "conf",
        conf,
        "The user's own folder `conf` of a Tomcat; only ports and folders in it are changed."
    ),
    own_file!("server_xml", server_xml, "The user's own server.xml of a Tomcat."),
    own_file!("context_xml", context_xml, "The user's own context.xml of a Tomcat."),
    own_file!("setenv", setenv, "The user's own setenv.sh of a Tomcat, which sets the options of its JVM."),
    own_file!("lib", lib, "The user's own folder `lib` of a Tomcat, as with drivers of databases."),
    own_file!(
        "jetty_base",
        jetty_base,
        "The user's own base folder of a Jetty; only ports in it are changed, and `war` takes the place of its application."
    ),
];

/// How its WAR or jar is built.
const BUILD: &[Key] = &[
    Key {
        name: "build",
        about: "The command that builds the `war` or `jar`; a shell runs it in the folder of the project.",
        takers: Taker::JVMS,
        everywhere: false,
        read: |from, arm| {
            build::command(from.node).map(|command| arm.build.get_or_insert_default().command = Some(command))
        },
        asked: |arm| arm.build.as_ref()?.command.clone(),
        ..Key::PLAIN
    },
    Key {
        name: "git",
        about: "The revision of the surrounding git repository from which the `war` or `jar` is built.",
        value: ValueType::AnyOf(&[ValueType::Text, ValueType::Whole { least: 0, most: u64::MAX }]),
        takers: Taker::JVMS,
        everywhere: false,
        read: |from, arm| {
            build::revision(from.node).map(|revision| arm.build.get_or_insert_default().git = Some(revision))
        },
        asked: |arm| arm.build.as_ref()?.git.clone(),
        ..Key::PLAIN
    },
];

/// What is around its process. Reports show it among the facts of what ran.
const SURROUNDINGS: &[Key] = &[
    Key {
        name: "port",
        about: "A fixed port on 127.0.0.1.",
        value: ValueType::Whole { least: 1, most: 65535 },
        takers: Taker::STARTED,
        read: |from, arm| from.whole().map(|port| arm.port = Some(port as u16)),
        ..Key::PLAIN
    },
    Key {
        name: "container",
        about: "Whether it runs in a container of podman or docker, with the files of this machine and its network; for server = \"url\", \
                the name of the container on this machine or its `host` in which it runs already.",
        value: ValueType::AnyOf(&[ValueType::Truth, ValueType::Text]),
        takers: Taker::PUT_OR_FOUND,
        read: |from, arm| observed::container(from.node, arm),
        ..Key::PLAIN
    },
    Key {
        name: "host",
        about: "The machine on which the server runs: ssh://USER@BOX:PORT, or a name to which `--host` gives an address; for server = \"url\", \
                the machine on which its process is looked at.",
        takers: Taker::PUT_OR_FOUND,
        read: |from, arm| ArmHost::read(from.node).map(|host| arm.host = host),
        asked: |arm| arm.host.as_ref().map(ToString::to_string),
        ..Key::PLAIN
    },
    Key {
        name: "memory",
        about: "Most memory of the server's processes together; the kernel kills a server that needs more.",
        value: ValueType::Size,
        takers: Taker::STARTED,
        read: |from, arm| {
            limits::memory(from.node).map(|memory| arm.surroundings.limits.memory = Some(memory))
        },
        ..Key::PLAIN
    },
    Key {
        name: "cpus",
        about: "Most CPU time, in CPUs; the kernel makes a server wait that wants more.",
        value: ValueType::Number { least: limits::CPUS.0, most: limits::CPUS.1 },
        takers: Taker::STARTED,
        read: |from, arm| limits::cpus(from.node).map(|cpus| arm.surroundings.limits.cpus = Some(cpus)),
        ..Key::PLAIN
    },
    Key {
        name: "services",
        about: "Services that the arm uses; without this key all that the file describes.",
        value: ValueType::AnyOf(&[ValueType::Texts, ValueType::Text]),
        takers: Taker::STARTED,
        read: |from, arm| {
            let there = from.file.service_names(from.known);
            service::names(from.node, &there).map(|names| arm.surroundings.services = names)
        },
        ..Key::PLAIN
    },
    Key {
        name: "environment",
        about: "Further variables of its environment.",
        value: ValueType::Table,
        takers: Taker::STARTED,
        read: |from, arm| {
            surroundings::environment(from.node).map(|variables| arm.surroundings.environment = variables)
        },
        ..Key::PLAIN
    },
    Key {
        name: "open_files",
        about: "Most files and sockets that it may have open at once.",
        value: ValueType::Whole { least: surroundings::LEAST_OPEN_FILES, most: 1_000_000 },
        takers: Taker::STARTED,
        read: |from, arm| from.whole().map(|files| arm.surroundings.open_files = Some(files.into())),
        ..Key::PLAIN
    },
    Key {
        name: "telemetry",
        about: "How closely the arm is watched; \"jfr\" records the JVM's own events, too.",
        value: ValueType::AnyOf(&[ValueType::Truth, ValueType::OneOf(|| vec!["jfr"])]),
        read: |from, arm| Telemetry::read(from.node).map(|telemetry| arm.telemetry = telemetry),
        asked: |arm| Some(format!("{:?}", arm.telemetry).to_lowercase()),
        ..Key::PLAIN
    },
];

/// Servers of the user's own.
const USERS_OWN: &[Key] = &[
    Key {
        name: "jar",
        about: "The executable jar of server = \"jar\".",
        takers: Taker::JARS,
        read: |from, arm| {
            let path = from.node.text()?;
            arm.jar.get_or_insert_default().path = PathBuf::from(path);
            Ok(())
        },
        ..Key::PLAIN
    },
    Key {
        name: "arguments",
        about: "Arguments of the jar; {host} and {port} stand for where it has to listen.",
        value: ValueType::Texts,
        takers: Taker::JARS,
        read: |from, arm| texts(from.node).map(|words| arm.jar.get_or_insert_default().arguments = words),
        ..Key::PLAIN
    },
    Key {
        name: "command",
        about: "Program and arguments of server = \"command\", or the arguments of an image in the place of its own; {host} and {port} \
                stand for where it has to listen.",
        value: ValueType::Texts,
        takers: Taker::BY_COMMAND,
        read: command,
        ..Key::PLAIN
    },
    Key {
        name: "ready",
        about: "The path, and the body there, that show that the server of a command or an image is ready.",
        value: ValueType::Table,
        takers: Taker::BY_COMMAND,
        read: |from, arm| {
            let ready = command::ready(from.node)?;
            let command = arm.command.get_or_insert_default();
            (command.ready_path, command.ready_body) = ready;
            Ok(())
        },
        ..Key::PLAIN
    },
    Key {
        name: "image",
        about: "The image of server = \"image\", as podman and docker name it.",
        takers: &[Taker::Image],
        read: |from, arm| image::name(from.node).map(|name| arm.image.get_or_insert_default().image = name),
        ..Key::PLAIN
    },
    Key {
        name: "volumes",
        about: "Folders and volumes that the image's container gets, as \"./data:/data:ro\".",
        value: ValueType::Texts,
        takers: &[Taker::Image],
        read: |from, arm| {
            image::volumes(from.node).map(|volumes| arm.image.get_or_insert_default().volumes = volumes)
        },
        ..Key::PLAIN
    },
    Key {
        name: "url",
        about: "Where the server of server = \"url\" listens, http or https: on this machine, or where `allow` permits a load.",
        takers: &[Taker::Url],
        read: |from, arm| origin::origin(from.node).map(|origin| arm.origin = Some(origin)),
        ..Key::PLAIN
    },
    Key {
        name: "network",
        about: "The way to the server of server = \"url\": connect_to, resolve, source, proxy, dns_ttl, insecure, cacert, cert, key, tls, \
                ciphers and sni, as the options of prony load.",
        value: ValueType::Table,
        takers: &[Taker::Url],
        read: |from, arm| network::network(from.node).map(|network| arm.network = network),
        asked: |arm| arm.network.shown(),
        ..Key::PLAIN
    },
    Key {
        name: "pid",
        about: "The id of the process of server = \"url\" on this machine or its `host`, where that is not the one that listens at the port.",
        value: ValueType::Whole { least: 1, most: observed::MOST_PID },
        takers: &[Taker::Url],
        read: |from, arm| from.whole().map(|pid| arm.observed.pid = Some(pid)),
        ..Key::PLAIN
    },
    Key {
        name: "metrics",
        about: "Where server = \"url\" tells figures of itself: a page in the text format of Prometheus, such as \
                http://10.0.0.5:8080/actuator/prometheus, or a Prometheus server with `prometheus`, `select` and queries.",
        value: ValueType::AnyOf(&[ValueType::Text, ValueType::Table]),
        takers: &[Taker::Url],
        read: |from, arm| FigureSource::read(from.node).map(|source| arm.observed.metrics = Some(source)),
        asked: |arm| arm.observed.metrics.as_ref().map(FigureSource::shown),
        ..Key::PLAIN
    },
];

/// The characters of the longest name of an arm.
pub(crate) const LONGEST_NAME: usize = 60;

fn name(node: &Node) -> Result<String, Diagnostic> {
    let name = node.text()?.trim();
    if name.is_empty() || name.chars().count() > LONGEST_NAME || name.chars().any(char::is_control) {
        return Err(node.refuse(ArmSlip::Name));
    }
    Ok(name.to_owned())
}

fn server(node: &Node, known: &Available) -> Result<(String, String), Diagnostic> {
    let spec = node.text()?;
    let not_a_release = || node.refuse(NameSlip::NotARelease(spec.to_owned()));
    if [command::COMMAND, IMAGE, URL, JAR].contains(&spec) {
        return Ok((spec.to_owned(), String::new()));
    }
    if spec.starts_with("http://") || spec.starts_with("https://") {
        return Err(not_a_release().hint(ArmHint::WriteFor {
            example: format!("{{ server = \"url\", url = \"{spec}\" }}"),
            server: OwnServer::Url,
        }));
    }
    if let Some(other) = other_server::find(spec.split(':').next().unwrap_or(spec)) {
        let (name, version) = spec.split_once(':').unwrap_or((spec, ""));
        let problem = node.refuse(NameSlip::UnknownServer(name.to_owned()));
        return Err(problem.hint(ArmHint::Otherwise { called: other.called, arm: other.arm(version) }));
    }
    let Some((server, version)) = spec.split_once(':') else {
        let hint = match known.servers.iter().find(|(name, _)| name == spec) {
            Some((name, versions)) => ArmHint::NameVersion(format!("\"{name}:{}\"", newest(versions))).into(),
            None => hint_servers(known),
        };
        return Err(not_a_release().hint(hint));
    };
    if !known.servers.iter().any(|(name, _)| name == server) {
        let names = known.servers.iter().map(|(name, _)| name.as_str());
        let problem = node.refuse(NameSlip::UnknownServer(server.to_owned()));
        return Err(problem.hint(near_or(server, names, || ArmHint::OtherWays(examples(known)).into())));
    }
    if !known.has_version(server, version) {
        return Err(unknown_version(node, known, server, version));
    }
    Ok((server.to_owned(), version.to_owned()))
}

/// Refuses a version that there cannot be, or that prony does not run.
fn unknown_version(node: &Node, known: &Available, server: &str, version: &str) -> Diagnostic {
    let hint = match known.rules(server) {
        Some(rules) => ArmHint::Versions {
            server: server.to_owned(),
            range: rules.supported.to_string(),
            newest: newest(known.versions(server)).to_owned(),
        }
        .into(),
        None => {
            let versions = known.versions(server).iter().cloned();
            Hint::listed(Listing::ReleasesOf(server.to_owned()), versions)
        }
    };
    let (server, version) = (server.to_owned(), version.to_owned());
    let problem = node.refuse(NameSlip::UnknownRelease { server, version });
    problem.hint(hint)
}

fn newest(versions: &[String]) -> &str {
    versions.last().map_or("", String::as_str)
}

/// The hint for an arm without a server, or with one that is not in the catalog.
pub(crate) fn hint_servers(known: &Available) -> Hint {
    Hint::ForExample(examples(known))
}

/// Each server with its newest version, as an arm names it.
fn examples(known: &Available) -> Vec<String> {
    let newest = |(name, versions): &(String, Vec<String>)| format!("\"{name}:{}\"", newest(versions));
    known.servers.iter().map(newest).collect()
}

fn jdk(node: &Node) -> Result<JdkChoice, Diagnostic> {
    let node::Value::Text(text) = &node.value else {
        return node.integer(8..=99).map(|major| JdkChoice::Release(major as u32));
    };
    if text.contains('/') {
        return Ok(JdkChoice::Home(PathBuf::from(text)));
    }
    let problem = |_| node.refuse(ArmSlip::Jdk(text.clone())).hint(ArmAdvice::JdkForms);
    JdkName::try_from(text.clone()).map(JdkChoice::Named).map_err(problem)
}

fn heap(node: &Node) -> Result<Bytes, Diagnostic> {
    if matches!(&node.value, node::Value::Text(text) if text == LeftTo::Jvm.id()) {
        return Ok(Bytes(0));
    }
    let heap = node.size()?;
    if heap < Bytes(16 << 20) {
        let problem = node.refuse(ArmSlip::SmallHeap(heap));
        return Err(problem.hint(ArmAdvice::LeastHeap));
    }
    Ok(heap)
}

fn options(node: &Node) -> Result<Vec<String>, Diagnostic> {
    match &node.value {
        node::Value::Text(text) => Ok(text.split_whitespace().map(str::to_owned).collect()),
        _ => texts(node),
    }
}

fn texts(node: &Node) -> Result<Vec<String>, Diagnostic> {
    let items = node.list()?.iter();
    items.map(Node::owned_text).collect()
}

/// Reads `command`. Where an image listens may be fixed by the image.
fn command(from: &KeyReading<'_>, arm: &mut Arm) -> Result<(), Diagnostic> {
    let words = match arm.server == IMAGE {
        true => texts(from.node)?,
        false => service::command(from.node)?,
    };
    arm.command.get_or_insert_default().command = words;
    Ok(())
}
