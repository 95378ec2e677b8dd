//! The password file of PostgreSQL (`PGPASSFILE`, `~/.pgpass`), which psql and pg_dump read too: lines of
//! `host:port:database:user:password`, in which `*` stands for anything and `\` escapes a character.
//! (PostgreSQL documentation, "The Password File".)

use super::TeamError;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// The user whose password is wanted, and where.
pub(super) struct Wanted<'a> {
    pub(super) host: &'a str,
    pub(super) port: u16,
    pub(super) database: &'a str,
    pub(super) user: &'a str,
}

/// The password of the first line that fits; `None` without such a line, or without a file.
///
/// # Errors
///
/// [`TeamError::OpenPassfile`] when others may read the file: psql ignores such a file, too.
pub(super) fn password(wanted: &Wanted<'_>) -> Result<Option<String>, TeamError> {
    let Some(path) = path() else {
        return Ok(None);
    };
    let Ok(text) = std::fs::read_to_string(&path) else {
        return Ok(None);
    };
    if is_open_to_others(&path) {
        return Err(TeamError::OpenPassfile { path });
    }
    Ok(text.lines().find_map(|line| password_of(line, wanted)))
}

fn path() -> Option<PathBuf> {
    let set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
    let usual = || Some(Path::new(&set("HOME")?).join(".pgpass"));
    set("PGPASSFILE").map(PathBuf::from).or_else(usual)
}

fn is_open_to_others(path: &Path) -> bool {
    let mode = std::fs::metadata(path).map(|file| file.permissions().mode());
    mode.is_ok_and(|mode| mode & 0o077 != 0)
}

/// The password of a line, if the line is for whom it is wanted.
fn password_of(line: &str, wanted: &Wanted<'_>) -> Option<String> {
    if line.starts_with('#') {
        return None;
    }
    let [host, port, database, user, password] = <[String; 5]>::try_from(fields(line)).ok()?;
    let fits = |field: &str, value: &str| field == "*" || field == value;
    let is_wanted = fits(&host, wanted.host)
        && fits(&port, &wanted.port.to_string())
        && fits(&database, wanted.database)
        && fits(&user, wanted.user);
    is_wanted.then_some(password)
}

/// The fields of a line. The last one is the rest of the line, which may contain colons.
fn fields(line: &str) -> Vec<String> {
    let mut fields = vec![String::new()];
    let mut characters = line.chars();
    while let Some(character) = characters.next() {
        let is_last = fields.len() == 5;
        let character = match character {
            ':' if !is_last => {
                fields.push(String::new());
                continue;
            }
            '\\' => characters.next().unwrap_or('\\'),
            other => other,
        };
        fields.iter_mut().last().into_iter().for_each(|field| field.push(character));
    }
    fields
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_that_fits_gives_the_password() {
        let wanted = Wanted { host: "db.example", port: 5433, database: "perf", user: "nina" };
        let of = |line: &str| password_of(line, &wanted);
        assert_eq!(of("db.example:5433:perf:nina:s3cret").as_deref(), Some("s3cret"));
        assert_eq!(of(r"*:*:*:nina:a:b\\c\:d").as_deref(), Some(r"a:b\c:d"));
        assert_eq!(of("db.example:5432:perf:nina:s3cret"), None);
        assert_eq!(of("#db.example:5433:perf:nina:s3cret"), None);
        assert_eq!(of("db.example:5433:perf"), None);
    }
}
