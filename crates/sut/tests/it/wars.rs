//! WARs of the user: recognising their Servlet API, migrating them once or at every start, and unknown answers.

use crate::common::{GO_ON, site, spec, start};
use sut::{Namespace, Packaging, Program, ServerSpec, war};

/// The specification of this version of Tomcat, and a WAR of `hello` for javax.
fn javax(version: &str) -> (ServerSpec, std::path::PathBuf) {
    let app = sut::App::find("hello").expect("known");
    let packaging = Packaging::war(Namespace::Javax);
    let file = app.build(&packaging, &site(), &GO_ON).expect("built");
    (spec(version), file)
}

fn tomcat(spec: &mut ServerSpec) -> &mut sut::Tomcat {
    let Program::Tomcat(tomcat) = &mut spec.program else { panic!("a Tomcat") };
    tomcat
}

#[test]
fn a_javax_war_is_migrated_once_and_runs_on_tomcat_10() {
    let (mut spec, javax) = javax("10.1.29");
    assert_eq!(war::namespace(&javax).expect("known"), Some(Namespace::Javax));
    let jakarta = war::migrated(&javax, &spec.jdk, &site(), &GO_ON).expect("migrated");
    assert_eq!(war::namespace(&jakarta).expect("known"), Some(Namespace::Jakarta));
    let again = war::migrated(&javax, &spec.jdk, &site(), &GO_ON).expect("kept");
    assert_eq!(again, jakarta);
    let known = spec.ready.body.take();
    tomcat(&mut spec).war = jakarta;
    let server = start(&spec).expect("started");
    assert_eq!(server.body(), known.as_deref(), "the first answer is the right one");
    server.stop().expect("stopped");
}

#[test]
fn tomcat_11_migrates_a_javax_war_at_every_start() {
    let (mut spec, javax) = javax("11.0.24");
    *tomcat(&mut spec) = sut::Tomcat { war: javax, migrates: true, ..tomcat(&mut spec).clone() };
    let server = start(&spec).expect("started");
    assert!(server.log().contains("webapps-javaee"), "{}", server.log());
    server.stop().expect("stopped");
}
