//! What the player of a demo holds.

use crate::machine::options;
use crate::tap::{Asked, Tap};
use crate::wire::constants::*;
use crate::wire::delta::Entry;
use crate::wire::dialect::Dialect;
use crate::wire::entities::Merge;
use crate::wire::frame::FrameStart;
use crate::wire::message::{Carrier, Listener};
use crate::wire::player::{self, Flags};
use crate::wire::service::Service;
use crate::wire::state::{Entity, EntityList, FIELD_TABLE, PLAYER_TABLE, Player};
use kit::{DecodeError, Direction, Dissection, Field, Reader, Setup, StatValue};

static FIELDS: [Field; crate::wire::state::FIELDS] = FIELD_TABLE;
static PLAYER: [Field; 36] = PLAYER_TABLE;

/// Follows a demo.
pub struct Scene {
    tap: Tap,
    held: Held,
}

#[derive(Clone)]
struct Frame {
    number: i32,
    player: Player,
    entities: EntityList,
}

#[derive(Default)]
struct Held {
    baselines: EntityList,
    /// The newest valid frames, by the slot of their number.
    frames: Vec<Option<Frame>>,
    /// The slot of the frame that is shown.
    shown: Option<usize>,
    is_announced: bool,
    /// A frame that is being read: it, and the slot of its base.
    building: Option<(Frame, Option<usize>, Merge)>,
    /// Whether the newest frame builds on one that is not held: then an older one is shown.
    lacks_base: bool,
    newest: Option<i32>,
    is_r1q2: bool,
}

impl Scene {
    /// For the demo of `setup`.
    pub fn new(setup: &Setup) -> Scene {
        let dialect = options::dialect(setup.profile);
        let held = Held { frames: vec![None; HISTORY], is_r1q2: dialect.is_r1q2(), ..Held::default() };
        Scene { tap: Tap::new(dialect), held }
    }
}

fn slot(number: i32) -> usize {
    (number & (HISTORY as i32 - 1)) as usize
}

impl Listener for Held {
    fn session(&mut self, dialect: &Dialect) {
        *self = Held { frames: vec![None; HISTORY], is_announced: true, is_r1q2: dialect.is_r1q2(), ..Held::default() };
    }

    fn service(&mut self, _: &Carrier, service: &Service<'_>) {
        if matches!(service, Service::ServerData(_)) {
            self.is_announced = true;
        }
    }

    fn baseline(&mut self, _: &Carrier, number: u32, _: u64, state: &Entity) {
        self.baselines.put(number, *state);
    }

    fn frame(&mut self, _: &Carrier, start: &FrameStart<'_>) {
        let kept = |base: i32| self.frames.get(slot(base)).and_then(Option::as_ref).filter(|kept| kept.number == base);
        let base = start.base().and_then(kept);
        self.newest = Some(start.number);
        self.lacks_base = start.base().is_some() && base.is_none();
        let player = base.map_or(Player::NULL, |base| base.player);
        let known = base.map_or(0, |base| base.entities.len());
        let frame = Frame { number: start.number, player, entities: EntityList::with_capacity(known + 4) };
        self.building = Some((frame, base.map(|base| slot(base.number)), Merge::default()));
    }

    fn player(&mut self, _: &Carrier, flags: Flags, r: &mut Reader<'_>, _: &Dialect) -> Result<bool, DecodeError> {
        let Some((frame, ..)) = &mut self.building else { return Ok(false) };
        player::read_fields(r, flags, &mut frame.player)?;
        Ok(true)
    }

    fn entry(&mut self, _: &Carrier, entry: Entry, r: &mut Reader<'_>, dialect: &Dialect) -> Result<bool, DecodeError> {
        let Some((frame, base, merge)) = &mut self.building else { return Ok(false) };
        let base = base.and_then(|slot| self.frames.get(slot)).and_then(Option::as_ref).map(|base| &base.entities);
        merge.entry(entry, r, base, &self.baselines, dialect.gate(), &mut frame.entities)?;
        if entry == Entry::End
            && let Some((frame, ..)) = self.building.take()
        {
            let place = slot(frame.number);
            // A frame on a base that is not there is nobody's base, and is not shown.
            self.shown = if self.lacks_base { self.shown.filter(|shown| *shown != place) } else { Some(place) };
            let lacks_base = self.lacks_base;
            if let Some(kept) = self.frames.get_mut(place) {
                *kept = Some(frame).filter(|_| !lacks_base);
            }
        }
        Ok(true)
    }
}

