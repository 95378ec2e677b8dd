//! `prony catalog`: what can be asked for.

use crate::experiment;
use crate::failure::Failure;
use crate::output::print;
use std::fmt::Write;

pub(crate) fn run() -> Result<(), Failure> {
    let known = experiment::known();
    let mut out = String::from("servers (SERVER:VERSION)\n");
    for (name, versions) in &known.servers {
        let _ = writeln!(out, "  {name:<10} {}", versions.join(" "));
    }
    out.push_str("\napplications and the paths they answer\n");
    for (name, paths) in &known.apps {
        let _ = writeln!(out, "  {name:<10} {}", paths.join(" "));
    }
    out.push_str("\nkeys of an arm: name, server, jdk, connector, tls, threads, min_threads, accept_count, max_connections,\n");
    out.push_str(
        "heap, jvm_options, port; on the command line as tomcat:10.1.29,connector=nio2,threads=virtual\n",
    );
    print(&out)
}
