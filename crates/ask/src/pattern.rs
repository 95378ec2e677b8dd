//! Patterns of paths: `/pay?orderId={order}` fits the path of any order.

/// Returns the values that `path` has for the names in braces in `pattern`; `None` when it does not fit.
pub fn values<'a>(pattern: &'a str, path: &'a str) -> Option<Vec<(&'a str, &'a str)>> {
    let (mut pattern, mut path) = (pattern, path);
    let mut values = Vec::new();
    while let Some((before, rest)) = pattern.split_once('{') {
        let (name, after) = rest.split_once('}')?;
        path = path.strip_prefix(before)?;
        let end = path.find(['&', '/', '?']).unwrap_or(path.len());
        let (value, left) = path.split_at(end);
        if value.is_empty() {
            return None;
        }
        values.push((name, value));
        (pattern, path) = (after, left);
    }
    (pattern == path).then_some(values)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_fits_where_its_holes_are_filled() {
        let pattern = "/pay?orderId={order}&millis={millis}";
        assert_eq!(values(pattern, "/pay?orderId=7&millis=20"), Some(vec![("order", "7"), ("millis", "20")]));
        assert_eq!(values(pattern, "/pay?orderId=7"), None);
        assert_eq!(values(pattern, "/pay?orderId=&millis=20"), None);
        assert_eq!(values("/pay?orderId={order}", "/pay?orderId=7&millis=20"), None);
        assert_eq!(values("/json", "/json"), Some(Vec::new()));
        assert_eq!(values("/json", "/jsonp"), None);
    }
}
