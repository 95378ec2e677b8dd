//! [`Link`]: a network link between the load and the servers, in the place of this machine's loopback.

use crate::arm::Arm;
use crate::diagnostic::Diagnostic;
use crate::node::{Node, Table};
use crate::slip::{Advice, ArmSlip, DesignSlip, ExpectedValue, Hint, TableName};
use model::units::BitRate;
use serde::{Deserialize, Serialize};
use std::ops::RangeInclusive;

/// A network link of its own between the load and the servers; what is `None` is not limited.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Link {
    /// Bits per second in each direction.
    pub rate: Option<BitRate>,
    /// The ports from which the load connects: so many connections to one server at once, and no more.
    pub local_ports: Option<RangeInclusive<u16>>,
}

/// The rates that can be set: a slower link would spend minutes on the first answer, a faster one would limit nothing.
const RATES: RangeInclusive<BitRate> = BitRate(64_000)..=BitRate(100_000_000_000);
/// Ports below this one are for well-known services.
const LOWEST_PORT: u16 = 1024;

impl Link {
    /// Reads `[link]`; `arms` are those that it connects.
    pub(crate) fn read(of: &mut Table<'_>, arms: &[Arm], problems: &mut Vec<Diagnostic>) -> Option<Self> {
        let node = of.get("link")?;
        let mut table = Table::open_or_tell(node, TableName::Key("[link]"), problems)?;
        let link = Self {
            rate: table.read("rate", problems, rate),
            local_ports: table.read("local_ports", problems, ports),
        };
        table.finish(problems);
        if let Some(arm) = arms.iter().find(|arm| arm.origin.is_some()) {
            let slip = ArmSlip::RunsBeforeLink(arm.name.clone());
            problems.push(node.refuse(slip).hint(Advice::NoLink));
        }
        if let Some(arm) = arms.iter().find(|arm| arm.host.is_some() && arm.origin.is_none()) {
            let slip = ArmSlip::BeyondLink(arm.name.clone());
            problems.push(node.refuse(slip).hint(Advice::NoLink));
        }
        Some(link)
    }
}

fn rate(node: &Node) -> Result<BitRate, Diagnostic> {
    let rate = node.bit_rate()?;
    if RATES.contains(&rate) {
        return Ok(rate);
    }
    let expected = ExpectedValue::Between { least: RATES.start().to_string(), most: RATES.end().to_string() };
    Err(node.outside(expected, rate))
}

/// Reads `40000-40099`.
fn ports(node: &Node) -> Result<RangeInclusive<u16>, Diagnostic> {
    let text = node.text()?;
    let port = |text: &str| text.trim().parse::<u16>().ok();
    let range = text.split_once('-').and_then(|(first, last)| Some((port(first)?, port(last)?)));
    match range {
        Some((first, last)) if LOWEST_PORT <= first && first <= last => Ok(first..=last),
        _ => Err(node.refuse(DesignSlip::Ports(text.to_owned())).hint(Hint::Ports(LOWEST_PORT))),
    }
}
