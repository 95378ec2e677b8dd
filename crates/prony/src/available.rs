//! What an experiment can name: the catalog that is embedded in prony, and WARs and jars of the user.

use crate::failure::{Code, Failure};
use lab::Bench;
use model::arm::Arm;
use model::available::Available;
use std::path::Path;

/// Returns the servers, versions, applications and services of the catalog.
pub(crate) fn in_catalog() -> Available {
    Bench::known()
}

/// Looks into the WARs and jars that the arms name, and returns `known` together with what these files are; `None` when the
/// arms name no such file. Relative paths begin in `folder`.
pub(crate) fn with_users_files(
    known: &Available,
    arms: &[Arm],
    folder: &Path,
) -> Result<Option<Available>, Failure> {
    let mut known = known.clone();
    for Arm { deployment, jar, .. } in arms {
        if let (Some(war), None) = (&deployment.war, deployment.namespace) {
            let namespace = sut::war::namespace(&folder.join(war)).map_err(usage)?;
            known.wars.push((war.clone(), namespace));
        }
        if let Some(jar) = jar {
            let boot = sut::jar::find_boot(&folder.join(&jar.path)).map_err(usage)?;
            known.jars.push((jar.path.clone(), boot));
        }
    }
    Ok((!known.wars.is_empty() || !known.jars.is_empty()).then_some(known))
}

/// A file that is no WAR or jar is a mistake of whoever named it.
fn usage(error: sut::Error) -> Failure {
    Failure::new(Code::Usage, error)
}
