//! Messages that extensions bring which our own ends never ask for: they are read past, so that what stands after them
//! can be judged.

pub mod inputs;

use crate::constants::field_names::MOVEMENT_SEQUENCE;
use crate::constants::*;
use crate::delta::read_leb;
use crate::dialect::{Dialect, Transport};
use crate::extensions::Extensions;
use Part::*;
use Transport::{NetQuake, QuakeWorld};
use kit::table::float_bits;
use kit::{DecodeError, ErrorKind, Reader};
use netquake::{Move, MoveForm};

/// A field of a message.
#[derive(Clone, Copy, Debug)]
enum Part {
    Byte,
    Short,
    /// A long or a float.
    Long,
    Text,
    /// A position: three coords.
    Point,
    /// Three of the finer angles.
    FineAngles,
    /// A short, and so many bytes.
    Data,
    /// A byte, and so many bytes.
    Counted,
    /// A short, of which the low 15 bits say how many bytes follow; bit 15 says in whose form.
    Marked,
    /// A byte, and as many shorts as it has bits of the lowest three.
    Angles,
    /// A byte, whose lowest bit says that the number that follows a position is wide; and two bytes.
    Sound,
    /// Values, each after a byte with its type, up to a 0; and the name of what takes them.
    Request,
}

/// A message of another program.
struct Foreign {
    /// The transport that has it; `None` for both.
    transport: Option<Transport>,
    number: u8,
    /// Its name, and the extension that brings it: what errors call its fields.
    name: &'static str,
    /// The bits of the masks of which one brings it; both 0 where any FTE extension does.
    fte1: u32,
    fte2: u32,
    /// Its fields; `None` where the game's own code defines them.
    parts: Option<&'static [Part]>,
}

const fn row(number: u8, name: &'static str, fte1: u32, fte2: u32, parts: &'static [Part]) -> Foreign {
    Foreign { transport: None, number, name, fte1, fte2, parts: Some(parts) }
}

const fn only(transport: Transport, foreign: Foreign) -> Foreign {
    Foreign { transport: Some(transport), ..foreign }
}

const fn own_code(number: u8, name: &'static str) -> Foreign {
    Foreign { transport: None, number, name, fte1: 0, fte2: 0, parts: None }
}

/// The messages of servers.
static FROM_SERVER: &[Foreign] = &[
    only(QuakeWorld, row(25, "splitscreenconfig of SPLITSCREEN", PEXT_SPLITSCREEN, PEXT2_MAXPLAYERS, &[Counted])),
    only(QuakeWorld, row(57, "lightstylecol of LIGHTSTYLECOL", PEXT_LIGHTSTYLECOL, 0, &[Byte, Byte, Text])),
    row(68, "choosesplitclient of SPLITSCREEN", PEXT_SPLITSCREEN, 0, &[Byte]),
    row(74, "effect", 0, 0, &[Point, Byte, Byte, Byte, Byte]),
    row(75, "effect2", 0, 0, &[Point, Short, Short, Byte, Byte]),
    only(QuakeWorld, row(77, "precache", 0, 0, &[Short, Text])),
    row(80, "trailparticles", 0, 0, &[Short, Short, Point, Point]),
    row(81, "pointparticles", 0, 0, &[Short, Point, Point, Short]),
    row(82, "pointparticles1", 0, 0, &[Short, Point]),
    only(NetQuake, row(60, "trailparticles", 0, 0, &[Short, Short, Point, Point])),
    only(NetQuake, row(61, "pointparticles", 0, 0, &[Short, Point, Point, Short])),
    only(NetQuake, row(62, "pointparticles1", 0, 0, &[Short, Point])),
    row(84, "voicechat of VOICECHAT", 0, PEXT2_VOICECHAT, &[Byte, Byte, Byte, Data]),
    row(85, "setangledelta of SETANGLEDELTA", 0, PEXT2_SETANGLEDELTA, &[FineAngles]),
    row(88, "updateseats of SPLITSCREEN", PEXT_SPLITSCREEN, PEXT2_MAXPLAYERS, &[Counted]),
    row(89, "setinfoblob of INFOBLOBS", 0, PEXT2_INFOBLOBS, &[Byte, Text, Long, Data]),
    row(90, "cgamepacket of CSQC", 0, 0, &[Data]),
    own_code(83, "cgamepacket of CSQC"),
    own_code(87, "brushedit of FTE"),
    row(91, "temp entity of FTE", 0, 0, &[Marked]),
    row(93, "setanglebase of VRINPUTS", 0, PEXT2_VRINPUTS, &[Angles]),
    row(94, "spawnstaticsound2 of FTE", 0, PEXT2_REPLACEMENTDELTAS, &[Sound]),
];

