//! A session's sign-on: from the map's name to the first datagram, once per map.

use super::datagram::record;
use super::*;
use crate::constants::{PROTOCOL_FITZQUAKE, PROTOCOL_NETQUAKE};
use crate::latitude::NewForms;
use crate::state::MODEL;
use netquake::fitzquake::Fitz;
use netquake::update::{ALPHA as ALPHA_CODE, FRAME as CODEC_FRAME, MODEL as CODEC_MODEL, Record, baseline_bits};
use netquake::{Primitives, ServerInfo};

/// Asks a client for the extensions that it wants.
const CMD_PEXT: &[u8] = b"cmd pext\n";
/// Asks a client for the protocols that it speaks.
const CMD_PROTOCOLS: &[u8] = b"cmd protocols\n";
/// The styles of lights that a map begins with.
const LIGHT_STYLES: [&[u8]; 4] =
    [b"m", b"mmnmmommommnonmmonqnmmo", b"abcdefghijklmnopqrstuvwxyzyxwvutsrqponmlkjihgfedcba", b"aaaaaaaazzzzzzzz"];

impl Session {
    /// The client was accepted: it learns of the map, once it has sent which extensions it wants, if it is asked.
    pub fn begin_sign_on(&mut self) {
        if self.rules.latitude.challenges {
            self.queue_services(&[Service::StuffText { text: CMD_PROTOCOLS }, Service::StuffText { text: CMD_PEXT }]);
        } else if self.options.ask_extensions || self.rules.latitude.asks_extensions {
            self.queue_services(&[Service::StuffText { text: CMD_PEXT }]);
        } else {
            self.inform();
        }
    }

    /// The client says which protocols it speaks: what it does not speak is not announced to it.
    fn choose_protocol(&mut self, text: &[u8]) {
        let wanted = self.options.protocol.to_string();
        let spoken = text.split(|&byte| byte == b' ').any(|word| word == wanted.as_bytes());
        if self.options.protocol == PROTOCOL_FITZQUAKE && !spoken {
            self.options.protocol = PROTOCOL_NETQUAKE;
            self.dialect = Dialect::announced(self.options.protocol);
        }
    }

    /// A new map: what the client knows is void, and it signs on again.
    pub fn change_map(&mut self) {
        (self.damage, self.turn, self.ready, self.sent) = (None, None, 0, 0);
        self.effects.clear();
        if matches!(self.stage, Stage::Connected | Stage::Closed) {
            return;
        }
        self.enter(Stage::Connected, "map");
        self.queue_services(&[Service::StuffText { text: b"reconnect\n" }]);
        self.inform();
    }

    /// Sends what the map is.
    fn inform(&mut self) {
        // A client of protocol 15 has room for as many as a byte can number, and refuses a map with more.
        let most = if self.options.protocol == PROTOCOL_NETQUAKE { usize::from(u8::MAX) } else { usize::MAX };
        let level = Arc::clone(&self.level);
        let mut models = level.models();
        models.truncate(most);
        let sounds: Vec<String> = (1..=self.options.sounds.min(most)).map(|n| format!("s/{n}")).collect();
        let info = ServerInfo {
            protocol: self.options.protocol, // FITZ-VER-01
            protocol_flags: self.dialect.flags,
            max_clients: self.clients.min(255) as u8,
            game_type: 1,
            level: level.name(),
            models,
            sounds: sounds.iter().map(String::as_bytes).collect(),
            ..ServerInfo::default()
        };
        let mut services = Vec::new();
        if self.rules.latitude.talks {
            services.extend([Service::Print { text: b"\x02proof server\n" }, Service::Nop]);
        }
        services.extend([
            Service::ServerInfo(info),
            Service::CdTrack { track: 2, looped: 2 },
            Service::SetView { entity: self.peer.host.0.into() },
            Service::SignOnNum { stage: 1 },
        ]);
        self.queue_services(&services);
        self.enter(Stage::Informed, "map known");
    }

    /// Sends the baselines, and what has no number.
    fn prespawn(&mut self, scene: &Scene<'_>) {
        let mut message = Vec::new();
        let p = self.dialect.primitives;
        let numbers = scene.world.baselines.numbers();
        let players = (1..=u32::from(self.clients)).filter(|number| numbers.binary_search(number).is_err());
        let mut numbers: Vec<u32> = numbers.iter().copied().chain(players).collect();
        numbers.sort_unstable();
        for number in numbers.into_iter().filter(|&number| number <= crate::constants::MAX_ENTITY) {
            let state = self.base_state(scene, number);
            // Of one whose model protocol 15 cannot express, the rest is announced: updates are compared with that.
            if state[MODEL] != 0 {
                self.write_baseline(&mut message, &p, number as u16, &self.baseline_record(&state));
            }
            self.flush(&mut message);
        }
        for state in &scene.world.statics {
            let code = (self.rules.encode_alpha)(state.float(crate::state::ALPHA));
            let fields = self.expressible(record(state, code));
            if code != crate::alpha::ENTALPHA_ZERO || self.rules.latitude.invisible_statics {
                self.write_static(&mut message, &p, &fields);
            }
            self.flush(&mut message);
        }
        for &StaticSound { origin, sound, volume, attenuation } in scene.static_sounds {
            let mut w = Writer::new(&mut message);
            match u8::try_from(sound) {
                Ok(sound) => Service::SpawnStaticSound { origin, sound, volume, attenuation }.write(&mut w, &p),
                // FITZ-STAT-02
                Err(_) if self.dialect.extended() => {
                    Fitz::SpawnStaticSound { origin, sound, volume, attenuation }.write(&mut w, &p);
                }
                Err(_) => {}
            }
            self.flush(&mut message);
        }
        Service::SignOnNum { stage: 2 }.write(&mut Writer::new(&mut message), &p);
        self.queue(&message);
        self.enter(Stage::Prespawned, "prespawn");
    }

