//! [`Scope`]: which elements apply to a sampler.

use super::Compiler;
use crate::obstacle::{ObstacleKind, Unsupported};
use crate::tree::{Element, Object};
use traffic::scenario::PlanDifference;

/// The elements beside and above a place of the plan, level by level, the outermost level first. What stands at the level
/// of the test plan belongs to the level of the thread group, behind its own elements, because JMeter puts it there.
#[derive(Clone, Debug)]
pub(super) struct Scope<'a> {
    levels: Vec<Vec<&'a Element>>,
}

impl<'a> Scope<'a> {
    /// The scope of a thread group.
    pub(super) fn of_group(group: &'a Element, above: &[&'a Element]) -> Self {
        let own = group.children.iter();
        Self { levels: vec![own.chain(above.iter().copied()).collect()] }
    }

    /// The scope of what is below an element.
    pub(super) fn below(&self, element: &'a Element) -> Self {
        let mut levels = self.levels.clone();
        levels.push(element.children.iter().collect());
        Self { levels }
    }

    /// The elements of these classes, the outer ones first, within a level in the order of the file. In this
    /// order JMeter runs processors and assertions.
    pub(super) fn outer_first(&self, is_wanted: fn(&str) -> bool) -> Vec<&'a Element> {
        let all = self.levels.iter().flatten().copied();
        all.filter(|element| is_wanted(&element.object.class)).collect()
    }

    /// The elements of these classes, the nearest level first, within a level in the order of the file. In
    /// this order JMeter applies configuration.
    pub(super) fn nearest_first(&self, is_wanted: fn(&str) -> bool) -> Vec<&'a Element> {
        let all = self.levels.iter().rev().flatten().copied();
        all.filter(|element| is_wanted(&element.object.class)).collect()
    }

    /// The element of this class that wins where only one can: the last one that JMeter sets, which is the outermost.
    pub(super) fn outermost(&self, is_wanted: fn(&str) -> bool) -> Option<&'a Element> {
        self.nearest_first(is_wanted).pop()
    }
}

/// What JMeter does with an element of a class.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// It sends a request or does something in its place.
    Sampler,
    /// It contains others.
    Controller,
    /// It applies to samplers in its scope.
    Applied,
    /// It shows or stores results.
    Listener,
    /// It serves recording and debugging, and does nothing in a run.
    Tool,
    /// It is not known here.
    Unknown,
}

/// The classes that are known here, by what JMeter does with them.
const ROLES: [(Role, &[&str]); 5] = [
    (
        Role::Sampler,
        &[
            "HTTPSamplerProxy",
            "TestAction",
            "DebugSampler",
            "JSR223Sampler",
            "BeanShellSampler",
            "BSFSampler",
        ],
    ),
    (
        Role::Controller,
        &[
            "GenericController",
            "LoopController",
            "IfController",
            "WhileController",
            "ForeachController",
            "OnceOnlyController",
            "TransactionController",
            "ThroughputController",
            "InterleaveControl",
            "RandomController",
            "RandomOrderController",
            "SwitchController",
            "ModuleController",
            "RecordingController",
            "TestFragmentController",
            "IncludeController",
            "RuntimeController",
            "HTTP2Controller",
        ],
    ),
    (
        Role::Applied,
        &[
            "Arguments",
            "ConfigTestElement",
            "HeaderManager",
            "CookieManager",
            "AuthManager",
            "CacheManager",
            "CSVDataSet",
            "CounterConfig",
            "RandomVariableConfig",
            "UserParameters",
            "DNSCacheManager",
            "LoginConfig",
            "ConstantTimer",
            "UniformRandomTimer",
            "GaussianRandomTimer",
            "PoissonRandomTimer",
            "ConstantThroughputTimer",
            "VariableThroughputTimer",
            "PreciseThroughputTimer",
            "SyncTimer",
            "URLRewritingModifier",
            "AnchorModifier",
            "JSR223Timer",
            "BeanShellTimer",
            "RegexExtractor",
            "XPathExtractor",
            "XPath2Extractor",
            "JSONPostProcessor",
            "BoundaryExtractor",
            "HtmlExtractor",
            "JSONPathExtractor",
            "JSR223PostProcessor",
            "JSR223PreProcessor",
            "BeanShellPostProcessor",
            "BeanShellPreProcessor",
            "BSFPreProcessor",
            "BSFPostProcessor",
            "ResultAction",
            "SampleTimeout",
            "ResponseAssertion",
            "DurationAssertion",
            "SizeAssertion",
            "JSONPathAssertion",
            "XMLAssertion",
            "XPathAssertion",
            "XPath2Assertion",
            "JSR223Assertion",
            "BeanShellAssertion",
        ],
    ),
    (
        Role::Listener,
        &[
            "ResultCollector",
            "Summariser",
            "BackendListener",
            "JSR223Listener",
            "BeanShellListener",
            "BSFListener",
            "MailerResultCollector",
            "ResultSaver",
            "CorrectedResultCollector",
            "ConsoleStatusLogger",
            "FlexibleFileWriter",
            "AutoStop",
            "LoadosophiaUploader",
            "JMXMonCollector",
            "PerfMonCollector",
            "MergeResultsCollector",
            "SynthesisReportGui",
            "GraphsGeneratorListener",
        ],
    ),
    (
        Role::Tool,
        &[
            "DebugPostProcessor",
            "ProxyControl",
            "HttpMirrorControl",
            "WorkBench",
            "CompareAssertion",
            "PropertyControl",
            "TestPlan",
            "SampleResultConverter",
            "PropertyControlGui",
        ],
    ),
];

