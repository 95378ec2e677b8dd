//! Why a server cannot run in a container, in Chinese. What an engine wrote stays as it is.

use super::first_line;
use crate::say::{Message, hinted};
use sut::ContainerError;

/// The error with what to do about it.
pub(super) fn chinese(error: &ContainerError) -> Message {
    match error {
        ContainerError::NoEngine { tried } => hinted(
            format!("此处没有可用的容器引擎：{}", tried.join("；")),
            "请安装 podman 和 runc（Debian：apt-get install podman runc），或启动 docker；也可去掉 `container`",
        ),
        ContainerError::NoImage { engine, image, lines } => hinted(
            format!("{engine} 没有镜像 {image}，也无法获取{}", first_line(lines)),
            format!("查看 `{engine} pull {image}` 的输出"),
        ),
        ContainerError::NoDigest { engine, image } => hinted(
            format!("{engine} 没有给出镜像 {image} 的 id"),
            format!("查看 `{engine} image inspect {image}` 的输出"),
        ),
        ContainerError::BehindLink { engine } => hinted(
            format!("{engine} 的容器无法置于链路之后"),
            "请安装 podman，或去掉 [link]",
        ),
    }
}
