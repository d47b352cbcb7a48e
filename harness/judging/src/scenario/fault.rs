//! Scripted faults: the one list of them, and which datagrams they concern.

use super::short::{Duration, HostName, Range, Way};
use kit::Damage;
use serde::Deserialize;
use serde::de::{self, Deserializer, MapAccess, Visitor};
use serde_yaml::Value;
use sim::Action;
use std::fmt;

/// Latencies and delays are at most a minute.
pub(super) const MAX_DELAY_US: u64 = 60_000_000;

/// A key of [`Select`], and whether a selection has it.
type OwnKey = (&'static str, fn(&Select) -> bool);

/// A fault of the list: its key in a file, the key of [`Select`] that it alone has, and what it does.
pub(super) struct Known {
    pub name: &'static str,
    pub select: fn(&Fault) -> Option<&Select>,
    /// The fault's own key, and whether a selection has it.
    own: Option<OwnKey>,
    read: fn(&Select) -> Result<Action, Mistake>,
}

/// The key of a fault that selects no datagrams, and whether it is given.
type UnselectiveKey = (&'static str, fn(&Fault) -> bool);

/// The faults that select no datagrams.
pub(super) const UNSELECTIVE: [UnselectiveKey; 4] = [
    ("outage", |fault| fault.outage.is_some()),
    ("pause", |fault| fault.pause.is_some()),
    ("restart", |fault| fault.restart.is_some()),
    ("rebind", |fault| fault.rebind.is_some()),
];

/// What is wrong with a fault, and where.
pub(super) struct Mistake {
    pub at: At,
    pub label: &'static str,
    pub message: String,
    pub help: Option<&'static str>,
}

/// A place in a fault.
pub(super) enum At {
    Fault,
    /// The name of a key.
    Name(&'static str),
    /// The value of a key.
    Value(&'static str),
}

/// A row per fault: what it does, its name; its own key, how that is checked and written, and its help; the action, made of the
/// key's value.
macro_rules! faults {
    ($($(#[$doc:meta])* $name:ident $(($key:ident: $check:ident, $write:ident, $help:literal))? => { $($action:tt)* };)*) => {
        /// One scripted fault: exactly one of its keys.
        #[derive(Clone, Debug, Deserialize)]
        #[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
        #[serde(deny_unknown_fields, expecting = "a mapping with one fault")]
        #[cfg_attr(feature = "schemas", schemars(transform = one_fault))]
        pub struct Fault {
            $($(#[$doc])* pub $name: Option<Select>,)*
            /// Lose everything for a while.
            pub outage: Option<Outage>,
            /// A host stands still for a while, and goes on with all that it knew.
            pub pause: Option<HostFault>,
            /// A host dies without a word, and another takes its place that knows nothing; a server is sent its world again.
            pub restart: Option<HostFault>,
            /// An address translator gives a client another port; what goes to the one before is lost.
            pub rebind: Option<Rebind>,
        }

        /// Every fault that selects datagrams.
        pub(super) const FAULTS: &[Known] = &[$(Known {
            name: stringify!($name),
            select: |fault| fault.$name.as_ref(),
            own: [$((stringify!($key), (|select| select.$key.is_some()) as fn(&Select) -> bool),)?].first().copied(),
            read: |_select| {
                $(
                    let Some($key) = _select.$key else {
                        let message = format!("`{}` needs `{}`", stringify!($name), stringify!($key));
                        return Err(Mistake { at: At::Fault, label: "here", message, help: Some($help) });
                    };
                    let $key = $check(stringify!($key), $key)?;
                )?
                Ok($($action)*)
            },
        },)*];

        /// The fault that does this: its key, and its own key with the value.
        pub(crate) fn written(action: &Action) -> (&'static str, Option<(&'static str, Value)>) {
            match *action {
                $($($action)* => (stringify!($name), None$(.or(Some((stringify!($key), $write($key)))))?),)*
                Action::Damage(Damage::None) => ("deliver", None),
            }
        }
    };
}

faults! {
    /// Lose the datagrams.
    drop => { Action::Drop };
    /// Deliver the datagrams unharmed, whatever the random faults say.
    deliver => { Action::Deliver };
    /// Deliver the datagrams later, `by` so much.
    delay(by: delay_us, duration, "say how much later, such as `by: 80ms`") => { Action::Delay { by_us: by } };
    /// Deliver the datagrams twice, the second copy so much `after` the first.
    duplicate(after: delay_us, duration, "say how much later the second copy comes, such as `after: 20ms`")
        => { Action::Duplicate { after_us: after } };
    /// Deliver the first `keep` bytes of the datagrams.
    truncate(keep: keep_bytes, number, "say how many bytes are delivered, such as `keep: 20`")
        => { Action::Damage(Damage::Truncated { keep_bytes: keep }) };
    /// Deliver the datagrams with one `bit` flipped.
    flip(bit: any, number, "say which bit, counted from the lowest of the first byte, such as `bit: 13`")
        => { Action::Damage(Damage::Flipped { bit }) };
}

/// Which datagrams: all conditions given must hold. In short: `s2c 12..15`.
#[derive(Clone, Debug, Default, Deserialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
#[serde(
    remote = "Self",
    deny_unknown_fields,
    expecting = "a mapping that selects datagrams, or the short form `s2c 12..15`"
)]
#[cfg_attr(feature = "schemas", schemars(transform = super::shape::or_short_selection))]
pub struct Select {
    /// The way they go.
    pub direction: Way,
    /// The client at the link's end; when left out, each link on its own.
    pub client: Option<u16>,
    /// Their places among all datagrams of the link and direction, counted from 0.
    pub index: Option<Range>,
    /// What they carry: a name of the protocol's.
    pub carries: Option<String>,
    /// The entity that it concerns.
    pub entity: Option<u32>,
    /// The frame, sequence or other number that it concerns.
    pub number: Option<u32>,
    /// Which of the datagrams that fulfil the other conditions, counted from 1.
    pub nth: Option<Range>,
    /// Sent at this time or later.
    pub from: Option<Duration>,
    /// Sent before this time.
    pub until: Option<Duration>,
    /// For `delay`: how much later.
    pub by: Option<Duration>,
    /// For `duplicate`: how much later the second copy comes.
    pub after: Option<Duration>,
    /// For `truncate`: how many bytes are delivered.
    pub keep: Option<u32>,
    /// For `flip`: which bit, counted from the lowest of the first byte.
    pub bit: Option<u32>,
}

/// A time in which nothing gets through.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, expecting = "a mapping with `direction`, `from` and `for`")]
#[cfg_attr(feature = "schemas", schemars(transform = super::shape::one_end))]
pub struct Outage {
    /// The way that is blocked.
    pub direction: Way,
    /// The client at the link's end; every client when left out.
    pub client: Option<u16>,
    /// When it begins.
    pub from: Duration,
    /// How long it lasts.
    pub r#for: Option<Duration>,
    /// When it ends.
    pub until: Option<Duration>,
}

/// A time in which a host does nothing and receives nothing.
///
/// What `pause` and `restart` have in common; they differ in what the host knows when it is over.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, expecting = "a mapping with `host`, `from` and `for`")]
#[cfg_attr(feature = "schemas", schemars(transform = super::shape::one_end))]
pub struct HostFault {
    /// The host.
    pub host: HostName,
    /// When it begins.
    pub from: Duration,
    /// How long it lasts.
    pub r#for: Option<Duration>,
    /// When it ends.
    pub until: Option<Duration>,
}

/// A moment from which the datagrams of a client come from another port.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, expecting = "a mapping with `client` and `at`")]
pub struct Rebind {
    /// The client.
    pub client: u16,
    /// When.
    pub at: Duration,
}

impl Known {
    /// What happens to the datagrams selected. Each fault has its own key for it, and no other's.
    pub(super) fn action(&self, select: &Select) -> Result<Action, Mistake> {
        for other in FAULTS {
            if let Some((key, given)) = other.own
                && self.own.is_none_or(|(own, _)| own != key)
                && given(select)
            {
                let message = format!("`{key}` belongs to `{}`, not to `{}`", other.name, self.name);
                return Err(Mistake { at: At::Name(key), label: "here", message, help: None });
            }
        }
        (self.read)(select)
    }
}

fn delay_us(key: &'static str, delay: Duration) -> Result<u64, Mistake> {
    if delay.0 > MAX_DELAY_US {
        let message = format!("`{key}` is {delay}; the limit is {}", Duration(MAX_DELAY_US));
        return Err(Mistake { at: At::Value(key), label: "too long", message, help: None });
    }
    Ok(delay.0)
}

fn keep_bytes(key: &'static str, keep: u32) -> Result<u16, Mistake> {
    u16::try_from(keep).map_err(|_| {
        let message = format!("`{key}` is {keep} bytes, more than any datagram has");
        Mistake { at: At::Value(key), label: "out of range", message, help: None }
    })
}

/// Every value will do.
fn any<T>(_: &'static str, value: T) -> Result<T, Mistake> {
    Ok(value)
}

fn duration(us: u64) -> Value {
    Value::from(Duration(us).to_string())
}

fn number(value: impl Into<u32>) -> Value {
    Value::from(value.into())
}

/// A fault is one thing.
#[cfg(feature = "schemas")]
fn one_fault(schema: &mut schemars::Schema) {
    super::shape::exactly_one(schema, FAULTS.iter().map(|fault| fault.name).chain(UNSELECTIVE.map(|(name, _)| name)));
}

struct SelectVisitor;

impl<'de> Visitor<'de> for SelectVisitor {
    type Value = Select;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a mapping that selects datagrams, or the short form `s2c 12..15`")
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Select, E> {
        let short = || {
            let (way, range) = text.split_once(' ')?;
            let direction = match way {
                "s2c" => Way::S2c,
                "c2s" => Way::C2s,
                "both" => Way::Both,
                _ => return None,
            };
            let range = range.trim();
            let index = Range::deserialize(de::value::StrDeserializer::<de::value::Error>::new(range)).ok()?;
            Some(Select { direction, index: Some(index), ..Select::default() })
        };
        short().ok_or_else(|| {
            E::custom(format!("`{text}` selects no datagrams; write a direction and their places, such as s2c 12..15"))
        })
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Select, A::Error> {
        Select::deserialize(de::value::MapAccessDeserializer::new(map))
    }
}

impl<'de> Deserialize<'de> for Select {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Select, D::Error> {
        deserializer.deserialize_any(SelectVisitor)
    }
}
