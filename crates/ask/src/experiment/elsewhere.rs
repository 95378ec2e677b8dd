//! An experiment as it leaves this machine: others can read its reports, and no secret of it.

use super::{Experiment, Workload};
use crate::hidden::hide_in_json;
use model::secret::{HIDDEN, redacted, without_secrets};
use serde::Serialize;
use serde::de::DeserializeOwned;
use traffic::scenario::Program;
use traffic::web_socket::{Awaited, WebSocketStep};

impl Experiment {
    /// Returns the experiment for a store of others: reports computed from it are the same, but it cannot be run. What scenarios send is
    /// left out, and [`HIDDEN`] is in the place of secrets of arms, services and requests.
    #[must_use]
    pub fn without_secrets(&self) -> Self {
        Self {
            arms: hidden(&self.arms),
            services: hidden(&self.services),
            workload: self.workload.without_secrets(),
            ..self.clone()
        }
    }

    /// Whether the experiment came from a team's store, so that what it needs to run is hidden or left out.
    pub fn lacks_secrets(&self) -> bool {
        let texts = serde_json::to_string(&(&self.arms, &self.services, &self.workload.mix));
        let is_outline = |sessions: &Program| sessions.groups.is_empty();
        texts.is_ok_and(|texts| texts.contains(HIDDEN))
            || self.workload.sessions.as_deref().is_some_and(is_outline)
    }
}

impl Workload {
    fn without_secrets(&self) -> Self {
        let mut shown = self.clone();
        if let Some(sessions) = &mut shown.sessions {
            **sessions = sessions.outline();
        }
        shown.path = without_secrets(&shown.path);
        for ask in shown.mix.iter_mut().flat_map(|mix| &mut mix.asks) {
            ask.path = without_secrets(&ask.path);
            for (name, value) in &mut ask.headers {
                *value = redacted(name, value);
            }
            if !ask.body.is_empty() {
                HIDDEN.clone_into(&mut ask.body);
            }
            if let Some(call) = &mut ask.grpc {
                call.body.clear();
            }
            if let Some(WebSocketStep::Message { awaits: Awaited::Containing(text), .. }) =
                &mut ask.web_socket
                && !text.is_empty()
            {
                HIDDEN.clone_into(text);
            }
        }
        shown
    }
}

/// A copy in which the texts are without secrets.
fn hidden<T: Serialize + DeserializeOwned>(whole: &T) -> T {
    let mut value = serde_json::to_value(whole).expect("its keys are texts");
    hide_in_json(&mut value, "");
    serde_json::from_value(value).expect("only texts were replaced")
}
