//! [`FileSettings`]: what a file sets for all of its arms.

use crate::arm::{HttpVersion, Telemetry};
use crate::available::Available;
use crate::deployment::Deployment;
use crate::host::ArmHost;
use crate::service::Service;

/// What a file sets for all of its arms.
#[derive(Debug, Default)]
pub(crate) struct FileSettings {
    pub(crate) deployment: Deployment,
    /// The services that it describes.
    pub(crate) services: Vec<Service>,
    /// The names of services that cannot be read. An arm names them rightly.
    pub(crate) unread_services: Vec<String>,
    pub(crate) telemetry: Telemetry,
    pub(crate) host: Option<ArmHost>,
    /// The version of HTTP that the load speaks with arms that name none.
    pub(crate) http: Option<HttpVersion>,
}

impl FileSettings {
    /// Returns every service that an arm can name; one that the file describes comes before a built-in one of that name.
    pub(crate) fn all_services<'a>(&'a self, known: &'a Available) -> impl Iterator<Item = &'a Service> {
        self.services.iter().chain(&known.built_in)
    }

    /// Returns the name of every service that an arm can name, also of those that cannot be read.
    pub(crate) fn service_names<'a>(&'a self, known: &'a Available) -> Vec<&'a str> {
        let read = self.all_services(known).map(|service| service.name.as_str());
        read.chain(self.unread_services.iter().map(String::as_str)).collect()
    }
}
