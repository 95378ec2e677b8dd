//! [`ProtocolFlaw`]: why a connection cannot carry anything any more; [`ErrorCode`]: what either side says when it ends a stream or a connection.

use say::Say;

/// What makes a connection unusable (RFC 9113 section 5.4.1). All requests in flight on it fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Say)]
pub enum ProtocolFlaw {
    #[say(en = "a Huffman code is wrong", zh = "霍夫曼编码错误")]
    Huffman,
    #[say(en = "a number in a header block has too many bits", zh = "头块中的数字位数过多")]
    Integer,
    #[say(en = "a header block ends within a field", zh = "头块在字段中间结束")]
    CutBlock,
    #[say(
        en = "a header block refers to a field that is not in the table",
        zh = "头块引用了表中不存在的字段"
    )]
    Index,
    #[say(
        en = "the server makes the table of fields larger than it may",
        zh = "服务器设置的字段表超过允许的大小"
    )]
    TableSize,
    #[say(en = "the headers of an answer are endless", zh = "应答的头没有尽头")]
    EndlessHead,
    #[say(en = "a frame is longer than it may be, or too short", zh = "帧的长度不在允许范围内")]
    FrameSize,
    #[say(en = "a frame comes where it must not", zh = "帧出现在不允许的位置")]
    FrameOrder,
    #[say(en = "the padding is longer than its frame", zh = "填充比帧本身更长")]
    Padding,
    #[say(en = "a frame is about a stream that nobody opened", zh = "帧所属的流从未打开")]
    UnknownStream,
    #[say(en = "a frame comes for a stream that has ended", zh = "帧所属的流已经结束")]
    EndedStream,
    #[say(en = "a setting has a value that it must not have", zh = "设置的取值不被允许")]
    Setting,
    #[say(en = "a window gets larger than it may", zh = "窗口超过允许的大小")]
    Window,
    #[say(en = "a window gets larger by nothing", zh = "窗口的增量为零")]
    NoIncrement,
    #[say(en = "the server sends more than the window allows", zh = "服务器发送的数据超出窗口")]
    Overrun,
    #[say(en = "a flood of frames that no answer needs", zh = "大量不属于任何应答的帧")]
    Flood,
}

impl ProtocolFlaw {
    /// What the server is told about it.
    pub(super) const fn code(self) -> ErrorCode {
        match self {
            Self::Huffman | Self::Integer | Self::CutBlock | Self::Index | Self::TableSize => {
                ErrorCode::Compression
            }
            Self::EndlessHead | Self::Flood => ErrorCode::EnhanceYourCalm,
            Self::FrameSize => ErrorCode::FrameSize,
            Self::EndedStream => ErrorCode::StreamClosed,
            Self::Overrun | Self::Window => ErrorCode::FlowControl,
            Self::FrameOrder | Self::Padding | Self::UnknownStream | Self::Setting | Self::NoIncrement => {
                ErrorCode::Protocol
            }
        }
    }
}

/// The error codes of RFC 9113 section 7.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum ErrorCode {
    /// There is no error.
    None,
    Protocol,
    Internal,
    FlowControl,
    SettingsTimeout,
    StreamClosed,
    FrameSize,
    /// The server has not begun to handle the request, so it may be sent again.
    Refused,
    Cancel,
    Compression,
    Connect,
    EnhanceYourCalm,
    InadequateSecurity,
    Http11Required,
    /// A number that the standard does not have.
    Other,
}

impl ErrorCode {
    /// Every code, in the order of its numbers.
    pub const ALL: [Self; 15] = [
        Self::None,
        Self::Protocol,
        Self::Internal,
        Self::FlowControl,
        Self::SettingsTimeout,
        Self::StreamClosed,
        Self::FrameSize,
        Self::Refused,
        Self::Cancel,
        Self::Compression,
        Self::Connect,
        Self::EnhanceYourCalm,
        Self::InadequateSecurity,
        Self::Http11Required,
        Self::Other,
    ];

    /// The code with this number.
    pub fn of(number: u32) -> Self {
        usize::try_from(number).ok().and_then(|number| Self::ALL.get(number).copied()).unwrap_or(Self::Other)
    }

    /// The name in the standard.
    pub const fn name(self) -> &'static str {
        match self {
            Self::None => "NO_ERROR",
            Self::Protocol => "PROTOCOL_ERROR",
            Self::Internal => "INTERNAL_ERROR",
            Self::FlowControl => "FLOW_CONTROL_ERROR",
            Self::SettingsTimeout => "SETTINGS_TIMEOUT",
            Self::StreamClosed => "STREAM_CLOSED",
            Self::FrameSize => "FRAME_SIZE_ERROR",
            Self::Refused => "REFUSED_STREAM",
            Self::Cancel => "CANCEL",
            Self::Compression => "COMPRESSION_ERROR",
            Self::Connect => "CONNECT_ERROR",
            Self::EnhanceYourCalm => "ENHANCE_YOUR_CALM",
            Self::InadequateSecurity => "INADEQUATE_SECURITY",
            Self::Http11Required => "HTTP_1_1_REQUIRED",
            Self::Other => "OTHER",
        }
    }
}
