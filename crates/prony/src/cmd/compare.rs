//! `prony compare ARM ARM…`: runs an experiment that is described by arguments instead of a file.

use super::SubCommand;
use crate::args::{ExecutionArgs, NetworkArgs};
use crate::available::{self, Audience, Inquiry};
use crate::call::Call;
use crate::experiment::{self, RunOptions};
use crate::failure::Failure;
use crate::language;
use crate::mistakes::Mistakes;
use ask::arm::Arm;
use ask::arm::draft::ArmDraft;
use ask::available::Available;
use ask::deployment::Namespace;
use ask::diagnostic::Rejected;
use ask::experiment::{Experiment, LoadProfile, Workload};
use ask::jar::JAR;
use ask::origin::URL;
use ask::pattern;
use clap::Args;
use say::Say;

/// Compare servers without a file: prony compare tomcat:9.0.95 tomcat:10.1.29
#[derive(Debug, Args)]
pub(crate) struct CompareArgs {
    /// Two or more arms as SERVER:VERSION[,key=value...], or URLs of servers that run already; the first is the baseline.
    #[arg(value_name = "ARM", required_unless_present = "revisions", num_args = 1..)]
    arms: Vec<String>,
    /// Revisions of the user's repository in the place of servers.
    #[command(flatten)]
    built: BuiltArgs,
    /// The application that all of them run.
    #[arg(long, default_value = "hello")]
    app: String,
    /// The path to request [default: the application's first]
    #[arg(long)]
    path: Option<String>,
    /// Keep-alive connections; each sends its next request when the previous one is answered.
    #[arg(short, long, value_name = "N", default_value_t = ask::experiment::CONNECTIONS as u32,
          value_parser = clap::value_parser!(u32).range(1..=60_000))]
    connections: u32,
    /// The way to the servers of all arms that are URLs.
    #[command(flatten)]
    network: Box<NetworkArgs>,
    /// Options that every experiment takes.
    #[command(flatten)]
    execution: ExecutionArgs,
}

/// Revisions of the user's repository, which `prony compare` builds.
#[derive(Debug, Args)]
pub(crate) struct BuiltArgs {
    /// A revision of the git repository around this folder, which is built elsewhere and becomes an arm; may be repeated, and the
    /// first is the baseline. ARM may then name the server [default: the newest Tomcat 10.1, or 9.0 for a javax WAR]
    #[arg(long = "git", value_name = "REV", requires = "file")]
    revisions: Vec<String>,
    /// The WAR that the build of each revision makes, such as target/app.war; a * in its name stands for what differs.
    #[arg(long, value_name = "FILE", group = "file", requires = "revisions")]
    war: Option<String>,
    /// The executable jar that the build of each revision makes.
    #[arg(long, value_name = "FILE", group = "file", requires = "revisions")]
    jar: Option<String>,
    /// The command that builds a revision [default: Maven's or Gradle's own]
    #[arg(long, value_name = "COMMAND", requires = "revisions")]
    build: Option<String>,
}

/// Why arms cannot be compared as the command line asks.
#[derive(Debug, Say)]
#[say(error)]
pub(crate) enum ArmsComplaint {
    /// Only one was given.
    #[say(
        en = "one arm alone cannot be compared",
        zh = "只有一个对象，无从比较",
        hint(
            en = "name at least two: the first is the baseline; `prony why` asks what limits one",
            zh = "请至少给出两个：第一个是基线；`prony why` 可查找单个对象的瓶颈"
        )
    )]
    OneAlone,
    /// Several servers were named for the revisions of `--git`.
    #[say(
        en = "with --git the arms are the revisions, and one server runs all of them",
        zh = "使用 --git 时，对象是各个修订版本，由同一个服务器运行",
        hint(
            en = "name at most one server; a file can have any arms: \
                  {{ server = \"tomcat:10.1.29\", war = \"target/app.war\", git = \"main\" }}",
            zh = "请最多指定一个服务器；文件中可写任意对象：\
                  {{ server = \"tomcat:10.1.29\", war = \"target/app.war\", git = \"main\" }}"
        )
    )]
    SeveralServers,
    /// A way is given to servers that run already, and there are none.
    #[say(
        en = "no arm is a URL, and prony itself knows the way to the servers that it starts",
        zh = "没有对象是 URL，而 prony 自己启动的服务器无需指定网络路径",
        hint(en = "leave the options of the network out", zh = "请去掉网络选项")
    )]
    NoUrl,
    /// Two have one name.
    #[say(
        en = "two arms are called `{name}`",
        zh = "有两个对象都名为 `{name}`",
        hint(
            en = "give each a name: tomcat:10.1.29,name=one tomcat:10.1.29,name=two",
            zh = "请为每个对象命名：tomcat:10.1.29,name=one tomcat:10.1.29,name=two"
        )
    )]
    SameName { name: String },
    /// There is no application of that name.
    #[say(
        en = "unknown application `{app}`",
        zh = "没有名为 `{app}` 的应用",
        hint(en = "applications: {known:commas}", zh = "可用的应用：{known:commas}")
    )]
    UnknownApp {
        /// What was asked for.
        app: String,
        /// The applications that there are.
        known: Vec<String>,
    },
    /// The server of an arm cannot run the application.
    #[say(
        en = "`{server}` runs no servlets, and the application `{app}` needs them",
        zh = "`{server}` 不支持 servlet，而应用 `{app}` 需要 servlet",
        hint(
            en = "applications without servlets: {routed:commas}",
            zh = "不需要 servlet 的应用：{routed:commas}"
        )
    )]
    NeedsServlets {
        app: String,
        /// The server, which runs no servlets.
        server: String,
        /// The applications that it runs.
        routed: Vec<String>,
    },
    /// The server deploys no WAR, and the application needs that.
    #[say(
        en = "`{server}` deploys no WAR, and the application `{app}` takes what it needs from the server that does",
        zh = "`{server}` 不部署 WAR，而应用 `{app}` 需要由部署它的服务器提供所需的库",
        hint(
            en = "WARs are deployed by standalone servers, as tomcat:VERSION",
            zh = "WAR 由独立服务器部署，如 tomcat:VERSION"
        )
    )]
    NeedsDeployment {
        app: String,
        /// The server, which deploys none.
        server: String,
    },
    /// The application does not answer the path.
    #[say(
        en = "`{app}` does not answer `{path}`",
        zh = "`{app}` 不响应 `{path}`",
        hint(en = "`{app}` answers {paths:commas}", zh = "`{app}` 响应的路径：{paths:commas}")
    )]
    OtherPath {
        app: String,
        /// What was asked for.
        path: String,
        /// The paths that it answers.
        paths: Vec<String>,
    },
}

