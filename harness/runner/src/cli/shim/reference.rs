//! `shim reference`: our own ends in a process of their own. It shows the shim protocol, and proves that nothing leans on ends
//! in the harness's own process.

use super::super::arguments::ReferenceArguments;
use super::super::output::Stop;
use super::super::{built_in, registry};
use crate::own_world;
use kit::{Endpoint, HostId, Protocol, Role, Setup};
use shim::serve::{Implementation, line, serve};

/// Answers until there are no more requests.
pub(super) fn reference(chosen: &ReferenceArguments, protocols: &'static [&'static Protocol]) -> Result<u8, Stop> {
    let one = built_in(protocols, chosen.server.as_deref(), chosen.client.as_deref())?;
    let only = one.map(|one| [one.protocol]);
    // A mutant is like nothing that conforms.
    let variant = one.filter(|one| one.protocol.variants().any(|variant| variant.name == one.variant.name));
    let like: Vec<String> = variant.iter().map(|one| one.name()).collect();
    let who = Implementation {
        name: "deltaproof reference",
        build: env!("CARGO_PKG_VERSION"),
        protocols: only.as_ref().map_or(registry::PROTOCOLS, |only| only.as_slice()),
        not_shown: &chosen.not_shown,
        like: &like,
        takes_world: !chosen.own_world,
        build_host: &|protocol, setup| {
            let role = if setup.host == HostId::SERVER { Role::Server } else { Role::Client };
            let replacement = one.map(|one| one.variant.replacement).filter(|replacement| replacement.role == role);
            let build: &dyn Fn(&Setup) -> Box<dyn Endpoint> = match &replacement {
                Some(replacement) => &replacement.build,
                None if role == Role::Server => &protocol.server,
                None => &protocol.client,
            };
            match chosen.own_world && role == Role::Server {
                true => own_world::server(build, protocol, setup),
                false => build(setup),
            }
        },
    };
    let (input, output) = line()?;
    serve(&who, input, output)?;
    Ok(0)
}
