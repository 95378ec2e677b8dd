//! What the load of an arm is made of: its requests or sessions, and the way to the server.

use super::Bench;
use crate::error::Error;
use ask::arm::HttpVersion;
use ask::experiment::Experiment;
use load::{RequestBuilder, Url};
use sut::{Program, Server};
use traffic::plan::{Http, Order, Plan, Request, Sessions, Tls, Trust};

impl Bench {
    /// What all requests of the load have in common.
    fn common_request(server: &Server, experiment: &Experiment) -> Result<RequestBuilder, Error> {
        let path = &server.spec().loaded().path;
        let scheme = server.encryption().map_or("http", |_| "https");
        let url =
            Url::parse(&format!("{scheme}://{}{path}", server.authority())).map_err(load::Error::from)?;
        Ok(RequestBuilder::new(&url).keep_alive(experiment.load.keepalive))
    }

    /// The request that opens each connection, where the requests of the load are messages of WebSocket.
    pub(crate) fn opening(server: &Server, experiment: &Experiment) -> Result<Option<Vec<u8>>, Error> {
        let request = Self::common_request(server, experiment)?;
        let mix = experiment.workload.mix.as_ref();
        Ok(mix.map(|mix| load::opening_of(&request, mix)).transpose()?.flatten())
    }

    /// The requests of the load with their right answers, and their order.
    pub(crate) fn requests(server: &Server, experiment: &Experiment) -> Result<(Vec<Request>, Order), Error> {
        let request = Self::common_request(server, experiment)?;
        if let Some(mix) = &experiment.workload.mix {
            return Ok(load::mixed(&request, mix)?);
        }
        let mut request = request.expect_status(200..=200);
        if let Some(body) = server.body() {
            request = request.expect_body(body);
        }
        Ok((vec![request.build()?], Order::InTurn))
    }

    /// The bytes of a request as it is sent; `None` where not all requests are the same.
    pub(crate) fn request_bytes(server: &Server, experiment: &Experiment) -> Result<Option<u64>, Error> {
        if experiment.workload.sessions.is_some() {
            return Ok(None);
        }
        let (requests, _) = Self::requests(server, experiment)?;
        Ok(match requests.as_slice() {
            [only] if only.inserts.is_empty() && only.web_socket.is_none() => Some(only.bytes.len() as u64),
            _ => None,
        })
    }

    /// The sessions of the load, if the experiment plays scenarios.
    pub(crate) fn sessions(server: &Server, experiment: &Experiment) -> Option<Sessions> {
        let program = experiment.workload.sessions.as_deref()?.clone();
        Some(Sessions {
            program,
            authority: server.authority(),
            base_path: String::new(),
            others: Vec::new(),
            headers: Vec::new(),
            utc_offset: 0,
        })
    }

    /// Says in a plan how connections to the server of an arm are made. Only the certificate that was made for a server is accepted; of a
    /// server that ran already, those that the arm's way to it accepts.
    pub(crate) fn guide(&self, arm: usize, server: &Server, plan: &mut Plan) -> Result<(), Error> {
        if let Program::Running(origin) = &server.spec().program {
            let (route, tls) = self.route(arm, origin)?;
            route.guide(plan, &self.arms[arm].way);
            plan.tls = origin.tls.then_some(tls);
            return Ok(());
        }
        let trust = || match server.certificate() {
            Some(pem) => Trust::Roots(pem.as_bytes().to_vec()),
            None => Trust::Anyone,
        };
        let name = server.addr().ip().to_string();
        plan.tls = server.encryption().map(|_| Tls { trust: trust(), ..Tls::accepting_anyone(&name) });
        Ok(())
    }

    /// The version of HTTP that the load speaks with a server.
    pub(crate) fn http(server: &Server, experiment: &Experiment) -> Http {
        match server.spec().settings.http {
            Some(HttpVersion::Two) => Http::Two { streams: experiment.load.streams },
            _ => Http::One,
        }
    }
}