/// The messages of clients.
static FROM_CLIENT: &[Foreign] = &[
    row(83, "voicechat of VOICECHAT", 0, PEXT2_VOICECHAT, &[Byte, Byte, Data]),
    row(86, "stringcmd of SPLITSCREEN", 0, 0, &[Byte, Text]),
    row(81, "qcrequest of CSQC", PEXT_CSQC, 0, &[Request]),
    row(
        82,
        "cursor of PRYDONCURSOR",
        0,
        PEXT2_PRYDONCURSOR,
        &[Short, Short, Long, Long, Long, Long, Long, Long, Short],
    ),
    own_code(84, "brushedit of FTE"),
    row(85, "move of VRINPUTS", 0, PEXT2_VRINPUTS, &[]),
];

/// The name of a server's message of another program.
pub fn name(service: u8, transport: Transport) -> Option<&'static str> {
    let here = |row: &&Foreign| row.number == service && row.transport.is_none_or(|it| it == transport);
    FROM_SERVER.iter().find(here).map(|row| row.name.split(" of ").next().unwrap_or(row.name))
}

/// Reads past the rest of a server's message, whose number stands at `offset`; whether it is one of another program.
///
/// # Errors
/// The data ends inside it, or its extension was not agreed upon, or nobody but the game can read it: the field is the
/// message's name, with that of its extension.
pub fn skip_service(r: &mut Reader<'_>, offset: usize, service: u8, dialect: &Dialect) -> Result<bool, DecodeError> {
    skip(FROM_SERVER, r, offset, service, dialect)
}

/// Reads past the rest of a client's message, as [`skip_service`] does.
///
/// # Errors
/// As those of [`skip_service`].
pub fn skip_command(r: &mut Reader<'_>, offset: usize, command: u8, dialect: &Dialect) -> Result<bool, DecodeError> {
    skip(FROM_CLIENT, r, offset, command, dialect)
}

fn skip(
    table: &'static [Foreign],
    r: &mut Reader<'_>,
    offset: usize,
    number: u8,
    dialect: &Dialect,
) -> Result<bool, DecodeError> {
    let here =
        |row: &&Foreign| row.number == number && row.transport.is_none_or(|transport| transport == dialect.transport);
    let agreed = dialect.extensions;
    let Some(foreign) = table.iter().find(here).filter(|_| agreed != Extensions::default()) else { return Ok(false) };
    let forbidden = |why| ErrorKind::Forbidden { value: number.into(), why };
    let any = foreign.fte1 | foreign.fte2 == 0;
    if !any && agreed.fte1 & foreign.fte1 == 0 && agreed.fte2 & foreign.fte2 == 0 {
        return r.error(offset, foreign.name, forbidden("the extension was not agreed upon"));
    }
    let Some(parts) = foreign.parts else {
        return r.error(offset, foreign.name, forbidden("what such a message has is not known here"));
    };
    for part in parts {
        part.skip(r, foreign.name, dialect)?;
    }
    Ok(true)
}

/// The number of a chunk that is none: the file's size and name follow.
const NO_CHUNK: u32 = u32::MAX;
/// A size that stands for two longs.
const HUGE_FILE: u32 = 1 << 31;
const CHUNK_BYTES: usize = 1024;

/// Reads past the rest of QuakeWorld's download in the form of `PEXT_CHUNKEDDOWNLOADS`.
///
/// # Errors
/// The data ends inside it.
pub fn skip_chunk(r: &mut Reader<'_>) -> Result<(), DecodeError> {
    const NAME: &str = "download of CHUNKEDDOWNLOADS";
    if r.u32(NAME)? != NO_CHUNK {
        return r.bytes(NAME, CHUNK_BYTES).map(drop);
    }
    if r.u32(NAME)? == HUGE_FILE {
        r.bytes(NAME, 8)?;
    }
    r.string(NAME).map(drop)
}

