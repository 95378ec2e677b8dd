//! Writes the implementations.

use crate::attribute::{Hint, Said, Texts, Transparent};
use crate::fields::{self, Field};
use crate::text::Scope;
use proc_macro2::TokenStream;
use quote::quote;
use syn::spanned::Spanned;
use syn::{Data, DeriveInput, Error, Fields, Ident, Result};

/// The code of one struct, or of one variant of an enum.
struct Arm {
    /// What matches the value, such as `Self::File { path, source }`.
    pattern: TokenStream,
    /// Writes the words.
    says: TokenStream,
    /// Writes the hint.
    hint: TokenStream,
    /// The error below this one, an `Option`.
    source: TokenStream,
    /// The same error with its words.
    cause: TokenStream,
    /// The conversion from a field.
    from: Option<TokenStream>,
}

/// All that `#[derive(Say)]` writes for a type.
pub(crate) fn say(input: &DeriveInput) -> Result<TokenStream> {
    let whole = Said::of(&input.attrs)?;
    let arms = match &input.data {
        Data::Struct(data) => vec![arm(input, None, &whole, &data.fields)?],
        Data::Enum(data) => {
            if let Some(text) = whole.en.as_ref().or(whole.zh.as_ref()) {
                return Err(Error::new(text.span(), "the variants of an enum have the words"));
            }
            let variant = |variant: &syn::Variant| {
                let said = Said::of(&variant.attrs)?;
                arm(input, Some(&variant.ident), &said, &variant.fields)
            };
            data.variants.iter().map(variant).collect::<Result<_>>()?
        }
        Data::Union(_) => return Err(Error::new(input.ident.span(), "a union has no words")),
    };
    let mut code = implementation(input, &arms, whole.error);
    if whole.display || whole.error {
        code.extend(display(input));
    }
    if whole.error {
        code.extend(error(input, &arms));
    }
    code.extend(arms.into_iter().filter_map(|arm| arm.from));
    Ok(code)
}

