//! What can be wrong with the way to a server.

use say::Say;

/// `network`, or an option of `prony load` of the same name, says what cannot be.
#[derive(Clone, Debug, PartialEq, Eq, Say)]
#[say(error)]
pub enum NetworkSlip {
    #[say(
        en = "`{0}` is not a host, its port and its address, such as shop.example:443:10.0.0.5",
        zh = "`{0}` 不是“主机:端口:地址”的形式，例如 shop.example:443:10.0.0.5"
    )]
    Resolve(String),
    #[say(
        en = "`{0}` is not two hosts with their ports, such as shop.example:443:10.0.0.5:8443",
        zh = "`{0}` 不是两个带端口的主机，例如 shop.example:443:10.0.0.5:8443"
    )]
    ConnectTo(String),
    /// Neither addresses nor ranges of them.
    #[say(
        en = "`{text}` is not a list of IP addresses and ranges of at most {most}, such as 127.0.0.2-127.0.0.9,10.0.0.5",
        zh = "`{text}` 不是 IP 地址或至多 {most} 个地址的范围的列表，例如 127.0.0.2-127.0.0.9,10.0.0.5"
    )]
    Source { text: String, most: u32 },
    /// The text has no password any more.
    #[say(
        en = "`{0}` is not a proxy: write http://HOST:PORT, socks5://HOST:PORT, socks5h://HOST:PORT, or env",
        zh = "`{0}` 不是代理：请写 http://主机:端口、socks5://主机:端口、socks5h://主机:端口 或 env"
    )]
    Proxy(String),
    #[say(
        en = "`key` belongs to a certificate in PEM, which `cert` names",
        zh = "`key` 须与 PEM 证书一起使用，请用 `cert` 指定证书"
    )]
    KeyAlone,
    #[say(
        en = "`insecure` accepts any certificate, so that `cacert` would verify none",
        zh = "`insecure` 接受任何证书，`cacert` 因而不起作用"
    )]
    InsecureWithAuthority,
    #[say(
        en = "with a `proxy`, names are not looked up again: leave out `dns_ttl`",
        zh = "使用 `proxy` 时不会重新解析名称：请去掉 `dns_ttl`"
    )]
    LookupByProxy,
}
