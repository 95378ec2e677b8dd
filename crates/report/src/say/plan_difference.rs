//! What is done otherwise than a JMeter plan asks for, as sentences.

use super::Lang;
use model::scenario::PlanDifference;

/// What is done otherwise than a plan asks for.
pub(crate) const fn plan_difference(difference: PlanDifference, lang: Lang) -> &'static str {
    match lang {
        Lang::En => english(difference),
        Lang::Zh => chinese(difference),
    }
}

const fn english(difference: PlanDifference) -> &'static str {
    match difference {
        PlanDifference::Listeners => "the plan's listeners do not run: prony reports by itself",
        PlanDifference::Tools => "what the plan has for recording and debugging does not run",
        PlanDifference::Cache => {
            "the plan has an HTTP Cache Manager: prony caches no answers, and asks for everything again"
        }
        PlanDifference::Names => {
            "the plan has a DNS Cache Manager: prony resolves the names of servers once, before the load"
        }
        PlanDifference::Resources => {
            "embedded resources of pages are fetched one after another and counted as requests; those of other servers, of style sheets and of frames are left out"
        }
        PlanDifference::SubSamples => {
            "extractors and assertions for sub-samples look at the last answer only, not at redirects and embedded resources"
        }
        PlanDifference::Challenge => {
            "basic authentication is sent with the first request, and JMeter awaits a challenge"
        }
    }
}

const fn chinese(difference: PlanDifference) -> &'static str {
    match difference {
        PlanDifference::Listeners => "计划的监听器不运行：由 prony 自己报告",
        PlanDifference::Tools => "计划中用于录制和调试的元件不运行",
        PlanDifference::Cache => "计划有 HTTP 缓存管理器：prony 不缓存响应，每次都重新请求",
        PlanDifference::Names => "计划有 DNS 缓存管理器：prony 在负载之前解析一次服务器名",
        PlanDifference::Resources => {
            "页面的嵌入资源逐个获取并计为请求；其他服务器、样式表和框架中的资源不获取"
        }
        PlanDifference::SubSamples => "针对子取样的提取器和断言只查看最后的响应，不查看重定向和嵌入资源",
        PlanDifference::Challenge => "基本认证随第一个请求发送，而 JMeter 等待质询",
    }
}
