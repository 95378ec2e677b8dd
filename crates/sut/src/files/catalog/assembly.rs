//! [`Assembly`]: how a release is put together that is not published as a whole.

use super::Archive;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::Path;

/// How a release is put together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Assembly {
    /// The release's version.
    pub version: String,
    /// The version whose archive the rest is taken from.
    pub donor: String,
    /// The release's own jars by their place in the tree.
    pub jars: BTreeMap<String, Archive>,
    /// Files of the donor that the release has no counterpart of; `*` at the end of a name's stem stands for anything.
    pub without: Vec<String>,
    /// What its series can do and it cannot, by the names of experiment files.
    pub lacks: Vec<String>,
}

/// As it stands in its file: coordinates of jars without version, one for many.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Recipe {
    donor: String,
    without: Vec<String>,
    #[serde(default)]
    lacks: Vec<String>,
    /// `lib/catalina.jar = ["org.apache.tomcat:tomcat-catalina", "SHA-512"]`.
    jars: BTreeMap<String, (String, String)>,
}

impl Recipe {
    /// The recipe for one version.
    pub(super) fn of(self, version: &str) -> Assembly {
        let archive = |(artifact, sha512): (String, String)| Archive {
            artifact: format!("{artifact}:{version}:jar"),
            sha512,
        };
        Assembly {
            version: version.to_owned(),
            donor: self.donor,
            jars: self
                .jars
                .into_iter()
                .map(|(path, jar)| (path, archive(jar)))
                .collect(),
            without: self.without,
            lacks: self.lacks,
        }
    }
}

impl Assembly {
    /// What every report says of such a release.
    pub fn label(&self) -> String {
        format!("assembled (donor {})", self.donor)
    }

    /// Whether this file of the donor does not belong into the release.
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
            lacks: Vec::new(),
            without: vec![
                "lib/tomcat-i18n-*.jar".to_owned(),
                "lib/catalina-ha.jar".to_owned(),
            ],
        };
        let leaves_out = |path: &str| assembly.leaves_out(Path::new(path));
        assert!(leaves_out("lib/tomcat-i18n-fr.jar") && leaves_out("lib/catalina-ha.jar"));
        assert!(!leaves_out("lib/catalina.jar") && !leaves_out("lib/tomcat-util.jar"));
    }
}