impl SubCommand for CompareArgs {
    fn run(&self, call: &Call) -> Result<(), Failure> {
        let known = available::in_catalog();
        let audience = Audience {
            colour: call.colour.stderr,
            quiet: call.quiet,
            lang: language::chosen(&self.execution.output.language),
        };
        let are_revisions = !self.built.revisions.is_empty();
        if are_revisions && self.arms.len() > 1 {
            return Err(Failure::usage(ArmsComplaint::SeveralServers));
        }
        let count = if are_revisions { self.built.revisions.len() } else { self.arms.len() };
        if count < 2 {
            return Err(Failure::usage(ArmsComplaint::OneAlone));
        }
        let mut arms = match are_revisions {
            false => {
                let specs: Vec<Vec<String>> = self.arms.iter().map(|spec| parts_of(spec)).collect();
                let specs: Vec<Vec<&str>> =
                    specs.iter().map(|parts| parts.iter().map(String::as_str).collect()).collect();
                parse_arms(&specs, &known, audience)?
            }
            true => revisions(self, &known, audience)?,
        };
        let count = |name: &str| arms.iter().filter(|arm| arm.name == name).count();
        if let Some(first) = arms.iter().find(|arm| count(&arm.name) > 1) {
            return Err(Failure::usage(ArmsComplaint::SameName { name: first.name.clone() }));
        }
        let network = self.network.network();
        let urls = arms.iter_mut().filter(|arm| arm.origin.is_some());
        if urls.map(|arm| arm.network.clone_from(&network)).count() == 0 && !network.is_usual() {
            return Err(Failure::usage(ArmsComplaint::NoUrl));
        }
        let workload = workload(&self.app, self.path.clone(), &arms, &known)?;
        let load = LoadProfile::of(self.connections as usize);
        let experiment = Experiment::without_file("compare", &known, arms, workload, load);
        let options = RunOptions { args: &self.execution, call, lock: None };
        experiment::run(experiment, &call.typed.command(), options)
    }
}

/// Returns an arm for each revision of `--git`. The WARs run on the server that is named, or else on the newest Tomcat of the series
/// that most people run with such a WAR.
fn revisions(args: &CompareArgs, known: &Available, audience: Audience) -> Result<Vec<Arm>, Failure> {
    let read = |server: &str| revision_arms(server, &args.built, known, audience);
    let server = match (args.arms.first(), &args.built.jar) {
        (Some(server), _) => return read(server),
        (None, Some(_)) => return read(JAR),
        (None, None) => available::newest_tomcat(known, "10.1"),
    };
    let arms = read(&server)?;
    let is_javax = |arm: &Arm| arm.deployment.namespace == Some(Namespace::Javax);
    match arms.iter().all(is_javax) {
        true => read(&available::newest_tomcat(known, "9.0")),
        false => Ok(arms),
    }
}

