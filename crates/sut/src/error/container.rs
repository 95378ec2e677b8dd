//! [`ContainerError`]: why a server cannot run in a container.

use say::Say;

/// Why a server cannot run in a container.
#[derive(Debug, Say)]
#[say(error)]
pub enum ContainerError {
    /// No engine is installed, or none works.
    #[say(
        en = "no container engine works here: {tried:semicolons}",
        zh = "此处没有可用的容器引擎：{tried:semicolons}",
        hint(
            en = "install podman and runc (Debian: apt-get install podman runc), or start docker; or take out `container`",
            zh = "请安装 podman 和 runc（Debian：apt-get install podman runc），或启动 docker；也可去掉 `container`"
        )
    )]
    NoEngine {
        /// What was tried, each with what it said: `podman: …`.
        tried: Vec<String>,
    },
    /// No engine knows a container of this name that runs.
    #[say(
        en = "no container `{name}` runs here",
        zh = "本机没有正在运行的容器 `{name}`",
        hint(
            en = "`podman ps` or `docker ps` lists those that do; a process in a cluster has no name here",
            zh = "`podman ps` 或 `docker ps` 可列出正在运行的容器；集群中的进程在此没有名称"
        )
    )]
    NotRunning { name: String },
    /// The engine has no such image and cannot fetch it.
    #[say(
        en = "{engine} has no image {image} and cannot fetch it{first?: {}}",
        zh = "{engine} 没有镜像 {image}，也无法获取{first?：{}}",
        hint(
            en = "see what `{engine} pull {image}` says",
            zh = "查看 `{engine} pull {image}` 的输出"
        ),
        first = lines.first()
    )]
    NoImage {
        /// The engine: `podman`.
        engine: String,
        /// The name of the image.
        image: String,
        /// What the engine wrote.
        lines: Vec<String>,
    },
    /// The engine describes an image in a way that prony does not understand.
    #[say(
        en = "{engine} does not tell the id of the image {image}",
        zh = "{engine} 没有给出镜像 {image} 的 id",
        hint(
            en = "see what `{engine} image inspect {image}` says",
            zh = "查看 `{engine} image inspect {image}` 的输出"
        )
    )]
    NoDigest {
        engine: String,
        /// The name of the image.
        image: String,
    },
    /// Where an image listens is not known.
    #[say(
        en = "the image {image} {exposed?exposes {:commas}|exposes no port}, so prony does not know where it listens",
        zh = "镜像 {image} {exposed?暴露了 {:commas}|没有暴露端口}，无法得知它在何处监听",
        hint(
            en = "say it in the table of the service: port = 5432",
            zh = "请在该服务的表中写明：port = 5432"
        )
    )]
    NoPort { image: String, exposed: Vec<String> },
    /// The engine puts its containers into the network of the machine, where the link is not.
    #[say(
        en = "this container of {engine} cannot be put behind a link",
        zh = "{engine} 的容器无法置于链路之后",
        hint(
            en = "use podman, and tell the image of a service its port by {{port}} in its command or environment; or take out [link]",
            zh = "请使用 podman，并在服务镜像的命令或环境变量中用 {{port}} 指定端口；也可去掉 [link]"
        )
    )]
    BehindLink { engine: String },
}
