//! A client's sign-on, from the level's beginning to the game; and its versions.

use super::*;
use crate::latitude::InGame;
use crate::message::write_versions;
use crate::version::Versions;
use netquake::ServerInfo;
use netquake::clientdata::ClientData;
use netquake::constants::{PROTOCOL_NETQUAKE, SVC_SPAWN_BASELINE};

/// Sounds of every level; their names are of no consequence, only their count.
const SOUNDS: [&[u8]; 1] = [b"misc/null.wav"];
/// Sign-on data that a server sends in parts has about so many of them at most.
const MOST_PARTS: usize = 8;

/// A new level: the client signs on again, and its versions are void.
///
/// What it claimed as its maximum stays: a command for the level before may still be under way, and must not get a client
/// dropped that is good enough.
pub fn change_level(session: &mut Session, rules: &ServerRules) {
    if session.closed() || session.stage == Stage::Connected {
        return;
    }
    session.enter(Stage::Connected, "map");
    (rules.void)(session);
    session.angle = None;
    session.damage = None;
    session.outlet.datagram.clear();
    session.say(&Service::StuffText { text: b"reconnect\n" });
}

impl Server {
    /// Sends a client what the level is.
    pub(super) fn inform(&mut self, index: usize) {
        let max_clients = u8::try_from(self.max_sessions).unwrap_or(u8::MAX);
        let Some(session) = self.sessions.get_mut(index) else { return };
        let info = ServerInfo {
            protocol: PROTOCOL_NETQUAKE,
            max_clients,
            game_type: 1,
            level: self.level.name(),
            models: self.level.models(),
            sounds: SOUNDS.to_vec(),
            ..ServerInfo::default()
        };
        // NVS-SIG-01
        session.say(&Service::Print { text: b"\x02\nVERSION 1.09 SERVER (0 CRC)\n" });
        session.say(&Service::ServerInfo(info));
        session.say(&Service::CdTrack { track: 2, looped: 2 });
        session.say(&Service::SetView { entity: session.peer.host.0.into() });
        session.say(&Service::SignOnNum { stage: 1 });
        session.enter(Stage::Informed, "level known");
    }

    /// Acts on a command line of a client's.
    pub(super) fn text_command(&mut self, now: Time, index: usize, text: &[u8]) {
        let mut words = text.split(|byte| byte.is_ascii_whitespace()).filter(|word| !word.is_empty());
        let word = words.next().unwrap_or_default();
        let argument = words.next();
        let Some(stage) = self.sessions.get(index).map(|session| session.stage) else { return };
        match word {
            _ if stage == Stage::Closed || stage == Stage::Connected => {}
            // NVS-HS-07: nothing is sent to a client that does not ask
            NVS_REQUEST => self.request(now, index, argument),
            LIMIT_REQUEST if stage < Stage::Spawned => self.tell_limits(index, self.rules.latitude.tells_limits),
            b"prespawn" if stage == Stage::Informed => self.prespawn(now, index),
            b"spawn" if stage == Stage::Prespawned => self.spawn(now, index),
            b"begin" if stage == Stage::Spawned => {
                if let Some(session) = self.sessions.get_mut(index) {
                    session.enter(Stage::Active, "begin");
                }
            }
            _ => {}
        }
    }

    fn tell_limits(&mut self, index: usize, wanted: bool) {
        const KINDS: [Kind; 5] = [Kind::Byte, Kind::Byte, Kind::Short, Kind::Short, Kind::Short];
        let Some(host) = self.sessions.get(index).map(|session| session.peer.host) else { return };
        if self.options.compatibility || !wanted {
            return;
        }
        let [edicts, statics, temporaries] = LIMITS.map(|limit| Value::Number(limit.into()));
        let values = [Value::Number(SVC_LIMIT.into()), Value::Number(LIMIT_NVS.into()), edicts, statics, temporaries];
        let init = Init { dest: MSG_ONE, svc: SVC_LIMIT, sub: LIMIT_NVS, only: Some(host), apart: false };
        self.send(init, &KINDS, KINDS.len(), &values);
    }

    /// A client asks for versions, and says how new it is.
    fn request(&mut self, now: Time, index: usize, argument: Option<&[u8]>) {
        let Server { rules, options, sessions, ssvc, .. } = self;
        let Some(session) = sessions.get_mut(index) else { return };
        if options.compatibility && argument.is_some() {
            return;
        }
        let asked = match (rules.asked)(argument) {
            Ok(asked) => asked,
            Err(words) => return words.iter().for_each(|text| session.say(&Service::Print { text })),
        };
        let in_game = session.stage >= Stage::Spawned;
        if in_game {
            // What is under way already is in the old form, and so would be what waits to be sent again.
            if rules.latitude.in_game == InGame::Answered {
                self.answer(index);
            }
            return;
        }
        let held = session.answered.then_some(session.versions);
        session.maximum = asked;
        session.versions = (rules.versions)(asked, *ssvc, options);
        if asked < options.required {
            return self.refuse(now, index);
        }
        // That nothing is enhanced need not be sent, unless the client was sent more before.
        let is_news = held.is_some_and(|held| held != session.versions);
        let worth = session.versions.cclc != Version::PLAIN || *ssvc != Version::PLAIN || is_news;
        let (answers_zero, limits_unasked) = (rules.latitude.answers_zero, rules.latitude.limits_unasked);
        if worth || answers_zero {
            self.answer(index);
        }
        if limits_unasked {
            self.tell_limits(index, true);
        }
    }

