//! OpenAPI documents.

use super::*;

fn imported(text: &str) -> Imported {
    let options = Options { name: "shop".to_owned(), ..Options::default() };
    import(text, &options, &|_| Err(String::new()))
}

const SHOP: &str = r##"openapi: 3.0.3
info: { title: Shop, version: "1" }
servers:
  - url: http://localhost:{port}/api/
    variables: { port: { default: "8080" } }
security: [ { token: [] } ]
paths:
  /items/{itemId}:
    parameters:
      - { name: itemId, in: path, required: true, schema: { type: integer, minimum: 5 } }
    get:
      operationId: getItem
      summary: Shows an item.
      parameters:
        - { name: lang, in: query, schema: { type: string } }
        - { name: fields, in: query, required: true, schema: { type: array, items: { type: string, enum: [name, price] } } }
        - { name: X-Trace, in: header, required: true, example: "a b" }
      responses: { "200": { description: ok } }
    delete:
      deprecated: true
      security: []
      responses: { default: { description: ok } }
  /items:
    post:
      requestBody:
        content:
          application/json:
            schema: { $ref: "#/components/schemas/Item" }
      responses: { "201": { description: made } }
  /photos:
    post:
      requestBody:
        content:
          multipart/form-data:
            schema: { type: object, properties: { title: { type: string }, photo: { type: string, format: binary } } }
      responses: { "200": { description: ok } }
components:
  securitySchemes:
    token: { type: http, scheme: bearer }
  schemas:
    Item:
      allOf:
        - { $ref: "#/components/schemas/Named" }
        - type: object
          required: [price, made, tags]
          properties:
            id: { type: integer, readOnly: true }
            price: { type: number }
            made: { type: string, format: date }
            note: { type: string }
            tags: { type: array, items: { type: string, example: red } }
            parent: { $ref: "#/components/schemas/Item" }
    Named: { type: object, required: [name], properties: { name: { type: string, example: "a ${cat}" } } }
"##;

#[test]
fn each_operation_becomes_a_step_with_samples() {
    let imported = imported(SHOP);
    assert_eq!(imported.obstacles, []);
    let draft = imported.draft;
    assert_eq!(draft.origin.as_deref(), Some("http://localhost:8080"));
    assert!(draft.is_independent);
    let [get, delete, post, photo] = draft.steps.as_slice() else {
        panic!("{:#?}", draft.steps);
    };
    assert_eq!(get.path, "/api/items/${url(itemId)}?fields=name");
    assert_eq!(get.name.as_deref(), Some("getItem"));
    assert_eq!((get.status, delete.status, post.status), (Some(200), None, Some(201)));
    assert_eq!(get.headers, [("X-Trace".to_owned(), "a b".to_owned())]);
    assert_eq!(get.authorization, Some(Authorization::Bearer("${token}".to_owned())));
    assert_eq!(get.remarks[..2], [Remark::From(Place::Line(12)), Remark::Says("Shows an item.".to_owned())]);
    assert!(delete.remarks.contains(&Remark::Deprecated) && delete.authorization.is_none());
    let body = r#"{"name": "a $${cat}", "price": 1.5, "made": "2026-01-15", "tags": ["red"]}"#;
    assert_eq!(post.body, StepBody::Text(body.to_owned()));
    assert!(post.remarks.contains(&Remark::Sample));
    assert!(matches!(&photo.body, StepBody::Multipart(parts) if matches!(parts[1].1, Part::File { .. })));
    let values: Vec<(&str, &str)> =
        draft.variables.iter().map(|variable| (variable.name.as_str(), variable.value.as_str())).collect();
    assert_eq!(values, [("itemId", "5"), ("token", "${env('TOKEN')}")]);
}

