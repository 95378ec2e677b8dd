//! `prony wrk` and `prony ab` as replacements of wrk and ab, against a scripted server that knows the right figures.

use crate::home::{Ended, Home, wait_for};
use std::process::{Command, Stdio};
use std::time::Duration;
use testkit::{Reply, Script, ScriptedServer};

fn server(script: Script) -> (ScriptedServer, String) {
    let server = ScriptedServer::start(script).expect("a server");
    let url = format!("http://{}/x?y", server.address());
    (server, url)
}

fn run(arguments: &[&str]) -> Ended {
    Home::empty().run(arguments)
}

/// Returns the number after a label.
fn number(ended: &Ended, label: &str) -> u64 {
    let context = || format!("{label} in\n{}{}", ended.stdout, ended.stderr);
    let (_, rest) = ended.stdout.split_once(label).unwrap_or_else(|| panic!("{}", context()));
    let word = rest.trim_start().split([' ', ',', '\n', ')']).next().expect("a word");
    word.parse().unwrap_or_else(|_| panic!("{}", context()))
}

/// Returns the number before ` requests in`.
fn requests(ended: &Ended) -> u64 {
    let before = ended.stdout.split(" requests in").next().expect("a line");
    before.rsplit(' ').next().and_then(|word| word.parse().ok()).expect("a number")
}

#[test]
fn wrk_counts_like_the_server_and_sends_the_requests_of_wrk() {
    let (server, url) = server(Script::new(Reply::ok("hi").after(Duration::from_millis(2))).record());
    let ended = run(&["wrk", "-t2", "-c4", "-d", "500ms", "--latency", "-H", "A:b", &url]);
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    let (counted, served) = (requests(&ended), server.requests());
    assert!(counted > 20 && counted <= served && served <= counted + 4, "{counted} counted, {served} served");
    let host = server.address();
    assert_eq!(server.log()[0], format!("GET /x?y HTTP/1.1\r\nHost: {host}\r\nA: b\r\n\r\n"));
    for line in [
        &format!("Running 0s test @ {url}\n  2 threads and 4 connections\n"),
        "\n  Thread Stats   Avg      Stdev     Max   +/- Stdev\n    Latency ",
        "\n  Latency Distribution\n     50% ",
    ] {
        assert!(ended.stdout.contains(line), "{line} in\n{}", ended.stdout);
    }
    assert!(!ended.stdout.contains("Socket errors") && !ended.stdout.contains("Non-2xx"));
}

#[test]
fn wrk_exits_with_0_whatever_the_answers_and_counts_timeouts_when_they_expire() {
    let (_server, url) = server(Script::new(Reply::status(500, "no")));
    let ended = run(&["wrk", "-t1", "-c2", "-d", "300ms", &url]);
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    assert_eq!(number(&ended, "Non-2xx or 3xx responses:"), requests(&ended));
    assert!(
        !ended.stdout.contains("    Latency     0.00us"),
        "wrong answers take time too: {}",
        ended.stdout
    );
    let (_server, url) = self::server(Script::new(Reply::nothing()));
    let ended = run(&["wrk", "-t1", "-c2", "-d", "500ms", "--timeout", "100ms", &url]);
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    assert!(number(&ended, "write 0, timeout") >= 2, "{}", ended.stdout);
    assert_eq!(requests(&ended), 0);
}

#[test]
fn wrk_exits_with_1_when_it_cannot_run() {
    let refused = run(&["wrk", "-d1s", "http://127.0.0.1:1/"]);
    assert!(
        refused.stderr.contains("unable to connect to 127.0.0.1:1 Connection refused\n"),
        "{}",
        refused.stderr
    );
    let (_server, url) = server(Script::new(Reply::ok("hi")));
    let script = run(&["wrk", "-s", "x.lua", &url]);
    assert!(script.stderr.contains("-s is not supported\nhint: "), "{}", script.stderr);
    let bad: [&[&str]; 6] = [
        &["wrk"],
        &["wrk", "ftp://x/"],
        &["wrk", "-c1", "-t2", &url],
        &["wrk", "-t0", &url],
        &["wrk", "-d", "soon", &url],
        &["wrk", "-U", &url],
    ];
    for ended in bad.iter().map(|words| run(words)).chain([refused, script]) {
        assert_eq!((ended.code, ended.stdout.as_str()), (Some(1), ""), "{}", ended.stderr);
        assert!(ended.stderr.contains("error: "), "{}", ended.stderr);
    }
}

