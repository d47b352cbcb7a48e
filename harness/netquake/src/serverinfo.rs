//! The message that starts a map: what was agreed upon, and the names behind model and sound numbers.

use crate::constants::*;
use kit::{DecodeError, ErrorKind, Reader, Writer};

/// `svc_serverinfo`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ServerInfo<'a> {
    /// First mask of FTE extensions, echoed; `None` without the pair.
    pub fte1: Option<u32>,
    /// Second mask of FTE extensions, echoed.
    pub fte2: Option<u32>,
    /// Mask of ezQuake extensions, echoed.
    pub mvd1: Option<u32>,
    /// Protocol number: 15, 666 or 999.
    pub protocol: u32,
    /// `PRFL_*` flags; 0 unless `protocol` is 999.
    pub protocol_flags: u32,
    /// The game directory; on the wire only when `fte2` has [`PEXT2_PREDINFO`].
    pub gamedir: Option<&'a [u8]>,
    /// Number of player slots.
    pub max_clients: u8,
    /// 0 for cooperative play, 1 for deathmatch.
    pub game_type: u8,
    /// The map's title.
    pub level: &'a [u8],
    /// Names of the models from number 1 on; 1 is the map itself.
    pub models: Vec<&'a [u8]>,
    /// Names of the sounds from number 1 on.
    pub sounds: Vec<&'a [u8]>,
}

impl<'a> ServerInfo<'a> {
    /// Whether the game directory is on the wire.
    fn has_gamedir(&self) -> bool {
        self.fte2.is_some_and(|mask| mask & PEXT2_PREDINFO != 0)
    }

    /// Appends the message after its service number. Empty model and sound names are left out, since an empty name ends
    /// a list.
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
        if self.protocol == PROTOCOL_RMQ {
            w.u32("protocol flags", self.protocol_flags);
        }
        if self.has_gamedir() {
            w.string("gamedir", self.gamedir.unwrap_or_default());
        }
        w.u8("max clients", self.max_clients);
        w.u8("game type", self.game_type);
        w.string("level", self.level);
        for (field, names) in [("model", &self.models), ("sound", &self.sounds)] {
            for name in names.iter().filter(|name| !name.is_empty()) {
                w.string(field, name);
            }
            w.string(field, b"");
        }
    }

    /// Reads the message after its service number. Pairs may come in any order; of a repeated one the last counts.
    ///
    /// # Errors
    /// The data ends inside it, the protocol is none of those known, or there are more pairs or names than allowed.
    pub fn read(r: &mut Reader<'a>) -> Result<ServerInfo<'a>, DecodeError> {
        let mut info = ServerInfo::default();
        info.protocol = 'protocol: {
            for _ in 0..=MAX_EXTENSION_PAIRS {
                let offset = r.at();
                // Keys and protocol numbers share one place, so they share one name.
                let mask = match r.u32("protocol version")? {
                    PROTOCOL_VERSION_FTE => &mut info.fte1,
                    PROTOCOL_VERSION_FTE2 => &mut info.fte2,
                    PROTOCOL_VERSION_EZQUAKE1 => &mut info.mvd1,
                    value @ (PROTOCOL_NETQUAKE | PROTOCOL_FITZQUAKE | PROTOCOL_RMQ) => break 'protocol value,
                    value => return r.error(offset, "protocol version", ErrorKind::Unknown { value }),
                };
                *mask = Some(r.u32("extension mask")?);
            }
            let kind = ErrorKind::TooLarge { value: MAX_EXTENSION_PAIRS + 1, limit: MAX_EXTENSION_PAIRS };
            return r.error(r.at(), "protocol version", kind);
        };
        if info.protocol == PROTOCOL_RMQ {
            info.protocol_flags = r.u32("protocol flags")?;
        }
        if info.has_gamedir() {
            info.gamedir = Some(r.string("gamedir")?);
        }
        info.max_clients = r.u8("max clients")?;
        info.game_type = r.u8("game type")?;
        info.level = r.string("level")?;
        info.models = read_names(r, "model")?;
        info.sounds = read_names(r, "sound")?;
        Ok(info)
    }
}

