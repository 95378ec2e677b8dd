//! A made-up run whose two arms were profiled: the second burns 20 µs more in a method, and 5 µs less in the kernel.

use crate::made::{self, SMALL};
use model::units::Seconds;
use record::cpu_profile::{CpuDifference, FlameNode, FlameTree, FrameDifference, FrameDifferences};
use record::outcome::{Estimate, Report};
use record::series::Series;

/// A difference with an interval of 1 µs to either side; times in microseconds.
fn difference(micros: f64) -> Estimate {
    Estimate { value: micros * 1e-6, low: Some((micros - 1.0) * 1e-6), high: Some((micros + 1.0) * 1e-6) }
}

fn row(name: &str, micros: [f64; 2], mostly: Option<&str>) -> FrameDifference {
    FrameDifference {
        name: name.to_owned(),
        seconds: micros.map(|micros| Seconds(micros * 1e-6)),
        difference: difference(micros[1] - micros[0]),
        mostly: mostly.map(str::to_owned),
    }
}

fn rows(rows: Vec<FrameDifference>) -> FrameDifferences {
    FrameDifferences { rows, compared: 40, resolution: Some(Seconds(2.5e-6)) }
}

fn nodes() -> Vec<FlameNode> {
    let node = |depth: usize, name: &str, micros: [f64; 2], differs: bool| FlameNode {
        name: name.to_owned(),
        depth,
        seconds: micros.map(|micros| Seconds(micros * 1e-6)),
        differs,
    };
    vec![
        node(0, "", [100.0, 115.0], true),
        node(1, "java.lang.Thread.run", [90.0, 105.0], true),
        node(2, "org.apache.tomcat.util.net.Nio.run", [60.0, 75.0], true),
        node(3, "shop.Page<init>.doGet", [20.0, 40.0], true),
        node(4, "shop.Tax.burn", [0.0, 20.0], true),
        node(3, "sun.nio.ch.IOUtil.write", [40.0, 35.0], true),
        node(4, "[kernel]", [40.0, 35.0], true),
        node(2, "old.Only.there", [30.0, 0.0], false),
        node(1, "[collector]", [10.0, 10.0], false),
    ]
}

/// The report and the data of its plots.
pub(crate) fn profiled() -> (Report, Series) {
    let (mut report, mut series) = (made::report(SMALL), made::series(SMALL));
    report.cpu_differences = vec![CpuDifference {
        baseline: report.arms[0].name.clone(),
        arm: report.arms[1].name.clone(),
        level: report.arms[0].levels[0].load.clone(),
        starts: [5, 5],
        seconds: [Seconds(100e-6), Seconds(115e-6)],
        difference: difference(15.0),
        methods: rows(vec![
            row("shop.Tax.burn", [0.0, 20.0], Some("sun.security.provider.SHA2.implCompress0")),
            row("[kernel]", [40.0, 35.0], Some("org.apache.tomcat.util.net.Nio.run")),
        ]),
        packages: rows(vec![row("shop", [20.0, 40.0], Some("shop.Tax.burn"))]),
    }];
    series.flames =
        vec![FlameTree { baseline: 0, arm: 1, load: report.arms[0].levels[0].load.clone(), nodes: nodes() }];
    (report, series)
}
