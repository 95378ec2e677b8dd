//! What a client receives on a connection: frames, and what they mean.

use super::frame::{
    self, ACK, END_HEADERS, END_STREAM, FRAME_HEAD, FrameHead, PADDED, PRIORITY, kind, number, setting,
};
use super::hpack::MAX_LIST;
use super::{
    DataFrame, ErrorCode, Http2, LARGEST_WINDOW, MAX_INTERIM, MOST_CONTINUATIONS, MOST_IDLE_FRAMES,
    ProtocolFlaw, Reading, StreamEvent, UnfinishedBlock, WINDOW,
};

impl Http2 {
    /// Takes bytes from the front of `input` up to the next thing to tell. Returns how many were taken, and what it is.
    ///
    /// # Errors
    ///
    /// A [`ProtocolFlaw`] when the connection cannot be used any further.
    pub fn advance(&mut self, input: &[u8]) -> Result<(usize, StreamEvent), ProtocolFlaw> {
        let mut used = 0;
        loop {
            let rest = &input[used..];
            match self.reading {
                Reading::Data(data) => {
                    let (taken, event) = self.take_data(data, rest, used)?;
                    used += taken;
                    match event {
                        Some(event) => return Ok((used, event)),
                        None if used == input.len() => return Ok((used, StreamEvent::More)),
                        None => {}
                    }
                }
                Reading::Frame => {
                    let (taken, event) = self.take_frame(rest)?;
                    used += taken;
                    match event {
                        None if used == input.len() && self.reading == Reading::Frame => {
                            return Ok((used, StreamEvent::More));
                        }
                        None => {}
                        Some(event) => return Ok((used, event)),
                    }
                }
            }
        }
    }

    /// Takes a frame, or as much as there is of it.
    fn take_frame(&mut self, input: &[u8]) -> Result<(usize, Option<StreamEvent>), ProtocolFlaw> {
        if self.partial.is_empty()
            && let Some(head) = FrameHead::parse(input)?
        {
            let end = FRAME_HEAD + head.length;
            if head.kind == kind::DATA {
                return Ok((FRAME_HEAD, self.begin_data(&head)?));
            }
            if let Some(payload) = input.get(FRAME_HEAD..end) {
                return Ok((end, self.handle_frame(&head, payload)?));
            }
        }
        self.take_split_frame(input)
    }

    /// Like [`Http2::take_frame`], for a frame that is split between reads.
    #[inline(never)]
    fn take_split_frame(&mut self, input: &[u8]) -> Result<(usize, Option<StreamEvent>), ProtocolFlaw> {
        let mut used = 0;
        loop {
            let missing = match FrameHead::parse(&self.partial)? {
                None => FRAME_HEAD - self.partial.len(),
                Some(head) if head.kind == kind::DATA => {
                    self.partial.clear();
                    return Ok((used, self.begin_data(&head)?));
                }
                Some(head) if FRAME_HEAD + head.length == self.partial.len() => {
                    let bytes = std::mem::take(&mut self.partial);
                    let event = self.handle_frame(&head, &bytes[FRAME_HEAD..])?;
                    self.partial = bytes;
                    self.partial.clear();
                    return Ok((used, event));
                }
                Some(head) => FRAME_HEAD + head.length - self.partial.len(),
            };
            let taken = missing.min(input.len() - used);
            self.partial.extend_from_slice(&input[used..used + taken]);
            used += taken;
            if taken < missing {
                return Ok((used, None));
            }
        }
    }

    /// Handles the head of a DATA frame. An event comes at once only if the frame is empty.
    fn begin_data(&mut self, head: &FrameHead) -> Result<Option<StreamEvent>, ProtocolFlaw> {
        if !self.greeted || self.block_of.is_some() {
            return Err(ProtocolFlaw::FrameOrder);
        }
        let (length, end) = (head.length, head.has(END_STREAM));
        self.receive_window -= length as i64;
        let lane = self.lane_of_frame(head.stream)?;
        if let Some(lane) = lane {
            let stream = &mut self.streams[lane];
            if !stream.answered {
                return Err(ProtocolFlaw::FrameOrder);
            }
            stream.receive_window -= length as i64;
            if stream.receive_window < 0 {
                return Err(ProtocolFlaw::Overrun);
            }
            if stream.receive_window < WINDOW / 2 && !end {
                frame::push_window(&mut self.out, stream.id, (WINDOW - stream.receive_window) as u32);
                stream.receive_window = WINDOW;
            }
        }
        if self.receive_window < 0 {
            return Err(ProtocolFlaw::Overrun);
        }
        if self.receive_window < WINDOW / 2 {
            frame::push_window(&mut self.out, 0, (WINDOW - self.receive_window) as u32);
            self.receive_window = WINDOW;
        }
        if length == 0 && (lane.is_none() || !end) {
            self.count_idle_frame()?;
        } else if lane.is_some() {
            self.idle_frames = 0;
        }
        if head.has(PADDED) && length == 0 {
            return Err(ProtocolFlaw::FrameSize);
        }
        let padding = if head.has(PADDED) { None } else { Some(0) };
        let data = DataFrame { lane, left: length, padding, untold: FRAME_HEAD, end };
        if length > 0 {
            self.reading = Reading::Data(data);
            return Ok(None);
        }
        Ok(lane.and_then(|lane| self.tell_data(lane, 0, 0, FRAME_HEAD, end)))
    }