impl Held {
    fn shown(&self) -> Option<&Frame> {
        self.frames.get(self.shown?)?.as_ref()
    }
}

impl kit::Scene for Scene {
    fn assume(&mut self, extensions: &str) -> Result<(), String> {
        let (dialect, qport) = crate::dissector::named(extensions, self.tap.dialect)?;
        self.tap = match qport {
            Some(qport) => Tap::of(Asked { protocol: dialect.protocol, qport, minor: None, max_length: None }, dialect),
            None => Tap::new(dialect),
        };
        self.held.is_r1q2 = dialect.is_r1q2();
        Ok(())
    }

    fn extensions(&self) -> Vec<String> {
        Vec::from_iter(self.tap.dialect.is_r1q2().then(|| format!("R1Q2 {}", self.tap.dialect.minor)))
    }

    fn datagram(&mut self, _: u32, bytes: &[u8], out: &mut Dissection) {
        self.held.building = None;
        out.error = self.tap.datagram(Direction::ServerToClient, bytes, Some(out), &mut self.held).err();
    }

    fn fields(&self) -> &'static [Field] {
        &FIELDS
    }

    fn default_entity(&self) -> &'static [i32] {
        &Entity::NULL.0
    }

    fn entities(&self, visit: &mut dyn FnMut(u32, &[i32])) {
        let entities = self.held.shown().into_iter().flat_map(|frame| frame.entities.iter());
        entities.for_each(|(number, state)| visit(number, &state.0));
    }

    fn player(&self, visit: &mut dyn FnMut(&'static str, StatValue)) {
        let Some(frame) = self.held.shown() else { return };
        for (field, value) in PLAYER.iter().zip(frame.player.0) {
            visit(field.name, StatValue::Int(value));
        }
    }

    fn stats(&self, visit: &mut dyn FnMut(Option<u8>, u8, StatValue)) {
        let stats = self.held.shown().into_iter().flat_map(|frame| frame.player.stats());
        for (stat, value) in (0..).zip(stats).filter(|(_, value)| **value != 0) {
            visit(None, stat, StatValue::Int(*value));
        }
    }

    fn stat_name(&self, stat: u8) -> Option<&'static str> {
        const NAMES: [&str; 18] = [
            "health_icon",
            "health",
            "ammo_icon",
            "ammo",
            "armor_icon",
            "armor",
            "selected_icon",
            "pickup_icon",
            "pickup_string",
            "timer_icon",
            "timer",
            "helpicon",
            "selected_item",
            "layouts",
            "frags",
            "flashes",
            "chase",
            "spectator",
        ];
        NAMES.get(usize::from(stat)).copied()
    }

    fn event(&self, service: u8) -> Option<&'static str> {
        let service = if self.held.is_r1q2 { service & SVC_MASK } else { service };
        Some(match service {
            SVC_MUZZLEFLASH => "svc_muzzleflash",
            SVC_MUZZLEFLASH2 => "svc_muzzleflash2",
            SVC_TEMP_ENTITY => "svc_temp_entity",
            SVC_LAYOUT => "svc_layout",
            SVC_INVENTORY => "svc_inventory",
            SVC_DISCONNECT => "svc_disconnect",
            SVC_RECONNECT => "svc_reconnect",
            SVC_SOUND => "svc_sound",
            SVC_PRINT => "svc_print",
            SVC_STUFFTEXT => "svc_stufftext",
            SVC_SERVERDATA => "svc_serverdata",
            SVC_CONFIGSTRING => "svc_configstring",
            SVC_CENTERPRINT => "svc_centerprint",
            SVC_DOWNLOAD => "svc_download",
            SVC_ZDOWNLOAD => "svc_zdownload",
            SVC_PLAYERUPDATE => "svc_playerupdate",
            SVC_SETTING => "svc_setting",
            _ => return None,
        })
    }

    fn frame(&self) -> Option<u32> {
        self.held.newest.map(|number| number as u32)
    }

    fn is_incomplete(&self) -> bool {
        !self.held.is_announced || self.held.lacks_base
    }
}
