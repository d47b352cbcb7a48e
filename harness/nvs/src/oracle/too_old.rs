//! A client below the required version is disconnected, and is sent nothing more. [`TooOld`](super::session::TooOld) has since when.

use super::PATIENCE_US;
use super::connection::Client;
use super::coverage::meaning as m;
use super::session::Session;
use super::stream::Packet;
use crate::options::Options;
use crate::requirements::{HS_06, WR_06};
use kit::{Check, Direction, HostId, Knows, PacketId, Report, Time};

/// A client below the required version is disconnected in the end.
pub static OLD_CLIENTS_ARE_NOT_KEPT: Check =
    Check::new("old-clients-are-not-kept", &[m::HS_06]).knows(&[Knows::Limits, Knows::Time]);
/// After svc_disconnect a client gets nothing.
pub static NOTHING_FOLLOWS_A_DISCONNECT: Check =
    Check::new("nothing-follows-a-disconnect", &[m::WR_06]).knows(&[Knows::Limits]);

/// The run is over: a client that asked for its sign-on data with too low a version is disconnected.
pub fn judge_kept(session: &Session, options: &Options, report: &mut Report, now: Time) {
    let is_too_old = session.best_claim() < options.required;
    let pending = session.unacknowledged[Direction::ServerToClient.index()].is_some();
    let has_turn = !pending || session.acknowledged > session.prespawned;
    if is_too_old && has_turn && session.prespawned.is_some_and(|since| now.since(since) > PATIENCE_US) {
        let host = session.host;
        report.fail(&OLD_CLIENTS_ARE_NOT_KEPT, now, HostId::SERVER, &HS_06, || {
            format!("{host} is too old, and was not disconnected")
        });
    }
}

/// A server that has disconnected a client sends it nothing new.
pub(super) fn judge_silence(client: &mut Client, packet: PacketId, bytes: &[u8], report: &mut Report, now: Time) {
    if !client.session.dismissed || client.session.indeterminate.is_some() {
        return;
    }
    let sent = client.sent.get_mut(packet.direction.index()).map(|stream| stream.take(bytes));
    if matches!(sent, Some(Ok(Packet::Reliable(_) | Packet::Unreliable(_)))) {
        let host = client.session.host;
        report.fail(&NOTHING_FOLLOWS_A_DISCONNECT, now, HostId::SERVER, &WR_06, || {
            format!("sends more to {host}, which it has disconnected")
        });
    }
}
