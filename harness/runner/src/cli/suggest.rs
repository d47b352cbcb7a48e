//! Arguments that may be anything, and have names that a shell can complete.

use crate::engine::description::BUILT_IN;
use crate::registry::{self, PROTOCOLS};
use crate::scenario;
use clap::builder::{PossibleValue, TypedValueParser};
use clap::error::ErrorKind;
use std::ffi::OsStr;

/// Takes any text, and tells a completion script the likely ones.
#[derive(Clone)]
pub(super) struct Suggest(fn() -> Vec<&'static str>);

/// The profiles.
pub(super) fn profiles() -> Suggest {
    Suggest(|| registry::profiles(PROTOCOLS).map(|(_, profile)| profile.name).collect())
}

/// The ids of requirements.
pub(super) fn requirements() -> Suggest {
    Suggest(|| {
        let all = PROTOCOLS.iter().flat_map(|protocol| protocol.requirements);
        all.map(|requirement| requirement.id).collect()
    })
}

/// The engines that are described.
pub(super) fn engines() -> Suggest {
    Suggest(|| BUILT_IN.iter().map(|(name, _)| *name).collect())
}

/// What there is a schema of.
pub(super) fn schemas() -> Suggest {
    Suggest(super::schema::shipped::names)
}

/// The names of scenarios, each of which is that of a case, too.
pub(super) fn cases() -> Suggest {
    Suggest(|| {
        let files = scenario::built_in().into_iter().filter_map(|(path, _)| path.to_str()?.strip_suffix(".yaml"));
        let is_run = |name: &&str| PROTOCOLS.iter().any(|it| name.split('/').next() == Some(it.name));
        files.filter(is_run).collect()
    })
}

impl TypedValueParser for Suggest {
    type Value = String;

    fn parse_ref(&self, command: &clap::Command, _: Option<&clap::Arg>, value: &OsStr) -> Result<String, clap::Error> {
        let text = value.to_str().map(String::from);
        text.ok_or_else(|| clap::Error::new(ErrorKind::InvalidUtf8).with_cmd(command))
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new((self.0)().into_iter().map(PossibleValue::new)))
    }
}