    /// Sends a client its versions.
    fn answer(&mut self, index: usize) {
        let Some(session) = self.sessions.get_mut(index) else { return };
        session.answered = true;
        say_versions(session, self.ssvc);
    }

    /// Sends a client away that is too old.
    fn refuse(&mut self, now: Time, index: usize) {
        let required = self.options.required;
        let Some(session) = self.sessions.get_mut(index) else { return };
        // NVS-HS-06
        session.say(&Service::Print { text: b"This server needs a newer version of NVS.\n" });
        session.say(&Service::Print { text: format!("It needs at least {required}.\n").as_bytes() });
        session.dismiss(now, "too old");
    }

    /// Sends the sign-on data.
    fn prespawn(&mut self, now: Time, index: usize) {
        let Server { sessions, rules, options, signon, .. } = self;
        let Some(session) = sessions.get_mut(index) else { return };
        if !(rules.lets_in)(session, options) {
            return self.refuse(now, index);
        }
        // NVS-SIG-05
        let image = signon.bytes();
        // The image alone may be as long as the client's buffer is.
        match rules.latitude.signon_part {
            0 if session.outlet.message.has_room(image.len() + 2) => {
                session.outlet.message.push(image);
            }
            0 => session.flush_with(image),
            part => {
                // Each part waits for the acknowledgement of the one before: a large level must not take a client a minute.
                let part = part.max(image.len() / MOST_PARTS);
                sign_on_parts(image, part).for_each(|part| session.flush_with(part));
            }
        }
        session.say(&Service::SignOnNum { stage: 2 });
        session.signed_on = true;
        session.enter(Stage::Prespawned, "prespawn");
    }

    /// Sends all that a player needs to begin.
    fn spawn(&mut self, now: Time, index: usize) {
        let slots = self.max_sessions.min(usize::from(u8::MAX));
        let names: Vec<u8> =
            self.sessions.iter().map(|session| (session.peer.host.0.saturating_sub(1)) as u8).collect();
        let Some(session) = self.sessions.get_mut(index) else { return };
        let host = session.peer.host;
        if self.rules.latitude.repeats_at_spawn && session.answered {
            say_versions(session, self.ssvc);
        }
        session.say(&Service::Time { time: kit::table::float_bits(now.as_seconds()) });
        for slot in 0..slots as u8 {
            let name: &[u8] = if names.contains(&slot) { b"player" } else { b"" };
            session.say(&Service::UpdateName { slot, name });
            session.say(&Service::UpdateFrags { slot, frags: 0 });
            session.say(&Service::UpdateColors { slot, colors: 0 });
        }
        // The player looks where the level has it; nobody starts with a tilted head.
        let [pitch, yaw, _] = session.angle.take().unwrap_or_default();
        let init = Init { dest: MSG_ONE, svc: SVC_SET_ANGLE, sub: 0, only: Some(host), apart: false };
        self.send_angles(init, [pitch, yaw, 0.0]);
        if let Some(session) = self.sessions.get_mut(index) {
            session.say(&Service::ClientData(ClientData::default()));
            session.say(&Service::SignOnNum { stage: 3 });
            session.enter(Stage::Spawned, "spawn");
        }
    }
}

fn say_versions(session: &mut Session, ssvc: Version) {
    let mut bytes = Vec::with_capacity(EXTRA_VERSION_BYTES);
    // NVS-HS-02
    write_versions(&mut Writer::new(&mut bytes), &Versions { ssvc, ..session.versions });
    session.outlet.message.push(&bytes);
}

/// The sign-on data in parts of whole baselines, each of at most `most` bytes or of one baseline; and what mods added
/// after them as the last part.
fn sign_on_parts(image: &[u8], most: usize) -> impl Iterator<Item = &[u8]> {
    // The service's number, the entity's, model, frame, colours, skin, and three times a coord and an angle.
    const BASELINE_BYTES: usize = 1 + 2 + 4 + 3 * 3;
    let baselines = image
        .chunks(BASELINE_BYTES)
        .take_while(|chunk| chunk.len() == BASELINE_BYTES && chunk.first() == Some(&SVC_SPAWN_BASELINE));
    let (baselines, rest) = image.split_at(baselines.count() * BASELINE_BYTES);
    let part = (most / BASELINE_BYTES).max(1) * BASELINE_BYTES;
    baselines.chunks(part).chain((!rest.is_empty()).then_some(rest))
}
