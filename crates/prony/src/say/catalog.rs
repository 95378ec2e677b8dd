//! The words of `prony catalog`.

use report::Lang;

/// Everything that is said around names and versions; what one language lacks does not compile.
pub(crate) struct CatalogWords {
    pub(crate) servers: &'static str,
    /// Before the range of versions that prony runs.
    pub(crate) every_version: &'static str,
    /// The title of the versions of one server.
    pub(crate) versions: &'static str,
    /// The title of the same versions if Maven could not be asked; the reason follows it.
    pub(crate) tested_versions: &'static str,
    /// The title of the rules about versions.
    pub(crate) rules: &'static str,
    /// Between title and packages of a server.
    pub(crate) runs_a: &'static str,
    pub(crate) or: &'static str,
    pub(crate) any_program: &'static str,
    pub(crate) own_image: &'static str,
    pub(crate) own_jar: &'static str,
    pub(crate) running: &'static str,
    pub(crate) virtual_threads: &'static str,
    /// In the place of the Servlet API.
    pub(crate) no_servlets: &'static str,
    /// Between what a release can do.
    pub(crate) separator: &'static str,
    pub(crate) applications: &'static str,
    pub(crate) services: &'static str,
    /// Before the variable by which an application finds a service.
    pub(crate) found_in: &'static str,
    pub(crate) jdks: &'static str,
    pub(crate) fetched: &'static str,
    /// The title of the keys of an arm.
    pub(crate) keys: &'static str,
    pub(crate) any_server: &'static str,
    pub(crate) of_catalog: &'static str,
    /// Between the keys that every server of the catalog takes and those that only some take.
    pub(crate) where_it_has_them: &'static str,
    /// After the keys of a jar.
    pub(crate) spring_boot_jar: &'static str,
    /// Before an arm as it is written on the command line.
    pub(crate) on_command_line: &'static str,
}

/// The words of a language.
pub(crate) const fn words(lang: Lang) -> &'static CatalogWords {
    match lang {
        Lang::En => &ENGLISH,
        Lang::Zh => &CHINESE,
    }
}

const ENGLISH: CatalogWords = CatalogWords {
    servers: "servers: server = \"NAME:VERSION\"",
    every_version: "every version that Maven finds in ",
    versions: "versions that Maven knows; the beginning of one, as 10.1, stands for the newest of them",
    tested_versions: "versions that prony's tests start; Maven could not list all: ",
    rules: "what a version can do, for which versions, and how that is known",
    runs_a: "; runs a ",
    or: " or ",
    any_program: "any program: command = [\"./serve\", \"{port}\"]",
    own_image: "an image of your own in podman or docker: image = \"registry/app:1.2\", port = 8080",
    own_jar: "an executable jar of your own: jar = \"target/app.jar\"",
    running: "one that runs already: url = \"http://127.0.0.1:8080\" or https",
    virtual_threads: "virtual threads",
    no_servlets: "no servlets",
    separator: "; ",
    applications: "applications: app = \"NAME\", and the paths they answer",
    services: "services: [service.NAME], or any other with its `command`",
    found_in: "found by the application in ",
    jdks: "JDKs: jdk = N, \"N.0.8\", \"VENDOR-N\", or the path of one",
    fetched: "fetched when missing",
    keys: "keys of an arm",
    any_server: "any server",
    of_catalog: "of the catalog",
    where_it_has_them: ", and where it has them ",
    spring_boot_jar: "; one with Spring Boot takes what the spring-boot servers take",
    on_command_line: "on the command line: ",
};

const CHINESE: CatalogWords = CatalogWords {
    servers: "服务器：server = \"名称:版本\"",
    every_version: "Maven 能找到的所有版本，范围为 ",
    versions: "Maven 已知的版本；版本号的开头（如 10.1）表示其中最新的一个",
    tested_versions: "prony 的测试会启动的版本；Maven 未能列出全部版本：",
    rules: "各版本的能力、适用的版本及其依据",
    runs_a: "；可运行 ",
    or: " 或 ",
    any_program: "任意程序：command = [\"./serve\", \"{port}\"]",
    own_image: "您自己的镜像，由 podman 或 docker 运行：image = \"registry/app:1.2\", port = 8080",
    own_jar: "自己的可执行 jar：jar = \"target/app.jar\"",
    running: "已在运行的服务器：url = \"http://127.0.0.1:8080\" 或 https",
    virtual_threads: "虚拟线程",
    no_servlets: "不支持 servlet",
    separator: "；",
    applications: "应用：app = \"名称\"，及其响应的路径",
    services: "服务：[service.名称]；其他服务请给出 `command`",
    found_in: "应用通过此变量找到它：",
    jdks: "JDK：jdk = N、\"N.0.8\"、\"厂商-N\"，或某个 JDK 的路径",
    fetched: "缺少时可下载",
    keys: "对象的键",
    any_server: "任意服务器",
    of_catalog: "目录中的服务器",
    where_it_has_them: "；视服务器而定还有 ",
    spring_boot_jar: "；含 Spring Boot 的 jar 可用 spring-boot 服务器的键",
    on_command_line: "命令行写法：",
};