    /// Queues what there is of the sign-on, if it is enough for a message.
    fn flush(&mut self, message: &mut Vec<u8>) {
        if message.len() > self.rules.latitude.sign_on_bytes {
            self.queue(message);
            message.clear();
        }
    }

    /// The baseline of an entity in this base state, as it is sent.
    pub(super) fn baseline_record(&self, state: &Entity) -> Record {
        self.expressible(record(state, (self.rules.encode_alpha)(state.float(crate::state::ALPHA))))
    }

    /// What of a baseline or a static entity the protocol can express: in protocol 15, a model or a frame that is too large is
    /// none, so that both ends agree upon it.
    fn expressible(&self, mut fields: Record) -> Record {
        if !self.dialect.extended() {
            fields[ALPHA_CODE] = 0;
            for field in [CODEC_MODEL, CODEC_FRAME] {
                fields[field] = if fields[field] > 0xff { 0 } else { fields[field] };
            }
        }
        fields
    }

    /// Whether a baseline or a static entity is said in the new form, and with which bits.
    fn new_form(&self, fields: &Record) -> Option<u8> {
        let bits = baseline_bits(fields);
        let wanted = bits != 0 || self.rules.latitude.new_forms == NewForms::All; // FITZ-BASE-01
        (self.dialect.extended() && wanted).then_some(bits)
    }

    fn write_baseline(&self, message: &mut Vec<u8>, p: &Primitives, entity: u16, fields: &Record) {
        let (mut w, rounded) = (Writer::new(message), self.rounded(*fields));
        match self.new_form(fields) {
            Some(bits) => Fitz::SpawnBaseline { entity, bits, fields: rounded }.write(&mut w, p),
            None => Service::SpawnBaseline { entity, fields: rounded }.write(&mut w, p),
        }
    }

    fn write_static(&self, message: &mut Vec<u8>, p: &Primitives, fields: &Record) {
        let (mut w, rounded) = (Writer::new(message), self.rounded(*fields));
        match self.new_form(fields) {
            Some(bits) => Fitz::SpawnStatic { bits, fields: rounded }.write(&mut w, p), // FITZ-STAT-01
            None => Service::SpawnStatic { fields: rounded }.write(&mut w, p),
        }
    }

    /// Sends everything else: the time, who plays, lights, statistics, where to look, and the player's own state.
    fn spawn(&mut self, scene: &Scene<'_>) {
        let mut services = vec![Service::Time { time: float_bits(scene.time) }];
        for slot in 0..self.clients.min(255) as u8 {
            services.push(Service::UpdateName { slot, name: b"player" });
            services.push(Service::UpdateFrags { slot, frags: 0 });
            services.push(Service::UpdateColors { slot, colors: 0 });
        }
        for (style, pattern) in LIGHT_STYLES.into_iter().enumerate() {
            services.push(Service::LightStyle { style: style as u8, pattern });
        }
        for stat in STAT_TOTALSECRETS..=STAT_MONSTERS {
            let value = self.stat(stat);
            self.stats_sent[usize::from(stat - STAT_TOTALSECRETS)] = value;
            services.push(Service::UpdateStat { stat, value });
        }
        services.push(Service::SetAngle { angles: [0; 3] });
        services.push(Service::ClientData(self.player(scene)));
        services.push(Service::SignOnNum { stage: 3 });
        self.queue_services(&services);
        self.enter(Stage::Spawned, "spawn");
    }

    /// The client enters the game: it gets datagrams from now on, and the statistics that were set meanwhile.
    fn begin(&mut self) {
        self.enter(Stage::Active, "begin");
        for stat in (0..=u8::MAX).filter(|&stat| !in_clientdata(stat)) {
            let value = self.stat(stat);
            let sent = stat.checked_sub(STAT_TOTALSECRETS).and_then(|place| self.stats_sent.get(usize::from(place)));
            // What has gone back to nothing since the step before is news, too.
            if value != 0 || sent.is_some_and(|&sent| sent != 0) {
                self.queue_services(&[Service::UpdateStat { stat, value }]);
            }
        }
    }

    pub(super) fn text_command(&mut self, text: &[u8], scene: &Scene<'_>) {
        let word = text.split(|byte| byte.is_ascii_whitespace()).next().unwrap_or_default();
        // What comes before the newest step has been sent answers the map before.
        let answers = self.channel.is_all_sent();
        match (word, self.stage) {
            (b"protocols", Stage::Connected) => self.choose_protocol(text),
            (b"pext", Stage::Connected) => self.inform(),
            (b"prespawn", Stage::Informed) if answers => self.prespawn(scene),
            (b"spawn", Stage::Prespawned) if answers => self.spawn(scene),
            (b"begin", Stage::Spawned) if answers => self.begin(),
            (b"drop", _) => self.enter(Stage::Closed, "drop"),
            _ => {}
        }
    }
}
