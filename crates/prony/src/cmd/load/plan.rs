//! From the flags of `prony load` to a plan.

use crate::args;
use crate::failure::{Code, Failure};
use crate::say::Mistakes;
use crate::say::complaint::{FileComplaint, Given, LoadComplaint};
use load::{RequestBuilder, Url, Window};
use model::mix::Mix;
use model::plan::{Arrivals, Order, Plan, Request, Reuse, Stage, Target, Tls, Trust};
use model::units::{Nanos, Rate};
use std::path::Path;

/// How long, when nothing else ends the load.
const DURATION: Nanos = Nanos::from_secs(10);
/// How long at most, when a number of requests is to end it.
pub(in crate::cmd) const PATIENCE: Nanos = Nanos::from_secs(24 * 3600);

/// The plan and the window that the flags ask for.
pub(super) fn of(args: &args::Load, url: &Url) -> Result<(Plan, Window), Failure> {
    if args.duration == Some(Nanos(0)) {
        return Err(Failure::usage(LoadComplaint::NoTime));
    }
    let (requests, order) = match &args.mix {
        Some(file) => mix(args, url, file)?,
        None => (vec![request(args, url)?], Order::InTurn),
    };
    let target = match &args.unix_socket {
        Some(path) => Target::Unix(path.clone()),
        None => Target::Tcp(load::resolve(url).map_err(usage)?),
    };
    let mut plan = Plan::new(target, requests, arrivals(args));
    plan.order = order;
    plan.tls = url.tls.then(|| tls(args, url, &plan.target)).transpose()?;
    plan.limit = args.requests;
    plan.users.ramp = args.ramp_up.unwrap_or(Nanos(0));
    plan.users.think = args.think.unwrap_or_default();
    plan.users.iterations = args.iterations;
    plan.reuse = match args.pool {
        _ if args.no_keepalive => Reuse::Never,
        Some(connections) => Reuse::Pool(connections as usize),
        None => Reuse::PerUser,
    };
    plan.pipeline = args.pipeline as usize;
    plan.connect_rate = args.connect_rate;
    plan.kernel_times = !args.no_kernel_times;
    plan.shards = args.threads as usize;
    plan.connect_timeout = args.connect_timeout.unwrap_or(args.timeout);
    plan.response_timeout = args.timeout;
    plan.seed = args.seed;
    Ok((plan, window(args)))
}

fn usage(error: load::Error) -> Failure {
    Failure::new(Code::Usage, error)
}

/// Wraps why a file that the command line names cannot be read.
pub(in crate::cmd) fn unreadable(given: Given, path: &Path) -> impl FnOnce(std::io::Error) -> Failure {
    let path = path.to_owned();
    move |source| Failure::usage(FileComplaint::Unreadable { given, path, source })
}

/// What every request has, whatever else it is.
fn base(args: &args::Load, url: &Url) -> Result<RequestBuilder, Failure> {
    let mut request = RequestBuilder::new(url).keep_alive(!args.no_keepalive);
    for text in &args.headers {
        let (name, value) = header(text)?;
        request = request.header(name, value);
    }
    Ok(request)
}

fn request(args: &args::Load, url: &Url) -> Result<Request, Failure> {
    let mut request = base(args, url)?.method(&args.method);
    if let Some(body) = &args.body {
        request = request.body(bytes(body)?);
    }
    request.build().map_err(usage)
}

/// The requests that a file lists, and their order.
fn mix(args: &args::Load, url: &Url, file: &Path) -> Result<(Vec<Request>, Order), Failure> {
    let name = file.display().to_string();
    let text = std::fs::read_to_string(file).map_err(unreadable(Given::Mix, file))?;
    let mix = Mix::parse(&text).map_err(|rejected| {
        Failure::usage(Mistakes {
            rejected,
            name,
            text,
            colour: false,
        })
    })?;
    load::mixed(&base(args, url)?, &mix).map_err(usage)
}

/// A body as it was typed, or what is in the file after an `@`, as with curl.
fn bytes(body: &str) -> Result<Vec<u8>, Failure> {
    match body.strip_prefix('@') {
        Some(path) => std::fs::read(path).map_err(unreadable(Given::Body, Path::new(path))),
        None => Ok(body.as_bytes().to_vec()),
    }
}

/// Ramp, warm-up, measured part; a load with an end of its own counts from its begin.
fn window(args: &args::Load) -> Window {
    let ends = args.requests.is_some() || args.iterations.is_some();
    let before = args.ramp_up.unwrap_or_default() + args.warm_up.unwrap_or_default();
    let course = args.stages.as_ref();
    let course = course.map(|stages| stages.iter().fold(Nanos(0), |sum, stage| sum + stage.length));
    Window {
        settle: if ends { Nanos(0) } else { before },
        counted: course
            .or(args.duration)
            .unwrap_or(if ends { PATIENCE } else { DURATION }),
    }
}

/// Requests of a course by its length, per second.
pub(super) fn mean_rate(course: &[Stage]) -> f64 {
    let length: f64 = course.iter().map(|stage| stage.length.as_secs_f64()).sum();
    let requests = |stage: &Stage| (stage.from.0 + stage.to.0) / 2.0 * stage.length.as_secs_f64();
    course.iter().map(requests).sum::<f64>() / length
}

fn arrivals(args: &args::Load) -> Arrivals {
    let connections = args.connections as usize;
    let poisson = !args.constant;
    let course = |stages| Arrivals::Stages {
        stages,
        poisson,
        connections,
    };
    match (&args.stages, args.rate, args.ramp_up) {
        (Some(stages), ..) => course(stages.clone()),
        (None, None, _) => Arrivals::Closed { users: connections },
        (None, Some(to), Some(length)) if length > Nanos(0) => course(vec![Stage {
            from: Rate(0.0),
            to,
            length,
        }]),
        (None, Some(rate), _) => Arrivals::Open {
            rate,
            poisson,
            connections,
        },
    }
}

fn tls(args: &args::Load, url: &Url, target: &Target) -> Result<Tls, Failure> {
    let read = |path: &std::path::PathBuf| std::fs::read(path).map_err(unreadable(Given::Other, path));
    let mut tls = Tls::new(&url.host, target, args.cacert.as_ref().map(read).transpose()?);
    if args.insecure {
        tls.trust = Trust::Anyone;
    }
    tls.resume = !args.no_resume;
    Ok(tls)
}

/// Name and value of `-H`.
pub(in crate::cmd) fn header(text: &str) -> Result<(&str, &str), Failure> {
    let (name, value) = text.split_once(':').ok_or_else(|| {
        Failure::usage(LoadComplaint::NotAHeader {
            text: text.to_owned(),
        })
    })?;
    Ok((name.trim(), value.trim()))
}
