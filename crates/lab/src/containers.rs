//! [`Containers`]: the engine that runs the containers of an experiment, and what each of them has to see.

use crate::error::{Error, at};
use ask::arm::Arm;
use ask::experiment::Experiment;
use ask::service::{Service, ServiceImage};
use std::collections::BTreeMap;
use std::env;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use sut::ContainerError;
use sut::{Container, ContainerFiles, Engine, ImageId, Program, ServerSpec, ServiceContainer, Site};

/// The engine that runs the containers of an experiment; none where no arm is in a container.
pub(crate) struct Containers<'a> {
    engine: Option<Arc<Engine>>,
    site: &'a Site,
    stop: &'a AtomicBool,
}

impl<'a> Containers<'a> {
    /// Finds an engine if an arm needs one, and removes the containers that killed runs left behind.
    pub(crate) fn prepare(
        experiment: &Experiment,
        site: &'a Site,
        stop: &'a AtomicBool,
    ) -> Result<Self, Error> {
        Self::prepare_with(&mut None, experiment, site, stop)
    }

    /// Like [`Containers::prepare`], but an engine that was found before is not tried again, because a trial runs a container.
    pub(crate) fn prepare_with(
        found: &mut Option<Arc<Engine>>,
        experiment: &Experiment,
        site: &'a Site,
        stop: &'a AtomicBool,
    ) -> Result<Self, Error> {
        let mut containers = Self { engine: None, site, stop };
        let is_wanted = |arm: &&Arm| is_contained(arm) || images(arm, &experiment.services).next().is_some();
        if let Some(arm) = experiment.arms.iter().find(is_wanted) {
            let engine = match found {
                Some(engine) => engine.clone(),
                None => {
                    let engine = Arc::new(Engine::find(&site.guard).map_err(at(arm))?);
                    sut::container::clean(&site.guard);
                    found.insert(engine).clone()
                }
            };
            // What is published would be behind the bridge of the engine, and not behind the link.
            let mut services = experiment.arms.iter().flat_map(|arm| images(arm, &experiment.services));
            let is_published = services.any(|(service, _)| !service.is_told_its_port());
            if experiment.link.is_some() && (is_published || !engine.is_in_our_network()) {
                let engine = engine.name.clone();
                return Err(at(arm)(ContainerError::BehindLink { engine }.into()));
            }
            containers.engine = Some(engine);
        }
        Ok(containers)
    }

    /// Whether this arm runs in one.
    pub(crate) fn is_for(&self, arm: &Arm) -> bool {
        is_contained(arm)
    }

    /// The image of an arm, fetched if it is not here; `None` for an arm without one.
    pub(crate) fn image(&self, arm: &Arm) -> Result<Option<ImageId>, sut::Error> {
        let image = arm.image.as_ref().zip(self.engine.as_ref());
        let find = |(image, engine): (&ask::image::OwnImage, &Arc<Engine>)| {
            engine.image(&image.image, self.site, self.stop)
        };
        image.map(find).transpose()
    }

    /// What runs the images of an arm's services, each fetched if it is not here.
    pub(crate) fn services(
        &self,
        arm: &Arm,
        all: &[Service],
    ) -> Result<BTreeMap<String, ServiceContainer>, sut::Error> {
        let Some(engine) = &self.engine else {
            return Ok(BTreeMap::new());
        };
        let resolve = |(service, own): (&Service, &ServiceImage)| {
            let image = engine.image(&own.name, self.site, self.stop)?;
            let port = match (own.port, service.is_told_its_port()) {
                (_, true) => None,
                (Some(port), _) => Some(port),
                (None, _) => Some(engine.exposed_port(&image)?),
            };
            let engine = engine.clone();
            Ok((service.name.clone(), ServiceContainer { engine, image, port }))
        };
        images(arm, all).map(resolve).collect()
    }

    /// The container of an arm with this server; `None` for a process of this machine.
    pub(crate) fn of_arm(&self, arm: &Arm, spec: &ServerSpec) -> Option<Container> {
        let engine = self.engine.clone().filter(|_| is_contained(arm))?;
        let files = match &arm.image {
            Some(image) => ContainerFiles::Volumes(image.volumes.clone()),
            None => self.files(spec),
        };
        Some(Container { engine, files, published: None })
    }

    /// The folders and files that a server of this machine needs. A command works in a folder of the user's, where it may write.
    fn files(&self, spec: &ServerSpec) -> ContainerFiles {
        let absolute = |path: &Path| std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
        let used: [&Path; 3] = [&self.site.cache, &spec.jdk.home, spec.program.application()];
        let mut read: Vec<PathBuf> = used.map(absolute).into();
        // A folder of the cache, or the application, may be a link to another disk.
        let inside = std::fs::read_dir(&self.site.cache).into_iter().flatten().flatten();
        let links = inside.map(|entry| entry.path()).filter(|path| path.is_symlink());
        read.extend(links.filter_map(|link| link.canonicalize().ok()));
        read.extend(used.iter().filter_map(|path| path.canonicalize().ok()));
        let write = match &spec.program {
            Program::Command(command) => command.folder.clone().or_else(|| env::current_dir().ok()),
            _ => None,
        };
        let write: Vec<PathBuf> = write.iter().map(|folder| absolute(folder)).collect();
        read.retain(|path| path.exists() && !write.contains(path));
        read.sort();
        read.dedup();
        ContainerFiles::Machine { read, write }
    }
}

/// The services of an arm that have images.
fn images<'a>(arm: &'a Arm, all: &'a [Service]) -> impl Iterator<Item = (&'a Service, &'a ServiceImage)> {
    let used = all.iter().filter(|service| arm.surroundings.services.contains(&service.name));
    used.filter_map(|service| Some((service, service.image.as_ref()?)))
}

fn is_contained(arm: &Arm) -> bool {
    arm.surroundings.container || arm.image.is_some()
}