/// Returns what JMeter does with an element of this class.
pub(super) fn role(class: &str) -> Role {
    let known = ROLES.iter().find(|(_, classes)| classes.contains(&class));
    known.map_or(Role::Unknown, |(role, _)| *role)
}

impl<'a> Compiler<'a> {
    /// Refuses the elements of a level that are not known here, and notes what is left out.
    pub(super) fn check_level(&mut self, level: &[&'a Element]) {
        for element in level {
            let object = &element.object;
            match role(&object.class) {
                Role::Listener => {
                    self.differences.insert(PlanDifference::Listeners);
                }
                Role::Tool => {
                    self.differences.insert(PlanDifference::Tools);
                }
                Role::Unknown if is_listener_of_plugin(object) => {
                    self.differences.insert(PlanDifference::Listeners);
                }
                Role::Unknown => {
                    let ours = object.package.is_empty() || object.package.starts_with("org.apache.jmeter");
                    self.refuse(object, if ours { ObstacleKind::Element } else { ObstacleKind::Plugin });
                }
                Role::Applied if object.class == "DNSCacheManager" => {
                    let custom = object.text("DNSCacheManager.isCustomResolver") == "true";
                    if custom && !object.list("DNSCacheManager.servers").is_empty() {
                        self.refuse(object, ObstacleKind::Setting(Unsupported::Names));
                    } else {
                        self.differences.insert(PlanDifference::Names);
                    }
                    if custom {
                        self.add_hosts(object);
                    }
                }
                Role::Applied if object.class == "CacheManager" => {
                    self.differences.insert(PlanDifference::Cache);
                }
                Role::Sampler | Role::Controller | Role::Applied => {}
            }
        }
    }
}

/// Whether an element of a plug-in shows or stores results: what tells is the name of its class, its package or its window.
fn is_listener_of_plugin(object: &Object) -> bool {
    let words = ["vizualizers", "visualizers", "reporters", "listeners"];
    let ends = ["Listener", "Reporter", "Visualizer", "Collector", "Writer", "Saver", "Uploader", "Logger"];
    let is_named = |class: &str| {
        let class = class.strip_suffix("Gui").or(class.strip_suffix("GUI")).unwrap_or(class);
        words.iter().any(|word| class.contains(&format!(".{word}.")))
            || ends.iter().any(|end| class.ends_with(end))
    };
    let class = format!("{}.{}", object.package, object.class);
    is_named(&class) || is_named(&object.window)
}

/// Whether the class is a pre-processor, which runs before the timers of a sampler.
pub(super) fn is_pre_processor(class: &str) -> bool {
    matches!(
        class,
        "JSR223PreProcessor"
            | "BeanShellPreProcessor"
            | "BSFPreProcessor"
            | "UserParameters"
            | "SampleTimeout"
    )
}

/// Whether the class is a timer.
pub(super) fn is_timer(class: &str) -> bool {
    matches!(
        class,
        "ConstantTimer"
            | "UniformRandomTimer"
            | "GaussianRandomTimer"
            | "PoissonRandomTimer"
            | "ConstantThroughputTimer"
            | "VariableThroughputTimer"
            | "PreciseThroughputTimer"
            | "SyncTimer"
            | "JSR223Timer"
            | "BeanShellTimer"
    )
}

/// Whether the class is a post-processor, which runs behind a sampler and before its assertions.
pub(super) fn is_post_processor(class: &str) -> bool {
    matches!(
        class,
        "RegexExtractor"
            | "XPathExtractor"
            | "XPath2Extractor"
            | "JSONPostProcessor"
            | "BoundaryExtractor"
            | "HtmlExtractor"
            | "JSONPathExtractor"
            | "JSR223PostProcessor"
            | "BeanShellPostProcessor"
            | "BSFPostProcessor"
            | "ResultAction"
    )
}

/// Whether the class is a listener with a script, which runs behind the assertions of a sampler.
pub(super) fn is_script_listener(class: &str) -> bool {
    matches!(class, "JSR223Listener" | "BeanShellListener" | "BSFListener")
}

/// Whether the class is an assertion.
pub(super) fn is_assertion(class: &str) -> bool {
    matches!(
        class,
        "ResponseAssertion"
            | "DurationAssertion"
            | "SizeAssertion"
            | "JSONPathAssertion"
            | "XMLAssertion"
            | "XPathAssertion"
            | "XPath2Assertion"
            | "JSR223Assertion"
            | "BeanShellAssertion"
    )
}
