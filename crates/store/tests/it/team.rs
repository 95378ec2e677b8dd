//! The store of a team on a real PostgreSQL, in a database for each test.

use model::foreign::{ForeignFigure, ForeignMeasure, ForeignRun, ForeignTool, ForeignUnit};
use model::units::Seconds;
use postgres::{Client, NoTls};
use record::decision::{Decision, DecisionKind};
use record::rounds::RoundRecord;
use record::rounds::{RunRecord, SliceRecord};
use std::slice;
use std::thread::sleep;
use std::time::{Duration, Instant};
use store::{Moved, Store, Team, TeamAccess, TeamAddress, TeamError};
use testkit::{Database, Postgres};

fn address(url: &str) -> TeamAddress {
    TeamAddress::parse(url).expect("an address")
}

/// Runs statements in the database at this address.
fn sql(url: &str, statements: &str) {
    let mut client = Client::connect(url, NoTls).expect("connected");
    client.batch_execute(statements).expect("done");
}

/// Stores a run with slices that have bytes of all kinds on a machine.
fn machine(run: &str, slices: u32) -> (tempfile::TempDir, Store) {
    let folder = tempfile::tempdir().expect("a folder");
    let store = Store::open(folder.path()).expect("a store");
    add(&store, run, slices);
    (folder, store)
}

fn add(store: &Store, run: &str, slices: u32) {
    let record = record(run);
    store.begin(&record, "arms = []\n# 中文 'quoted' \\").expect("begun");
    for number in 0..slices {
        let slice = SliceRecord {
            round: 1,
            response: Some((1..=255).map(|value| (value, value)).collect()),
            service: Some([(1 + u64::from(number), 255)].into_iter().collect()),
            ..SliceRecord::default()
        };
        store.store_slice(run, &slice).expect("a slice");
    }
    let round = RoundRecord { round: 1, ..RoundRecord::default() };
    store.store_round(run, &round).expect("a round");
}

fn record(run: &str) -> RunRecord {
    let text =
        "arms = [{ name = \"a\", server = \"tomcat:9.0.95\" }, { name = \"b\", server = \"tomcat:9.0.95\" }]";
    let known = ask::available::Available {
        servers: vec![("tomcat".to_owned(), vec!["9.0.95".to_owned()])],
        apps: vec![("hello".to_owned(), vec!["/json".to_owned()])],
        ..Default::default()
    };
    let experiment = ask::experiment::Experiment::parse(text, "made-up", &known);
    RunRecord {
        load_machines: Vec::new(),
        run: run.to_owned(),
        experiment: experiment.expect("a valid file"),
        seed: 7,
        fingerprint: [("kernel".to_owned(), "6.1".to_owned())].into(),
        repeat: String::new(),
        calibration: None,
        elapsed: Seconds(0.0),
        interrupted: true,
        continued_at: Vec::new(),
        left_out: Vec::new(),
        proofs: Vec::new(),
        inspections: Vec::new(),
        cpu_profiles: Vec::new(),
    }
}

/// Everything that is stored of a run.
fn dump(store: &Store, run: &str) -> String {
    let record = store.record(run).expect("read");
    let rounds = store.rounds(run).expect("read");
    format!("{record:?}{rounds:?}{:?}", store.source(run).expect("read"))
}

const RUN: &str = "2026-11-21T03:40:12Z-7f3a";

#[test]
fn a_run_is_the_same_after_it_was_pushed_and_pulled() {
    let server = Database::create().expect("a database");
    let at = address(&server.url("owner"));
    assert!(matches!(Team::open(&at, TeamAccess::Read), Err(TeamError::Empty { .. })));
    let (_folder, store) = machine(RUN, 30);
    let mut team = Team::open(&at, TeamAccess::Write).expect("a store");
    assert_eq!(team.push(&store, RUN).expect("pushed"), Moved::Added);
    assert_eq!(team.push(&store, RUN).expect("known"), Moved::Known);
    let elsewhere = tempfile::tempdir().expect("a folder");
    let mut other = Store::open(elsewhere.path()).expect("a store");
    let id = team.find("2026-11-21").expect("found");
    assert_eq!(team.pull(&id, &mut other).expect("pulled"), Moved::Added);
    assert_eq!(dump(&other, RUN), dump(&store, RUN));
    assert_eq!(dump(&team.copy(&[RUN]).expect("a copy"), RUN), dump(&store, RUN));
    // A run that was continued is completed; the shorter copy replaces nothing.
    let later = SliceRecord { round: 2, ..SliceRecord::default() };
    store.store_slice(RUN, &later).expect("a slice");
    assert_eq!(team.push(&store, RUN).expect("pushed"), Moved::Completed);
    let refused = team.push(&other, RUN);
    assert!(matches!(refused, Err(TeamError::Conflict { .. })), "{refused:?}");
}

