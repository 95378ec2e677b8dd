//! Older Jettys with the user's own base folder.

use crate::configuration::jetty_with_base;

#[test]
#[ignore = "measured: ./test --all"]
fn older_jettys_keep_the_base_folder_of_their_user() {
    for release in ["jetty:10.0.25", "jetty:11.0.26"] {
        let log = jetty_with_base(release, "http,deploy,annotations");
        assert!(log.contains(",/shop,file://"), "{release}: {log}");
    }
}
