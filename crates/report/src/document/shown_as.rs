//! The ways in which sections are shown that are not shown alike in all forms.

/// How requirements are shown.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Requirements {
    /// As sentences, arm by arm.
    Sentences,
    /// As a table.
    Table,
    /// As a table whose column of verdicts has a heading.
    TableWithVerdictHeading,
}

/// How diagnoses are shown.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Diagnoses {
    /// A sentence and what to try, without the evidence.
    Sentences,
    /// As sentences about where the limits of each arm begin along the levels, without causes that are nowhere the first.
    Beginnings,
    /// The first cause of each arm, in a line without the evidence.
    FirstOfEachArm,
    /// A point of a list with its evidence in brackets.
    Points,
    /// A card with its evidence as a table.
    Cards,
}

/// How methods and packages are shown whose CPU time differs.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum CpuRows {
    /// As points of a list, for names that are longer than a line has room for beside figures.
    Points,
    /// As tables.
    Tables,
}

/// Which published figures are shown.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum References {
    /// Those that were measured here too, with arm and load in the name of each.
    MeasuredHere,
    /// All of them, with columns for arm and load.
    All,
}