#[test]
fn documents_in_json_and_of_version_31_are_read() {
    let text = r#"{"openapi": "3.1.0", "paths": {"/a": {"post": {"requestBody": {"content": {"application/json": {"schema":
        {"type": ["null", "object"], "properties": {"b": {"const": 3}, "c": {"type": ["string", "null"], "examples": ["x"]}}}}}}}}}}"#;
    let imported = imported(text);
    assert_eq!(imported.obstacles, []);
    assert_eq!(imported.draft.steps[0].body, StepBody::Text(r#"{"b": 3, "c": "x"}"#.to_owned()));
}

#[test]
fn what_is_not_supported_is_told_with_its_line() {
    for (text, place, what) in [
        ("swagger: '1.2'\n", None, Unsupported::Version("Swagger 1.2".to_owned())),
        ("openapi: 4.0.0\n", None, Unsupported::Version("OpenAPI 4.0.0".to_owned())),
        ("openapi: 3.0.0\npaths: {}\n", None, Unsupported::Nothing),
        ("title: x\n", None, Unsupported::Nothing),
        (
            "openapi: 3.0.0\npaths:\n  /a:\n    trace: {}\n",
            Some(Place::Line(4)),
            Unsupported::Method("TRACE".to_owned()),
        ),
        (
            "openapi: 3.0.0\npaths:\n  /a:\n    get:\n      parameters: [ { $ref: 'other.yaml#/p' } ]\n",
            Some(Place::Line(5)),
            Unsupported::Reference("other.yaml#/p".to_owned()),
        ),
        (
            "openapi: 3.0.0\npaths:\n  /a:\n    post:\n      requestBody: { content: { image/png: { schema: { type: string } } } }\n",
            Some(Place::Line(5)),
            Unsupported::MediaType("image/png".to_owned()),
        ),
    ] {
        let found = imported(text).obstacles;
        let found: Vec<_> = found.iter().map(|obstacle| (obstacle.place, &obstacle.what)).collect();
        assert_eq!(found, [(place, &what)], "{text}");
    }
    let broken = imported("openapi: 3.0.0\npaths: [\n");
    assert!(matches!(broken.obstacles[0].what, Unsupported::Unreadable(_)), "{broken:?}");
}

#[test]
fn a_document_may_be_in_several_files() {
    let files = |name: &str| {
        match name {
        "paths/items.yaml" => Ok("post:\n  requestBody:\n    content:\n      application/json:\n        schema: { $ref: '../parts.yaml#/Item' }\n".to_owned()),
        "parts.yaml" => Ok("Item: { type: object, properties: { id: { $ref: '#/Id' } }, required: [id] }\nId: { type: integer, minimum: 3 }\n".to_owned()),
        name => Err(format!("no {name}")),
    }
    };
    let text = "openapi: 3.0.0\npaths:\n  /items: { $ref: './paths/items.yaml' }\n";
    let found = import(text, &Options::default(), &files);
    assert_eq!(found.obstacles, []);
    assert_eq!(found.draft.steps[0].body, StepBody::Text("{\"id\": 3}".to_owned()));
    let missing = import(&text.replace("items.yaml", "other.yaml"), &Options::default(), &files);
    let what = Unsupported::Reference("paths/other.yaml#".to_owned());
    assert_eq!(missing.obstacles, [Obstacle::new(Some(Place::Line(3)), what)]);
}

#[test]
fn swagger_is_read() {
    let text = "swagger: '2.0'\nhost: h:8\nbasePath: /v1\nschemes: [http]\nsecurityDefinitions: { key: { type: basic } }\nsecurity: [ { key: [] } ]\n\
        parameters: { Id: { name: id, in: path, required: true, type: integer, default: 7 } }\ndefinitions: { A: { properties: { n: { type: string, example: x } } } }\n\
        paths:\n  /a/{id}:\n    parameters: [ { $ref: '#/parameters/Id' } ]\n    put:\n      parameters:\n        - { name: q, in: query, required: true, type: string, enum: [b, c] }\n\
        \u{20}       - { name: body, in: body, schema: { $ref: '#/definitions/A' } }\n      responses: { '204': { description: ok } }\n  /f:\n    post:\n\
        \u{20}     parameters: [ { name: t, in: formData, type: string, required: true, default: d }, { name: f, in: formData, type: file, required: true } ]\n";
    let found = imported(text);
    assert_eq!(found.obstacles, []);
    let [put, post] = found.draft.steps.as_slice() else {
        panic!("{found:?}");
    };
    assert_eq!(
        (found.draft.origin.as_deref(), put.path.as_str()),
        (Some("http://h:8"), "/v1/a/${url(id)}?q=b")
    );
    assert_eq!((&put.body, put.status), (&StepBody::Text("{\"n\": \"x\"}".to_owned()), Some(204)));
    assert!(matches!(put.authorization, Some(Authorization::Basic { .. })));
    let StepBody::Multipart(parts) = &post.body else {
        panic!("{post:?}");
    };
    assert!(matches!((&parts[0].1, &parts[1].1), (Part::Text(_), Part::File { .. })));
}
