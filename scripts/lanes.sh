# Sourced by ./test. Test binaries run in lanes, each with its own log in target/test.

logs=$PWD/target/test
rm -rf "$logs"
mkdir -p "$logs"

# need_for_servers: needs what the tests with servers, browsers and other machines use.
need_for_servers() {
    need mvn maven
    need git git
    need valgrind valgrind
    need memcached memcached
    need podman podman
    need runc runc
    need_file "/usr/lib/podman/netavark" netavark
    need nats-server nats-server
    need nsenter util-linux
    need_file "/usr/lib/*/faketime/libfaketime.so.1" libfaketime
    need_file "/usr/lib/python3/dist-packages/jsonschema" python3-jsonschema
    need_file "/usr/lib/python3/dist-packages/yaml" python3-yaml
    need chromium chromium
    need_file "/usr/lib/postgresql/*/bin/postgres" postgresql
    need influxd influxdb
    need prometheus prometheus
    need wrk wrk
    need ab apache2-utils
    need hyperfine hyperfine
    need msmtp msmtp
    need aiosmtpd python3-aiosmtpd
    need setpriv util-linux
    need tc iproute2
    # For tests with other hosts: namespaces, each with its sshd, and one with a wrong clock.
    need ssh openssh-client
    need_file "/usr/sbin/sshd" openssh-server
    need faketime faketime
    need script bsdutils
    need_jdk
    # For Tomcat with APR and OpenSSL: the tcnative of the system, and what is needed to build another version.
    need_file "/usr/lib/*/libtcnative-1.so" libtcnative-1
    need_file "/usr/include/apr-1*/apr.h" libapr1-dev
    need_file "/usr/include/openssl/ssl.h" libssl-dev
    # For JDKs that are not installed.
    need pip3 python3-pip
}

# build: compiles all tests and examples, and lists the tests as lines of CRATE TARGET PROGRAM. It is always the whole workspace: with some of
# its crates cargo would choose other features, and compile all that they need anew. The linter is the compiler where it is there: as a
# command of its own it reads everything once more, which takes as long as this.
build() {
    [ "$tier" = quick ] || [ -n "$unlinted" ] || lints
    cargo test --locked --workspace --tests --examples --no-run --message-format json-render-diagnostics >"$logs/build.json"
    sed -n 's|.*"manifest_path":"[^"]*/\([^/"]*\)/Cargo.toml","target":{"kind":\["\([^"]*\)"\][^}]*"name":"\([^"]*\)".*"overflow_checks":[a-z]*,"test":true}.*"executable":"\([^"]*\)".*|\1 \2 \3 \4|p' \
        "$logs/build.json" | awk '{ print $1, ($2 == "test" ? $3 : "unit"), $4 }' | sort -u >"$logs/programs"
    [ -s "$logs/programs" ] || { echo "error: cargo names no tests" >&2; exit 1; }
}

# lints: lets cargo compile the workspace with the linter from now on. A warning is an error.
lints() {
    export RUSTC_WORKSPACE_WRAPPER=$PWD/scripts/lint
}

# lane NAME FUNCTION: runs the function of a lane, and shows and keeps whatever it prints.
lane() {
    begun=$(date +%s)
    $2 2>&1 | tee "$logs/$1.log"
    echo "lane $1: $(($(date +%s) - begun)) s" | tee -a "$logs/lanes"
}

# check COMMAND...: runs a check that is no test.
check() {
    "$@" || echo "check failed: $*"
}

# programs PATTERN: the test programs whose lines of CRATE TARGET match.
programs() {
    grep -E "^($1) " "$logs/programs"
}

# run PATTERN THREADS [ARGUMENT...]: runs test programs one after another, each in the folder of its crate, as cargo does.
run() {
    pattern=$1
    threads=$2
    shift 2
    programs "$pattern" | while read -r crate target program; do
        echo "running $crate $target"
        (
            cd "crates/$crate"
            # The unit tests of a procedural macro link to the compiler's own library, which cargo finds for them.
            [ "$target" != unit ] || export LD_LIBRARY_PATH="$(rustc --print target-libdir)"
            # Times of tests are shown by nightly versions only, unless the variable says otherwise.
            RUSTC_BOOTSTRAP=1 CARGO_MANIFEST_DIR=$PWD INSTA_WORKSPACE_ROOT=$PWD/../.. PRONY_COUNTS=$logs/counts \
                "$program" -Z unstable-options --report-time --test-threads "$threads" "$@" </dev/null
        ) || echo "check failed: tests of $crate $target"
    done
}

plain_lane() {
    run '[a-z-]+ unit' 2
    run '(ask|import|model|stats|testkit) it' 2
    run 'report it' 2 --skip browser::
    run 'prony it' 2 plain::
}

waiting_lane() {
    run 'fleet it' 8
    run 'prony it' 8 waiting::
}

served_lane() {
    run 'prony it' 2 served::
    run '(sut|store|probe) it' 2
    run 'report it' 2 browser::
}

checks_lane() {
    # The examples in the documentation of testkit.
    check cargo test --locked --workspace --doc
    check nice -n 19 scripts/check-dependencies
    check nice -n 19 scripts/book
}

# What judges times or instructions, and the measured tests.
alone_lane() {
    run 'load (it|alloc)' 2
    # Others may share a build machine; what they disturbed is told at the end.
    [ "$tier" = all ] || export PRONY_DISTURBED="$logs/disturbed"
    check bench/instructions --check
    for crate in prony sut; do
        measured=$(share_of_measured "$crate")
        # shellcheck disable=SC2086 # a list of names
        [ -z "$measured" ] || run "$crate it" 1 --exact --ignored $measured
    done
}

# share_of_measured CRATE: the names of the measured tests that this commit runs. Those of all releases fetch dozens of servers, and run
# with --all only.
share_of_measured() {
    commit=$(git rev-parse --short=7 HEAD 2>/dev/null || echo 0)
    sixth=$((0x$commit % 6))
    [ "$tier" = all ] || echo "the measured tests of $1: number $sixth of every 6 (of 0 to 5)" >&2
    programs "$1 it" | while read -r _ _ program; do
        "$program" --list --ignored measured:: | sed -n 's/: test$//p' |
            if [ "$tier" = all ]; then cat; else grep -v '^measured::releases::' | awk -v sixth="$sixth" 'NR % 6 == sixth'; fi
    done
}

# forgotten: a failed check for each test program that no lane has run.
forgotten() {
    while read -r crate target _; do
        grep -qx "running $crate $target" "$logs/all" || echo "check failed: no lane runs the tests of $crate $target"
    done <"$logs/programs"
}

# summarize: shows what was slow and what was started, counts the tests, and exits.
summarize() {
    cat "$logs"/*.log >"$logs/all"
    [ "$tier" = quick ] || forgotten >>"$logs/all"
    status=0
    ! grep -E '^check failed:' "$logs/all" || status=1
    echo "the slowest tests:"
    sed -n 's/^test \(.*\) \.\.\. \([a-zA-Z]*\) <\([0-9.]*\)s>$/\3 s  \1 \2/p' "$logs/all" | sort -rn | head -15
    scripts/check-budget "$logs/counts" || status=1
    [ ! -e "$logs/disturbed" ] || sed 's/^/not judged, because the machine was busy: /' "$logs/disturbed"
    cat "$logs/lanes"
    grep -q '^test result:' "$logs/all" || status=1
    awk '/^test result:/ { passed += $4; failed += $6; skipped += $8 }
         END { printf "%d passed, %d failed, %d skipped\n", passed, failed, skipped }' "$logs/all"
    exit $status
}
