//! Values of flags that only the command line has.

use ask::values;
use model::measure::Measure;
use std::net::{IpAddr, SocketAddr};

/// Parses `IP:PORT`, or an `IP` alone, which means any free port.
pub(crate) fn parse_address(text: &str) -> Result<SocketAddr, String> {
    let at_any_port = |ip: IpAddr| SocketAddr::new(ip, 0);
    text.parse()
        .or_else(|_| text.parse().map(at_any_port))
        .map_err(|_| "expected an IP address with or without a port, such as 0.0.0.0:8080".to_owned())
}

/// Parses `3%`, a margin of the headline, or `throughput=3%`.
pub(super) fn parse_margin(text: &str) -> Result<(Option<Measure>, f64), String> {
    let Some((id, margin)) = text.split_once('=') else {
        return Ok((None, values::share(text).map_err(|bad| bad.to_string())?));
    };
    let measure = Measure::from_id(id).ok_or_else(|| {
        let ids = Measure::USUAL.map(Measure::id).join(", ");
        format!("unknown measure `{id}`; measures: {ids}")
    })?;
    let margin = values::share(margin).map_err(|bad| bad.to_string())?;
    Ok((Some(measure), margin))
}
