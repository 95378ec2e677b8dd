//! [`Schema`]: the services that a `.proto` file or a set of descriptors describes; [`Schema::call`] encodes a message for one of their
//! methods. It does no I/O: whoever reads a schema hands over the contents of its files.

use crate::diagnostic::near_or;
use crate::slip::{GrpcAdvice, GrpcSlip, Hint, Listing};
use prost_reflect::prost::Message as _;
use prost_reflect::{DescriptorPool, DynamicMessage, MethodDescriptor};
use protox::file::{File, FileResolver, GoogleFileResolver};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use traffic::grpc::prefixed;

/// The file that describes services.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum SchemaFile {
    /// A `.proto` file. What it imports is looked for in its folder and in those above it.
    Proto(PathBuf),
    /// A set of descriptors, as `protoc --include_imports --descriptor_set_out` writes it.
    Descriptors(PathBuf),
}

/// Gives the content of a file, or says why there is none.
pub type ReadFile<'a> = dyn Fn(&Path) -> Result<Vec<u8>, String> + 'a;

/// The services that a file describes, with all their messages.
#[derive(Clone, Debug)]
pub struct Schema(DescriptorPool);

/// The services that each of some files describes, or why there are none.
#[derive(Clone, Debug, Default)]
pub struct Schemas(BTreeMap<SchemaFile, Result<Schema, GrpcSlip>>);

impl Schemas {
    /// Reads each file once, with all that it imports.
    pub fn read(files: impl IntoIterator<Item = SchemaFile>, read: &ReadFile<'_>) -> Self {
        let compiled = files.into_iter().map(|file| {
            let schema = Schema::read(&file, read);
            (file, schema)
        });
        Self(compiled.collect())
    }

    /// The services that a file describes, or why there are none.
    pub(crate) fn of(&self, file: &SchemaFile) -> Result<Schema, GrpcSlip> {
        let (SchemaFile::Proto(path) | SchemaFile::Descriptors(path)) = file;
        let unread = || GrpcSlip::File { path: shown(path), why: "it was not read".to_owned() };
        self.0.get(file).cloned().unwrap_or_else(|| Err(unread()))
    }
}

/// A call whose message is encoded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EncodedCall {
    /// The path of its request, which names the method: `/shop.Orders/Place`.
    pub path: String,
    /// The body of its request: the message behind its prefix.
    pub body: Vec<u8>,
    /// Whether the server answers with a stream of messages.
    pub streams: bool,
}

impl Schema {
    /// Reads a schema with all that it imports.
    ///
    /// # Errors
    ///
    /// A file that cannot be read, or that is no schema.
    pub fn read(file: &SchemaFile, read: &ReadFile<'_>) -> Result<Self, GrpcSlip> {
        match file {
            SchemaFile::Proto(path) => Self::compile(path, read),
            SchemaFile::Descriptors(path) => {
                let bytes = read(path).map_err(|why| GrpcSlip::File { path: shown(path), why })?;
                let pool = DescriptorPool::decode(bytes.as_slice());
                let flaw = |why| GrpcSlip::NotDescriptors { path: shown(path), why };
                pool.map(Self).map_err(|why| flaw(why.to_string()))
            }
        }
    }

    fn compile(path: &Path, read: &ReadFile<'_>) -> Result<Self, GrpcSlip> {
        let sources = ProtoFiles::gather(path, read)?;
        let main = sources.main.clone();
        let mut compiler = protox::Compiler::with_file_resolver(sources);
        compiler.open_file(&main).map_err(|why| not_proto(path, &why))?;
        Ok(Self(compiler.descriptor_pool()))
    }

    /// Encodes a message, given as JSON, for a method that is named as `shop.Orders/Place`.
    ///
    /// # Errors
    ///
    /// There is no such method, it takes a stream of messages, or the message is not the one that it takes.
    pub fn call(&self, method: &str, message: &str) -> Result<EncodedCall, GrpcSlip> {
        let found = self.method(method)?;
        if found.is_client_streaming() {
            return Err(GrpcSlip::ClientStreams(method.to_owned()));
        }
        Ok(EncodedCall {
            path: format!("/{}/{}", found.parent_service().full_name(), found.name()),
            body: encoded(&found, message)?,
            streams: found.is_server_streaming(),
        })
    }

    fn method(&self, written: &str) -> Result<MethodDescriptor, GrpcSlip> {
        let (service, name) =
            written.split_once('/').ok_or_else(|| GrpcSlip::NotAMethod(written.to_owned()))?;
        let Some(found) = self.0.get_service_by_name(service) else {
            let known = self.0.services().map(|service| service.full_name().to_owned()).collect();
            return Err(GrpcSlip::UnknownService { name: service.to_owned(), known });
        };
        let method = found.methods().find(|method| method.name() == name);
        method.ok_or_else(|| GrpcSlip::UnknownMethod {
            service: service.to_owned(),
            name: name.to_owned(),
            known: found.methods().map(|method| method.name().to_owned()).collect(),
        })
    }
}

