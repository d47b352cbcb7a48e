//! A protocol's names and numbers, as messages have them and as endpoints do.

use crate::message::{Happening, Instruction, Number, ObserveReply, Operation, Stat};
use kit::{Command, DecodeError, ErrorKind, Event, HostId, PeerId, Protocol, Setup, StatValue, View};

/// The digits of `bytes`.
pub fn to_hex(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let digit = |nibble: u8| char::from(DIGITS[usize::from(nibble & 15)]);
    bytes.iter().flat_map(|&byte| [digit(byte >> 4), digit(byte)]).collect()
}

/// The bytes of `digits`.
///
/// # Errors
/// What is wrong with them.
pub fn from_hex(digits: &str) -> Result<Vec<u8>, String> {
    let nibble = |digit: u8| char::from(digit).to_digit(16).map(|value| value as u8);
    let (pairs, rest) = digits.as_bytes().as_chunks::<2>();
    if !rest.is_empty() {
        return Err(format!("{} hexadecimal digits are no whole bytes", digits.len()));
    }
    let byte = |[high, low]: &[u8; 2]| Some(nibble(*high)? << 4 | nibble(*low)?);
    let bytes: Option<Vec<u8>> = pairs.iter().map(byte).collect();
    bytes.ok_or_else(|| String::from("something else than hexadecimal digits where bytes should be"))
}

/// What opens a host: the run as that host sees it, from its beginning.
pub fn opening(protocol: &Protocol, setup: &Setup) -> Operation {
    let options = protocol.options.iter().zip(&setup.options);
    let texts = protocol.texts.iter().zip(&setup.texts);
    Operation::Open {
        host: setup.host.0,
        clients: setup.clients,
        profile: setup.profile.name.to_string(),
        seed: format!("{:016x}", setup.seed),
        options: options.map(|(option, value)| (option.name.to_string(), *value)).collect(),
        texts: texts.map(|(text, value)| (text.name.to_string(), value.to_string())).collect(),
        now: 0,
        until: None,
    }
}

/// An instruction with its names.
pub fn instruction(protocol: &Protocol, command: &Command) -> Instruction {
    let field_name = |field: usize| protocol.fields.get(field).map_or("", |field| field.name).to_string();
    match *command {
        Command::Connect => Instruction::Connect,
        Command::Disconnect => Instruction::Disconnect,
        Command::Baseline { entity, field, value } => Instruction::Baseline { entity, field: field_name(field), value },
        Command::Spawn { entity } => Instruction::Spawn { entity },
        Command::Set { entity, field, value } => Instruction::Set { entity, field: field_name(field), value },
        Command::Remove { entity } => Instruction::Remove { entity },
        Command::Stat { client, stat, value } => Instruction::Stat { client, stat, value: number(value) },
        Command::Map => Instruction::Map,
        Command::Verb { verb, args } => {
            let (name, names) = protocol.verbs.get(verb).map_or(("", [].as_slice()), |verb| (verb.name, verb.args));
            let args = names.iter().zip(args).map(|(name, value)| (name.to_string(), value)).collect();
            Instruction::Verb { verb: name.to_string(), args }
        }
    }
}

/// The command that an instruction is.
///
/// # Errors
/// A name that the protocol does not have.
pub fn command(protocol: &Protocol, instruction: &Instruction) -> Result<Command, String> {
    let number = |name: &str| {
        let place = protocol.fields.iter().position(|field| field.name == name);
        place.ok_or_else(|| format!("no field is called `{name}`"))
    };
    Ok(match *instruction {
        Instruction::Connect => Command::Connect,
        Instruction::Disconnect => Command::Disconnect,
        Instruction::Baseline { entity, ref field, value } => {
            Command::Baseline { entity, field: number(field)?, value }
        }
        Instruction::Spawn { entity } => Command::Spawn { entity },
        Instruction::Set { entity, ref field, value } => Command::Set { entity, field: number(field)?, value },
        Instruction::Remove { entity } => Command::Remove { entity },
        Instruction::Stat { client, stat, value } => Command::Stat { client, stat, value: stat_value(value) },
        Instruction::Map => Command::Map,
        Instruction::Verb { ref verb, ref args } => {
            let place = protocol.verbs.iter().position(|row| row.name == verb);
            let place = place.ok_or_else(|| format!("no verb is called `{verb}`"))?;
            let mut values = [0; 4];
            for (value, name) in values.iter_mut().zip(protocol.verbs[place].args) {
                *value = args.get(*name).copied().unwrap_or_default();
            }
            Command::Verb { verb: place, args: values }
        }
    })
}

fn number(value: StatValue) -> Number {
    match value {
        StatValue::Int(value) => Number::Int(value),
        StatValue::Float(value) => Number::Float(value.to_bits()),
    }
}

fn stat_value(number: Number) -> StatValue {
    match number {
        Number::Int(value) => StatValue::Int(value),
        Number::Float(bits) => StatValue::Float(f32::from_bits(bits)),
    }
}

/// What an endpoint says of itself, with its names.
pub fn happening(protocol: &Protocol, event: &Event) -> Happening {
    match event {
        Event::State { peer, from, to, cause } => {
            let [from, to, cause] = [from, to, cause].map(|name| name.to_string());
            Happening::State { peer: peer.host.0, port: peer.port, from, to, cause }
        }
        Event::Rejected { peer, error } => {
            Happening::Rejected { peer: peer.host.0, offset: error.offset, field: error.field.to_string() }
        }
        Event::Print { text } => Happening::Print { text: to_hex(text) },
        Event::Note { note, args } => {
            let (name, names) = protocol.notes.get(*note).map_or(("", [].as_slice()), |note| (note.name, note.args));
            Happening::Note { note: name.to_string(), args: args.iter().take(names.len()).copied().collect() }
        }
    }
}