    /// Takes bytes of a DATA frame; `from` is where `input` begins in the input of the caller.
    fn take_data(
        &mut self,
        mut data: DataFrame,
        input: &[u8],
        from: usize,
    ) -> Result<(usize, Option<StreamEvent>), ProtocolFlaw> {
        let Some((&first, _)) = input.split_first() else {
            return Ok((0, None));
        };
        let Some(padding) = data.padding else {
            let left = data.left - 1;
            if usize::from(first) > left {
                return Err(ProtocolFlaw::Padding);
            }
            data = DataFrame { left, padding: Some(usize::from(first)), untold: data.untold + 1, ..data };
            self.reading = if left == 0 { Reading::Frame } else { Reading::Data(data) };
            let ended = data.lane.filter(|_| left == 0);
            return Ok((1, ended.and_then(|lane| self.tell_data(lane, 0, 0, data.untold, data.end))));
        };
        let body = data.left.saturating_sub(padding).min(input.len());
        let taken = data.left.min(input.len());
        data.left -= taken;
        let size = data.untold + taken;
        self.reading = Reading::Data(DataFrame { untold: 0, ..data });
        if data.left == 0 {
            self.reading = Reading::Frame;
        }
        let end = data.end && data.left == 0;
        Ok((taken, data.lane.and_then(|lane| self.tell_data(lane, from, body, size, end))))
    }

    /// Tells of bytes of a body, which may be none.
    fn tell_data(
        &mut self,
        lane: usize,
        from: usize,
        length: usize,
        size: usize,
        end: bool,
    ) -> Option<StreamEvent> {
        let stream = &mut self.streams[lane];
        stream.body += length as u64;
        if stream.no_body && length > 0 || stream.length.is_some_and(|most| stream.body > most) {
            self.reset(lane, ErrorCode::Protocol);
            return Some(StreamEvent::Malformed { lane });
        }
        if end && !self.finish(lane) {
            return Some(StreamEvent::Malformed { lane });
        }
        Some(StreamEvent::Data { lane, from, length, size, end })
    }

    /// Ends a stream whose answer is complete. Returns whether it has the length that it announced.
    fn finish(&mut self, lane: usize) -> bool {
        let stream = self.streams[lane];
        self.idle_frames = 0;
        let is_right = stream.no_body || stream.length.is_none_or(|length| length == stream.body);
        match is_right {
            false => self.reset(lane, ErrorCode::Protocol),
            true if stream.complete => self.free(lane),
            // An answer that comes before its request has left makes the rest of the request useless.
            true => self.cancel(lane),
        }
        is_right
    }

    /// The lane of the stream of a frame; `None` for a stream that was cancelled.
    fn lane_of_frame(&mut self, stream: u32) -> Result<Option<usize>, ProtocolFlaw> {
        if stream.is_multiple_of(2) || stream >= self.unsent_stream {
            return Err(ProtocolFlaw::UnknownStream);
        }
        match self.lane_of(stream) {
            None if !self.cancelled.contains(&stream) => Err(ProtocolFlaw::EndedStream),
            lane => Ok(lane),
        }
    }

    /// Counts a frame that no answer needs.
    fn count_idle_frame(&mut self) -> Result<(), ProtocolFlaw> {
        self.idle_frames += 1;
        if self.idle_frames > MOST_IDLE_FRAMES { Err(ProtocolFlaw::Flood) } else { Ok(()) }
    }

