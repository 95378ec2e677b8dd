//! Derived words of all kinds.

use crate::units::{Bytes, Count, Cpus, Rate, Seconds, Share};
use crate::{Cause, Language, Say, SayError, TextPart, Writer, hint, parts, spaced, text};
use std::error::Error as _;
use std::io;
use std::path::PathBuf;

fn both(value: &dyn Say) -> [String; 2] {
    [Language::En, Language::Zh].map(|language| text(value, language))
}

#[derive(Debug, Say)]
#[say(error)]
enum Error {
    #[say(
        en = "cannot {act} in {path}: {source}",
        zh = "{act}失败（{path}）：{source}",
        hint(en = "{where_else}", zh = "{where_else}"),
        where_else = path.starts_with("/").then_some(Elsewhere)
    )]
    File { act: Act, path: PathBuf, source: io::Error },
    #[say(
        en = "mode {0:o}, share {index} of {1}",
        zh = "权限{0:o}，第{index}份，共{1}份",
        index = _2 + 1
    )]
    Share(u32, u64, u64),
    #[say(transparent)]
    Other(#[say(from)] Other),
    #[say(transparent)]
    Elsewhere(Box<dyn SayError>),
    #[say(
        en = "refused: {act}",
        zh = "拒绝：{act}",
        hint(from = act)
    )]
    Refused { act: Act },
    #[say(transparent = Refused { act: *_0 })]
    Same(Act),
    #[say(en = "{it} in {out}", zh = "{out} 中的 {it}", it = value)]
    Named { out: u8, value: u8 },
}

#[derive(Clone, Copy, Debug, Say)]
enum Act {
    #[say(en = "open the file", zh = "打开文件")]
    Open,
    #[say(
        en = "write",
        zh = "写入",
        hint(en = "run chmod u+w {mode} times", zh = "执行 chmod u+w {mode} 次"),
        mode = 2
    )]
    Write,
}

#[derive(Debug, Say)]
#[say(error, en = "other", zh = "其他", hint(en = "wait", zh = "请等待"))]
struct Other;

#[derive(Say)]
#[say(en = "no: {act}", zh = "不：{act}")]
struct Refused {
    act: Act,
}

#[derive(Clone, Copy, Debug, Say)]
#[say(en = "set HOME", zh = "请设置HOME")]
struct Elsewhere;

#[test]
fn an_error_has_words_a_hint_and_a_source() {
    let file =
        |path: &str| Error::File { act: Act::Open, path: path.into(), source: io::Error::other("denied") };
    assert_eq!(both(&file("/a")), ["cannot open the file in /a: denied", "打开文件失败（/a）：denied"]);
    assert_eq!(file("/a").to_string(), "cannot open the file in /a: denied");
    assert_eq!(hint(&file("/a"), Language::Zh).as_deref(), Some("请设置 HOME"));
    assert_eq!(hint(&file("a"), Language::Zh), None);
    assert_eq!(file("a").source().map(ToString::to_string).as_deref(), Some("denied"));
    assert_eq!(both(&Error::Share(0o644, 3, 0)), ["mode 644, share 1 of 3", "权限 644，第 1 份，共 3 份"]);
}

#[test]
fn what_is_transparent_says_what_is_in_it() {
    let other = Error::from(Other);
    assert!(other.source().is_none());
    for error in [other, Error::Elsewhere(Box::new(Other))] {
        assert_eq!(both(&error), ["other", "其他"]);
        assert_eq!(hint(&error, Language::En).as_deref(), Some("wait"));
    }
    assert_eq!(both(&Error::Same(Act::Open)), ["no: open the file", "不：打开文件"]);
    let named = Error::Named { out: 1, value: 2 };
    assert_eq!(both(&named), ["2 in 1", "1 中的 2"], "no name of a field is taken");
    let refused = |act| hint(&Error::Refused { act }, Language::Zh);
    assert_eq!(refused(Act::Write).as_deref(), Some("执行 chmod u+w 2 次"));
    assert_eq!(refused(Act::Open), None);
}

#[derive(Say)]
#[say(
    en = "{share} of {requests} wait for {lock}{method?, in {}}, {each} each{waited?; they waited in {:percent} of {n} {n|start|starts}|; \
          they never waited}{odd?, oddly}",
    zh = "{requests}个请求中的{share}在等待{lock}{method?，位于{}}，每次{each}{waited?；在{n}次启动的{:percent}中等待|；从未等待}{odd?，\
          很奇怪}"
)]
struct LockWait {
    lock: String,
    share: Share,
    requests: Count,
    each: Seconds,
    method: Option<&'static str>,
    waited: Option<f64>,
    n: u64,
    odd: bool,
}

#[derive(Say)]
#[say(en = "{each:.2} s in {busy:.1} of {cpus} CPUs", zh = "{cpus} 个 CPU 中的 {busy:.1} 个，{each:.2} s")]
struct CpuTime {
    each: Seconds,
    busy: Cpus,
    cpus: Cpus,
}

#[test]
fn a_format_with_digits_leaves_out_the_unit() {
    let time = CpuTime { each: Seconds(0.0153), busy: Cpus(0.48), cpus: Cpus(1.5) };
    assert_eq!(both(&time), ["0.02 s in 0.5 of 1.5 CPUs", "1.5 个 CPU 中的 0.5 个，0.02 s"]);
}

