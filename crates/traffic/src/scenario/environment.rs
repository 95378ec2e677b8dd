//! Values from prony's own environment, which are often secrets: a program names the variables, and only a program that is about to
//! run has their values.

use super::{Expr, Program};
use serde::{Deserialize, Serialize};

/// A variable of the environment that a program uses.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EnvironmentVariable {
    pub name: String,
    /// Its value; `None` in a program that was [stored](Program::forget_environment).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
}

impl Program {
    /// The part of a template that writes the value of this variable of the environment.
    pub fn environment_part(&mut self, name: &str, value: String) -> Expr {
        let known = self.environment.iter().position(|known| known.name == name);
        Expr::Environment(known.unwrap_or_else(|| {
            self.environment.push(EnvironmentVariable { name: name.to_owned(), value: Some(value) });
            self.environment.len() - 1
        }))
    }

    /// Drops the values of variables of the environment, so that the program can be stored.
    pub fn forget_environment(&mut self) {
        self.environment.iter_mut().for_each(|variable| variable.value = None);
    }

    /// Gives the variables of the environment of a stored program the values that they have now.
    ///
    /// # Errors
    ///
    /// The name of the first variable that is not set.
    pub fn recall_environment(&mut self, value_of: &dyn Fn(&str) -> Option<String>) -> Result<(), String> {
        for variable in &mut self.environment {
            let value = value_of(&variable.name);
            variable.value = Some(value.ok_or_else(|| variable.name.clone())?);
        }
        Ok(())
    }

    /// What reports need of the program: its steps and what is said about it. It has no groups, and so no texts that are sent.
    #[must_use]
    pub fn outline(&self) -> Self {
        Self {
            steps: self.steps.clone(),
            servers: self.servers.clone(),
            left_out: self.left_out.clone(),
            differences: self.differences.clone(),
            ..Self::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_forgotten_and_recalled_by_name() {
        let mut program = Program::default();
        let one = program.environment_part("ONE", "1".to_owned());
        let two = program.environment_part("TWO", "2".to_owned());
        assert_eq!(program.environment_part("ONE", "1".to_owned()), one);
        assert_ne!(one, two);
        let whole = program.clone();

        program.forget_environment();
        let stored = serde_json::to_string(&program).unwrap();
        assert!(stored.contains("ONE") && !stored.contains("\"1\""), "{stored}");
        let mut program: Program = serde_json::from_str(&stored).unwrap();
        let only_one = |name: &str| (name == "ONE").then(|| "1".to_owned());
        assert_eq!(program.recall_environment(&only_one), Err("TWO".to_owned()));
        let both = |name: &str| Some(if name == "ONE" { "1" } else { "2" }.to_owned());
        assert_eq!(program.recall_environment(&both), Ok(()));
        assert_eq!(program, whole);
    }
}
