//! [`Error`]: why a plan does not run.

use crate::obstacle::{Obstacle, ObstacleFamily, ObstacleKind};
use say::{Say, Writer};

/// Why a plan does not run.
#[derive(Clone, Debug, PartialEq, Eq, Say)]
#[say(error)]
pub enum Error {
    /// The file is not XML.
    #[say(en = "line {line}, column {column}: {what}", zh = "第 {line} 行第 {column} 列：{what}")]
    Xml {
        /// The line, from 1.
        line: u32,
        /// The column, from 1.
        column: u32,
        /// What the parser says.
        what: String,
    },
    /// The file has nothing of XML.
    #[say(
        en = "the file is no JMeter plan: it begins with `{begin}`, and a plan is XML",
        zh = "该文件不是 JMeter 测试计划：它以 `{begin}` 开头，而计划是 XML"
    )]
    NoXml { begin: String },
    /// The file is XML, but no plan.
    #[say(
        en = "the file is no JMeter plan: its outermost element is <{root}>, not <jmeterTestPlan> with a \
              <hashTree>",
        zh = "该文件不是 JMeter 测试计划：最外层元素是 <{root}>，而不是带 <hashTree> 的 <jmeterTestPlan>"
    )]
    NoPlan {
        /// The outermost element.
        root: String,
    },
    /// Some of it cannot run here.
    #[say(
        en = "{count} {count|element|elements} of the plan cannot run here{list}",
        zh = "计划中有 {count} 个元件无法运行{list}",
        hint(
            en = "--skip-unsupported runs the plan without these elements, and the report names them",
            zh = "--skip-unsupported 略去这些元件运行计划，报告中会列出它们"
        ),
        count = obstacles.len(),
        list = Listed { file, obstacles }
    )]
    Refused {
        file: String,
        /// All of it.
        obstacles: Vec<Obstacle>,
    },
    /// Elements are nested too deep.
    #[say(en = "line {line}: elements are nested too deep", zh = "第 {line} 行：元件嵌套过深")]
    TooDeep {
        /// The line, from 1.
        line: u32,
    },
}

/// Obstacles with what to do about them, in lines of their own.
struct Listed<'a> {
    file: &'a str,
    obstacles: &'a [Obstacle],
}

/// A kind of obstacle, which is told with the number of its obstacles.
type CountedFamily = fn(usize) -> ObstacleFamily;

/// The most obstacles that are listed one by one.
const MOST_LISTED: usize = 10;

impl Say for Listed<'_> {
    fn say(&self, out: &mut Writer) {
        let (listed, others) = self.obstacles.split_at(self.obstacles.len().min(MOST_LISTED));
        for obstacle in listed {
            let advice = say::hint(&obstacle.what, out.language());
            Line {
                file: obstacle.file.as_deref().unwrap_or(self.file),
                line: obstacle.line,
                class: &obstacle.class,
                name: &obstacle.name,
                what: &obstacle.what,
                advice,
            }
            .say(out);
        }
        let mut families: Vec<(CountedFamily, usize)> = Vec::new();
        for obstacle in others {
            let family = obstacle.what.family();
            match families.iter_mut().find(|(known, _)| known(0) == family(0)) {
                Some((_, count)) => *count += 1,
                None => families.push((family, 1)),
            }
        }
        for (family, count) in families {
            More { family: family(count) }.say(out);
        }
    }
}

/// A line for obstacles of one kind that are not listed.
#[derive(Say)]
#[say(en = "\n  and {family}", zh = "\n  以及{family}")]
struct More {
    family: ObstacleFamily,
}

/// The line of an obstacle, and below it what to do.
#[derive(Say)]
#[say(
    en = "\n  {file}:{line}: {class} \"{name}\": {what}{advice?\n      {}}",
    zh = "\n  {file}:{line}：{class} \"{name}\"：{what}{advice?\n      {}}"
)]
struct Line<'a> {
    file: &'a str,
    line: u32,
    class: &'a str,
    name: &'a str,
    what: &'a ObstacleKind,
    advice: Option<String>,
}
