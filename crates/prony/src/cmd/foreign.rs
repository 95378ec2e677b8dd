//! What `prony wrk` and `prony ab` share: they parse the command line as the tool that they replace does.

use crate::failure::Failure;
use clap::error::ErrorKind;
use clap::parser::ValueSource;
use clap::{Arg, ArgAction, CommandFactory, FromArgMatches};
use load::{Fault, Faults, Histogram, Slice};
use say::{Language, Say};
use std::ffi::OsString;
use traffic::load_note::LoadNote;

/// The faults that mean that no connection was made.
pub(super) const CONNECT: [Fault; 5] = [
    Fault::ConnectRefused,
    Fault::ConnectTimeout,
    Fault::ConnectFailed,
    Fault::PortsExhausted,
    Fault::DescriptorsExhausted,
];

/// A flag of the other tool that prony does not support.
#[derive(Debug, Say)]
#[say(
    error,
    en = "-{flag} is not supported",
    zh = "不支持 -{flag}",
    hint(en = "{instead}", zh = "{instead}")
)]
pub(crate) struct UnsupportedComplaint {
    pub(crate) flag: &'static str,
    /// What to do instead.
    pub(crate) instead: Instead,
}

/// What to do instead of giving a flag that is not supported.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Say)]
pub(crate) enum Instead {
    /// There are no scripts.
    #[say(
        en = "there are no Lua scripts here; `prony load` has -m, -b and -H for method, body and headers",
        zh = "这里没有 Lua 脚本；`prony load` 用 -m、-b 和 -H 指定方法、请求体和请求头"
    )]
    Scripts,
    /// Buffers and addresses are the system's choice.
    #[say(
        en = "leave it out: the system chooses buffers and addresses",
        zh = "请去掉它：缓冲区和地址由系统选择"
    )]
    System,
    /// There is no output as HTML.
    #[say(
        en = "leave it out: there is no output as HTML, `prony load --out DIR` writes Markdown and JSON",
        zh = "请去掉它：没有 HTML 输出，`prony load --out DIR` 会写出 Markdown 和 JSON"
    )]
    Html,
    /// There are no proxies.
    #[say(
        en = "leave it out: servers are loaded directly; -H adds any header",
        zh = "请去掉它：负载直接发往服务器；-H 可添加任意请求头"
    )]
    Proxy,
    /// TLS is as the server chooses.
    #[say(
        en = "leave it out: TLS 1.2 or 1.3 with the server's choice of cipher, the host as its name",
        zh = "请去掉它：使用 TLS 1.2 或 1.3，加密套件由服务器选择，名称为主机名"
    )]
    Tls,
    /// Single requests are not kept.
    #[say(
        en = "single requests are not kept; -e FILE writes the times of 0 to 100 per cent",
        zh = "不保留单个请求；-e FILE 会写出 0 到 100 百分位的时间"
    )]
    Requests,
    /// The number of threads is fixed.
    #[say(
        en = "leave it out: one thread sends all requests, as in ab 2.4",
        zh = "请去掉它：与 ab 2.4 一样，由一个线程发送全部请求"
    )]
    Threads,
}

/// A flag of the other tool that prony does not support. It is refused by its name and never silently ignored.
pub(super) struct UnsupportedFlag {
    /// The letter of the flag.
    pub(super) flag: &'static str,
    /// Whether the flag takes a value.
    pub(super) takes_value: bool,
    /// What to do instead.
    pub(super) instead: Instead,
}

/// Parses the arguments of `prony wrk` or `prony ab`; `None` if only help or the version was asked for, which is printed.
///
/// # Errors
///
/// A mistake, which has been printed; its exit code is `usage`, which the other tool uses.
pub(super) fn parse<T: CommandFactory + FromArgMatches>(
    words: &[OsString],
    unsupported: &'static [UnsupportedFlag],
    usage: u8,
) -> Result<Option<T>, Failure> {
    let command = T::command().args(unsupported.iter().map(|flag| {
        Arg::new(flag.flag)
            .short(flag.flag.chars().next())
            .action(match flag.takes_value {
                true => ArgAction::Set,
                false => ArgAction::SetTrue,
            })
            .hide(true)
    }));
    let name = command.get_name().to_owned();
    let parsed =
        command.try_get_matches_from(std::iter::once(OsString::from(name)).chain(words.iter().cloned()));
    let matches = match parsed {
        Ok(matches) => matches,
        Err(error) => return print_error(&error, usage).map(|()| None),
    };
    let is_given = |unsupported: &&UnsupportedFlag| {
        matches.value_source(unsupported.flag) == Some(ValueSource::CommandLine)
    };
    if let Some(UnsupportedFlag { flag, instead, .. }) = unsupported.iter().find(is_given) {
        let complaint = UnsupportedComplaint { flag, instead: *instead };
        return Err(Failure::usage(complaint).with_exit(usage.into()));
    }
    match T::from_arg_matches(&matches) {
        Ok(args) => Ok(Some(args)),
        Err(error) => print_error(&error, usage).map(|()| None),
    }
}

/// Prints what clap says; fails unless that is help or the version.
fn print_error(error: &clap::Error, usage: u8) -> Result<(), Failure> {
    // A reader that has closed the pipe needs no message.
    error.print().ok();
    match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => Ok(()),
        _ => Err(Failure::exit(usage.into())),
    }
}

/// Returns the number of faults of these kinds.
pub(super) fn count(faults: &Faults, kinds: &[Fault]) -> u64 {
    kinds.iter().map(|&kind| faults.count(kind)).sum()
}

/// Returns the standard deviation of the recorded times as a sample (divided by n - 1), in seconds.
pub(super) fn stdev(histogram: &Histogram) -> f64 {
    let count = histogram.len() as f64;
    if count < 2.0 {
        return 0.0;
    }
    histogram.stdev() / 1e9 * (count / (count - 1.0)).sqrt()
}

/// Returns warnings that the other tool does not have: the generator was the limit, or the figures are invalid.
pub(super) fn notes(slice: &Slice) -> Vec<String> {
    let overloaded = slice.overloaded.then(|| say::text(&LoadNote::FellBehind, Language::En));
    let invalid = slice.why_invalid().map(|why| say::text(&why, Language::En));
    let notes = overloaded.into_iter().chain(invalid);
    notes.map(|note| format!("prony: {note}")).collect()
}
