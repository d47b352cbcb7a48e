//! What a client makes of services that are not of entities: its answers in the sign-on, and what its player notices.

use super::Game;
use crate::dialect::Transport;
use crate::extensions::CHALLENGE_CONNECT;
use crate::notes;
use quakeworld::PLAYER_SPECTATOR;
use quakeworld::handshake::{PRIVATE_KEY, PRIVATE_VALUE};

/// What a client answers to `cmd protocols`: those that it speaks, the best first.
const PROTOCOLS: &[u8] = b"protocols 999 666 15";

impl Game {
    /// A service of NetQuake.
    pub(super) fn takes_netquake(&mut self, service: &netquake::Service<'_>) {
        match service {
            netquake::Service::StuffText { text } => self.stuffed(text),
            netquake::Service::Print { text } => self.prints.push(text.to_vec()),
            netquake::Service::Disconnect => self.left = true,
            netquake::Service::SetView { entity } => self.set_view(*entity),
            netquake::Service::Sound(sound) => {
                self.note(notes::SOUND_PLAYED, sound.sound.into());
                self.note(notes::EFFECT_OF, sound.entity);
            }
            netquake::Service::TempEntity(netquake::effect::TempEntity::Beam { entity, .. }) => {
                self.note(notes::EFFECT_OF, *entity);
            }
            netquake::Service::SignOnNum { stage: 1 } => {
                self.reply(b"name \"player\"");
                self.reply(b"prespawn");
            }
            netquake::Service::SignOnNum { stage: 2 } => {
                self.reply(b"color 0 0");
                self.reply(b"spawn ");
            }
            netquake::Service::SignOnNum { stage: 3 } => {
                self.reply(b"begin");
                self.begin();
            }
            _ => {}
        }
    }

    /// A service of QuakeWorld.
    pub(super) fn takes_quakeworld(&mut self, service: &quakeworld::Service<'_>) {
        match service {
            quakeworld::Service::StuffText { text } => self.stuffed(text),
            quakeworld::Service::Print { text, .. } => self.prints.push(text.to_vec()),
            quakeworld::Service::Disconnect => self.left = true,
            quakeworld::Service::SetView { entity } => self.set_view(*entity),
            quakeworld::Service::TempEntity(quakeworld::TempEntity::Beam { entity, .. }) => {
                self.note(notes::EFFECT_OF, *entity);
            }
            quakeworld::Service::ServerData(data) => {
                self.spawncount = data.spawncount;
                self.own_entity = u32::from(data.player & !PLAYER_SPECTATOR) + 1;
            }
            quakeworld::Service::SoundList { next: 0, .. } if !self.dialect.deltas() => {
                let request = format!("modellist {} 0", self.spawncount);
                self.reply(request.as_bytes());
            }
            // FTE-HS-24
            quakeworld::Service::ModelList { next: 0, .. } => {
                // As engines print it: signed.
                let prespawn = format!("prespawn {} 0 {}", self.spawncount, self.map_checksum as i32);
                self.reply(prespawn.as_bytes());
            }
            _ => {}
        }
    }

    fn begin(&mut self) {
        (self.begun, self.playing) = (true, true);
    }

    fn set_view(&mut self, entity: u32) {
        self.own_entity = entity;
        self.note(notes::VIEW_CHANGED, entity);
    }

    /// Text that the server puts into the client's console, a line at a time.
    fn stuffed(&mut self, text: &[u8]) {
        for line in text.split(|&byte| byte == b'\n').filter(|line| !line.is_empty()) {
            match line {
                // FTE-HS-08
                b"cmd pext" => {
                    let mut reply = Vec::new();
                    self.wanted.write_pext(&mut reply);
                    if self.private {
                        let value = String::from_utf8_lossy(PRIVATE_VALUE);
                        let pair = format!(" {PRIVATE_KEY:#x} \"{value}\"");
                        reply.splice(b"pext".len()..b"pext".len(), pair.into_bytes());
                    }
                    self.reply(&reply);
                }
                b"cmd protocols" => self.reply(PROTOCOLS),
                b"reconnect" if self.dialect.transport == Transport::QuakeWorld => self.reply(b"new"),
                b"skins" => {
                    let begin = format!("begin {}", self.spawncount);
                    self.reply(begin.as_bytes());
                    self.begin();
                }
                _ => {
                    if let Some(command) = line.strip_prefix(b"cmd ") {
                        self.challenged |= command.starts_with(CHALLENGE_CONNECT);
                        self.reply(command);
                    }
                }
            }
        }
    }
}
