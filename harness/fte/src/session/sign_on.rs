//! A session's sign-on: from the extensions to the first frame, once per map.

use super::*;
use netquake::constants::{PROTOCOL_FITZQUAKE, PROTOCOL_NETQUAKE};
use quakeworld::handshake::{Octal, Tokens, number};

impl Session {
    /// A new map: what the client knows is void, and it signs on again.
    pub fn change_map(&mut self, world: &World, options: &Options) {
        self.options = *options;
        if self.stage == Stage::Accepted {
            return;
        }
        self.enter(Stage::Accepted, "map");
        self.frames_due = 0;
        match self.dialect.transport {
            Transport::NetQuake => {
                self.queue_netquake(&[Service::StuffText { text: b"reconnect\n" }]);
                self.inform(world);
            }
            Transport::QuakeWorld => self.queue_stuffed("changing\nreconnect\n"),
        }
    }

    /// Tells what was agreed upon and what the map is.
    pub(super) fn inform(&mut self, world: &World) {
        let latitude = &self.rules.latitude;
        let mut extensions = self.options.agreed(&self.asked); // FTE-HS-18
        extensions.fte2 &= !latitude.withheld_fte2;
        if !extensions.replacement_deltas() {
            extensions.fte2 = 0;
        }
        if self.asked != Extensions::default() {
            extensions.fte1 |= latitude.unasked_fte1 & self.options.server_extensions.fte1;
        }
        if latitude.required_fte2 & !extensions.fte2 != 0 {
            return self.refuse();
        }
        let Dialect { transport, protocol, .. } = self.dialect;
        self.dialect = Dialect::negotiated(transport, extensions, protocol, 0, self.options.readings);
        let pair = |mask: u32| (mask != 0).then_some(mask);
        let spawncount = world.maps + 1;
        let mut message = Vec::new();
        let mut w = Writer::new(&mut message);
        match self.dialect.transport {
            Transport::NetQuake => {
                // FTE-HS-13
                let info = ServerInfo {
                    fte1: pair(extensions.fte1),
                    fte2: pair(extensions.fte2),
                    protocol: self.dialect.protocol,
                    gamedir: Some(b"proof"),
                    max_clients: PLAYER_SLOTS,
                    game_type: 1,
                    level: self.level.name(),
                    models: self.level.models(),
                    sounds: SOUNDS.to_vec(),
                    ..ServerInfo::default()
                };
                Service::ServerInfo(info).write(&mut w, &self.dialect.primitives);
                Service::SetView { entity: self.peer.host.0.into() }.write(&mut w, &self.dialect.primitives);
                Service::SignOnNum { stage: 1 }.write(&mut w, &self.dialect.primitives);
            }
            Transport::QuakeWorld => {
                w.u8("svc", quakeworld::SVC_SERVERDATA);
                let data = ServerData {
                    fte1: pair(extensions.fte1),
                    fte2: pair(extensions.fte2),
                    mvd1: None,
                    time: None,
                    protocol: PROTOCOL_VERSION_QW,
                    spawncount,
                    gamedir: b"proof",
                    player: (self.peer.host.0 - 1) as u8 & 0x7f,
                    level: self.level.name(),
                    movevars: [800.0, 100.0, 320.0, 500.0, 10.0, 0.7, 10.0, 4.0, 4.0, 1.0],
                    ..ServerData::default()
                };
                data.write(&mut w);
                // FTE-HS-23, FTE-HS-26
                if self.dialect.deltas() {
                    quakeworld::write_list(&mut w, quakeworld::SVC_SOUNDLIST, 0, &SOUNDS, 0);
                    quakeworld::write_list(&mut w, quakeworld::SVC_MODELLIST, 0, &self.level.models(), 0);
                }
            }
        }
        if let Some(key) = self.options.server_protocol_key {
            // After the service's number.
            message.splice(1..1, key.to_le_bytes().into_iter().chain([0; 4]));
        }
        self.queue(&message);
        (self.rules.begin_map)(&mut self.sender, self.dialect.gate); // FTE-HIST-14
        self.enter(Stage::Informed, "map known");
    }

    /// Sends the client away.
    pub(super) fn refuse(&mut self) {
        self.refused = true;
        let text = b"Your client lacks extensions that this server needs.\n";
        match self.dialect.transport {
            Transport::NetQuake => self.queue_netquake(&[Service::Print { text }, Service::Disconnect]),
            Transport::QuakeWorld => self.queue(&[quakeworld::SVC_DISCONNECT]),
        }
    }

