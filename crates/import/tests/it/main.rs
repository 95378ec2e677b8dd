//! What others have written down, as real tools write it.

mod figures;
mod formats;
