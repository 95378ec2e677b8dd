//! [`Assembly`]: how a release that is not published as a whole is put together from jars.

use super::{Archive, Checksum};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::Path;

/// How a release is assembled from its own jars and the archive of a lower version, the donor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Assembly {
    /// The version of the release.
    pub version: String,
    /// The version whose archive supplies everything but the jars.
    pub donor: String,
    /// The jars of the release, by their path in the tree.
    pub jars: BTreeMap<String, Archive>,
    /// Files of the donor that the release does not have; one `*` in a path stands for any text.
    pub without: Vec<String>,
}

/// The content of a recipe file. Coordinates of jars have no version in it, because it is the same for all.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Recipe {
    donor: String,
    without: Vec<String>,
    /// `lib/catalina.jar = ["org.apache.tomcat:tomcat-catalina", "SHA-512"]`.
    jars: BTreeMap<String, (String, String)>,
}

impl Recipe {
    /// The assembly of this version.
    pub(super) fn for_version(self, version: &str) -> Assembly {
        let archive = |(artifact, sha512): (String, String)| Archive {
            artifact: format!("{artifact}:{version}:jar"),
            sha512: Some(Checksum::from(sha512)),
        };
        Assembly {
            version: version.to_owned(),
            donor: self.donor,
            jars: self.jars.into_iter().map(|(path, jar)| (path, archive(jar))).collect(),
            without: self.without,
        }
    }
}

impl Assembly {
    /// What reports print for such a release.
    pub fn label(&self) -> String {
        format!("assembled (donor {})", self.donor)
    }

    /// Whether this file of the donor is no part of the release.
    pub(crate) fn leaves_out(&self, path: &Path) -> bool {
        let path = path.to_string_lossy();
        self.without.iter().any(|pattern| match pattern.split_once('*') {
            Some((start, end)) => path.starts_with(start) && path.ends_with(end),
            None => *pattern == path,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_stands_for_anything() {
        let assembly = Assembly {
            version: "2".to_owned(),
            donor: "1".to_owned(),
            jars: BTreeMap::new(),
            without: vec!["lib/tomcat-i18n-*.jar".to_owned(), "lib/catalina-ha.jar".to_owned()],
        };
        let leaves_out = |path: &str| assembly.leaves_out(Path::new(path));
        assert!(leaves_out("lib/tomcat-i18n-fr.jar") && leaves_out("lib/catalina-ha.jar"));
        assert!(!leaves_out("lib/catalina.jar") && !leaves_out("lib/tomcat-util.jar"));
    }
}