    /// Handles a frame other than DATA.
    fn handle_frame(
        &mut self,
        head: &FrameHead,
        payload: &[u8],
    ) -> Result<Option<StreamEvent>, ProtocolFlaw> {
        let is_expected = match self.block_of {
            Some(block) => head.kind == kind::CONTINUATION && head.stream == block.stream,
            None => head.kind != kind::CONTINUATION && (self.greeted || head.kind == kind::SETTINGS),
        };
        if !is_expected {
            return Err(ProtocolFlaw::FrameOrder);
        }
        match head.kind {
            kind::HEADERS => self.handle_headers(head, payload),
            kind::CONTINUATION => self.handle_continuation(head, payload),
            kind::SETTINGS => self.handle_settings(head, payload),
            kind::RST_STREAM => self.handle_reset(head, payload),
            kind::WINDOW_UPDATE => self.handle_window(head, payload),
            kind::PING => self.handle_ping(head, payload),
            kind::GOAWAY => {
                let &[a, b, c, d, e, f, g, h, ..] = payload else { return Err(ProtocolFlaw::FrameSize) };
                if head.stream != 0 {
                    return Err(ProtocolFlaw::FrameOrder);
                }
                self.count_idle_frame()?;
                self.gone = true;
                let code = ErrorCode::of(u32::from_be_bytes([e, f, g, h]));
                Ok(Some(StreamEvent::GoAway { last: number([a, b, c, d]), code }))
            }
            // Pushes are switched off.
            kind::PUSH_PROMISE => Err(ProtocolFlaw::FrameOrder),
            kind::PRIORITY if head.length != 5 => Err(ProtocolFlaw::FrameSize),
            kind::PRIORITY if head.stream == 0 => Err(ProtocolFlaw::FrameOrder),
            // Priorities mean nothing any more, and other types are for those who know them.
            _ => self.count_idle_frame().map(|()| None),
        }
    }

    fn handle_headers(
        &mut self,
        head: &FrameHead,
        payload: &[u8],
    ) -> Result<Option<StreamEvent>, ProtocolFlaw> {
        let end = frame::without_padding(head, payload)?;
        let begin = usize::from(head.has(PADDED)) + if head.has(PRIORITY) { 5 } else { 0 };
        let fragment = payload.get(begin..end).ok_or(ProtocolFlaw::FrameSize)?;
        let block = UnfinishedBlock {
            stream: head.stream,
            end: head.has(END_STREAM),
            frames: 1,
            size: FRAME_HEAD + head.length,
        };
        if head.has(END_HEADERS) {
            return self.handle_block(block, fragment);
        }
        self.lane_of_frame(head.stream)?;
        self.block.clear();
        self.block.extend_from_slice(fragment);
        self.block_of = Some(block);
        Ok(None)
    }

    fn handle_continuation(
        &mut self,
        head: &FrameHead,
        payload: &[u8],
    ) -> Result<Option<StreamEvent>, ProtocolFlaw> {
        let Some(block) = &mut self.block_of else {
            return Err(ProtocolFlaw::FrameOrder);
        };
        block.frames += 1;
        block.size += FRAME_HEAD + head.length;
        if block.frames > MOST_CONTINUATIONS {
            return Err(ProtocolFlaw::Flood);
        }
        if self.block.len() + payload.len() > MAX_LIST {
            return Err(ProtocolFlaw::EndlessHead);
        }
        self.block.extend_from_slice(payload);
        if !head.has(END_HEADERS) {
            return Ok(None);
        }
        let block = *block;
        self.block_of = None;
        let bytes = std::mem::take(&mut self.block);
        let event = self.handle_block(block, &bytes);
        self.block = bytes;
        event
    }

    /// Handles a complete header block: the head of an answer, or its trailers. It is read in any case, because it may change the table.
    fn handle_block(
        &mut self,
        block: UnfinishedBlock,
        bytes: &[u8],
    ) -> Result<Option<StreamEvent>, ProtocolFlaw> {
        self.decoder.read(bytes, &mut self.head)?;
        self.head_lane = self.lane_of_frame(block.stream)?;
        let Some(lane) = self.head_lane else {
            return self.count_idle_frame().map(|()| None);
        };
        let stream = &mut self.streams[lane];
        let status = self.head.status;
        let is_right = if stream.answered {
            block.end && status == 0 && !self.head.malformed
        } else {
            status >= 100 && status != 101 && !self.head.malformed && (status >= 200 || !block.end)
        };
        if !is_right || stream.interim >= MAX_INTERIM {
            self.reset(lane, ErrorCode::Protocol);
            return Ok(Some(StreamEvent::Malformed { lane }));
        }
        if status < 200 && !stream.answered {
            stream.interim += 1;
            return Ok(None);
        }
        let is_head = !stream.answered;
        if is_head {
            stream.answered = true;
            stream.no_body |= matches!(status, 204 | 304);
            stream.length = self.head.content_length.filter(|_| !stream.no_body);
        }
        if block.end && !self.finish(lane) {
            return Ok(Some(StreamEvent::Malformed { lane }));
        }
        Ok(Some(match is_head {
            true => StreamEvent::Head { lane, status, size: block.size, end: block.end },
            false => StreamEvent::Trailers { lane, size: block.size },
        }))
    }

