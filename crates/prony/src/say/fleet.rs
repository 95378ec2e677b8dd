//! Errors of a fleet in Chinese, and what its coordinator and its agents report while they run.

use super::{Message, hinted, plain};
use ::fleet::{AgentEvent, CrewEvent, Error, FleetEvent, Missing, Refusal, Refused};
use report::Lang;
use std::path::Path;

/// An error in Chinese, with what to do about it.
pub(super) fn chinese(error: &Error) -> Message {
    match error {
        Error::TooSmall { what, whole, agents } => hinted(
            format!("{whole} 个{}无法分给 {agents} 台压测机", missing(*what)),
            "请减少压测机，或加大负载",
        ),
        Error::InStages => in_stages(),
        Error::NotAuthorized { server } => hinted(
            format!("位于 {server} 的 NATS 服务器不接受该凭据"),
            "请用 --creds 给出含用户名和密码的文件",
        ),
        Error::NotPermitted { said } => hinted(
            format!("NATS 服务器不允许：{said}"),
            "所需权限见 docs/guide/fleet.md",
        ),
        Error::NoServer { server, said } => hinted(
            format!("无法连接位于 {server} 的 NATS 服务器：{said}"),
            "nats-server 是否在那里运行？端口是否开放？",
        ),
        Error::TooFewAgents {
            found,
            wanted,
            seconds,
        } => too_few(*found, *wanted, *seconds),
        Error::OtherVersion { theirs, ours } => hinted(
            format!("某压测机的协议版本为 {theirs}，而本 prony 为 {ours}"),
            "请在所有机器上安装同一版本的 prony",
        ),
        Error::NoAnswer { agent } => plain(format!("压测机 {agent} 没有回答")),
        Error::Refused { agent, refusal } => refused(agent, refusal),
        Error::PlanTooLarge { bytes, limit } => hinted(
            format!("请求共 {bytes} 字节，而一条消息最多 {limit} 字节"),
            "请使用更小的请求体或更少的请求",
        ),
        Error::BadId { id } => hinted(
            format!("`{id}` 不能作为压测机的名称"),
            "最多 64 个字母、数字、- 和 _",
        ),
        Error::NothingToResume { run } => nothing_to_resume(run),
        Error::OtherLoad { run } => hinted(
            format!("运行 {run} 的负载以其他参数启动"),
            "请重复原来的命令行，并加上 --resume",
        ),
        Error::NoNatsServer => hinted(
            "未安装 nats-server",
            "请安装它（Debian：apt-get install nats-server），或给出正在运行的 NATS 服务器的地址",
        ),
        Error::OnlyLoopback { agent, target } => only_loopback(agent, target),
        Error::NoCommonAddress { seen } => no_common_address(seen),
        Error::NotStarted { program, said } => plain(format!("{program} 无法启动：{said}")),
        Error::File { path, .. } => plain(format!("无法使用 {}", path.display())),
        Error::CredsOpen { path, mode } => open_creds(path, *mode),
        Error::BadCreds { path } => hinted(
            format!("{} 不是凭据文件", path.display()),
            "请写 user = \"…\" 和 password = \"…\"，每行一个",
        ),
        Error::System(_) => plain("无法为连接做准备"),
    }
}

fn open_creds(path: &Path, mode: u32) -> Message {
    hinted(
        format!("除所有者外还有人可以读取 {}（权限 {mode:o}）", path.display()),
        "请对它执行 chmod 600",
    )
}

fn too_few(found: usize, wanted: usize, seconds: u64) -> Message {
    hinted(
        format!("{seconds} 秒后只有 {found} 台压测机就绪，需要 {wanted} 台"),
        "请启动更多：prony agent --nats URL；若主机写在 [fleet] 中，请检查防火墙是否挡住了它们到本机的连接",
    )
}

fn in_stages() -> Message {
    hinted(
        "有些用户要等其他用户结束后才开始，而各压测机的用户互不等待",
        "请去掉在其他组之前、之后或依次运行的组，或只用一台压测机",
    )
}

