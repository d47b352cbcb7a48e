//! How a map begins: what was agreed upon, the rules of movement, and the names behind model and sound numbers.

use crate::numbers::PROTOCOL_VERSION_QW;
use kit::{DecodeError, ErrorKind, Reader, Writer};
use netquake::constants::{
    MAX_EXTENSION_PAIRS, MAX_PRECACHES, PROTOCOL_VERSION_EZQUAKE1, PROTOCOL_VERSION_FTE, PROTOCOL_VERSION_FTE2,
};

/// FTE1 mask: several players after one connection, which changes the layout of [`ServerData`].
pub const PEXT_SPLITSCREEN: u32 = 0x0010_0000;
/// FTE2 mask: more than 32 players, which changes the layout of [`ServerData`].
pub const PEXT2_MAXPLAYERS: u32 = 0x10;
/// ezQuake's mask: coords of entities and players are floats.
pub const EZ_FLOAT_ENTITIES: u32 = 1;
/// Bit of [`ServerData::player`]: the client is a spectator.
pub const PLAYER_SPECTATOR: u8 = 1 << 7;
/// Ends the list of seats, with [`PEXT_SPLITSCREEN`] alone.
const NO_MORE_SEATS: u8 = 128;
/// Names of the rules of movement, in wire order.
pub const MOVEVAR_NAMES: [&str; 10] = [
    "gravity",
    "stopspeed",
    "maxspeed",
    "spectatormaxspeed",
    "accelerate",
    "airaccelerate",
    "wateraccelerate",
    "friction",
    "waterfriction",
    "entgravity",
];

/// [`SVC_SERVERDATA`](crate::SVC_SERVERDATA).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ServerData<'a> {
    /// First mask of FTE extensions, echoed; `None` without the pair.
    pub fte1: Option<u32>,
    /// Second mask of FTE extensions, echoed.
    pub fte2: Option<u32>,
    /// Mask of ezQuake extensions, echoed.
    pub mvd1: Option<u32>,
    /// Protocol number: 28.
    pub protocol: u32,
    /// Distinguishes this map's sign-on from that of earlier maps; the client repeats it.
    pub spawncount: u32,
    /// The game directory.
    pub gamedir: &'a [u8],
    /// The client's slot, from 0, and [`PLAYER_SPECTATOR`].
    pub player: u8,
    /// How many slots there are, and how many seats, with [`PLAYER_SPECTATOR`]; with [`PEXT2_MAXPLAYERS`] only.
    pub slots: Option<(u8, u8)>,
    /// The slots of the client's further seats, with either extension.
    pub more_seats: &'a [u8],
    /// An `.mvd`: the time of the game, in seconds, which stands in the place of the client's slot.
    pub time: Option<f32>,
    /// The map's title.
    pub level: &'a [u8],
    /// The rules of movement, by [`MOVEVAR_NAMES`].
    pub movevars: [f32; 10],
}

impl<'a> ServerData<'a> {
    /// Appends the message after its service number.
    pub fn write(&self, w: &mut Writer<'_>) {
        let pairs = [
            (PROTOCOL_VERSION_FTE, self.fte1),
            (PROTOCOL_VERSION_FTE2, self.fte2),
            (PROTOCOL_VERSION_EZQUAKE1, self.mvd1),
        ];
        for (key, mask) in pairs {
            if let Some(mask) = mask {
                w.u32("protocol version", key);
                w.u32("extension mask", mask);
            }
        }
        w.u32("protocol version", self.protocol);
        w.u32("spawncount", self.spawncount);
        w.string("gamedir", self.gamedir);
        if let Some((slots, seats)) = self.slots {
            w.u8("slots", slots);
            if self.time.is_none() {
                w.u8("seats", seats);
            }
        }
        if let Some(time) = self.time {
            w.f32("time", time);
        } else {
            w.u8("player", self.player);
        }
        for &seat in self.more_seats {
            w.u8("player", seat);
        }
        if self.time.is_none() && self.slots.is_none() && self.fte1.is_some_and(|mask| mask & PEXT_SPLITSCREEN != 0) {
            w.u8("player", NO_MORE_SEATS);
        }
        w.string("level", self.level);
        for (field, value) in MOVEVAR_NAMES.into_iter().zip(self.movevars) {
            w.f32(field, value);
        }
    }

