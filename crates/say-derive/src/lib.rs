//! `#[derive(Say)]`: the words of a value, written beside its type in both languages and checked when it compiles.
//!
//! It refuses a missing language, a placeholder that is no field, and two languages that tell different values.

mod attribute;
mod expand;
mod fields;
mod template;
mod text;

use proc_macro::TokenStream;

/// Derives `say::Say`; the documentation of the crate `say` has the attributes.
#[proc_macro_derive(Say, attributes(say))]
pub fn say(input: TokenStream) -> TokenStream {
    let input = syn::parse_macro_input!(input as syn::DeriveInput);
    expand::say(&input).unwrap_or_else(syn::Error::into_compile_error).into()
}