fn only_loopback(agent: &str, target: &str) -> Message {
    hinted(
        format!("压测机 {agent} 在另一台机器上，无法访问只在本机回环地址 {target} 上的服务器"),
        "请在 [fleet] 中写 listen = \"地址\"，即压测机访问本机服务器所用的地址",
    )
}

fn no_common_address(seen: &str) -> Message {
    hinted(
        format!("无法确定各主机都能访问本机的地址（所见：{seen}）"),
        "请在 [fleet] 中写 listen = \"地址\"，即各主机访问本机所用的地址",
    )
}

fn nothing_to_resume(run: &str) -> Message {
    hinted(
        format!("没有可以接续的负载：运行 {run}"),
        "已结束的负载可用 `prony history` 查看",
    )
}

fn refused(agent: &str, refusal: &Refusal) -> Message {
    let hint = match refusal {
        Refusal::Target(_) => Some("启动压测机时请加 --allow HOST:PORT"),
        Refusal::TooLate => Some("网络是否很慢？时钟是否被调整？"),
        Refusal::Busy | Refusal::Plan(_) => None,
    };
    Message {
        message: format!("压测机 {agent} 拒绝：{}", refusal_in_chinese(refusal)),
        hint: hint.map(str::to_owned),
    }
}

fn missing(what: Missing) -> &'static str {
    match what {
        Missing::Users => "连接",
        Missing::Connections => "共享连接",
        Missing::Requests => "请求",
    }
}

fn refusal_in_chinese(refusal: &Refusal) -> String {
    match refusal {
        Refusal::Target(target) => format!("{target} 不在其 --allow 列表中"),
        Refusal::TooLate => "开始的通知到得太晚".to_owned(),
        Refusal::Busy => "它正在执行另一个负载".to_owned(),
        Refusal::Plan(said) => said.clone(),
    }
}

/// A line about what happened to an agent.
pub(crate) fn agent_event(event: &AgentEvent, lang: Lang) -> String {
    match (event, lang) {
        (AgentEvent::Waits, Lang::En) => "connected; waiting for a load".to_owned(),
        (AgentEvent::Waits, Lang::Zh) => "已连接，等待负载".to_owned(),
        (AgentEvent::Share { index, of }, Lang::En) => format!("has share {} of {of}", index + 1),
        (AgentEvent::Share { index, of }, Lang::Zh) => format!("得到第 {} 份（共 {of} 份）", index + 1),
        (AgentEvent::Joined, Lang::En) => "makes loads for an experiment".to_owned(),
        (AgentEvent::Joined, Lang::Zh) => "开始为一个实验施加负载".to_owned(),
        (AgentEvent::Refused(refusal), Lang::En) => format!("refused a share: {refusal}"),
        (AgentEvent::Refused(refusal), Lang::Zh) => format!("拒绝了份额：{}", refusal_in_chinese(refusal)),
        (AgentEvent::Stranger(refused), Lang::En) => {
            format!("refused a message: {}", stranger(*refused, lang))
        }
        (AgentEvent::Stranger(refused), Lang::Zh) => format!("拒绝了一条消息：{}", stranger(*refused, lang)),
        (AgentEvent::Finished, Lang::En) => "finished; the coordinator has everything".to_owned(),
        (AgentEvent::Finished, Lang::Zh) => "已完成，协调端已收到全部数据".to_owned(),
        (AgentEvent::Resends, Lang::En) => "sends what it kept to a coordinator that came back".to_owned(),
        (AgentEvent::Resends, Lang::Zh) => "协调端已恢复，正在发送保留的数据".to_owned(),
        (AgentEvent::CoordinatorLost, Lang::En) => {
            "ended the load, because the coordinator was lost".to_owned()
        }
        (AgentEvent::CoordinatorLost, Lang::Zh) => "因与协调端失联，已停止负载".to_owned(),
    }
}