/// The body of a request with this message, which is JSON as protobuf maps it.
fn encoded(method: &MethodDescriptor, message: &str) -> Result<Vec<u8>, GrpcSlip> {
    let kind = method.input();
    let refused = |why: serde_json::Error| GrpcSlip::NotAMessage {
        kind: method.input().full_name().to_owned(),
        why: why.to_string(),
    };
    let mut reader = serde_json::Deserializer::from_str(message);
    let read = DynamicMessage::deserialize(kind, &mut reader).map_err(refused)?;
    reader.end().map_err(refused)?;
    Ok(prefixed(&read.encode_to_vec()))
}

/// A `.proto` file and all that it imports, but what every compiler of protobuf has itself.
struct ProtoFiles {
    /// The name of the file with which the compiler begins.
    main: String,
    files: BTreeMap<String, File>,
}

impl ProtoFiles {
    fn gather(path: &Path, read: &ReadFile<'_>) -> Result<Self, GrpcSlip> {
        let main = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let bytes = read(path).map_err(|why| GrpcSlip::File { path: shown(path), why })?;
        let mut files = BTreeMap::new();
        let mut unread = vec![(main.clone(), bytes)];
        while let Some((name, bytes)) = unread.pop() {
            let file = File::from_source(&name, &String::from_utf8_lossy(&bytes))
                .map_err(|why| not_proto(path, &why))?;
            let imports = file.file_descriptor_proto().dependency.clone();
            files.insert(name, file);
            for import in imports {
                if files.contains_key(&import) || GoogleFileResolver::new().open_file(&import).is_ok() {
                    continue;
                }
                let mut folders = path.ancestors().skip(1);
                let found = folders.find_map(|folder| read(&folder.join(&import)).ok());
                let missing = || GrpcSlip::NoImport { import: import.clone(), path: shown(path) };
                let bytes = found.ok_or_else(missing)?;
                unread.push((import, bytes));
            }
        }
        Ok(Self { main, files })
    }
}

impl FileResolver for ProtoFiles {
    fn open_file(&self, name: &str) -> Result<File, protox::Error> {
        match self.files.get(name) {
            Some(file) => Ok(file.clone()),
            None => GoogleFileResolver::new().open_file(name),
        }
    }
}

/// What to do about a call that cannot be made.
pub fn advice(slip: &GrpcSlip) -> Hint {
    let near = |name: &str, known: &[String], what: Listing| {
        near_or(name, known.iter().map(String::as_str), || Hint::listed(what, known.iter().cloned()))
    };
    match slip {
        GrpcSlip::File { .. } | GrpcSlip::NoImport { .. } => GrpcAdvice::ProtoPaths.into(),
        GrpcSlip::NotProto { .. } | GrpcSlip::NotDescriptors { .. } => GrpcAdvice::Protoc.into(),
        GrpcSlip::NotAMethod(_) => Hint::for_example("shop.Orders/Place"),
        GrpcSlip::UnknownService { name, known } => near(name, known, Listing::Services),
        GrpcSlip::UnknownMethod { name, known, .. } => near(name, known, Listing::Methods),
        GrpcSlip::ClientStreams(_) => GrpcAdvice::OneMessage.into(),
        GrpcSlip::NotAMessage { .. } => GrpcAdvice::MessageForm.into(),
        GrpcSlip::Changing(_) => GrpcAdvice::SeveralCalls.into(),
        GrpcSlip::NoSchema => Hint::for_example("proto = \"shop.proto\""),
        GrpcSlip::TwoSchemas => Hint::LeaveOut("descriptors"),
        GrpcSlip::NotOfACall(key) | GrpcSlip::Unary(key) => Hint::LeaveOut(key),
        GrpcSlip::OnlyOfACall(_) => Hint::for_example("grpc = \"shop.Orders/Place\""),
        GrpcSlip::NeedsHttp2 { .. } => Hint::WriteIn { key: "http = \"2\"".to_owned(), table: "[load]" },
        GrpcSlip::NoService { .. } => GrpcAdvice::ServerOfYourOwn.into(),
    }
}

/// The compiler's message is in one line, with the place in the file.
fn not_proto(path: &Path, why: &protox::Error) -> GrpcSlip {
    let why = format!("{why:?}").replace('\n', ", ");
    GrpcSlip::NotProto { path: shown(path), why }
}

