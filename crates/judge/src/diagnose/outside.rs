//! Causes that a load shows from outside, of a server whose process nobody here can see.

use record::finding::Cause;

/// Whether the load alone shows this cause: by its own connects, handshakes, answers and times. Every other cause rests on what the
/// process and its machine do, and what is unknown of these would be read as zero; the server may tell enough of it itself
/// ([`ToldFigures`](super::told::ToldFigures)).
pub(super) const fn shows(cause: Cause) -> bool {
    matches!(
        cause,
        Cause::GeneratorSaturated
            | Cause::EphemeralPortsExhausted
            | Cause::ErrorsFast
            | Cause::WrongAnswers
            | Cause::RateLimited
            | Cause::LinkSaturated
            | Cause::AcceptQueueOverflow
            | Cause::ConnectionLimit
            | Cause::KeepaliveNotEffective
            | Cause::KeepaliveLimit
            | Cause::TlsHandshakePerRequest
            | Cause::StreamLimit
            | Cause::FlowControlStall
            | Cause::GoawayChurn
            | Cause::LimitNotFound
    )
}

#[cfg(test)]
mod tests {
    use super::super::tests::{NONE, Scene};

    /// The scene with an arm on another machine, whose process nobody can see.
    fn unseen(scene: Scene) -> Scene {
        scene.arm(|arm| arm.origin = "https://green.example.com".to_owned().try_into().ok())
    }

    #[test]
    fn what_rests_on_a_look_inside_is_not_named_of_a_server_elsewhere() {
        // The CPU of this machine is full, but of the generator.
        let full = || Scene::healthy().load(32, 10_000, 0.8);
        assert_eq!(full().causes(), ["server-cpu-saturated"]);
        assert_eq!(unseen(full()).causes(), NONE);
    }

    #[test]
    fn what_the_load_shows_is_named_wherever_the_server_is() {
        let closing = || {
            Scene::healthy().load(32, 10_000, 0.8).slices(|slice| {
                (slice.counts.connects, slice.counts.tls_handshakes) = (10_000, 10_000);
            })
        };
        assert!(closing().causes().contains(&"keepalive-not-effective"));
        let causes = unseen(closing()).causes();
        assert!(causes.contains(&"keepalive-not-effective"), "{causes:?}");
        assert!(!causes.contains(&"server-cpu-saturated"), "{causes:?}");
    }
}
