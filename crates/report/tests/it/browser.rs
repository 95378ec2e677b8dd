//! The page in a real browser: its scripts run under its policy, the console has no errors, zooming works, and nothing is wider
//! than a phone.

use crate::made::{self, SMALL};
use say::Language;
use std::path::{Path, PathBuf};
use std::process::Command;

fn chromium() -> PathBuf {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let names = ["chromium", "chromium-browser", "google-chrome"];
    let found = std::env::split_paths(&path)
        .flat_map(|folder| names.map(|name| folder.join(name)))
        .find(|program| program.is_file());
    found.expect("chromium is not installed; `./test` installs it")
}

/// The page after its scripts have run, and the lines of the browser's console.
fn opened(name: &str, page: &str) -> (String, Vec<String>) {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::create_dir_all(&folder).expect("a folder");
    let file = folder.join("report.html");
    std::fs::write(&file, page).expect("a page");
    let ended = Command::new(chromium())
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"])
        .args(["--enable-logging=stderr", "--virtual-time-budget=10000", "--window-size=1000,1400"])
        .arg(format!("--user-data-dir={}", folder.join("profile").display()))
        .arg("--dump-dom")
        .arg(format!("file://{}", file.display()))
        .output()
        .expect("chromium runs");
    let said = String::from_utf8_lossy(&ended.stderr);
    let console = said.lines().filter(|line| line.contains("CONSOLE"));
    let console = console.map(str::to_owned).collect();
    (String::from_utf8_lossy(&ended.stdout).into_owned(), console)
}

/// The value of a `data-` attribute of the time line.
fn data<'a>(dom: &'a str, name: &str) -> Option<&'a str> {
    let section = dom.split_once("<section id=\"timeline\"")?.1.split_once('>')?.0;
    let value = section.split_once(&format!("data-{name}=\""))?.1;
    Some(value.split_once('"')?.0)
}

#[test]
fn its_scripts_run_under_its_policy_without_an_error() {
    for lang in [Language::En, Language::Zh] {
        let page = report::html::text(&made::report(SMALL), &made::series(SMALL), lang);
        let (dom, console) = opened(lang.tag(), &page);
        assert_eq!(console, Vec::<String>::new());
        assert_eq!(data(&dom, "panels"), Some("12"), "the time line was not drawn");
        assert!(dom.contains("class=\"uplot"), "uPlot drew nothing");
    }
}

/// A script that drags over the middle of the first panel, then measures the page in a frame as wide as a phone. On a busy machine a drag was
/// once without effect, so the script repeats it until the panels are zoomed, ten times at most.
const HAND: &str = r##"<script>
const drag = (left) => {
  const over = document.querySelector(".u-over");
  const box = over.getBoundingClientRect();
  const mouse = (what, share, target) => target.dispatchEvent(new MouseEvent(what, {
    bubbles: true, button: 0, buttons: 1, movementX: 9, clientX: box.left + share * box.width, clientY: box.top + 20 }));
  window.dispatchEvent(new Event("resize")); // uPlot remembers where its panels were
  mouse("mouseenter", 0.3, over);
  mouse("mousedown", 0.25, over);
  mouse("mousemove", 0.4, over);
  mouse("mousemove", 0.5, over);
  mouse("mouseup", 0.5, over);
  setTimeout(() => {
    const zoomed = Number(document.querySelector("#timeline").dataset.from) > 0;
    zoomed || left === 0 ? measure() : drag(left - 1);
  }, 500);
};
const measure = () => {
  const frame = document.createElement("iframe");
  frame.style.width = "390px";
  const main = document.querySelector("main").cloneNode(true);
  main.querySelectorAll("#panels, #overview").forEach((part) => part.remove()); // uPlot takes the width that it finds
  frame.srcdoc = document.querySelector("head").outerHTML + main.outerHTML;
  frame.onload = () => {
    const inner = frame.contentDocument.documentElement;
    document.querySelector("#timeline").dataset.wide = String(inner.scrollWidth > 390);
  };
  document.body.append(frame);
};
setTimeout(() => drag(9), 500);
</script>"##;

