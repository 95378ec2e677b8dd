//! The processes of a container, found without asking its engine: their control groups have its id in their names.

use crate::files::process;
use std::fs;

/// The living processes of the container with this id.
pub(super) fn of(id: &str) -> Vec<u32> {
    let pids = process::pids().into_iter();
    pids.filter(|pid| is_in(*pid, id)).collect()
}

/// Whether a process is the first of its container: it has the id 1 there.
pub(super) fn is_first(pid: u32) -> bool {
    inner_ids(pid).and_then(|ids| ids.last().copied()) == Some(1)
}

/// The group of the process that watches over a container may have the id of the container in its name, too. But that process has no
/// id of its own in there.
fn is_in(pid: u32, id: &str) -> bool {
    let groups = fs::read_to_string(format!("/proc/{pid}/cgroup"));
    groups.is_ok_and(|groups| groups.contains(id))
        && inner_ids(pid).is_some_and(|ids| ids.len() > 1)
        && process::see(pid).is_some_and(|seen| !seen.zombie)
}

/// The ids of a process, from the outermost namespace that can be seen to its own.
fn inner_ids(pid: u32) -> Option<Vec<u32>> {
    parse_ids(&fs::read_to_string(format!("/proc/{pid}/status")).ok()?)
}

fn parse_ids(status: &str) -> Option<Vec<u32>> {
    let ids = status.lines().find_map(|line| line.strip_prefix("NSpid:"))?;
    ids.split_whitespace().map(|id| id.parse().ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ids_of_a_process_in_a_container_are_read() {
        let status = "Name:\tjava\nNSpid:\t4711\t1\nNSsid:\t4711\t1\n";
        assert_eq!(parse_ids(status), Some(vec![4711, 1]));
        assert_eq!(parse_ids("Name:\tjava\n"), None);
    }

    #[test]
    fn a_process_outside_of_containers_is_in_none() {
        assert!(!is_in(std::process::id(), "0123456789abcdef"));
        assert!(!is_first(std::process::id()));
    }
}
