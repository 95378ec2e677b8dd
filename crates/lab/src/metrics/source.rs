//! [`ToldAt`]: where a server tells figures of itself, and how to get there.

use super::collected::Collected;
use super::page::FiguresPage;
use crate::way::Way;
use ask::observed::FigureSource;
use std::io;

/// Where a server tells figures of itself.
#[derive(Clone, Debug)]
pub(crate) enum ToldAt {
    /// On a page of its own.
    Page(FiguresPage),
    /// At a Prometheus server.
    Collected(Collected),
}

impl ToldAt {
    /// The place that an arm names. Its own page is reached in the way of its load, a Prometheus server directly.
    pub(crate) fn of(figures: &FigureSource, way: &Way) -> Option<Self> {
        let url = figures.url()?;
        Some(match figures {
            FigureSource::Page(_) => Self::Page(FiguresPage { url, way: way.clone() }),
            FigureSource::Collected(figures) => {
                Self::Collected(Collected::new(FiguresPage { url, way: Way::default() }, figures.clone()))
            }
        })
    }

    /// The figures of this moment, in the text format.
    pub(crate) fn now(&self) -> io::Result<String> {
        match self {
            Self::Page(page) => page.text(),
            Self::Collected(collected) => collected.now(),
        }
    }
}