#[test]
fn machines_push_at_the_same_time() {
    let server = Database::create().expect("a database");
    let at = address(&server.url("owner"));
    let pushes = (0..6).map(|number| {
        let at = at.clone();
        std::thread::spawn(move || {
            let run = format!("2026-10-2{number}T03:40:12Z-7f3a");
            let (_folder, store) = machine(&run, 5);
            add(&store, RUN, 5);
            let mut team = Team::open(&at, TeamAccess::Write).expect("a store");
            [&run, RUN].map(|run| team.push(&store, run).expect("pushed"))
        })
    });
    let pushes: Vec<_> = pushes.collect();
    let moved: Vec<[Moved; 2]> = pushes.into_iter().map(|push| push.join().expect("pushed")).collect();
    let added = moved.iter().flatten().filter(|moved| **moved == Moved::Added);
    assert_eq!(added.count(), 7, "six runs of their own and one that all have: {moved:?}");
    let listed = Team::open(&at, TeamAccess::Read).and_then(|mut team| team.listing(None, 100));
    assert_eq!(listed.expect("listed").runs(None, 100).expect("runs").len(), 7);
}

#[test]
fn viewers_read_and_other_schemas_are_refused() {
    let server = Database::create().expect("a database");
    let (_folder, store) = machine(RUN, 3);
    let mut team = Team::open(&address(&server.url("owner")), TeamAccess::Write).expect("a store");
    team.push(&store, RUN).expect("pushed");
    sql(
        &server.url("owner"),
        "CREATE ROLE viewer LOGIN; GRANT USAGE ON SCHEMA prony TO viewer; GRANT SELECT ON ALL TABLES IN SCHEMA prony TO viewer",
    );
    let viewer = address(&server.url("viewer"));
    let mut reads = Team::open(&viewer, TeamAccess::Read).expect("may read");
    assert_eq!(reads.find("latest").expect("found"), RUN);
    let refused = reads.push(&store, RUN).expect_err("may not write");
    assert!(
        say::hint(&refused, say::Language::En).is_some_and(|hint| hint.contains("may only read")),
        "{refused}"
    );
    sql(&server.url("owner"), "UPDATE prony.schema_version SET version = 7");
    for (at, access) in
        [(viewer.clone(), TeamAccess::Read), (address(&server.url("owner")), TeamAccess::Write)]
    {
        let older = Team::open(&at, access).err().expect("refused");
        assert!(
            matches!(older, TeamError::Older { stored: 7, .. })
                && say::hint(&older, say::Language::En).is_some_and(|hint| hint.contains("another database")),
            "{older}"
        );
    }
    sql(&server.url("owner"), "UPDATE prony.schema_version SET version = 99");
    let newer = Team::open(&viewer, TeamAccess::Read).err().expect("refused");
    assert!(
        matches!(newer, TeamError::Newer { stored: 99, .. })
            && say::hint(&newer, say::Language::En).is_some(),
        "{newer}"
    );
}

#[test]
fn a_server_without_encryption_and_a_lost_one_are_said() {
    let mut server = Postgres::start().expect("a server");
    let owner = address(&server.url("owner"));
    let (_folder, store) = machine(RUN, 1);
    let mut reads = Team::open(&owner, TeamAccess::Write).expect("a store");
    reads.push(&store, RUN).expect("pushed");
    for statement in ["ALTER SYSTEM SET ssl = off", "SELECT pg_reload_conf()"] {
        sql(&server.url("owner"), statement);
    }
    let require = address(&format!("{}?sslmode=require", server.url("owner")));
    let began = Instant::now();
    // The server reads its settings again in its own time.
    let said = loop {
        let said = hint(Team::open(&require, TeamAccess::Read));
        if !said.contains("sslrootcert=FILE") {
            break said;
        }
        assert!(began.elapsed() < Duration::from_secs(20), "{said}");
        sleep(Duration::from_millis(10));
    };
    assert!(said.contains("switch it on there"), "{said}");
    Team::open(&owner, TeamAccess::Read).expect("connected without encryption");
    server.stop();
    let lost = reads.find("latest").expect_err("the server has gone");
    assert!(say::hint(&lost, say::Language::En).is_some_and(|hint| hint.contains("prony push")), "{lost}");
    assert!(matches!(Team::open(&owner, TeamAccess::Read), Err(TeamError::Connect { .. })));
}

