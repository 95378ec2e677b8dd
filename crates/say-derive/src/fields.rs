//! The fields of a struct or a variant, under the names by which texts use them.

use crate::attribute::Said;
use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote};
use syn::{Fields, Type};

/// A field.
pub(crate) struct Field<'a> {
    /// Its name in a text: `path`, or `0`.
    pub(crate) name: String,
    /// The variable that holds a reference to it: `path`, or `_0`.
    pub(crate) variable: Ident,
    pub(crate) kind: &'a Type,
    /// Whether it is converted into its variant.
    pub(crate) from: bool,
}

/// Reads the fields with their attributes.
pub(crate) fn of(fields: &Fields) -> syn::Result<Vec<Field<'_>>> {
    let fields = fields.iter().enumerate();
    fields.map(|(index, field)| read(index, field)).collect()
}

fn read(index: usize, field: &syn::Field) -> syn::Result<Field<'_>> {
    let (name, variable) = match &field.ident {
        Some(ident) => (ident.to_string(), ident.clone()),
        None => (index.to_string(), format_ident!("_{index}", span = Span::call_site())),
    };
    Ok(Field { name, variable, kind: &field.ty, from: Said::of(&field.attrs)?.from })
}

/// The pattern that binds all fields behind the name of a struct or a variant.
pub(crate) fn pattern(fields: &Fields, all: &[Field<'_>]) -> TokenStream {
    let variables = all.iter().map(|field| &field.variable);
    match fields {
        Fields::Named(_) => quote!({ #(#variables),* }),
        Fields::Unnamed(_) => quote!(( #(#variables),* )),
        Fields::Unit => TokenStream::new(),
    }
}

/// The names of fields and arguments for a sentence: `path` and `run`.
pub(crate) fn listed<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let names: Vec<String> = names.map(|name| format!("`{name}`")).collect();
    match names.split_last() {
        None => "nothing".to_owned(),
        Some((one, [])) => one.clone(),
        Some((last, rest)) => format!("{} and {last}", rest.join(", ")),
    }
}