/// Returns the arms for the revisions, which are called after them unless the server has a name.
fn revision_arms(
    server: &str,
    built: &BuiltArgs,
    known: &Available,
    audience: Audience,
) -> Result<Vec<Arm>, Failure> {
    let key = |name: &str, value: &Option<String>| value.as_ref().map(|value| format!("{name}={value}"));
    let common = [key("war", &built.war), key("jar", &built.jar), key("build", &built.build)];
    let revisions: Vec<String> = built.revisions.iter().map(|revision| format!("git={revision}")).collect();
    let spec = |revision| {
        let common = common.iter().flatten().map(String::as_str);
        server.split(',').chain(common).chain([revision]).collect()
    };
    let specs: Vec<Vec<&str>> = revisions.iter().map(String::as_str).map(spec).collect();
    let mut arms = parse_arms(&specs, known, audience)?;
    if !server.split(',').any(|part| part.starts_with("name=")) {
        for (arm, revision) in arms.iter_mut().zip(&built.revisions) {
            arm.name.clone_from(revision);
        }
    }
    Ok(arms)
}

/// The parts of an arm. A URL stands for the server that runs there, which is called after it.
fn parts_of(spec: &str) -> Vec<String> {
    let mut parts: Vec<String> = spec.split(',').map(str::to_owned).collect();
    let url = parts[0].clone();
    if url.starts_with("http://") || url.starts_with("https://") {
        parts.splice(..1, [URL.to_owned(), format!("url={url}")]);
        if !parts.iter().any(|part| part.starts_with("name=")) {
            parts.push(format!("name={url}"));
        }
    }
    parts
}

/// Parses an arm as it is written on a command line.
pub(crate) fn parse_arm(spec: &str, known: &Available, audience: Audience) -> Result<Arm, Failure> {
    let parts = spec.split(',').collect();
    parse_arms(&[parts], known, audience).map(|mut arms| arms.remove(0))
}

/// Parses arms from their parts, each with its server first.
fn parse_arms(specs: &[Vec<&str>], known: &Available, audience: Audience) -> Result<Vec<Arm>, Failure> {
    let refuse = |parts: &Vec<&str>, diagnostics| {
        Failure::usage(Mistakes {
            rejected: Rejected { diagnostics },
            name: "argument".to_owned(),
            text: parts.join(","),
            colour: audience.colour,
        })
    };
    let draft =
        |parts: &Vec<&str>| ArmDraft::from_parts(parts, known).map_err(|problems| refuse(parts, problems));
    let drafts = specs.iter().map(draft).collect::<Result<Vec<_>, Failure>>()?;
    let resolve = |arms: &mut [Arm], known: &Available| {
        for ((arm, draft), parts) in arms.iter_mut().zip(&drafts).zip(specs) {
            *arm = draft.resolve(known).map_err(|problems| refuse(parts, problems))?;
        }
        Ok(())
    };
    let folder = std::env::current_dir().unwrap_or_default();
    let mut arms: Vec<Arm> = drafts.iter().map(ArmDraft::as_written).collect();
    let inquiry = Inquiry { folder: &folder, audience };
    inquiry.find_out(&mut known.clone(), &mut arms, None, resolve)?;
    arms.iter_mut().for_each(|arm| arm.relative_to(&folder));
    Ok(arms)
}

/// Returns the requests to send. Fails if the application or the path is not in the catalog.
pub(crate) fn workload(
    app: &str,
    path: Option<String>,
    arms: &[Arm],
    known: &Available,
) -> Result<Workload, Failure> {
    if arms.iter().all(Arm::is_the_users) {
        // Only the user knows which paths a WAR or a jar of the user answers.
        return Ok(one_request(app, path.unwrap_or_else(|| "/".to_owned())));
    }
    let Some((app, paths)) = known.apps.iter().find(|(name, _)| name == app) else {
        return Err(Failure::usage(ArmsComplaint::UnknownApp {
            app: app.to_owned(),
            known: known.apps.iter().map(|(name, _)| name.clone()).collect(),
        }));
    };
    if let Some(arm) = known.without_servlets(app, arms) {
        return Err(Failure::usage(ArmsComplaint::NeedsServlets {
            app: app.clone(),
            server: arm.server.clone(),
            routed: known.routed.clone(),
        }));
    }
    if let Some(arm) = known.without_deployment(app, arms) {
        return Err(Failure::usage(ArmsComplaint::NeedsDeployment {
            app: app.clone(),
            server: arm.server.clone(),
        }));
    }
    let path = path.unwrap_or_else(|| paths[0].clone());
    let answers = |pattern: &String| pattern::values(pattern, &path).is_some();
    if !paths.iter().any(answers) {
        return Err(Failure::usage(ArmsComplaint::OtherPath {
            app: app.clone(),
            path,
            paths: paths.clone(),
        }));
    }
    Ok(one_request(app, path))
}

/// Returns a workload of requests for one path.
pub(crate) fn one_request(app: &str, path: String) -> Workload {
    Workload { app: app.to_owned(), path, mix: None, sessions: None, expect: None, unlike_answers: false }
}