/// The error that opening a store ended with, and its hint.
fn hint(refused: Result<Team, TeamError>) -> String {
    let error = refused.err().expect("refused");
    format!("{error}: {}", say::hint(&error, say::Language::En).unwrap_or_default())
}

/// How many connections of prony to this database are encrypted at the moment.
fn encrypted(server: &Database) -> i64 {
    let mut client = Client::connect(&server.url("owner"), NoTls).expect("connected");
    let count = "SELECT count(*) FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) \
                 WHERE ssl AND application_name = 'prony' AND datname = current_database()";
    client.query_one(count, &[]).expect("counted").get(0)
}

#[test]
fn a_connection_is_encrypted_and_the_server_checked_as_the_address_says() {
    let server = Database::create().expect("a database");
    let open = |query: &str| {
        let url = format!("{}?{query}", server.url("owner"));
        Team::open(&TeamAddress::parse(&url).expect("an address"), TeamAccess::Write)
    };
    let trusts = format!("sslmode=verify-full&sslrootcert={}", server.certificate().display());
    for (query, wanted) in [("", 1), ("sslmode=disable", 0), (trusts.as_str(), 1)] {
        let team = open(query).expect("connected");
        assert_eq!(encrypted(&server), wanted, "{query}");
        drop(team);
    }
    let stranger = hint(open("sslmode=require"));
    assert!(stranger.contains("certificate") && stranger.contains("sslrootcert=FILE"), "{stranger}");
    let missing = hint(open("sslmode=require&sslrootcert=/nowhere.pem"));
    assert!(missing.contains("/nowhere.pem"), "{missing}");
    // The certificate is for 127.0.0.1 alone.
    let other_name = format!("{}?{trusts}", server.url("owner").replace("127.0.0.1", "localhost"));
    let other_name = TeamAddress::parse(&other_name).and_then(|at| Team::open(&at, TeamAccess::Read));
    assert!(hint(other_name).contains("name the host as its certificate does"));
}

fn decision(kind: DecisionKind) -> Decision {
    Decision {
        run: RUN.to_owned(),
        kind,
        comment: "a new parser: 'quoted' 中文".to_owned(),
        by: "nina".to_owned(),
        at: "2026-11-26T08:15:00Z".to_owned(),
    }
}

#[test]
fn a_decision_is_replaced_and_withdrawn_and_goes_with_its_run() {
    let (_folder, mut store) = machine(RUN, 1);
    assert_eq!(store.decisions("made-up").expect("read"), []);
    store.decide(&decision(DecisionKind::Accepted)).expect("stored");
    store.decide(&decision(DecisionKind::Dismissed)).expect("replaced");
    assert_eq!(store.decisions("made-up").expect("read"), [decision(DecisionKind::Dismissed)]);
    assert_eq!(store.decisions("another").expect("read"), []);
    assert!(store.withdraw(RUN).expect("removed"));
    assert!(!store.withdraw(RUN).expect("nothing there"));
    store.decide(&decision(DecisionKind::Accepted)).expect("stored");
    store.remove(&[RUN.to_owned()]).expect("removed");
    add(&store, RUN, 1);
    assert_eq!(store.decisions("made-up").expect("read"), []);
}

#[test]
fn decisions_are_pushed_and_pulled_and_the_later_one_stays() {
    let server = Database::create().expect("a database");
    let (_folder, mut here) = machine(RUN, 1);
    let mut team = Team::open(&address(&server.url("owner")), TeamAccess::Write).expect("a store");
    let at = |at: &str, kind| Decision { at: format!("2026-11-26T{at}:00Z"), ..decision(kind) };
    let (first, second) = (at("08:15", DecisionKind::Accepted), at("09:00", DecisionKind::Dismissed));
    // The team does not have the run yet.
    assert_eq!(team.push_decisions(slice::from_ref(&first)).expect("read"), 0);
    team.push(&here, RUN).expect("pushed");
    assert_eq!(team.push_decisions(slice::from_ref(&second)).expect("pushed"), 1);
    for known in [&second, &first] {
        assert_eq!(team.push_decisions(slice::from_ref(known)).expect("read"), 0, "{known:?}");
    }
    here.decide(&first).expect("stored");
    assert!(team.pull_decision(RUN, &here).expect("pulled"));
    assert_eq!(here.all_decisions().expect("read"), slice::from_ref(&second));
    // What is here already, or was decided here later, stays.
    assert!(!team.pull_decision(RUN, &here).expect("read"));
    let third = at("10:30", DecisionKind::Accepted);
    here.decide(&third).expect("stored");
    assert!(!team.pull_decision(RUN, &here).expect("read"));
    assert_eq!(here.decision(RUN).expect("read"), Some(third));
    here.remove(&[RUN.to_owned()]).expect("removed");
    assert_eq!(here.all_decisions().expect("read"), []);
}

