//! Libraries that repeat calls which have failed: data.

use super::{Owner, matches, owner};

/// Their names, as people call them, with the patterns of their methods.
const LIBRARIES: &[(&str, &[&str])] = &[
    (
        "Spring Retry",
        &["org.springframework.retry.support.RetryTemplate.*", "org.springframework.retry.backoff.*"],
    ),
    ("Spring", &["org.springframework.core.retry.RetryTemplate.*"]),
    ("Resilience4j", &["io.github.resilience4j.retry.*"]),
    ("Failsafe", &["dev.failsafe.internal.RetryPolicy*", "net.jodah.failsafe.internal.RetryPolicy*"]),
    ("Guava Retrying", &["com.github.rholder.retry.*"]),
    ("SmallRye Fault Tolerance", &["io.smallrye.faulttolerance.core.retry.*"]),
    (
        "Apache HttpClient",
        &[
            "org.apache.http.impl.execchain.RetryExec.*",
            "org.apache.http.impl.execchain.ServiceUnavailableRetryExec.*",
            "org.apache.hc.client5.http.impl.classic.HttpRequestRetryExec.*",
        ],
    ),
    ("AWS SDK", &["software.amazon.awssdk.core.internal.http.pipeline.stages.RetryableStage*"]),
];

/// The library in which a thread waits until it calls again, without a method of the application within it; `None` where it does something else.
pub(in super::super) fn retry_library(frames: &[String]) -> Option<&'static str> {
    let mut within = frames.iter().take_while(|method| owner(method) != Owner::Application);
    within.find_map(|method| library_of(method))
}

/// The library of a method.
fn library_of(method: &str) -> Option<&'static str> {
    let fits = |patterns: &[&str]| patterns.iter().any(|pattern| matches(pattern, method));
    LIBRARIES.iter().find(|(_, patterns)| fits(patterns)).map(|(name, _)| *name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn library(frames: &[&str]) -> Option<&'static str> {
        retry_library(&frames.iter().map(|frame| (*frame).to_owned()).collect::<Vec<_>>())
    }

    #[test]
    fn who_waits_to_call_again_does_so_within_the_library() {
        let waits = [
            "java.lang.Thread.sleep",
            "org.springframework.retry.backoff.ThreadWaitSleeper.sleep",
            "org.springframework.retry.support.RetryTemplate.doExecute",
            "shop.Rooms.ask",
        ];
        assert_eq!(library(&waits), Some("Spring Retry"));
        let calls = ["java.lang.Thread.sleep", "shop.Rooms.lambda$ask$0", waits[2], waits[3]];
        assert_eq!(library(&calls), None, "the application sleeps itself");
        assert_eq!(library(&["java.lang.Thread.sleep", "shop.Rooms.ask"]), None);
    }
}