#[test]
fn wrk_with_a_rate_acts_as_wrk2() {
    let (_server, url) = server(Script::new(Reply::ok("hi")));
    let ended = run(&["wrk", "-t1", "-c2", "-d", "500ms", "-R", "200", "-U", &url]);
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    assert!((90..=101).contains(&requests(&ended)), "{}", ended.stdout);
    for line in [
        "  Latency Distribution (HdrHistogram - Recorded Latency)\n 50.000% ",
        "\n       Value   Percentile   TotalCount 1/(1-Percentile)\n\n",
        "\n#[Mean    = ",
        "SubBuckets     =         2048]\n",
        "(HdrHistogram - Uncorrected Latency (measured without taking delayed starts into account))\n",
    ] {
        assert!(ended.stdout.contains(line), "{line} in\n{}", ended.stdout);
    }
}

#[test]
fn wrk_shows_what_was_measured_before_a_signal() {
    for signal in ["-INT", "-TERM", "-HUP"] {
        assert_ends_with_what_was_measured(signal);
    }
}

fn assert_ends_with_what_was_measured(signal: &str) {
    let (server, url) = server(Script::new(Reply::ok("hi").after(Duration::from_millis(2))));
    let mut command = Home::empty().prony(&["wrk", "-t1", "-c2", "-d60", &url]);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("prony");
    wait_for("requests", 20, || server.requests() > 20);
    Command::new("kill").args([signal, &child.id().to_string()]).status().expect("kill");
    let ended = Ended::from(child.wait_with_output().expect("an end"));
    assert_eq!(ended.code, Some(0), "{signal}: {}", ended.stderr);
    assert!(requests(&ended) > 10, "{}", ended.stdout);
}

#[test]
fn ab_sends_the_requests_of_ab_each_on_a_new_connection() {
    let (server, url) = server(Script::new(Reply::ok("hello")).record());
    let home = Home::empty();
    let body = home.file("body", "abc\n");
    let ended = home.run(&[
        "ab",
        "-q",
        "-n",
        "20",
        "-c2",
        "-p",
        &body,
        "-T",
        "a/b",
        "-C",
        "a=1",
        "-A",
        "u:p",
        "-H",
        "accept: z",
        &url,
    ]);
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    assert_eq!((server.requests(), server.connections()), (20, 20));
    let expected = format!(
        "POST /x?y HTTP/1.0\r\nCookie: a=1\r\nAuthorization: Basic dTpw\r\nContent-length: 4\r\n\
         Content-type: a/b\r\naccept: z\r\nHost: {}\r\nUser-Agent: ApacheBench/2.3\r\n\r\nabc\n",
        server.address()
    );
    assert_eq!(server.log()[19], expected);
    assert_eq!(number(&ended, "Complete requests:"), 20);
    assert_eq!(number(&ended, "Document Length:"), 5);
    assert_eq!(number(&ended, "HTML transferred:"), 100);
    assert_eq!(number(&ended, "Total body sent:"), 20 * expected.len() as u64);
    assert!(ended.stdout.contains("(be patient).....done\n\n\nServer Software: "), "{}", ended.stdout);
    assert!(!ended.stdout.contains("Keep-Alive requests"));
}

