//! Two invented protocols, of which a datagram can belong to either, with requirements that use every column.

use kit::mutant::of_server;
use kit::variant::of_client;
use kit::{
    Check, Direction, Dissection, Dissector, ErrorKind, HostId, KnownBy, Knows, Level, Mark, Profile, Protocol, Reader,
    Requirement, Role, breaks,
};

/// Datagrams of the invented protocols: a letter, a count, and that many shorts. Both have the letter `c` in common; to `b`
/// it announces an extension.
struct Letters(u8, Vec<String>);

impl Dissector for Letters {
    fn datagram(&mut self, _client: HostId, direction: Direction, bytes: &[u8], out: &mut Dissection) {
        let mut spans = Vec::new();
        let mut reader = if out.want_spans { Reader::with_spans(bytes, &mut spans) } else { Reader::new(bytes) };
        let mut read = || {
            let letter = reader.u8("letter")?;
            if letter != self.0 && letter != b'c' {
                return reader.error(0, "letter", ErrorKind::Unknown { value: letter.into() });
            }
            let count = reader.u8("count")?;
            let group = reader.begin("numbers");
            for _ in 0..count {
                let number = reader.i16("number")?;
                out.marks.push(Mark { kind: 0, number: number.unsigned_abs().into() });
                out.messages += 1;
            }
            reader.end(group);
            reader.finish("rest")
        };
        out.error = read().err();
        if self.0 == b'b' && bytes.first() == Some(&b'c') && self.1.is_empty() {
            self.1.push("COMMON".to_string());
        }
        out.summary = format!("{direction} letter {}", char::from(self.0));
        out.spans = spans;
        if bytes.len() == 4 && out.want_spans {
            let whole = b"\x05\x00whole\0".to_vec();
            let mut spans = Vec::new();
            let mut reader = Reader::with_spans(&whole, &mut spans);
            let _ = reader.u16("size").and_then(|_| reader.string("text").map(<[u8]>::len));
            out.assembled.push((whole, spans));
        }
    }

    fn extensions(&self) -> Vec<String> {
        self.1.clone()
    }

    fn assume(&mut self, extensions: &str) -> Result<(), String> {
        match extensions {
            "BIG" => {
                self.1.push("BIG".to_string());
                Ok(())
            }
            other => Err(format!("no extension `{other}`; known is BIG")),
        }
    }
}

static FIRST: Requirement = Requirement::new(
    "LET-NUM-01",
    Role::Server,
    Level::Must,
    "Count the numbers.",
    "Numbers, paragraph 1",
    "wire: the count",
);
static SECOND: Requirement = Requirement::new(
    "LET-NUM-02",
    Role::Client,
    Level::ShouldNot,
    "Wait for numbers.",
    "Numbers, paragraph 2",
    "state",
);
static THIRD: Requirement =
    Requirement::new("LET-NUM-03", Role::Both, Level::Must, "Be quick.", "Numbers, paragraph 3", "state")
        .only(&["letters-b"])
        .decided_by("LETTERS-1")
        .untestable("there is no clock")
        .errata("quick is not defined")
        .engines("the first engine is slow");

static COUNTED: Check = Check::new("numbers-are-counted", &[breaks(&FIRST, &[])]).knows(&[Knows::World]);

/// As the smallest protocol, but for these requirements and datagrams.
macro_rules! letters {
    ($name:ident, $profile:literal, $letter:literal, $requirements:expr) => {
        pub(super) static $name: Protocol = Protocol {
            name: $profile,
            profiles: &[Profile {
                name: $profile,
                title: "Its only form.",
                index: 0,
                udp_port: 1,
                known_by: KnownBy::Port,
            }],
            marks: &["number"],
            checks: &[&COUNTED],
            requirements: $requirements,
            mutants: &[&[of_server(
                "miscounts",
                &FIRST,
                "letters/count",
                "counts one too many",
                skeleton::PROTOCOL.server,
            )
            .same_bug_as("an engine, first version")]],
            variants: &[&[
                of_client("waits", "waits for numbers, against advice", skeleton::PROTOCOL.client).waives(&[&SECOND])
            ]],
            dissector: |_| Box::new(Letters($letter, Vec::new())),
            ..skeleton::PROTOCOL
        };
    };
}
letters!(A, "letters-a", b'a', &[&FIRST, &SECOND, &THIRD]);
letters!(B, "letters-b", b'b', &[]);