/// What a message says of an endpoint. The words of others have no place in a trace but the protocol's own: a cause or a
/// refused field that is none is `reported by the shim`.
///
/// # Errors
/// A name or a number of arguments that the protocol does not have.
pub fn event(protocol: &Protocol, host: HostId, happening: &Happening) -> Result<Event, String> {
    const REPORTED: &str = "reported by the shim";
    let peer = |peer: u16, port: u16| PeerId { host: HostId(peer), port };
    Ok(match happening {
        Happening::State { peer: of, port, from, to, .. } => Event::State {
            peer: peer(*of, *port),
            from: state(protocol, host, from)?,
            to: state(protocol, host, to)?,
            cause: REPORTED,
        },
        Happening::Rejected { peer: of, offset, .. } => {
            let kind = ErrorKind::Forbidden { value: 0, why: REPORTED };
            Event::Rejected { peer: peer(*of, 0), error: DecodeError { offset: *offset, field: REPORTED, kind } }
        }
        Happening::Print { text } => Event::Print { text: from_hex(text)? },
        Happening::Note { note, args } => {
            let place = protocol.notes.iter().position(|row| row.name == note);
            let place = place.ok_or_else(|| {
                let known: Vec<&str> = protocol.notes.iter().map(|note| note.name).collect();
                format!("no note is called `{note}`; known are {}", known.join(", "))
            })?;
            let names = protocol.notes[place].args;
            if names.len() != args.len() {
                return Err(format!(
                    "the note `{note}` has {} arguments ({}), not {}",
                    names.len(),
                    names.join(", "),
                    args.len()
                ));
            }
            let mut values = [0; 4];
            values.iter_mut().zip(args).for_each(|(value, arg)| *value = *arg);
            Event::Note { note: place, args: values }
        }
    })
}

/// The state of `host` that has this name.
fn state(protocol: &Protocol, host: HostId, name: &str) -> Result<&'static str, String> {
    let of_server = host == HostId::SERVER;
    let states = if of_server { protocol.states.server } else { protocol.states.client };
    states.iter().copied().find(|state| *state == name).ok_or_else(|| {
        format!(
            "no state of a {} is called `{name}`; known are {}",
            if of_server { "server's session" } else { "client" },
            states.join(", ")
        )
    })
}

/// What an endpoint holds, as a message has it.
pub fn reply(protocol: &Protocol, view: &View, seq: u64) -> ObserveReply {
    let stride = protocol.fields.len().max(1);
    let rows = |values: &[i32]| -> Vec<Vec<i64>> {
        values.chunks(stride).map(|row| row.iter().map(|&value| value.into()).collect()).collect()
    };
    let entity = |(&entity, row): (&u32, &[i32])| {
        std::iter::once(i64::from(entity)).chain(row.iter().map(|&value| value.into())).collect()
    };
    ObserveReply {
        seq,
        error: None,
        state: view.state.to_string(),
        server_time: view.server_time,
        valid: view.valid,
        own_entity: view.own_entity,
        entities: view.numbers.iter().zip(view.fields.chunks(stride)).map(entity).collect(),
        statics: rows(&view.statics),
        stats: view.stats.iter().map(|&(stat, value)| Stat { stat, value: number(value) }).collect(),
    }
}

/// Writes what a message says that an endpoint holds into `view`.
///
/// # Errors
/// Numbers of the wrong size, not enough fields, or entities out of order.
pub fn show(protocol: &Protocol, host: HostId, reply: &ObserveReply, view: &mut View) -> Result<(), String> {
    let wanted = protocol.fields.len();
    let add = |row: &[i64], values: &mut Vec<i32>| -> Result<(), String> {
        if row.len() != wanted {
            return Err(format!("an entity with {} fields; the protocol has {wanted}", row.len()));
        }
        for &value in row {
            // The upper half of what has no sign is as good as its negative.
            let bits = i32::try_from(value).or_else(|_| u32::try_from(value).map(u32::cast_signed));
            values.push(bits.map_err(|_| format!("{value} does not fit in 32 bits"))?);
        }
        Ok(())
    };
    view.state = match reply.state.as_str() {
        // A server is in no state: its sessions are.
        _ if host == HostId::SERVER => "",
        "" => "",
        name => state(protocol, host, name)?,
    };
    (view.server_time, view.valid, view.own_entity) = (reply.server_time, reply.valid, reply.own_entity);
    for row in &reply.entities {
        let (number, fields) = row.split_first().ok_or("an entity without a number")?;
        let number = u32::try_from(*number).map_err(|_| format!("{number} is no entity's number"))?;
        if view.numbers.last().is_some_and(|last| *last >= number) {
            return Err(format!("entity {number} does not ascend"));
        }
        view.numbers.push(number);
        add(fields, &mut view.fields)?;
    }
    for row in &reply.statics {
        add(row, &mut view.statics)?;
    }
    view.stats.extend(reply.stats.iter().map(|stat| (stat.stat, stat_value(stat.value))));
    Ok(())
}
