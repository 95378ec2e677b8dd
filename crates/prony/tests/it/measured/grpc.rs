//! Armeria and Quarkus answer the calls of gRPC that grpc-java answers, in clear text and over TLS, and are compared with it.

use crate::home::Home;
use crate::served::grpc::{SERVERS, Shop, answers, arm, built, certificate, compared};

#[test]
#[ignore = "measured: ./test --all"]
fn armeria_and_quarkus_are_called_and_compared_with_grpc_java() {
    let home = Home::with_downloads();
    let folder = built(&home, &SERVERS);
    let secured = certificate(&home);
    for server in &SERVERS[1..] {
        let shop = Shop::start(&folder, server, &[]);
        answers(&home, &folder, &shop.url, &[]);
        drop(shop);
        let shop = Shop::start(&folder, server, &secured);
        answers(&home, &folder, &shop.url, &["--cacert", &secured[0]]);
    }
    for is_encrypted in [false, true] {
        compared(&home, &folder, &SERVERS.map(|server| arm(server, server, is_encrypted)));
    }
}
