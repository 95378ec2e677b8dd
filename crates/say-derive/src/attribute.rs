//! Reads `#[say(…)]`.

use proc_macro2::{Delimiter, Ident, Span, TokenStream, TokenTree};
use syn::ext::IdentExt;
use syn::parse::{Parse, ParseStream};
use syn::spanned::Spanned;
use syn::{Attribute, LitStr, Token, parenthesized};

/// One text in both languages.
pub(crate) struct Texts {
    pub(crate) en: LitStr,
    pub(crate) zh: LitStr,
}

/// What a value says about what can be done.
pub(crate) enum Hint {
    /// Words of its own.
    Texts(Texts),
    /// The hint of another value.
    From(TokenStream),
}

/// A placeholder that is no field: its name, and the expression that computes it.
pub(crate) struct Argument {
    pub(crate) name: Ident,
    pub(crate) value: TokenStream,
}

/// The value that says everything in place of another one.
pub(crate) enum Transparent {
    /// The only field.
    Field,
    /// One that is computed.
    Value(TokenStream),
}

/// Everything that `#[say(…)]` may hold at a type, a variant or a field.
#[derive(Default)]
pub(crate) struct Said {
    /// Where the attribute is; `None` where there is none.
    pub(crate) span: Option<Span>,
    pub(crate) en: Option<LitStr>,
    pub(crate) zh: Option<LitStr>,
    pub(crate) hint: Option<Hint>,
    pub(crate) arguments: Vec<Argument>,
    /// Another value says everything.
    pub(crate) transparent: Option<Transparent>,
    /// The type also gets `Display`, in English.
    pub(crate) display: bool,
    /// The type also gets `Display` and `Error`.
    pub(crate) error: bool,
    /// The field is converted into its variant, and is its source.
    pub(crate) from: bool,
}

impl Said {
    /// Reads all attributes `#[say(…)]` of an item.
    pub(crate) fn of(attributes: &[Attribute]) -> syn::Result<Self> {
        let mut said = Self::default();
        for attribute in attributes.iter().filter(|one| one.path().is_ident("say")) {
            said.span.get_or_insert(attribute.span());
            attribute.parse_args_with(|input: ParseStream<'_>| said.parse(input))?;
        }
        Ok(said)
    }

    /// The words in both languages; `None` where the attribute has none.
    pub(crate) fn texts(&self, of: &str) -> syn::Result<Option<Texts>> {
        texts(&self.en, &self.zh, self.span.unwrap_or_else(Span::call_site), of)
    }

    fn parse(&mut self, input: ParseStream<'_>) -> syn::Result<()> {
        while !input.is_empty() {
            let name = input.call(Ident::parse_any)?;
            match name.to_string().as_str() {
                "en" => self.en = Some(text(input)?),
                "zh" => self.zh = Some(text(input)?),
                "hint" => self.hint = Some(hint(input, &name)?),
                "transparent" => self.transparent = Some(transparent(input)?),
                "display" => self.display = true,
                "error" => self.error = true,
                "from" => self.from = true,
                _ => {
                    input.parse::<Token![=]>()?;
                    let value = expression(input)?;
                    self.arguments.push(Argument { name, value });
                }
            }
            if !input.is_empty() {
                input.parse::<Token![,]>()?;
            }
        }
        Ok(())
    }
}

/// Reads what may follow `transparent`: `= value`.
fn transparent(input: ParseStream<'_>) -> syn::Result<Transparent> {
    if !input.peek(Token![=]) {
        return Ok(Transparent::Field);
    }
    input.parse::<Token![=]>()?;
    expression(input).map(Transparent::Value)
}

fn text(input: ParseStream<'_>) -> syn::Result<LitStr> {
    input.parse::<Token![=]>()?;
    input.parse()
}

fn texts(en: &Option<LitStr>, zh: &Option<LitStr>, span: Span, of: &str) -> syn::Result<Option<Texts>> {
    let missing = match (en, zh) {
        (None, None) => return Ok(None),
        (Some(en), Some(zh)) => {
            let (en, zh) = (en.clone(), zh.clone());
            return Ok(Some(Texts { en, zh }));
        }
        (None, Some(_)) => "no English: add `en = \"…\"`",
        (Some(_), None) => "no Chinese: add `zh = \"…\"`",
    };
    Err(syn::Error::new(span, format!("{of} has {missing}")))
}

/// Reads `(en = "…", zh = "…")` or `(from = value)`.
fn hint(input: ParseStream<'_>, name: &Ident) -> syn::Result<Hint> {
    let inner;
    parenthesized!(inner in input);
    let (mut en, mut zh) = (None, None);
    while !inner.is_empty() {
        let key = inner.call(Ident::parse_any)?;
        match key.to_string().as_str() {
            "en" => en = Some(text(&inner)?),
            "zh" => zh = Some(text(&inner)?),
            "from" => {
                inner.parse::<Token![=]>()?;
                return Ok(Hint::From(expression(&inner)?));
            }
            other => {
                let message = format!("a hint has no `{other}`: it has `en` and `zh`, or `from`");
                return Err(syn::Error::new(key.span(), message));
            }
        }
        if !inner.is_empty() {
            inner.parse::<Token![,]>()?;
        }
    }
    let texts = texts(&en, &zh, name.span(), "this hint")?;
    let texts = texts.ok_or_else(|| syn::Error::new(name.span(), "this hint has no words"))?;
    Ok(Hint::Texts(texts))
}

/// Reads an expression up to the next comma outside of brackets. A comma among generic arguments needs parentheses around it.
fn expression(input: ParseStream<'_>) -> syn::Result<TokenStream> {
    let mut tokens = TokenStream::new();
    while !input.is_empty() && !input.peek(Token![,]) {
        tokens.extend([TokenTree::parse(input)?]);
    }
    match tokens.is_empty() {
        true => Err(input.error("a value is missing")),
        false => Ok(tokens),
    }
}

/// Whether tokens name an identifier, also within brackets.
pub(crate) fn mentions(tokens: &TokenStream, name: &Ident) -> bool {
    tokens.clone().into_iter().any(|token| match token {
        TokenTree::Ident(ident) => ident == *name,
        TokenTree::Group(group) if group.delimiter() != Delimiter::None || !group.stream().is_empty() => {
            mentions(&group.stream(), name)
        }
        _ => false,
    })
}
