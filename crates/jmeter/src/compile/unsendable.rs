//! URLs that JMeter cannot send: it counts such requests as failed.

use super::Compiler;
use crate::compound::{Compound, Piece, misspelt};
use crate::obstacle::ObstacleKind;
use crate::tree::Object;

/// Characters that Java accepts nowhere in a path and a query.
const ILLEGAL: &[char] = &['"', '<', '>', '\\', '^', '`', '{', '|', '}'];

impl Compiler<'_> {
    /// Refuses a path that JMeter cannot send. Returns whether it is refused.
    pub(super) fn refuses_path(&mut self, object: &Object, path: &Compound) -> bool {
        if self.refuses_unset(object, path) {
            return true;
        }
        // JMeter encodes the spaces of a path.
        let illegal = literals(path).find_map(|text| first_illegal(text, false));
        self.refuses_character(object, illegal)
    }

    /// Refuses arguments of a query like a path, unless they are encoded. Returns whether one is refused.
    pub(super) fn refuses_query(&mut self, object: &Object) -> bool {
        let list = object.object("HTTPsampler.Arguments");
        let arguments = list.iter().flat_map(|list| list.objects("Arguments.arguments"));
        let is_written = |one: &&Object| {
            one.text("HTTPArgument.always_encode") != "true" && !one.text("Argument.name").is_empty()
        };
        let mut is_refused = false;
        for argument in arguments.filter(is_written) {
            for key in ["Argument.name", "Argument.value"] {
                let part = self.parsed(object, argument.text(key));
                let illegal = literals(&part).find_map(|text| first_illegal(text, true));
                is_refused |= self.refuses_unset(object, &part);
                is_refused |= self.refuses_character(object, illegal);
            }
        }
        is_refused
    }

    /// Refuses a part of a URL with a variable that nothing sets, because JMeter cannot send its braces.
    fn refuses_unset(&mut self, object: &Object, part: &Compound) -> bool {
        let mut variables = part.pieces.iter().filter_map(|piece| match piece {
            Piece::Variable(name) => Some(name),
            _ => None,
        });
        let Some(unset) = variables.find(|name| !self.may_be_set(name)) else {
            return false;
        };
        if !self.lacks_names {
            let what = match misspelt(unset) {
                Some(known) => ObstacleKind::Misspelt { name: unset.clone(), known },
                None => ObstacleKind::NeverSet(unset.clone()),
            };
            self.refuse(object, what);
        }
        true
    }

    fn refuses_character(&mut self, object: &Object, illegal: Option<char>) -> bool {
        if let Some(illegal) = illegal {
            self.refuse(object, ObstacleKind::IllegalInUrl(illegal));
        }
        illegal.is_some()
    }
}

fn literals(part: &Compound) -> impl Iterator<Item = &str> {
    part.pieces.iter().filter_map(|piece| match piece {
        Piece::Literal(text) => Some(text.as_str()),
        _ => None,
    })
}

/// The first character that is no part of a URL, and a sign of percent before what are no two digits. What follows the end of the text is not
/// known.
fn first_illegal(text: &str, spaces: bool) -> Option<char> {
    let is_broken =
        |at: usize| text.as_bytes()[at + 1..].iter().take(2).any(|byte| !byte.is_ascii_hexdigit());
    let mut characters = text.char_indices();
    let found = characters.find(|&(at, c)| match c {
        ' ' => spaces,
        '%' => is_broken(at),
        c => ILLEGAL.contains(&c),
    });
    found.map(|(_, c)| c)
}

#[cfg(test)]
mod tests {
    use crate::{Settings, compile};
    use std::collections::BTreeMap;
    use traffic::scenario::Template;

    #[test]
    fn a_request_that_lacks_a_part_is_left_out_whole() {
        let settings = Settings {
            properties: BTreeMap::from([("port".to_owned(), "80".to_owned())]),
            ..Settings::default()
        };
        // No file can be read.
        let compiled = compile(include_str!("../../tests/plans/bodies.jmx"), &settings).expect("a plan");
        let refused: Vec<&str> = compiled.obstacles.iter().map(|obstacle| obstacle.name.as_str()).collect();
        assert_eq!(refused, ["/file"]);
        let requests = compiled.program.requests();
        let paths: Vec<&str> = requests.iter().filter_map(|one| Template::as_literal(&one.path)).collect();
        assert!(paths.contains(&"/put") && !paths.contains(&"/file"), "{paths:?}");
    }
}