#[test]
fn ab_keeps_connections_and_writes_percentages() {
    let (server, url) = server(Script::new(Reply::ok("hello")));
    let home = Home::empty();
    let csv = home.file("e.csv", "");
    let ended = home.run(&["ab", "-k", "-n", "300", "-c", "3", "-e", &csv, &url]);
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    assert_eq!((server.requests(), server.connections()), (300, 3));
    assert_eq!(number(&ended, "Keep-Alive requests:"), 300);
    assert!(
        ended.stderr.contains("Completed 100 requests\n") && ended.stderr.contains("Finished 300 requests\n")
    );
    let rows = std::fs::read_to_string(csv).expect("a file");
    assert_eq!(rows.lines().count(), 102);
    assert!(rows.starts_with("Percentage served,Time in ms\n0,"), "{rows}");
}

#[test]
fn ab_counts_other_lengths_as_failed_but_not_other_statuses() {
    let replies = || Script::in_turn(vec![Reply::ok("hello"), Reply::status(503, "much too long")]);
    let (_server, url) = server(replies());
    let ended = run(&["ab", "-n", "40", &url]);
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    assert_eq!(number(&ended, "Failed requests:"), 20);
    assert_eq!(number(&ended, "Receive: 0, Length:"), 20);
    assert_eq!(number(&ended, "Non-2xx responses:"), 20);
    assert_eq!(number(&ended, "HTML transferred:"), 20 * (5 + 13));
    let (_server, url) = server(replies());
    let ended = run(&["ab", "-l", "-n", "40", &url]);
    assert_eq!((number(&ended, "Failed requests:"), number(&ended, "Non-2xx responses:")), (0, 20));
    assert!(ended.stdout.contains("Document Length:        Variable\n"));
}

#[test]
fn ab_exits_like_ab_when_the_server_resets_or_is_missing() {
    let (_server, url) = server(Script::in_turn(vec![Reply::ok("hello"), Reply::reset()]));
    let ended = run(&["ab", "-n", "10", &url]);
    assert_eq!(ended.code, Some(104), "{}", ended.stderr);
    assert_eq!(number(&ended, "Total of"), 10);
    let ended = run(&["ab", "-r", "-n", "10", &url]);
    assert_eq!((ended.code, number(&ended, "Receive:")), (Some(0), 5), "{}", ended.stderr);
    let ended = run(&["ab", "-n", "3", "http://127.0.0.1:1/"]);
    assert_eq!(ended.code, Some(111), "{}", ended.stderr);
    assert!(ended.stderr.contains("cannot connect to 127.0.0.1:1: connect refused\nhint: "));
}

#[test]
fn ab_ends_at_its_time_limit() {
    let (_server, url) = server(Script::new(Reply::ok("hi").after(Duration::from_millis(5))));
    let ended = run(&["ab", "-t", "1", "-k", "-c", "2", &url]);
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    let complete = number(&ended, "Complete requests:");
    assert!((20..500).contains(&complete), "{complete}: not the 50000 that -t stands for");
}

#[test]
fn ab_refuses_unsupported_flags_by_name() {
    for (flag, value) in [
        ("-b", true),
        ("-B", true),
        ("-g", true),
        ("-w", false),
        ("-x", true),
        ("-y", true),
        ("-z", true),
        ("-P", true),
        ("-X", true),
        ("-I", false),
        ("-Z", true),
        ("-f", true),
        ("-E", true),
        ("-W", true),
    ] {
        let mut words = vec!["ab", flag];
        words.extend(value.then_some("1"));
        words.push("http://127.0.0.1:1/");
        let ended = run(&words);
        assert_eq!(ended.code, Some(22), "{flag}: {}", ended.stderr);
        assert!(
            ended.stderr.contains(&format!("error: {flag} is not supported\nhint: ")),
            "{}",
            ended.stderr
        );
    }
    for words in [
        &["ab"] as &[&str],
        &["ab", "-n", "0", "http://127.0.0.1:1/"],
        &["ab", "-n", "2", "-c", "3", "http://127.0.0.1:1/"],
        &["ab", "-i", "-p", "x", "http://127.0.0.1:1/"],
        &["ab", "-v", "2", "http://127.0.0.1:1/"],
        &["ab", "-p", "/proc/none", "http://127.0.0.1:1/"],
    ] {
        let ended = run(words);
        assert_eq!(ended.code, Some(22), "{words:?}: {}", ended.stderr);
    }
}