    /// Reads the message after its service number. Pairs may come in any order; of a repeated one the last counts.
    /// In an `.mvd`, which is of all players (`multi_view`), no client has a slot.
    ///
    /// # Errors
    /// The data ends inside it, the protocol is unknown, or there are too many pairs or no seat.
    pub fn read(r: &mut Reader<'a>, multi_view: bool) -> Result<ServerData<'a>, DecodeError> {
        let mut data = ServerData::default();
        for pairs in 0.. {
            let offset = r.at();
            let key = r.u32("protocol version")?;
            let mask = match key {
                PROTOCOL_VERSION_FTE => &mut data.fte1,
                PROTOCOL_VERSION_FTE2 => &mut data.fte2,
                PROTOCOL_VERSION_EZQUAKE1 => &mut data.mvd1,
                PROTOCOL_VERSION_QW => {
                    data.protocol = key;
                    break;
                }
                value => return r.error(offset, "protocol version", ErrorKind::Unknown { value }),
            };
            if pairs == MAX_EXTENSION_PAIRS {
                let kind = ErrorKind::TooLarge { value: pairs + 1, limit: MAX_EXTENSION_PAIRS };
                return r.error(offset, "protocol version", kind);
            }
            *mask = Some(r.u32("extension mask")?);
        }
        data.spawncount = r.u32("spawncount")?;
        data.gamedir = r.string("gamedir")?;
        if multi_view {
            if data.fte2.is_some_and(|mask| mask & PEXT2_MAXPLAYERS != 0) {
                data.slots = Some((r.u8("slots")?, 0));
            }
            data.time = Some(r.f32("time")?);
        } else {
            data.read_seats(r)?;
        }
        data.level = r.string("level")?;
        for (field, value) in MOVEVAR_NAMES.into_iter().zip(&mut data.movevars) {
            *value = r.f32(field)?;
        }
        Ok(data)
    }

    /// Reads in which slots the client sits, in the form that the masks say.
    fn read_seats(&mut self, r: &mut Reader<'a>) -> Result<(), DecodeError> {
        if self.fte2.is_some_and(|mask| mask & PEXT2_MAXPLAYERS != 0) {
            let slots = r.u8("slots")?;
            let offset = r.at();
            let seats = r.u8("seats")?;
            self.slots = Some((slots, seats));
            let Some((&first, more)) = r.bytes("player", usize::from(seats & !PLAYER_SPECTATOR))?.split_first() else {
                let why = "a client of MAXPLAYERS has a seat";
                return r.error(offset, "seats", ErrorKind::Forbidden { value: seats.into(), why });
            };
            (self.player, self.more_seats) = (first, more);
            return Ok(());
        }
        self.player = r.u8("player")?;
        if self.fte1.is_some_and(|mask| mask & PEXT_SPLITSCREEN != 0) {
            let mut more = 0;
            while r.u8("player")? != NO_MORE_SEATS {
                more += 1;
            }
            self.more_seats = r.around(more + 1).get(..more).unwrap_or_default();
        }
        Ok(())
    }
}

/// Writes [`SVC_SOUNDLIST`](crate::SVC_SOUNDLIST) or [`SVC_MODELLIST`](crate::SVC_MODELLIST), its number included: the
/// names behind number `start`. `next` is where the client is to ask on, 0 when the list is complete. Empty names are
/// left out, since an empty name ends the list.
pub fn write_list(w: &mut Writer<'_>, service: u8, start: u8, names: &[&[u8]], next: u8) {
    w.u8("svc", service);
    w.u8("start", start);
    for name in names.iter().filter(|name| !name.is_empty()) {
        w.string("name", name);
    }
    w.string("name", b"");
    w.u8("next", next);
}

/// Reads the names of a list and where to ask on.
///
/// # Errors
/// The data ends inside it, or there are more than [`MAX_PRECACHES`] names.
pub fn read_list<'a>(r: &mut Reader<'a>) -> Result<(Vec<&'a [u8]>, u8), DecodeError> {
    let mut names = Vec::new();
    loop {
        let offset = r.at();
        match r.string("name")? {
            [] => return Ok((names, r.u8("next")?)),
            _ if names.len() == MAX_PRECACHES => {
                let kind = ErrorKind::TooLarge { value: names.len() + 1, limit: MAX_PRECACHES };
                return r.error(offset, "name", kind);
            }
            name => names.push(name),
        }
    }
}
