//! WARs of the reader's own: what they were written for, migrated before and at every start, and answers nobody knew before.

use crate::common::{GO_ON, site, spec, start};
use sut::{Namespace, Package, Program, ServerSpec, war};

/// A start of this version of Tomcat that deploys `hello` as it was written for javax.
fn javax(version: &str) -> (ServerSpec, std::path::PathBuf) {
    let app = sut::App::find("hello").expect("known");
    let package = Package::war(Namespace::Javax);
    let file = app.build(&package, &site(), &GO_ON).expect("built");
    (spec(version), file)
}

fn tomcat(spec: &mut ServerSpec) -> &mut sut::Tomcat {
    let Program::Tomcat(tomcat) = &mut spec.program else {
        panic!("a Tomcat")
    };
    tomcat
}

#[test]
fn a_javax_war_is_migrated_once_and_runs_on_tomcat_10() {
    let (mut spec, javax) = javax("10.1.29");
    assert_eq!(war::namespace(&javax).expect("told"), Some(Namespace::Javax));
    let jakarta = war::migrated(&javax, &spec.jdk, &site(), &GO_ON).expect("migrated");
    assert_eq!(war::namespace(&jakarta).expect("told"), Some(Namespace::Jakarta));
    let again = war::migrated(&javax, &spec.jdk, &site(), &GO_ON).expect("kept");
    assert_eq!(again, jakarta);
    let known = spec.ready.body.take();
    tomcat(&mut spec).war = jakarta;
    let server = start(&spec).expect("started");
    assert_eq!(
        server.body(),
        known.as_deref(),
        "the first answer is the right one"
    );
    server.stop().expect("stopped");
}

#[test]
fn tomcat_11_migrates_a_javax_war_at_every_start() {
    let (mut spec, javax) = javax("11.0.24");
    *tomcat(&mut spec) = sut::Tomcat {
        war: javax,
        migrates: true,
        ..tomcat(&mut spec).clone()
    };
    let server = start(&spec).expect("started");
    assert!(server.log().contains("webapps-javaee"), "{}", server.log());
    server.stop().expect("stopped");
}