/// Reads names up to the empty one.
fn read_names<'a>(r: &mut Reader<'a>, field: &'static str) -> Result<Vec<&'a [u8]>, DecodeError> {
    let mut names = Vec::new();
    loop {
        let offset = r.at();
        match r.string(field)? {
            [] => return Ok(names),
            _ if names.len() == MAX_PRECACHES => {
                let kind = ErrorKind::TooLarge { value: names.len() + 1, limit: MAX_PRECACHES };
                return r.error(offset, field, kind);
            }
            name => names.push(name),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(info: &ServerInfo<'_>, bytes: &[u8]) {
        let mut out = Vec::new();
        info.write(&mut Writer::new(&mut out));
        assert_eq!(out, bytes);
        let mut r = Reader::new(bytes);
        assert_eq!(ServerInfo::read(&mut r).as_ref(), Ok(info));
        assert_eq!(r.left(), 0);
        for length in 0..bytes.len() {
            let error = ServerInfo::read(&mut Reader::new(&bytes[..length])).unwrap_err();
            assert!(!error.field.is_empty());
            assert!(matches!(error.kind, ErrorKind::Truncated { .. } | ErrorKind::Unterminated), "{error}");
        }
    }

    fn fails(bytes: &[u8], message: &str) {
        let error = ServerInfo::read(&mut Reader::new(bytes)).unwrap_err();
        assert_eq!(error.to_string(), message);
    }

    #[test]
    fn without_extensions_it_begins_with_the_protocol() {
        // The head of the message in qss_protocol15.txt, with fewer names.
        let info = ServerInfo {
            protocol: 15,
            max_clients: 8,
            level: b"gap probe",
            models: vec![b"maps/gap.bsp", b"*1"],
            sounds: vec![b"misc/null.wav"],
            ..ServerInfo::default()
        };
        check(&info, b"\x0f\0\0\0\x08\0gap probe\0maps/gap.bsp\0*1\0\0misc/null.wav\0\0");
    }

    #[test]
    fn replacement_deltas_alone_bring_no_game_directory() {
        // fteqw_nq_ack_minus1.txt
        let info = ServerInfo {
            fte2: Some(8),
            protocol: 666,
            max_clients: 1,
            game_type: 1,
            level: b"gap probe",
            models: vec![b"maps/gap.bsp"],
            ..ServerInfo::default()
        };
        check(&info, b"FTE2\x08\0\0\0\x9a\x02\0\0\x01\x01gap probe\0maps/gap.bsp\0\0\0");
    }

    #[test]
    fn predinfo_brings_the_game_directory() {
        // fteqw_nq_deltas_predinfo.txt
        let info = ServerInfo {
            fte2: Some(0x28),
            protocol: 666,
            gamedir: Some(b"qw"),
            max_clients: 1,
            game_type: 1,
            level: b"gap probe",
            models: vec![b"maps/gap.bsp"],
            ..ServerInfo::default()
        };
        check(&info, b"FTE2\x28\0\0\0\x9a\x02\0\0qw\0\x01\x01gap probe\0maps/gap.bsp\0\0\0");
    }

    #[test]
    fn protocol_999_brings_its_flags() {
        // qss_nq_deltas_predinfo.txt, with fewer names
        let info = ServerInfo {
            fte2: Some(0x28),
            protocol: 999,
            protocol_flags: 0x12,
            gamedir: Some(b""),
            max_clients: 8,
            level: b"gap probe",
            models: vec![b"maps/start.bsp", b"*1"],
            ..ServerInfo::default()
        };
        check(&info, b"FTE2\x28\0\0\0\xe7\x03\0\0\x12\0\0\0\0\x08\0gap probe\0maps/start.bsp\0*1\0\0\0");
    }

    #[test]
    fn pairs_come_in_any_order_and_the_last_counts() {
        let bytes = b"MVD1\x01\0\0\0FTE2\xff\0\0\0FTEX\0\x80\0\0FTE2\x08\0\0\0\x0f\0\0\0\x01\0\0\0\0";
        let info = ServerInfo::read(&mut Reader::new(bytes)).unwrap();
        assert_eq!((info.mvd1, info.fte1, info.fte2), (Some(1), Some(0x8000), Some(8)));
        let mut out = Vec::new();
        info.write(&mut Writer::new(&mut out));
        assert_eq!(ServerInfo::read(&mut Reader::new(&out)), Ok(info));
    }

    #[test]
    fn strange_protocols_are_refused() {
        fails(&[16, 0, 0, 0], "protocol version at byte 0: unknown value 0x10");
        fails(b"FTE2\x08\0\0\0FTE3", "protocol version at byte 8: unknown value 0x33455446");
        fails(&b"FTE2\x08\0\0\0".repeat(9), "protocol version at byte 72: 9 is above the limit of 8");
    }

    #[test]
    fn lists_of_names_are_bounded() {
        let mut bytes = b"\x0f\0\0\0\x01\0\0".to_vec();
        bytes.extend(b"a\0".repeat(MAX_PRECACHES + 1));
        fails(&bytes, "model at byte 32775: 16385 is above the limit of 16384");
    }

    #[test]
    fn an_empty_name_does_not_end_a_list_early() {
        let info = ServerInfo { protocol: 15, models: vec![b"a", b"", b"b"], ..ServerInfo::default() };
        let mut out = Vec::new();
        info.write(&mut Writer::new(&mut out));
        assert_eq!(ServerInfo::read(&mut Reader::new(&out)).map(|info| info.models.len()), Ok(2));
    }
}
