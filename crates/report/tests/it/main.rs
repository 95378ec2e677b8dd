//! Reports of made-up runs in every form, kept as golden files or asked for single words. Only `browser` needs a browser.

mod browser;
mod calibration;
mod cpu;
mod foreign;
mod forms;
mod found;
mod history;
mod load;
mod made;
mod overall;
mod page;
mod post;
mod profiled;
mod question;
mod sessions;
mod slices;
mod why;
mod words;
