//! Numbers as the files of Quake's engines have them, and the lumps of a map.

/// A part of a file.
#[derive(Default)]
pub(super) struct Lump(pub Vec<u8>);

impl Lump {
    pub(super) fn ints(mut self, values: &[i32]) -> Lump {
        values.iter().for_each(|value| self.0.extend(value.to_le_bytes()));
        self
    }

    pub(super) fn shorts(mut self, values: &[i16]) -> Lump {
        values.iter().for_each(|value| self.0.extend(value.to_le_bytes()));
        self
    }

    pub(super) fn floats(mut self, values: &[f32]) -> Lump {
        values.iter().for_each(|value| self.0.extend(value.to_le_bytes()));
        self
    }

    /// A text in so many bytes, with zeros behind it; what is longer is cut off.
    pub(super) fn text(mut self, text: &str, bytes: usize) -> Lump {
        let end = self.0.len() + bytes;
        self.0.extend(text.bytes().take(bytes));
        self.0.resize(end, 0);
        self
    }
}

/// A map: what it begins with, where each lump lies and how long it is, and then the lumps, each at a place that four divides.
pub(super) fn whole(mut head: Lump, lumps: &[Lump]) -> Vec<u8> {
    let begin = head.0.len() + 8 * lumps.len();
    let mut body = Vec::new();
    for Lump(bytes) in lumps {
        head = head.ints(&[(begin + body.len()) as i32, bytes.len() as i32]);
        body.extend_from_slice(bytes);
        body.resize(body.len().next_multiple_of(4), 0);
    }
    head.0.extend(body);
    head.0
}