fn arm(input: &DeriveInput, variant: Option<&Ident>, said: &Said, of: &Fields) -> Result<Arm> {
    let all = fields::of(of)?;
    let name = variant.unwrap_or(&input.ident);
    let path = match variant {
        Some(variant) => quote!(Self::#variant),
        None => quote!(Self),
    };
    let (says, hint) = match &said.transparent {
        Some(Transparent::Field) => {
            let inner = &only(&all, name)?.variable;
            said_by(&quote!(#inner))
        }
        Some(Transparent::Value(value)) => said_by(value),
        None => words(said, &all, name)?,
    };
    let fields = fields::pattern(of, &all);
    let (source, cause) = below(said, &all);
    Ok(Arm { pattern: quote!(#path #fields), says, hint, source, cause, from: from(input, &path, of, &all)? })
}

/// The code of the words and of the hint where another value has both.
fn said_by(value: &TokenStream) -> (TokenStream, TokenStream) {
    (quote!(::say::Say::say(&(#value), __out);), quote!(::say::Say::hint(&(#value), __out);))
}

/// The only field of what is transparent or converted.
fn only<'a>(all: &'a [Field<'a>], name: &Ident) -> Result<&'a Field<'a>> {
    match all {
        [one] => Ok(one),
        _ => Err(Error::new(name.span(), format!("`{name}` must have exactly one field"))),
    }
}

/// The code of the words and of the hint.
fn words(said: &Said, all: &[Field<'_>], name: &Ident) -> Result<(TokenStream, TokenStream)> {
    let Some(texts) = said.texts(&format!("`{name}`"))? else {
        let message = format!("`{name}` has no words: add `#[say(en = \"…\", zh = \"…\")]`");
        return Err(Error::new(name.span(), message));
    };
    let scope = Scope { fields: all, arguments: &said.arguments };
    let says = scope.code(&texts)?;
    let mut checked: Vec<&Texts> = vec![&texts];
    let mut other = TokenStream::new();
    let hint = match &said.hint {
        None => TokenStream::new(),
        Some(Hint::Texts(texts)) => {
            checked.push(texts);
            scope.code(texts)?
        }
        Some(Hint::From(value)) => {
            other.extend(value.clone());
            quote!(::say::Say::hint(&(#value), __out);)
        }
    };
    scope.check_arguments(&checked, &other)?;
    Ok((says, hint))
}

/// The error below, alone and with its words: a field `source`, a field that is converted, or what is below the field of a transparent
/// variant.
fn below(said: &Said, all: &[Field<'_>]) -> (TokenStream, TokenStream) {
    let field = all.iter().find(|field| field.name == "source" || field.from);
    let is_field = matches!(said.transparent, Some(Transparent::Field));
    match (is_field, all, field) {
        (true, [Field { variable, .. }], _) => {
            (quote!(::std::error::Error::source(#variable.as_error())), quote!(::say::Say::below(#variable)))
        }
        (_, _, Some(Field { variable, .. })) => (
            quote!(::core::option::Option::Some(#variable.as_error())),
            quote!(::core::option::Option::Some(::say::Below(#variable, #variable.as_error()).cause())),
        ),
        _ => (quote!(::core::option::Option::None), quote!(::core::option::Option::None)),
    }
}

/// The conversion from the field that is marked with `#[say(from)]`.
fn from(
    input: &DeriveInput,
    path: &TokenStream,
    of: &Fields,
    all: &[Field<'_>],
) -> Result<Option<TokenStream>> {
    let Some(field) = all.iter().find(|field| field.from) else {
        return Ok(None);
    };
    if all.len() != 1 {
        return Err(Error::new(field.kind.span(), "what is converted must be the only field"));
    }
    let (kind, name) = (field.kind, &input.ident);
    let pattern = fields::pattern(of, all);
    let variable = &field.variable;
    let (generics, arguments, bounds) = input.generics.split_for_impl();
    Ok(Some(quote! {
        #[automatically_derived]
        impl #generics ::core::convert::From<#kind> for #name #arguments #bounds {
            fn from(#variable: #kind) -> Self {
                #path #pattern
            }
        }
    }))
}

fn implementation(input: &DeriveInput, arms: &[Arm], is_error: bool) -> TokenStream {
    let name = &input.ident;
    let (generics, arguments, bounds) = input.generics.split_for_impl();
    let patterns: Vec<&TokenStream> = arms.iter().map(|arm| &arm.pattern).collect();
    let says = arms.iter().map(|arm| &arm.says);
    let hints = arms.iter().map(|arm| &arm.hint);
    let hint = arms.iter().any(|arm| !arm.hint.is_empty()).then(|| {
        quote! {
            #[allow(unused_variables)]
            fn hint(&self, __out: &mut ::say::Writer) {
                match self {
                    #(#patterns => { #hints })*
                }
            }
        }
    });
    let causes = arms.iter().map(|arm| &arm.cause);
    let cause = is_error.then(|| {
        quote! {
            #[allow(unused_variables)]
            fn below(&self) -> ::core::option::Option<::say::Cause<'_>> {
                #[allow(unused_imports)]
                use ::say::{AsError as _, OtherCause as _};
                match self {
                    #(#patterns => #causes,)*
                }
            }
        }
    });
    quote! {
        #[automatically_derived]
        impl #generics ::say::Say for #name #arguments #bounds {
            #[allow(unused_variables, clippy::too_many_lines)]
            fn say(&self, __out: &mut ::say::Writer) {
                match self {
                    #(#patterns => { #says })*
                }
            }
            #hint
            #cause
        }
    }
}

fn display(input: &DeriveInput) -> TokenStream {
    let name = &input.ident;
    let (generics, arguments, bounds) = input.generics.split_for_impl();
    quote! {
        #[automatically_derived]
        impl #generics ::core::fmt::Display for #name #arguments #bounds {
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                f.write_str(&::say::text(self, ::say::Language::En))
            }
        }
    }
}

fn error(input: &DeriveInput, arms: &[Arm]) -> TokenStream {
    let name = &input.ident;
    let (generics, arguments, bounds) = input.generics.split_for_impl();
    let patterns = arms.iter().map(|arm| &arm.pattern);
    let sources = arms.iter().map(|arm| &arm.source);
    quote! {
        #[automatically_derived]
        impl #generics ::std::error::Error for #name #arguments #bounds {
            #[allow(unused_variables)]
            fn source(&self) -> ::core::option::Option<&(dyn ::std::error::Error + 'static)> {
                #[allow(unused_imports)]
                use ::say::AsError as _;
                match self {
                    #(#patterns => #sources,)*
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What the compiler says of a type.
    fn refused(code: &str) -> String {
        let input = syn::parse_str(code).expect("a type");
        say(&input).expect_err("a mistake").to_string()
    }

    #[test]
    fn a_missing_language_is_refused() {
        assert_eq!(
            refused(r#"#[say(en = "no home")] struct NoHome;"#),
            "`NoHome` has no Chinese: add `zh = \"…\"`"
        );
        assert_eq!(
            refused(r#"enum E { #[say(zh = "无")] NoHome }"#),
            "`NoHome` has no English: add `en = \"…\"`"
        );
        assert_eq!(
            refused("enum E { NoHome }"),
            "`NoHome` has no words: add `#[say(en = \"…\", zh = \"…\")]`"
        );
        assert_eq!(
            refused(r#"#[say(en = "a", zh = "一", hint(en = "b"))] struct A;"#),
            "this hint has no Chinese: add `zh = \"…\"`"
        );
    }

    #[test]
    fn an_unknown_field_is_refused() {
        assert_eq!(
            refused(r#"#[say(en = "{pth}", zh = "{path}")] struct A { path: String, run: String }"#),
            "there is no field `pth` here, there is `path` and `run`"
        );
        assert_eq!(
            refused(r#"#[say(en = "{1}", zh = "{1}")] struct A(String);"#),
            "there is no field `1` here, there is `0`"
        );
        assert_eq!(
            refused(r#"#[say(en = "a {b?c}", zh = "一")] struct A;"#),
            "there is no field `b` here, there is nothing"
        );
    }

    #[test]
    fn languages_that_tell_different_values_are_refused() {
        assert_eq!(
            refused(r#"#[say(en = "{a} of {b}", zh = "{b} 个")] struct A { a: u8, b: u8 }"#),
            "the English tells `a`, and the Chinese does not"
        );
        assert_eq!(
            refused(r#"#[say(en = "a {b?with {}}", zh = "一{b?有}")] struct A { b: Option<u8> }"#),
            "the English tells `b`, and the Chinese does not"
        );
        assert_eq!(
            refused(r#"#[say(en = "a", zh = "一{b?有}")] struct A { b: bool }"#),
            "the Chinese tells `b`, and the English does not"
        );
        let plural = r#"#[say(en = "{n} {n|start|starts}", zh = "{n} 次启动")] struct A { n: u8 }"#;
        assert!(say(&syn::parse_str(plural).expect("a type")).is_ok());
    }

    #[test]
    fn other_mistakes_are_refused() {
        assert_eq!(
            refused(r#"#[say(en = "{0:secnds}", zh = "{0:seconds}")] struct A(f64);"#),
            "there is no format `secnds`, there is `count`, `three`, `seconds`, `percent`, `percent_of`, `millis`, `tenths`, \
             `and`, `or`, `commas`, `clauses`, `semicolons` and `text`"
        );
        assert_eq!(refused(r#"#[say(en = "a", zh = "一", twice = 2)] struct A;"#), "no text uses `twice`");
        assert_eq!(
            refused(r#"#[say(en = "a {}", zh = "一")] struct A(u8);"#),
            "`{}` has no name: name a field, as `{path}` or `{0}`"
        );
        assert_eq!(refused("enum E { #[say(transparent)] A(u8, u8) }"), "`A` must have exactly one field");
        assert_eq!(
            refused(r#"#[say(en = "a", zh = "一", hint(fr = "b"))] struct A;"#),
            "a hint has no `fr`: it has `en` and `zh`, or `from`"
        );
    }
}
