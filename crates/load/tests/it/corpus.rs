//! Replays the kept inputs of the fuzz targets.

#[path = "../../../../fuzz/checks.rs"]
mod checks;
#[path = "../../../../fuzz/corpus.rs"]
mod inputs;

#[test]
fn http1_responses() {
    inputs::replay("http1", checks::http1);
}

#[test]
fn pipelined_responses() {
    inputs::replay("pipelined", checks::pipelined);
}

#[test]
fn http2_frames() {
    inputs::replay("http2", checks::http2);
}

#[test]
fn websocket_frames() {
    inputs::replay("websocket", checks::websocket);
}

#[test]
fn urls() {
    inputs::replay("url", checks::url);
}
