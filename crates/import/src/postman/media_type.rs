//! The media types of files, as Postman tells them by the ends of their names.

/// Ends of names, and their media type.
#[rustfmt::skip]
const TYPES: &[(&[&str], &str)] = &[
    (&["txt", "log", "conf", "ini", "list", "text", "def", "in"], "text/plain"),
    (&["json"], "application/json"),
    (&["csv"], "text/csv"),
    (&["xml", "xsd", "xsl"], "application/xml"),
    (&["html", "htm"], "text/html"),
    (&["css"], "text/css"),
    (&["js", "mjs"], "application/javascript"),
    (&["png"], "image/png"),
    (&["jpg", "jpeg"], "image/jpeg"),
    (&["gif"], "image/gif"),
    (&["svg"], "image/svg+xml"),
    (&["webp"], "image/webp"),
    (&["bmp"], "image/bmp"),
    (&["ico"], "image/vnd.microsoft.icon"),
    (&["tif", "tiff"], "image/tiff"),
    (&["avif"], "image/avif"),
    (&["heic"], "image/heic"),
    (&["pdf"], "application/pdf"),
    (&["zip"], "application/zip"),
    (&["gz"], "application/gzip"),
    (&["tar"], "application/x-tar"),
    (&["7z"], "application/x-7z-compressed"),
    (&["rar"], "application/vnd.rar"),
    (&["jar", "war"], "application/java-archive"),
    (&["wav"], "audio/wave"),
    (&["mp3"], "audio/mpeg"),
    (&["ogg"], "audio/ogg"),
    (&["m4a"], "audio/mp4"),
    (&["flac"], "audio/x-flac"),
    (&["aac"], "audio/x-aac"),
    (&["mp4"], "video/mp4"),
    (&["webm"], "video/webm"),
    (&["mov"], "video/quicktime"),
    (&["avi"], "video/x-msvideo"),
    (&["mkv"], "video/x-matroska"),
    (&["doc"], "application/msword"),
    (&["docx"], "application/vnd.openxmlformats-officedocument.wordprocessingml.document"),
    (&["xls"], "application/vnd.ms-excel"),
    (&["xlsx"], "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"),
    (&["ppt"], "application/vnd.ms-powerpoint"),
    (&["pptx"], "application/vnd.openxmlformats-officedocument.presentationml.presentation"),
    (&["odt"], "application/vnd.oasis.opendocument.text"),
    (&["ods"], "application/vnd.oasis.opendocument.spreadsheet"),
    (&["rtf"], "application/rtf"),
    (&["md"], "text/markdown"),
    (&["yaml", "yml"], "text/yaml"),
    (&["toml"], "application/toml"),
    (&["sql"], "application/x-sql"),
    (&["pem", "crt", "der"], "application/x-x509-ca-cert"),
    (&["cer"], "application/pkix-cert"),
    (&["p12", "pfx"], "application/x-pkcs12"),
    (&["ttf"], "font/ttf"),
    (&["woff"], "font/woff"),
    (&["woff2"], "font/woff2"),
    (&["eml"], "message/rfc822"),
    (&["ics"], "text/calendar"),
    (&["vcf"], "text/x-vcard"),
    (&["geojson"], "application/geo+json"),
    (&["jsonld"], "application/ld+json"),
    (&["wasm"], "application/wasm"),
    (&["apk"], "application/vnd.android.package-archive"),
    (&["kml"], "application/vnd.google-earth.kml+xml"),
    (&["gpx"], "application/gpx+xml"),
    (&["sh"], "application/x-sh"),
    (&["java"], "text/x-java-source"),
    (&["tsv"], "text/tab-separated-values"),
    (&["xslt"], "application/xslt+xml"),
    (&["wsdl"], "application/wsdl+xml"),
];

/// The media type of a file.
pub(super) fn of(path: &str) -> &'static str {
    let end = path.rsplit('.').next().unwrap_or_default().to_ascii_lowercase();
    let found = TYPES.iter().find(|(ends, _)| ends.contains(&end.as_str()));
    found.map_or("application/octet-stream", |(_, media_type)| media_type)
}

#[cfg(test)]
mod tests {
    use super::of;

    #[test]
    fn types_are_known_by_the_ends_of_names() {
        let found = ["/a/b.WAV", "x.tar.gz", "notes", "a.unknown"].map(of);
        assert_eq!(
            found,
            ["audio/wave", "application/gzip", "application/octet-stream", "application/octet-stream"]
        );
    }
}
