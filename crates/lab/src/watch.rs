//! Watches a server for a prony on another machine: answers its questions.

use crate::Error;
use crate::compilers::CompilerClocks;
use crate::elsewhere::{MeterReading, Question, Totals};
use crate::meters::{Meter, PERIOD, target};
use crate::peers::PeerWatch;
use crate::settings;
use probe::Sampler;
use probe::host::CpuTicks;
use record::inspection::{CpuStack, IdleSeen, Inspection, PeersSeen};
use record::outcome::Effective;
use record::telemetry::{GroupTotals, Reading};
use serde::Serialize;
use serde_json::Value;
use std::io;
use std::path::Path;
use sut::remote::{Attendant, Attended};
use sut::{Inspector, Profiler};

/// Runs the server of an arm for a prony on another machine, as that asks on our standard input.
///
/// # Errors
/// When our standard output is closed.
pub fn serve_host(folder: &Path) -> io::Result<()> {
    sut::remote::serve(folder, &mut Watch::default())
}

/// What is open while a server is watched for a prony on another host.
#[derive(Default)]
struct Watch {
    meter: Option<Meter>,
    compilers: Option<CompilerClocks>,
    sampler: Option<Sampler>,
    peers: Option<PeerWatch>,
    inspector: Option<Inspector>,
    profiler: Option<Profiler>,
}

impl Attendant for Watch {
    fn answer(&mut self, at: &Attended<'_>, question: Value) -> Result<Value, String> {
        let question = serde_json::from_value(question).map_err(|error| error.to_string())?;
        self.answer_to(at, question).map_err(|error| error.to_string())
    }

    fn leave(&mut self) {
        *self = Self::default();
    }
}

impl Watch {
    fn answer_to(&mut self, at: &Attended<'_>, question: Question) -> Result<Value, Error> {
        match question {
            Question::Meter => {
                let steal_ticks = Some(CpuTicks::now().steal);
                let reading = self.meter(at)?.read(true)?;
                value(&MeterReading { steal_ticks, ..reading })
            }
            Question::Renew => {
                self.meter = None;
                value(&())
            }
            Question::Compilers => value::<Option<GroupTotals>>(&self.compilers(at).totals()?),
            Question::PutFirst => value(&self.compilers(at).put_first()?),
            Question::PutBack => value(&self.compilers(at).put_back()?),
            Question::Effective => value::<Effective>(&settings::in_effect(at.server, at.site, at.stop)),
            Question::Totals => value::<Totals>(&settings::totals(at.server)?),
            Question::Sample | Question::Mark { .. } | Question::EndSampling => self.telemetry(at, question),
            Question::WatchPeers => {
                self.peers = PeerWatch::begin(at.server);
                value(&())
            }
            Question::EndPeers => {
                let seen = self.peers.take().map(PeerWatch::end).unwrap_or_default();
                value::<PeersSeen>(&seen)
            }
            Question::Profile | Question::ProfileBegins | Question::ProfileEnds | Question::Stacks(_) => {
                self.profile(at, question)
            }
            _ => self.inspect(at, question),
        }
    }

    fn meter(&mut self, at: &Attended<'_>) -> Result<&Meter, Error> {
        let meter = match self.meter.take() {
            Some(meter) => meter,
            None => Meter::of(at.server)?,
        };
        Ok(self.meter.insert(meter))
    }

    fn compilers(&mut self, at: &Attended<'_>) -> &mut CompilerClocks {
        self.compilers.get_or_insert_with(|| CompilerClocks::of(at.server))
    }

    fn telemetry(&mut self, at: &Attended<'_>, question: Question) -> Result<Value, Error> {
        match (question, &self.sampler) {
            (Question::Sample, _) => {
                self.sampler = Sampler::start(vec![Some(target(at.server))], PERIOD).ok();
            }
            (Question::Mark { mark, at_ns }, Some(sampler)) => sampler.mark(&[0], mark, at_ns),
            (Question::EndSampling, _) => {
                let readings = self.sampler.take().map(Sampler::finish);
                return value::<Vec<Reading>>(&readings.unwrap_or_default());
            }
            _ => {}
        }
        value(&())
    }

    fn inspect(&mut self, at: &Attended<'_>, question: Question) -> Result<Value, Error> {
        if matches!(question, Question::Inspect) {
            self.inspector = Inspector::attach(at.server, at.site, at.stop).map_err(Box::new)?;
            return value(&self.inspector.is_some());
        }
        let Some(inspector) = &mut self.inspector else {
            return Err(Error::Strange("no inspector is attached".to_owned()));
        };
        match question {
            Question::Record => value(&inspector.record(at.stop).map_err(Box::new)?),
            Question::Idle => value::<IdleSeen>(&inspector.idle(at.stop).map_err(Box::new)?),
            Question::InspectionBegins => value(&inspector.begin().map_err(Box::new)?),
            Question::InspectionEnds => value(&inspector.end().map_err(Box::new)?),
            _ => value::<Inspection>(&inspector.results(at.stop).map_err(Box::new)?),
        }
    }

    fn profile(&mut self, at: &Attended<'_>, question: Question) -> Result<Value, Error> {
        if matches!(question, Question::Profile) {
            self.profiler = match at.profiler {
                Some(library) => {
                    Profiler::attach_with(library, at.server, at.site, at.stop).map_err(Box::new)?
                }
                None => None,
            };
            return value(&self.profiler.is_some());
        }
        let Some(profiler) = &mut self.profiler else {
            return Err(Error::Strange("no profiler is attached".to_owned()));
        };
        match question {
            Question::ProfileBegins => value(&profiler.begin().map_err(Box::new)?),
            Question::Stacks(cpu) => {
                value::<Vec<CpuStack>>(&profiler.stacks(cpu, at.stop).map_err(Box::new)?)
            }
            _ => value(&profiler.end().map_err(Box::new)?),
        }
    }
}

fn value<T: Serialize>(answer: &T) -> Result<Value, Error> {
    serde_json::to_value(answer).map_err(|error| Error::Strange(error.to_string()))
}