#[test]
fn spans_of_time_add_up_and_divide() {
    let spans = [Seconds(1.5), Seconds(0.5)];
    let all: Seconds = spans.into_iter().sum();
    assert_eq!((all, all - spans[1], 2.0 * all, all / 4.0), (Seconds(2.0), spans[0], Seconds(4.0), spans[1]));
    assert_eq!((all / spans[1], Share(0.25).of(all)), (4.0, Seconds(0.5)));
    assert_eq!(
        (spans[0].max(all), spans[1].as_millis(), Seconds::from_nanos(1_500_000_000)),
        (all, 500.0, spans[0])
    );
}

#[test]
fn words_around_what_is_missing_are_missing_too() {
    let wait = |method, waited, n, odd| LockWait {
        lock: "锁A1".to_owned(),
        share: Share(0.37),
        requests: Count(12_000.0),
        each: Seconds(0.0153),
        method,
        waited,
        n,
        odd,
    };
    assert_eq!(
        both(&wait(Some("Cart.total"), Some(0.5), 1, true)),
        [
            "37 % of 12 000 wait for 锁A1, in Cart.total, 15.3 ms each; they waited in 50 % of 1 start, oddly",
            "12 000 个请求中的 37 %在等待锁A1，位于 Cart.total，每次 15.3 ms；在 1 次启动的 50 %中等待，很奇怪"
        ]
    );
    assert_eq!(
        both(&wait(None, None, 2, false)),
        [
            "37 % of 12 000 wait for 锁A1, 15.3 ms each; they never waited",
            "12 000 个请求中的 37 %在等待锁A1，每次 15.3 ms；从未等待"
        ]
    );
    let many = text(&wait(None, Some(0.5), 2, false), Language::En);
    assert!(many.contains("of 2 starts"), "{many}");
}

#[derive(Say)]
#[say(
    en = "{0}; {0:or}; {0:commas}; {0:clauses}{0?: {}}",
    zh = "{0}；{0:or}；{0:commas}；{0:clauses}{0?：{}}"
)]
struct Names(Vec<&'static str>);

#[test]
fn lists_are_joined_as_sentences_do() {
    assert_eq!(
        both(&Names(vec!["a", "b", "c"])),
        [
            "a, b and c; a, b or c; a, b, c; a, b, c: a, b and c",
            "a、b 和 c；a、b 或 c；a、b、c；a，b，c：a、b 和 c"
        ]
    );
    assert_eq!(both(&Names(vec!["a"])), ["a; a; a; a: a", "a；a；a；a：a"]);
    assert_eq!(text(&Names(vec![]), Language::En), "; ; ; ");
}

#[test]
fn units_format_themselves_and_are_bare_numbers_in_json() {
    let shown = [
        Seconds(5e-5).to_string(),
        Share(0.0123).to_string(),
        Rate(21_034.1).to_string(),
        Bytes(220 << 20).to_string(),
    ];
    assert_eq!(shown, ["50.0 µs", "1.2 %", "21.0 k/s", "220 MiB"]);
    assert_eq!(serde_json::to_string(&Share(0.25)).expect("JSON"), "0.25");
    assert_eq!(serde_json::to_string(&Seconds(2.5)).expect("JSON"), "2.5");
}

#[test]
fn chinese_is_spaced_where_words_and_values_meet_and_not_within_values() {
    assert_eq!(spaced("用JDK 21和`heap`运行"), "用 JDK 21 和 `heap` 运行");
    let mut out = Writer::new(Language::Zh);
    out.words("无法读取");
    out.value("实验1.toml");
    out.words("文件");
    assert_eq!(out.into_text(), "无法读取实验1.toml 文件");
}

#[test]
fn a_text_tells_its_values_from_its_words() {
    let words = |text: &str| TextPart::Words(text.to_owned());
    let value = |text: &str| TextPart::Value(text.to_owned());
    let expected = [words("a*"), value("a*b"), words("*"), value("7"), words("!")];
    assert_eq!(parts(&Starred { name: "a*b", count: 7 }, Language::En), expected);
    let expected = [words("星*"), value("a*b"), words("*第 "), value("7"), words(" 个")];
    assert_eq!(parts(&Starred { name: "a*b", count: 7 }, Language::Zh), expected);
}

#[derive(Say)]
#[say(en = "a*{name}*{count}!", zh = "星*{name}*第{count}个")]
struct Starred {
    name: &'static str,
    count: u8,
}

#[test]
fn a_locale_names_a_language() {
    let of =
        ["zh_CN.UTF-8", "zh", "zh-TW", "zh-CN,zh;q=0.9", "C.UTF-8", "de_DE", ""].map(Language::of_locale);
    let zh = of.map(|language| language == Language::Zh);
    assert_eq!(zh, [true, true, true, true, false, false, false]);
}

#[derive(Debug, Say)]
#[say(error, en = "no answer", zh = "没有应答")]
struct Silence;

#[derive(Debug, Say)]
#[say(error)]
enum Failed {
    #[say(en = "the load failed", zh = "压测失败")]
    Load(#[say(from)] Silence),
    #[say(en = "cannot count", zh = "无法计数")]
    Count { source: std::num::ParseIntError },
    #[say(transparent)]
    Other(Box<Failed>),
}

#[test]
fn a_cause_speaks_the_language_where_it_has_words() {
    let cause = |error: &Failed| Cause::of(error).map(|cause| cause.text(Language::Zh));
    assert_eq!(cause(&Failed::from(Silence)).as_deref(), Some("没有应答"));
    assert_eq!(cause(&Failed::Other(Box::new(Silence.into()))).as_deref(), Some("没有应答"));
    let source = "x".parse::<u8>().expect_err("no number");
    assert_eq!(cause(&Failed::Count { source }).as_deref(), Some("invalid digit found in string"));
}