    fn handle_settings(
        &mut self,
        head: &FrameHead,
        payload: &[u8],
    ) -> Result<Option<StreamEvent>, ProtocolFlaw> {
        let is_ack = head.has(ACK);
        if head.stream != 0 || is_ack && !self.greeted {
            return Err(ProtocolFlaw::FrameOrder);
        }
        if !payload.len().is_multiple_of(6) || is_ack && !payload.is_empty() {
            return Err(ProtocolFlaw::FrameSize);
        }
        self.count_idle_frame()?;
        if is_ack {
            return Ok(None);
        }
        for entry in payload.chunks_exact(6) {
            let name = u16::from_be_bytes([entry[0], entry[1]]);
            self.set(name, u32::from_be_bytes([entry[2], entry[3], entry[4], entry[5]]))?;
        }
        self.greeted = true;
        frame::push_head(&mut self.out, 0, kind::SETTINGS, ACK, 0);
        Ok(Some(StreamEvent::Settings))
    }

    /// Heeds a setting of the server.
    fn set(&mut self, name: u16, value: u32) -> Result<(), ProtocolFlaw> {
        match name {
            setting::HEADER_TABLE_SIZE => self.encoder.limit(value as usize),
            setting::ENABLE_PUSH if value != 0 => return Err(ProtocolFlaw::Setting),
            setting::MAX_CONCURRENT_STREAMS => self.server.max_streams = value,
            setting::INITIAL_WINDOW_SIZE => {
                let change = i64::from(value) - self.server.initial_window;
                self.server.initial_window += change;
                let windows = self.streams.iter_mut().map(|stream| {
                    stream.send_window += change;
                    stream.send_window
                });
                if windows.fold(i64::from(value), i64::max) > LARGEST_WINDOW {
                    return Err(ProtocolFlaw::Window);
                }
            }
            setting::MAX_FRAME_SIZE => {
                if !(0x4000..=0xff_ffff).contains(&value) {
                    return Err(ProtocolFlaw::Setting);
                }
                self.server.max_payload = value as usize;
            }
            _ => {}
        }
        Ok(())
    }

    fn handle_reset(
        &mut self,
        head: &FrameHead,
        payload: &[u8],
    ) -> Result<Option<StreamEvent>, ProtocolFlaw> {
        let &[a, b, c, d] = payload else { return Err(ProtocolFlaw::FrameSize) };
        if head.stream.is_multiple_of(2) || head.stream >= self.unsent_stream {
            return Err(ProtocolFlaw::UnknownStream);
        }
        let Some(lane) = self.lane_of(head.stream) else {
            // A server may reset a stream that it has answered, so that the rest of the request is not sent.
            return self.count_idle_frame().map(|()| None);
        };
        self.free(lane);
        Ok(Some(StreamEvent::Reset { lane, code: ErrorCode::of(u32::from_be_bytes([a, b, c, d])) }))
    }

    fn handle_window(
        &mut self,
        head: &FrameHead,
        payload: &[u8],
    ) -> Result<Option<StreamEvent>, ProtocolFlaw> {
        let &[a, b, c, d] = payload else { return Err(ProtocolFlaw::FrameSize) };
        let by = i64::from(number([a, b, c, d]));
        if by == 0 {
            return Err(ProtocolFlaw::NoIncrement);
        }
        self.count_idle_frame()?;
        let window = match head.stream {
            0 => &mut self.send_window,
            stream if stream.is_multiple_of(2) || stream >= self.unsent_stream => {
                return Err(ProtocolFlaw::UnknownStream);
            }
            stream => match self.lane_of(stream) {
                Some(lane) => &mut self.streams[lane].send_window,
                None => return Ok(None),
            },
        };
        *window += by;
        if *window > LARGEST_WINDOW { Err(ProtocolFlaw::Window) } else { Ok(Some(StreamEvent::Window)) }
    }

    fn handle_ping(&mut self, head: &FrameHead, payload: &[u8]) -> Result<Option<StreamEvent>, ProtocolFlaw> {
        if head.length != 8 {
            return Err(ProtocolFlaw::FrameSize);
        }
        if head.stream != 0 {
            return Err(ProtocolFlaw::FrameOrder);
        }
        self.count_idle_frame()?;
        if !head.has(ACK) {
            frame::push_head(&mut self.out, 8, kind::PING, ACK, 0);
            self.out.extend_from_slice(payload);
        }
        Ok(None)
    }
}