#[test]
fn a_team_decides_and_its_viewers_only_read() {
    let server = Database::create().expect("a database");
    let (_folder, store) = machine(RUN, 1);
    let owner = address(&server.url("owner"));
    let mut team = Team::open(&owner, TeamAccess::Write).expect("a store");
    team.push(&store, RUN).expect("pushed");
    // There is a viewer, and one who may push.
    sql(
        &server.url("owner"),
        "CREATE ROLE \"a viewer\" LOGIN; CREATE ROLE ci LOGIN; GRANT USAGE ON SCHEMA prony TO PUBLIC; \
         GRANT SELECT ON ALL TABLES IN SCHEMA prony TO PUBLIC; GRANT ALL ON ALL TABLES IN SCHEMA prony TO ci",
    );
    let viewer = address(&server.url("a%20viewer"));
    let mut viewer = Team::open(&viewer, TeamAccess::Read).expect("may read");
    let mut ci = Team::open(&address(&server.url("ci")), TeamAccess::Write).expect("may write");
    assert_eq!(
        [&mut team, &mut viewer, &mut ci].map(|role| role.may_decide().expect("asked")),
        [true, false, true]
    );
    ci.decide(&decision(DecisionKind::Accepted)).expect("stored");
    let seen = viewer.listing(None, 9).and_then(|listing| Ok(listing.decisions("made-up")?));
    assert_eq!(seen.expect("read"), [decision(DecisionKind::Accepted)]);
    let whole = viewer.copy(&[RUN]).and_then(|copy| Ok(copy.decisions("made-up")?));
    assert_eq!(whole.expect("read").len(), 1);
    for refused in [viewer.decide(&decision(DecisionKind::Dismissed)), viewer.withdraw(RUN).map(|_| ())] {
        let refused = refused.expect_err("may not write");
        assert!(
            say::hint(&refused, say::Language::En).is_some_and(|hint| hint.contains("may only read")),
            "{refused}"
        );
    }
    assert!(team.withdraw(RUN).expect("removed"));
    assert!(!team.withdraw(RUN).expect("nothing there"));
}

fn foreign(at: &str, value: f64) -> ForeignRun {
    ForeignRun {
        series: "nightly JMeter".to_owned(),
        tool: ForeignTool::Jmeter,
        at: at.to_owned(),
        file: "run.jtl".to_owned(),
        figures: vec![ForeignFigure {
            measure: ForeignMeasure::Percentile(99.9),
            unit: ForeignUnit::Seconds,
            value,
            low: None,
            high: None,
        }],
    }
}

#[test]
fn figures_of_other_tools_are_kept_beside_an_experiment() {
    let (_folder, store) = machine(RUN, 1);
    let server = Database::create().expect("a database");
    let mut team = Team::open(&address(&server.url("owner")), TeamAccess::Write).expect("a store");
    let [first, second] = [("2026-11-25T00:00:00Z", 0.1), ("2026-11-26T00:00:00Z", 0.3)];
    for (at, value) in [second, first, (first.0, 0.2)] {
        store.add_foreign("made-up", &foreign(at, value)).expect("added");
        team.add_foreign("made-up", &foreign(at, value)).expect("added");
    }
    let expected = [foreign(first.0, 0.2), foreign(second.0, 0.3)].map(|run| ("made-up".to_owned(), run));
    assert_eq!(store.foreign(None).expect("read"), expected);
    assert_eq!(store.foreign(Some("another")).expect("read"), []);
    let mut listed = |experiment| team.listing(experiment, 9).and_then(|all| Ok(all.foreign(None)?));
    assert_eq!(listed(Some("made-up")).expect("read"), expected);
    assert_eq!(listed(Some("another")).expect("read"), []);
    assert_eq!(listed(None).expect("read"), expected);
    assert_eq!(store.forget_foreign("made-up", "another").expect("nothing"), 0);
    assert_eq!(store.forget_foreign("made-up", "nightly JMeter").expect("removed"), 2);
    assert_eq!(team.forget_foreign("made-up", "nightly JMeter").expect("removed"), 2);
    assert_eq!(store.foreign(None).expect("read"), []);
}