/// A line about what happened to a crew.
pub(crate) fn crew_event(event: &CrewEvent, lang: Lang) -> String {
    let (found, wanted) = match event {
        CrewEvent::Gathered { found, wanted } => (*found, *wanted),
        CrewEvent::Silent(agent) => return fleet_event_of(&FleetEvent::Silent(agent), lang),
        CrewEvent::Back(agent) => return fleet_event_of(&FleetEvent::Back(agent), lang),
        CrewEvent::ServerLost => return fleet_event_of(&FleetEvent::ServerLost, lang),
        CrewEvent::Lost(agent) => {
            return match lang {
                Lang::En => format!("agent {agent} is lost"),
                Lang::Zh => format!("压测机 {agent} 已失联"),
            };
        }
        CrewEvent::Replaced { lost, by } => {
            return match lang {
                Lang::En => format!("agent {by} has the share of {lost} from now on"),
                Lang::Zh => format!("压测机 {by} 从现在起接替 {lost} 的份额"),
            };
        }
    };
    fleet_event_of(&FleetEvent::Gathered { found, wanted }, lang)
}

fn fleet_event_of(event: &FleetEvent<'_>, lang: Lang) -> String {
    fleet_event(event, None, lang).unwrap_or_default()
}

/// Why a message was refused.
fn stranger(refused: Refused, lang: Lang) -> String {
    let (english, chinese) = match refused {
        Refused::Oversize => ("it is too long", "过长"),
        Refused::Garbage => ("it is not one of prony's", "不是 prony 的消息"),
        Refused::Version(version) => {
            return match lang {
                Lang::En => format!("it has version {version}"),
                Lang::Zh => format!("版本为 {version}"),
            };
        }
        Refused::Run => ("it belongs to another run", "属于另一次运行"),
        Refused::Replayed => ("it was replayed", "是重放的消息"),
    };
    match lang {
        Lang::En => english.to_owned(),
        Lang::Zh => chinese.to_owned(),
    }
}

/// A line about what happened to a fleet in a run; `None` for what the progress shows in other ways. `resumes` is the run by which another
/// prony can take up the load; agents that this one has started end with it, and leave nothing to take up.
pub(crate) fn fleet_event(event: &FleetEvent<'_>, resumes: Option<&str>, lang: Lang) -> Option<String> {
    let line = match (event, lang) {
        (FleetEvent::Second(_), _) => return None,
        (FleetEvent::Gathered { found, wanted }, Lang::En) => {
            format!("agents: {found} of {wanted} are there")
        }
        (FleetEvent::Gathered { found, wanted }, Lang::Zh) => format!("压测机：{found}/{wanted} 已就绪"),
        (FleetEvent::Starts { .. }, Lang::En) => match resumes {
            Some(run) => {
                format!(
                    "all agents start together; if this prony dies, add --resume {run} to take up the load"
                )
            }
            None => "all agents start together".to_owned(),
        },
        (FleetEvent::Starts { .. }, Lang::Zh) => match resumes {
            Some(run) => format!("所有压测机同时开始；若本 prony 意外终止，可加上 --resume {run} 接续负载"),
            None => "所有压测机同时开始".to_owned(),
        },
        (FleetEvent::Silent(agent), Lang::En) => {
            format!("agent {agent} is silent for 3 s; its share may be lost")
        }
        (FleetEvent::Silent(agent), Lang::Zh) => format!("压测机 {agent} 已 3 秒无消息，其份额可能丢失"),
        (FleetEvent::Back(agent), Lang::En) => format!("agent {agent} is back"),
        (FleetEvent::Back(agent), Lang::Zh) => format!("压测机 {agent} 已恢复"),
        (FleetEvent::ServerLost, Lang::En) => "the NATS server is lost; agents go on loading".to_owned(),
        (FleetEvent::ServerLost, Lang::Zh) => "与 NATS 服务器断开，压测机继续施加负载".to_owned(),
    };
    Some(line)
}
