//! Turns the texts of both languages into code that writes them.

use crate::attribute::{Argument, Texts, mentions};
use crate::fields::{Field, listed};
use crate::template::{self, Names, Piece};
use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote};
use syn::{Error, LitStr, Result};

/// Formats of numbers, which are functions in `say::numbers`.
const NUMBERS: [&str; 7] = ["count", "three", "seconds", "percent", "percent_of", "millis", "tenths"];
/// Ways to join a list, which are functions in `say::lists`.
const LISTS: [&str; 5] = ["and", "or", "commas", "clauses", "semicolons"];
/// The format of a value whose own text is the same in all languages.
const OWN_TEXT: &str = "text";

/// What a text may name: fields, and arguments that are computed from them.
pub(crate) struct Scope<'a> {
    pub(crate) fields: &'a [Field<'a>],
    pub(crate) arguments: &'a [Argument],
}

impl Scope<'_> {
    /// The code that writes a text in the language of the writer.
    ///
    /// # Errors
    ///
    /// A mistake in a text, an unknown name, and languages that tell different values.
    pub(crate) fn code(&self, texts: &Texts) -> Result<TokenStream> {
        let [en, zh] = [self.parsed(&texts.en)?, self.parsed(&texts.zh)?];
        let [names, others] = [Names::of(&en), Names::of(&zh)];
        same(&names, &others, &texts.zh)?;
        let used = self.arguments.iter().any(|argument| {
            let name = argument.name.to_string();
            names.all().contains(&name) || others.all().contains(&name)
        });
        let arguments = self.arguments.iter().filter(|_| used);
        let arguments = arguments.map(|Argument { name, value }| quote!(let #name = #value;));
        let en = self.pieces(&en, None, texts.en.span())?;
        let zh = self.pieces(&zh, None, texts.zh.span())?;
        Ok(quote! {
            #(#arguments)*
            match __out.language() {
                ::say::Language::En => { #en }
                ::say::Language::Zh => { #zh }
            }
        })
    }

    /// Refuses arguments that neither a text nor another argument uses.
    pub(crate) fn check_arguments(&self, all: &[&Texts], others: &TokenStream) -> Result<()> {
        let mut used = Vec::new();
        for text in all.iter().flat_map(|texts| [&texts.en, &texts.zh]) {
            let names = Names::of(&self.parsed(text)?);
            used.extend(names.all().into_iter().cloned());
        }
        for argument in self.arguments {
            let name = argument.name.to_string();
            let in_another = self.arguments.iter().any(|one| mentions(&one.value, &argument.name));
            if !used.contains(&name) && !in_another && !mentions(others, &argument.name) {
                return Err(Error::new(argument.name.span(), format!("no text uses `{name}`")));
            }
        }
        Ok(())
    }

    fn parsed(&self, text: &LitStr) -> Result<Vec<Piece>> {
        let at = |message: String| Error::new(text.span(), message);
        let pieces = template::parse(&text.value()).map_err(at)?;
        if template::has_nameless(&pieces) {
            return Err(at("`{}` has no name: name a field, as `{path}` or `{0}`".to_owned()));
        }
        for name in Names::of(&pieces).all() {
            if self.variable(name).is_none() {
                let arguments = self.arguments.iter().map(|argument| argument.name.to_string());
                let known: Vec<String> =
                    self.fields.iter().map(|field| field.name.clone()).chain(arguments).collect();
                let known = listed(known.iter().map(String::as_str));
                return Err(at(format!("there is no field `{name}` here, there is {known}")));
            }
        }
        Ok(pieces)
    }

    /// The variable of a field or an argument.
    fn variable(&self, name: &str) -> Option<Ident> {
        let argument = self.arguments.iter().find(|argument| argument.name == name);
        let field = || self.fields.iter().find(|field| field.name == name);
        argument.map(|argument| argument.name.clone()).or_else(|| field().map(|field| field.variable.clone()))
    }

    /// The code that writes pieces; `around` is the variable of the value that a placeholder around them has found.
    fn pieces(&self, pieces: &[Piece], around: Option<&Ident>, span: Span) -> Result<TokenStream> {
        let variable = |name: &str| {
            self.variable(name).ok_or_else(|| Error::new(span, format!("there is no field `{name}`")))
        };
        let mut code = TokenStream::new();
        for piece in pieces {
            code.extend(match piece {
                Piece::Words(words) => quote!(__out.words(#words);),
                Piece::Value { name, format } => {
                    let value = match name {
                        Some(name) => variable(name)?,
                        None => around.cloned().ok_or_else(|| Error::new(span, "`{}` has no name"))?,
                    };
                    written(&value, format.as_deref(), span)?
                }
                Piece::Optional { name, present, missing } => {
                    let (value, found) = (variable(name)?, format_ident!("__{}", depth(around)));
                    let present = self.pieces(present, Some(&found), span)?;
                    let missing = self.pieces(missing, around, span)?;
                    quote! {
                        match ::say::Present::present(&#value) {
                            ::core::option::Option::Some(#found) => { #present }
                            ::core::option::Option::None => { #missing }
                        }
                    }
                }
                Piece::Plural { name, one, many } => {
                    let value = variable(name)?;
                    let one = self.pieces(one, around, span)?;
                    let many = self.pieces(many, around, span)?;
                    quote!(if ::say::Counted::is_one(&#value) { #one } else { #many })
                }
            });
        }
        Ok(code)
    }
}

/// The name of the next variable for a found value: each nested placeholder has its own.
fn depth(around: Option<&Ident>) -> String {
    around.map_or_else(|| "found".to_owned(), |outer| format!("{outer}_in"))
}

/// The code that writes one value.
fn written(value: &Ident, format: Option<&str>, span: Span) -> Result<TokenStream> {
    let Some(format) = format else {
        return Ok(quote!(::say::Say::say(&#value, __out);));
    };
    let function = || Ident::new(format, span);
    if format == OWN_TEXT {
        return Ok(quote!(__out.value(&#value);));
    }
    if NUMBERS.contains(&format) {
        let function = function();
        return Ok(quote!(__out.value(::say::numbers::#function(::say::Number::number(&#value)));));
    }
    if LISTS.contains(&format) {
        let function = function();
        return Ok(quote!(::say::lists::#function(&#value, __out);));
    }
    let is_word = format.len() > 1 && format.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_');
    if is_word {
        let known = NUMBERS.into_iter().chain(LISTS).chain([OWN_TEXT]);
        let message = format!("there is no format `{format}`, there is {}", listed(known));
        return Err(Error::new(span, message));
    }
    let pattern = LitStr::new(&format!("{{:{format}}}"), span);
    Ok(quote!(__out.value(::core::format_args!(#pattern, &#value));))
}

/// Refuses the texts of two languages if one text tells what the other does not.
fn same(en: &Names, zh: &Names, at: &LitStr) -> Result<()> {
    let differ = |has: &str, lacks: &str, name: &String| {
        let message = format!("the {has} tells `{name}`, and the {lacks} does not");
        Err(Error::new(at.span(), message))
    };
    for (one, other, has, lacks) in [(en, zh, "English", "Chinese"), (zh, en, "Chinese", "English")] {
        let only = one
            .shown
            .difference(&other.shown)
            .next()
            .or_else(|| one.optional.iter().find(|name| !other.told().contains(name)));
        if let Some(name) = only {
            return differ(has, lacks, name);
        }
    }
    Ok(())
}