/// A cause with a name that is wider than a phone and has no blank.
const LONG: &str = "<p>compiles templates in org.attoparser.HtmlElement.handleOpenElementEnd:109 (called from \
    org.attoparser.simplified.HtmlMarkupHandler.handleOpenElementEnd:297)</p>";

#[test]
fn dragging_zooms_and_a_phone_is_wide_enough() {
    let page = report::html::text(&made::report(SMALL), &made::series(SMALL), Language::En);
    // The policy would refuse this script, so it is removed.
    let (before, after) = page.split_once("<meta http-equiv").expect("a policy");
    let after = after.split_once('>').expect("its end").1;
    let open = format!("{before}{after}").replace("<main>", &format!("<main>{LONG}"));
    let open = open.replace("</body>", &format!("{HAND}</body>"));
    let (dom, console) = opened("zoom", &open);
    assert_eq!(console, Vec::<String>::new());
    let [from, to] = ["from", "to"].map(|name| {
        let value = data(&dom, name).expect("zoomed");
        value.parse::<f64>().expect("seconds")
    });
    // The time line is 248 s long, and the script drags from a quarter of it to its middle.
    assert!((50.0..75.0).contains(&from) && (110.0..140.0).contains(&to), "{from} to {to}");
    assert_eq!(data(&dom, "wide"), Some("false"), "the page is wider than a phone");
}

/// A table with times in several units and a missing one, and a script that sorts it by each column, up and down.
const TABLE: &str = r#"<table id="sorted"><thead><tr><th>arm</th><th class="number">p99</th></tr></thead><tbody>
<tr><td>tomcat-10</td><td class="number">1.2 ms</td></tr>
<tr><td>jetty-12</td><td class="number">–</td></tr>
<tr><td>tomcat-9</td><td class="number">950 µs</td></tr>
<tr><td>undertow</td><td class="number">3.0 s</td></tr>
<tr><td>netty</td><td class="number">12.0 ns</td></tr>
</tbody></table>"#;
const SORTING: &str = r##"<script>
const table = document.getElementById("sorted");
const seen = [];
for (const index of [1, 1, 1, 0]) {
  table.tHead.rows[0].cells[index].querySelector("button").click();
  seen.push([...table.tBodies[0].rows].map((row) => row.cells[index].textContent).join("|"));
}
table.dataset.seen = seen.join(";");
table.dataset.order = [...table.tHead.rows[0].cells].map((cell) => cell.getAttribute("aria-sort")).join("|");
</script>"##;

#[test]
fn a_table_is_sorted_by_values_whatever_their_units_are() {
    let page = report::html::text(&made::report(SMALL), &made::series(SMALL), Language::En);
    let (before, after) = page.split_once("<meta http-equiv").expect("a policy");
    let after = after.split_once('>').expect("its end").1;
    let page = format!("{before}{after}").replace("<main>", &format!("<main>{TABLE}"));
    let (dom, console) = opened("sorting", &page.replace("</body>", &format!("{SORTING}</body>")));
    assert_eq!(console, Vec::<String>::new());
    let (_, seen) = dom.split_once("data-seen=\"").expect("sorted");
    let seen: Vec<&str> = seen.split('"').next().expect("its end").split(';').collect();
    assert_eq!(
        seen,
        [
            "12.0 ns|950 µs|1.2 ms|3.0 s|–",
            "3.0 s|1.2 ms|950 µs|12.0 ns|–",
            "1.2 ms|–|950 µs|3.0 s|12.0 ns",
            "jetty-12|netty|tomcat-9|tomcat-10|undertow",
        ]
    );
    assert!(dom.contains("data-order=\"ascending|none\""), "the other column is not sorted any more");
}
