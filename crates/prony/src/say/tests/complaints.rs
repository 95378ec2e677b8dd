//! Complaints that no other test has, in all their kinds.

use super::{io_error, text, texts, words};
use crate::say::complaint::{
    CalibrationComplaint, Complaint, ConfigComplaint, DecisionComplaint, FiguresComplaint, LoadComplaint,
    WrittenComplaint,
};
use crate::say::import::Head;
use crate::say::{self, Message};
use import::figures::NoFigures;
use model::foreign::ForeignTool;
use report::Lang;

fn add_all<C: Into<Complaint>>(complaints: impl IntoIterator<Item = C>) {
    for complaint in complaints {
        let complaint: Complaint = complaint.into();
        words::record(&complaint);
    }
}

#[test]
#[rustfmt::skip]
fn every_other_complaint_keeps_its_words() {
    let path = || text(1).into();
    add_all([
        DecisionComplaint::NoChange { run: text(1), experiment: text(2), changes: texts() },
        DecisionComplaint::NoChange { run: text(1), experiment: text(2), changes: Vec::new() },
        DecisionComplaint::NothingDecided { run: text(1), experiment: text(2) },
        DecisionComplaint::LongComment,
    ]);
    let none = |why| FiguresComplaint::None { path: path(), why };
    add_all([
        none(NoFigures::Unknown), none(NoFigures::Empty(ForeignTool::Jmh)),
        none(NoFigures::Broken { tool: ForeignTool::K6, line: Some(4) }),
        none(NoFigures::Broken { tool: ForeignTool::Jmeter, line: None }),
        FiguresComplaint::NoSeries { series: text(1), experiment: text(2) },
    ]);
    add_all([
        LoadComplaint::NoServer, LoadComplaint::NotAnAddress { text: text(1), said: text(2) }, LoadComplaint::NoFleet,
        LoadComplaint::PlacedAgentsEnd, LoadComplaint::FleetBehindLink,
    ]);
    let source = || serde_json::from_str::<u8>("[").expect_err("no number");
    add_all([
        CalibrationComplaint::NoServlets { server: text(1) },
        CalibrationComplaint::StallsTooLong { share: 0.95, most: 0.9 },
        CalibrationComplaint::OtherFile { path: path(), line: 3, source: source() },
    ]);
    add_all([
        WrittenComplaint::Exists { path: path() }, WrittenComplaint::Unwritable { path: path(), source: io_error() },
        WrittenComplaint::NoSubject { text: text(1) }, WrittenComplaint::NotBuilt { build: "Q2" },
        WrittenComplaint::NotANumber { text: text(1) }, WrittenComplaint::UnknownFormat { text: Some(text(1)) },
        WrittenComplaint::UnknownFormat { text: None },
        WrittenComplaint::Authority { folder: path(), source: io_error() },
        WrittenComplaint::NoBrowser { source: io_error() }, WrittenComplaint::NoSource { format: text(1) },
    ]);
    add_all([ConfigComplaint::Authorization { path: path(), refused: None }]);
    words::assert_golden("other_complaints");
}

#[test]
fn an_import_keeps_the_words_of_its_head() {
    let head = |format, users| Head { format, source: "Q1", output: None, origin: None, users };
    for of in [head(import::Format::Record, 0), head(import::Format::Har, 3)] {
        for lang in [Lang::En, Lang::Zh] {
            words::add(&Message {
                message: say::import::head(&of, lang).join("\n"),
                hint: Some(say::import::written_plan(&of, 4, lang)),
            });
        }
    }
    words::assert_golden("head_of_an_import");
}
