//! The names of settings in each kind of server.

use crate::words::Lang;
use model::arm::keys;
use model::finding::ServerSetting;
use model::kind::Called;

/// The name of a setting in its kind of server.
pub(super) fn setting(setting: ServerSetting, lang: Lang) -> String {
    let key = setting.name.key();
    let name = keys::find(key).and_then(|key| key.called(setting.server));
    name.map_or_else(|| format!("`{key}`"), |name| called(name, lang))
}

/// A name in a server as text.
pub(super) fn called(name: Called, lang: Lang) -> String {
    match (name, lang) {
        (Called::Attribute(name), Lang::En) => format!("the Connector's `{name}`"),
        (Called::Attribute(name), Lang::Zh) => format!("Connector 的 `{name}`"),
        (Called::Property(name), _) => format!("`{name}`"),
        (Called::Words { en, .. }, Lang::En) => en.to_owned(),
        (Called::Words { zh, .. }, Lang::Zh) => zh.to_owned(),
    }
}