/// Bit of the buttons of a move: the number of a weapon follows.
const BUTTON_WEAPON: u32 = 1 << 30;
/// Bit of the buttons of a move: the cursor follows.
const BUTTON_CURSOR: u32 = 1 << 31;

/// Reads the rest of a NetQuake client's move in the form of `PEXT2_PRYDONCURSOR`: 32 buttons, of which 8 are kept, and
/// what two of them announce.
///
/// # Errors
/// The data ends inside it.
pub fn read_move_with_cursor(r: &mut Reader<'_>, form: &MoveForm, dialect: &Dialect) -> Result<Move, DecodeError> {
    const NAME: &str = "cursor of PRYDONCURSOR";
    let sequence = if form.sequence { r.u16(MOVEMENT_SEQUENCE)? } else { 0 };
    let time = float_bits(r.f32("time")?);
    let mut angles = [0; 3];
    for at in 0..3 {
        form.angle.read(r, "view angle", &mut angles, at, 0)?;
    }
    let (forward, side, up) = (r.i16("forward")?, r.i16("side")?, r.i16("up")?);
    let buttons = r.u32("buttons")?;
    let impulse = r.u8("impulse")?;
    if buttons & BUTTON_WEAPON != 0 {
        r.u32("weapon")?;
    }
    if buttons & BUTTON_CURSOR != 0 {
        // Where on the screen, and from where to where in the world.
        r.bytes(NAME, 2 * 2 + 6 * 4)?;
        dialect.primitives.read_entity(r, NAME)?;
    }
    Ok(Move { sequence, time, angles, forward, side, up, buttons: buttons as u8, impulse })
}

impl Part {
    fn skip(self, r: &mut Reader<'_>, name: &'static str, dialect: &Dialect) -> Result<(), DecodeError> {
        match self {
            Byte => r.u8(name).map(drop),
            Short => r.u16(name).map(drop),
            Long => r.u32(name).map(drop),
            Text => r.string(name).map(drop),
            Point => dialect.primitives.read_point(r, name).map(drop),
            FineAngles => (0..3).try_for_each(|_| dialect.primitives.read_angle16(r, name).map(drop)),
            Data => {
                let length = r.u16(name)?;
                r.bytes(name, length.into()).map(drop)
            }
            Counted => {
                let length = r.u8(name)?;
                r.bytes(name, length.into()).map(drop)
            }
            Marked => {
                let length = r.u16(name)? & 0x7fff;
                r.bytes(name, length.into()).map(drop)
            }
            Angles => {
                let which = r.u8(name)? & 7;
                r.bytes(name, 2 * which.count_ones() as usize).map(drop)
            }
            Sound => {
                let wide = r.u8(name)? & 1 != 0;
                dialect.primitives.read_point(r, name)?;
                match wide {
                    true if dialect.extensions.fte2 & PEXT2_LERPTIME != 0 => read_leb(r, name).map(drop)?,
                    true => r.u16(name).map(drop)?,
                    false => r.u8(name).map(drop)?,
                }
                r.u16(name).map(drop)
            }
            Request => skip_request(r, name, dialect),
        }
    }
}

/// Types of a request's values, as QuakeC numbers them; those that are not here take a long.
const TYPE_VOID: u8 = 0;
const TYPE_STRING: u8 = 1;
const TYPE_VECTOR: u8 = 3;
const TYPE_ENTITY: u8 = 4;
/// The first of the numbers that choose among the seats of a split screen, and take nothing.
const TYPE_SEAT: u8 = 200;

fn skip_request(r: &mut Reader<'_>, name: &'static str, dialect: &Dialect) -> Result<(), DecodeError> {
    loop {
        match r.u8(name)? {
            TYPE_VOID => return r.string(name).map(drop),
            TYPE_STRING => r.string(name).map(drop)?,
            TYPE_VECTOR => r.bytes(name, 3 * 4).map(drop)?,
            TYPE_ENTITY => dialect.primitives.read_entity(r, name).map(drop)?,
            TYPE_SEAT.. => {}
            _ => r.u32(name).map(drop)?,
        }
    }
}
