//! The flags for calls of gRPC.

use super::LoadComplaint;
use super::plan::body_bytes;
use super::streaming::StreamingArgs;
use crate::failure::Failure;
use ask::grpc::{Schema, SchemaFile, advice};
use ask::slip::GrpcSlip;
use ask::values;
use clap::Args;
use load::Url;
use model::units::Nanos;
use std::path::{Path, PathBuf};
use traffic::grpc::{GrpcCall, GrpcExpected, GrpcStatus};
use traffic::streaming::Streaming;

/// A call of gRPC in the place of a request.
#[derive(Debug, Args)]
pub(super) struct GrpcArgs {
    /// Call this method of gRPC, such as shop.Orders/Place, over HTTP/2. If it answers with a stream, each of its messages is an event, for
    /// --events and --until.
    #[arg(long, value_name = "METHOD", group = "streamed", requires = "schema", conflicts_with_all = ["mix", "scenario", "jmx", "method", "body"])]
    grpc: Option<String>,
    /// The .proto file that describes the method. What it imports is looked for in its folder and in those above it.
    #[arg(long, value_name = "FILE", group = "schema", requires = "grpc")]
    proto: Option<PathBuf>,
    /// A set of descriptors that describes the method, in the place of --proto.
    #[arg(long, value_name = "FILE", group = "schema", requires = "grpc")]
    descriptors: Option<PathBuf>,
    /// The message of the call as JSON, or @FILE to read it from a file [default: an empty message]
    #[arg(long, value_name = "JSON", requires = "grpc")]
    message: Option<String>,
    /// The status with which the call has to end [default: OK]
    #[arg(long, value_name = "NAME", requires = "grpc", value_parser = GrpcStatus::ALL.map(GrpcStatus::name), hide_possible_values = true)]
    grpc_status: Option<String>,
    /// How long the server may take for the call: it is told so, and the call is cancelled then [default: no deadline]
    #[arg(long, value_name = "TIME", requires = "grpc", value_parser = values::duration)]
    deadline: Option<Nanos>,
}

impl GrpcArgs {
    /// The URL of the method that is called; without a call the URL as it is.
    pub(super) fn place(&self, url: Url) -> Url {
        match &self.grpc {
            Some(method) => Url { path: format!("/{method}"), ..url },
            None => url,
        }
    }

    /// The call with its message encoded, and how its answer is taken apart; `None` where nothing is called.
    pub(super) fn call(
        &self,
        streaming: &StreamingArgs,
    ) -> Result<Option<(GrpcCall, Option<Streaming>)>, Failure> {
        let Some(method) = &self.grpc else { return Ok(None) };
        let file = match (&self.proto, &self.descriptors) {
            (Some(proto), _) => SchemaFile::Proto(proto.clone()),
            (None, Some(descriptors)) => SchemaFile::Descriptors(descriptors.clone()),
            (None, None) => return Err(refused(method, GrpcSlip::NoSchema)),
        };
        let message = self.message.as_deref().unwrap_or("{}");
        let message = String::from_utf8_lossy(&body_bytes(message)?).into_owned();
        let read = |path: &Path| std::fs::read(path).map_err(|error| error.to_string());
        let call = Schema::read(&file, &read).and_then(|schema| schema.call(method, &message));
        let call = call.map_err(|slip| refused(method, slip))?;
        if let Some(flag) = streaming.limit().filter(|_| !call.streams) {
            return Err(refused(method, GrpcSlip::Unary(flag)));
        }
        let status = self.grpc_status.as_deref().and_then(GrpcStatus::from_name).unwrap_or_default();
        let expected = GrpcExpected { status, deadline: self.deadline };
        let messages = call.streams.then(|| streaming.of_messages());
        Ok(Some((GrpcCall { body: call.body, expected }, messages)))
    }
}

fn refused(method: &str, why: GrpcSlip) -> Failure {
    let advice = advice(&why);
    Failure::usage(LoadComplaint::NotCallable { method: method.to_owned(), why, advice })
}