fn shown(path: &Path) -> String {
    path.display().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    const ORDERS: &str = r#"
        syntax = "proto3";
        package shop;
        import "common/money.proto";
        import "google/protobuf/empty.proto";
        message Order { string item = 1; repeated uint32 ids = 2; Money price = 3; }
        message Placed { uint64 number = 1; }
        service Orders {
          rpc Place(Order) returns (Placed);
          rpc Watch(Order) returns (stream Placed);
          rpc Upload(stream Order) returns (Placed);
          rpc Count(google.protobuf.Empty) returns (Placed);
        }
    "#;
    const MONEY: &str = "syntax = \"proto3\";\npackage shop;\nmessage Money { int64 cents = 1; }\n";

    /// The files of a folder: the import is in the folder above the file that imports it.
    fn content(path: &Path) -> Result<Vec<u8>, String> {
        match path.to_str() {
            Some("protos/shop/orders.proto") => Ok(ORDERS.into()),
            Some("protos/common/money.proto") => Ok(MONEY.into()),
            Some("wrong.proto") => Ok(b"syntax = \"proto3\";\nmessage {}\n".to_vec()),
            Some("lonely.proto") => Ok(ORDERS.into()),
            Some("set.binpb") => Ok(b"no descriptors".to_vec()),
            _ => Err("no such file".to_owned()),
        }
    }

    fn schema() -> Schema {
        let file = SchemaFile::Proto("protos/shop/orders.proto".into());
        Schema::read(&file, &content).expect("a schema")
    }

    #[test]
    fn a_message_is_encoded_behind_its_prefix() {
        let message = r#"{"item": "tea", "ids": [1, 300], "price": {"cents": "5"}}"#;
        let call = schema().call("shop.Orders/Place", message).expect("a call");
        let expected = b"\x0a\x03tea\x12\x03\x01\xac\x02\x1a\x02\x08\x05";
        assert_eq!(call.body, prefixed(expected));
        assert_eq!((call.path.as_str(), call.streams), ("/shop.Orders/Place", false));
        let watched = schema().call("shop.Orders/Watch", "{}").expect("a call");
        assert_eq!((watched.body.as_slice(), watched.streams), (&[0; 5][..], true));
        let counted = schema().call("shop.Orders/Count", "{}").expect("a call");
        assert_eq!(counted.body, [0; 5]);
    }

    #[test]
    fn a_set_of_descriptors_describes_the_same() {
        let bytes = schema().0.encode_to_vec();
        let file = SchemaFile::Descriptors("orders.binpb".into());
        let read = Schema::read(&file, &|_| Ok(bytes.clone())).expect("a schema");
        let message = r#"{"item": "tea"}"#;
        assert_eq!(read.call("shop.Orders/Place", message), schema().call("shop.Orders/Place", message));
    }

    #[test]
    fn what_cannot_be_called_is_told() {
        let schema = schema();
        let refused = |method: &str, message: &str| {
            let slip = schema.call(method, message).expect_err(method);
            format!("{slip}; {}", advice(&slip))
        };
        for (method, message, says) in [
            ("shop.Orders", "{}", "is not PACKAGE.SERVICE/METHOD; write for example shop.Orders/Place"),
            ("shop.Order/Place", "{}", "no service is called `shop.Order`; did you mean `shop.Orders`?"),
            ("a.B/C", "{}", "no service is called `a.B`; services: shop.Orders"),
            ("shop.Orders/Plaice", "{}", "has no method `Plaice`; did you mean `Place`?"),
            ("shop.Orders/Upload", "{}", "takes a stream of messages"),
            ("shop.Orders/Place", "{\"items\": 1}", "the message is no shop.Order: "),
            ("shop.Orders/Place", "{\"item\": 1}", "the message is no shop.Order: "),
            ("shop.Orders/Place", "{} {}", "trailing characters"),
            ("shop.Orders/Place", "", "EOF"),
        ] {
            let said = refused(method, message);
            assert!(said.contains(says), "{method} {message}: {said}");
        }
    }

    #[test]
    fn a_file_that_describes_nothing_is_told() {
        let refused = |file: SchemaFile| Schema::read(&file, &content).expect_err("no schema").to_string();
        for (file, says) in [
            (SchemaFile::Proto("none.proto".into()), "cannot read `none.proto`: no such file"),
            (SchemaFile::Proto("wrong.proto".into()), "`wrong.proto` cannot be compiled: "),
            (SchemaFile::Proto("lonely.proto".into()), "`common/money.proto` was not found"),
            (SchemaFile::Descriptors("set.binpb".into()), "`set.binpb` is no set of descriptors: "),
            (SchemaFile::Descriptors("none".into()), "cannot read `none`"),
        ] {
            let said = refused(file);
            assert!(said.contains(says), "{said}");
        }
        let placed = refused(SchemaFile::Proto("wrong.proto".into()));
        assert!(placed.contains("wrong.proto:2:"), "{placed}");
    }
}
