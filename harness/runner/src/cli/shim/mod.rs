//! `shim`: tools for implementations in other processes.

pub(super) mod doctor;
mod new;
mod reference;
mod talk;

use super::arguments::ShimCommand;
use super::output::{Format, Stop};
use kit::{HostId, Protocol, Role};
use shim::schema;
use std::io::Write;

/// Does what one of the tools is for.
pub(super) fn shim(
    command: &ShimCommand,
    protocols: &'static [&'static Protocol],
    format: Format,
    out: &mut dyn Write,
) -> Result<u8, Stop> {
    match command {
        ShimCommand::New(chosen) => new::new(chosen, protocols, out),
        ShimCommand::Doctor(chosen) => doctor::doctor(chosen, protocols, format, out),
        ShimCommand::Talk(chosen) => talk::talk(chosen, protocols, &mut std::io::stdin().lock(), out),
        ShimCommand::Reference(chosen) => reference::reference(chosen, protocols),
        ShimCommand::Schema { name } => {
            let known = || schema::FILES.iter().map(|(name, _)| *name);
            let found = schema::FILES.iter().find(|(known, _)| known == name).map(|(_, text)| *text);
            let text = found.ok_or_else(|| {
                Stop::Usage(format!("no schema `{name}`; there are {}", known().collect::<Vec<_>>().join(", ")))
            })?;
            out.write_all(text.as_bytes())?;
            Ok(0)
        }
    }
}

/// The host that stands for a role where there is one client.
const fn host_of(role: Role) -> HostId {
    match role {
        Role::Server => HostId::SERVER,
        _ => HostId(1),
    }
}