    /// Sends the baselines.
    pub(super) fn prespawn(&mut self, world: &World) {
        self.received_dialect = self.dialect;
        if self.dialect.deltas() {
            let mut message = Vec::new();
            // FTE-RST-05
            for (number, baseline) in world.baselines.iter() {
                message::write_baseline(&mut Writer::new(&mut message), number, baseline, &self.dialect);
                if message.len() > SIGNON_BYTES {
                    self.queue(&message);
                    message.clear();
                }
            }
            for state in &world.statics {
                message::write_static(&mut Writer::new(&mut message), state, &self.dialect);
                if message.len() > SIGNON_BYTES {
                    self.queue(&message);
                    message.clear();
                }
            }
            if !message.is_empty() {
                self.queue(&message);
            }
        }
        match self.dialect.transport {
            Transport::NetQuake => self.queue_netquake(&[Service::SignOnNum { stage: 2 }]),
            Transport::QuakeWorld => self.queue_stuffed(&format!("cmd spawn {}\n", world.maps + 1)),
        }
        self.enter(Stage::Prespawned, "prespawn");
    }

    pub(super) fn spawn(&mut self) {
        match self.dialect.transport {
            Transport::NetQuake => self.queue_netquake(&[Service::SignOnNum { stage: 3 }]),
            Transport::QuakeWorld => self.queue_stuffed("skins\n"),
        }
        self.enter(Stage::Spawned, "spawn");
    }

    /// The client enters the game: it gets all statistics that are not zero, and entity frames from now on.
    pub(super) fn begin(&mut self) {
        self.enter(Stage::Active, "begin");
        if self.rules.latitude.early_frames {
            // What was sent before the baselines was made against none.
            (self.rules.begin_map)(&mut self.sender, self.dialect.gate);
        }
        for stat in 0..=255u8 {
            let value = self.stats[usize::from(stat)];
            let sent = self.sent_stats[usize::from(stat) / 64] & 1 << (stat % 64) != 0;
            if sent && self.dialect.predinfo() {
                // A frame of the map before may have come after the new map's beginning, which made them zero.
                self.sender.repeat_stat(stat, value); // FTE-STAT-06
            } else if value != StatValue::Int(0) {
                self.send_stat(stat, value);
            }
        }
    }

    /// QuakeWorld: a client without the extension asks for a list.
    fn queue_list(&mut self, service: u8) {
        if self.dialect.transport == Transport::QuakeWorld {
            let names = if service == quakeworld::SVC_MODELLIST { self.level.models() } else { SOUNDS.to_vec() };
            let mut message = Vec::new();
            quakeworld::write_list(&mut Writer::new(&mut message), service, 0, &names, 0);
            self.queue(&message);
        }
    }

    /// NetQuake: the client says which protocols it speaks.
    fn choose_protocol(&mut self, text: &[u8]) {
        let known = |&word: &&[u8]| number(word, Octal::No) == PROTOCOL_FITZQUAKE;
        self.dialect.protocol = match Tokens::new(text).find(known) {
            Some(_) => PROTOCOL_FITZQUAKE,
            None => PROTOCOL_NETQUAKE,
        };
    }

    pub(super) fn text_command(&mut self, text: &[u8], world: &World) {
        if self.line.queued_bytes() > MAX_QUEUED_BYTES {
            return self.enter(Stage::Closed, "takes no reliable messages");
        }
        let word = text.split(|&byte| byte == b' ').next().unwrap_or_default();
        // What comes before the newest step has been sent answers the map before.
        let answers = self.line.is_all_sent();
        match (word, self.stage) {
            _ if self.refused => {}
            (b"protocols", Stage::Accepted) if self.options.asks_protocols => self.choose_protocol(text),
            (b"pext", Stage::Accepted) if self.dialect.transport == Transport::NetQuake => {
                self.asked = Extensions::read_pext(text).unwrap_or_default();
                self.inform(world);
            }
            (b"new", Stage::Accepted | Stage::Informed) if self.dialect.transport == Transport::QuakeWorld => {
                self.inform(world);
            }
            (b"soundlist", Stage::Informed) => self.queue_list(quakeworld::SVC_SOUNDLIST),
            (b"modellist", Stage::Informed) => self.queue_list(quakeworld::SVC_MODELLIST),
            (b"prespawn", Stage::Informed) if answers => self.prespawn(world),
            (b"spawn", Stage::Prespawned) if answers => self.spawn(),
            (b"begin", Stage::Spawned) if answers => self.begin(),
            (b"drop", _) => self.enter(Stage::Closed, "drop"),
            _ => {}
        }
    }
}
