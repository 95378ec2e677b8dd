//! [`WebSocketStep`]: what a request does on a connection of WebSocket; [`WebSocketFlaw`]: how a server breaks the protocol.

use say::Say;
use serde::{Deserialize, Serialize};

/// What a request does on a connection of WebSocket. `T` is the type of the texts that it awaits.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum WebSocketStep<T> {
    /// It opens the connection: a GET that asks for another protocol, whose right answer has the status 101.
    Connect,
    /// It sends a message, awaits one, or both.
    Message {
        /// The form of the message that is sent; `None` sends nothing.
        sends: Option<MessageForm>,
        awaits: Awaited<T>,
    },
    /// It closes the connection, and awaits that the server does so, too.
    Close,
}

/// The form of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum MessageForm {
    /// UTF-8.
    Text,
    Binary,
}

/// Which message is the answer. Others that come before it are passed over.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Awaited<T> {
    /// None is awaited.
    Nothing,
    /// The one with the same bytes as the message that was sent.
    Echo,
    /// The first one that has this text; an empty text is in each.
    Containing(T),
}

impl<T: Default> Awaited<T> {
    /// Which message answers one that is sent: the first one that has the expected text. Where none is expected, it is the echo, or any message
    /// where an answer is a number of messages.
    pub fn answering(expected: Option<T>, counts_messages: bool) -> Self {
        match expected {
            Some(text) => Self::Containing(text),
            None if counts_messages => Self::Containing(T::default()),
            None => Self::Echo,
        }
    }
}

impl MessageForm {
    /// The form in which these bytes are sent: as a text if they are one.
    pub fn of(bytes: &[u8]) -> Self {
        match std::str::from_utf8(bytes) {
            Ok(_) => Self::Text,
            Err(_) => Self::Binary,
        }
    }
}

impl<T> WebSocketStep<T> {
    /// The same with other texts.
    pub fn map<U>(&self, change: impl FnOnce(&T) -> U) -> WebSocketStep<U> {
        match self {
            Self::Connect => WebSocketStep::Connect,
            Self::Close => WebSocketStep::Close,
            Self::Message { sends, awaits } => {
                let awaits = match awaits {
                    Awaited::Nothing => Awaited::Nothing,
                    Awaited::Echo => Awaited::Echo,
                    Awaited::Containing(text) => Awaited::Containing(change(text)),
                };
                WebSocketStep::Message { sends: *sends, awaits }
            }
        }
    }

    /// Whether it is complete as soon as its message is sent.
    pub const fn awaits_nothing(&self) -> bool {
        matches!(self, Self::Message { awaits: Awaited::Nothing, .. })
    }
}

/// How a server breaks the protocol of WebSocket (RFC 6455), or refuses to speak it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Say, Serialize, Deserialize)]
pub enum WebSocketFlaw {
    #[say(
        en = "the server answered the opening handshake with the status {0} and not with 101",
        zh = "服务器以状态码 {0} 而不是 101 应答握手"
    )]
    Refused(u16),
    #[say(en = "the answer to the opening handshake was not HTTP", zh = "握手的应答不是合法的 HTTP")]
    NotHttp,
    #[say(
        en = "the answer to the opening handshake has no `Upgrade: websocket` with `Connection: Upgrade`",
        zh = "握手的应答没有 `Upgrade: websocket` 及 `Connection: Upgrade`"
    )]
    NoUpgrade,
    #[say(
        en = "the `Sec-WebSocket-Accept` of the server does not belong to the key that was sent",
        zh = "服务器的 `Sec-WebSocket-Accept` 与所发送的密钥不符"
    )]
    WrongAccept,
    #[say(
        en = "the server chose an extension or a subprotocol that was not offered",
        zh = "服务器选择了未提供的扩展或子协议"
    )]
    Unoffered,
    #[say(en = "a frame of the server was masked", zh = "服务器的帧带有掩码")]
    Masked,
    #[say(
        en = "a frame of the server had a reserved bit, which no extension has given a meaning",
        zh = "服务器的帧设置了保留位，而没有扩展赋予其含义"
    )]
    ReservedBit,
    #[say(en = "a frame of the server had the unknown opcode {0}", zh = "服务器的帧带有未知的操作码 {0}")]
    Opcode(u8),
    #[say(
        en = "a ping, pong or close of the server was in fragments, or longer than 125 bytes",
        zh = "服务器的 ping、pong 或关闭帧被分片，或超过 125 字节"
    )]
    ControlFrame,
    #[say(en = "a fragment came that continues no message", zh = "收到不属于任何消息的分片")]
    NothingToContinue,
    #[say(
        en = "a message began before the one before it had ended",
        zh = "上一条消息尚未结束，下一条消息就已开始"
    )]
    Interrupted,
    #[say(en = "a text of the server was no UTF-8", zh = "服务器的文本不是 UTF-8")]
    NotUtf8,
    #[say(en = "a message of the server was longer than {0} bytes", zh = "服务器的消息超过 {0} 字节")]
    TooLong(u64),
    #[say(
        en = "the server closed the connection with a code that may not be sent, or with half a code",
        zh = "服务器关闭连接时使用了不得发送或不完整的状态码"
    )]
    CloseCode,
}

impl WebSocketFlaw {
    /// Whether the server does not speak WebSocket at all.
    pub const fn is_of_opening(self) -> bool {
        matches!(
            self,
            Self::Refused(_) | Self::NotHttp | Self::NoUpgrade | Self::WrongAccept | Self::Unoffered
        )
    }

    /// The code with which a client closes the connection for it (RFC 6455, section 7.4.1).
    pub const fn close_code(self) -> u16 {
        match self {
            Self::NotUtf8 => 1007,
            Self::TooLong(_) => 1009,
            _ => 1002,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_sent_as_a_text_if_they_are_one() {
        assert_eq!(MessageForm::of("héllo".as_bytes()), MessageForm::Text);
        assert_eq!(MessageForm::of(b"\xff"), MessageForm::Binary);
    }

    #[test]
    fn a_step_keeps_its_form_with_other_texts() {
        let awaits = Awaited::Containing("7");
        let step = WebSocketStep::Message { sends: Some(MessageForm::Text), awaits };
        let awaits = Awaited::Containing(7);
        let other = WebSocketStep::Message { sends: Some(MessageForm::Text), awaits };
        assert_eq!(step.map(|text| text.parse::<u8>().unwrap()), other);
        let sent: WebSocketStep<u8> = WebSocketStep::Message { sends: None, awaits: Awaited::Nothing };
        assert!(sent.awaits_nothing() && !other.awaits_nothing());
    }
}
