//! What a scenario file says, key by key. The comments here are the descriptions in the JSON Schema.
//!
//! Steps, faults and expectations are structs of which exactly one action is set, not tagged enums: only so does every
//! mistake have an exact place.

use super::fault::Fault;
use super::short::{Duration, HostName, Int, Number, Percent, Range, Rate, Seeds, Way};
use serde::Deserialize;
use serde::de::{self, Deserializer, MapAccess, Visitor};
use std::collections::BTreeMap;
use std::fmt;

/// A scenario: a world, a network and a script, and which requirements they covered.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, expecting = "a mapping with the keys of a scenario")]
#[cfg_attr(feature = "schemas", schemars(title = "deltaproof scenario"))]
pub struct File {
    /// What happens, in a line.
    pub title: String,
    /// Why it matters, in a paragraph for a reader.
    pub why: String,
    /// The profiles to run it with, all of one protocol; for probes also `[any]`.
    #[cfg_attr(feature = "schemas", schemars(length(min = 1)))]
    pub profiles: Vec<String>,
    /// Ids of the requirements that it covers; at least one, except in scenarios for probes.
    #[serde(default)]
    pub requirements: Vec<String>,
    /// Id of the same scenario without the fault. When that one fails, this one proves nothing.
    pub control: Option<String>,
    /// The version of the model by which fates are drawn from seeds: 1.
    #[cfg_attr(feature = "schemas", schemars(range(min = 1, max = 1)))]
    pub fate_model: u32,
    /// Values of the protocol's options, by name; the others keep their defaults.
    #[serde(default)]
    pub options: BTreeMap<String, Int>,
    /// Texts of the protocol's own, by name, such as its tables; the others keep their defaults.
    #[serde(default)]
    pub texts: BTreeMap<String, String>,
    /// Options to vary: the scenario runs once for each combination of the values.
    #[serde(default)]
    pub matrix: Vec<Axis>,
    /// Number of clients, 1 to 8. They connect by themselves at the start, but for those with a `connect` step.
    #[serde(default = "one")]
    #[cfg_attr(feature = "schemas", schemars(range(min = 1, max = 8)))]
    pub clients: u16,
    /// What is in the world.
    #[serde(default)]
    pub world: World,
    /// What the network does on its own.
    #[serde(default)]
    pub network: Network,
    /// What the network is instructed to do with chosen datagrams, and when hosts stand still.
    #[serde(default)]
    pub faults: Vec<Fault>,
    /// Hosts whose clocks are wrong.
    #[serde(default)]
    pub clocks: Vec<HostClock>,
    /// What happens when.
    #[serde(default)]
    pub timeline: Vec<Step>,
    /// Of a probe: from when on network, faults and timeline count. From when the client is in the game when left out.
    #[serde(default)]
    pub anchor: Anchor,
    /// How long the run lasts, in virtual time.
    pub duration: Duration,
    /// The last part of the run, in which the world stands still and random faults are off, so that every client
    /// must come to hold the server's state.
    #[serde(default)]
    pub settle: Duration,
    /// What has to happen for the run to prove anything; a run in which it did not is vacuous.
    #[serde(default)]
    pub must_reach: Vec<Reach>,
    /// The verdict that is right: `pass` when left out.
    #[serde(default)]
    pub expect: Expect,
    /// The seeds to run it with: `1`, `1..64` or `[1, 5]`; 1 when left out.
    #[serde(default)]
    pub seeds: Seeds,
    /// What is kept for review, beside the row that every case has: the trace of the first case, or nothing when left
    /// out.
    pub golden: Option<Golden>,
}

/// A host whose clock is wrong.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, expecting = "a mapping with `host` and what is wrong with its clock")]
pub struct HostClock {
    /// The host.
    pub host: HostName,
    /// Of a client: what its clock shows at the start of the run; 0s when left out.
    pub ahead: Option<Duration>,
    /// How much faster than time it goes.
    pub fast: Option<Percent>,
    /// How much slower than time it goes.
    pub slow: Option<Percent>,
}

/// From when on a probe's network, faults and timeline count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Anchor {
    /// From when the client is in the game; until then the network is perfect.
    #[default]
    Active,
    /// From the first datagram: faults meet the sign-on, too.
    Start,
}

fn one() -> u16 {
    1
}

/// An option, and the values that it takes in turn.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, expecting = "a mapping with `option` and `values`")]
pub struct Axis {
    /// The option's name.
    pub option: String,
    /// Its values.
    #[cfg_attr(feature = "schemas", schemars(length(min = 1)))]
    pub values: Vec<Int>,
}

/// What is in the world, and what changes by rule.
#[derive(Clone, Debug, Default, Deserialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, expecting = "a mapping with `entities`, `crowds` and `churn`")]
pub struct World {
    /// The entities at the start.
    #[serde(default)]
    pub entities: Vec<Entity>,
    /// Entities that change regularly.
    #[serde(default)]
    pub crowds: Vec<Crowd>,
    /// Entities that appear, change and vanish at random, drawn from the run's seed.
    #[serde(default)]
    pub churn: Vec<Churn>,
}

/// One entity, or a range of them with the same values.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, expecting = "a mapping that describes an entity")]
#[cfg_attr(feature = "schemas", schemars(transform = super::shape::one_range))]
pub struct Entity {
    /// Its number.
    pub entity: Option<u32>,
    /// An inclusive range of numbers, such as `10..20`.
    pub entities: Option<Range>,
    /// The baseline, field by field; the other fields are 0.
    #[serde(default)]
    pub baseline: BTreeMap<String, Number>,
    /// The fields at the start that differ from the baseline.
    #[serde(default)]
    pub fields: BTreeMap<String, Number>,
    /// Whether it is in the world at the start; `false` gives it a baseline alone.
    #[serde(default = "yes")]
    pub live: bool,
}

fn yes() -> bool {
    true
}

/// Entities that change regularly. Entities that are not in the world at the time are passed over.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, expecting = "a mapping that describes a crowd")]
pub struct Crowd {
    /// An inclusive range of numbers, such as `1..60`.
    pub entities: Range,
    /// The time between changes.
    pub every: Duration,
    /// The first change; the start of the run when left out.
    #[serde(default)]
    pub from: Duration,
    /// No change from here on; the beginning of `settle` when left out.
    pub until: Option<Duration>,
    /// The fields to change.
    pub change: BTreeMap<String, Change>,
}

/// How a field of a crowd changes.
#[derive(Clone, Copy, Debug, Deserialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, expecting = "a mapping with `step`, `wrap` and `spread`")]
pub struct Change {
    /// Added at each change, to the value at the start of the run.
    pub step: Number,
    /// The values stay in 0 up to, but not including, this; beyond it they start again.
    pub wrap: Option<Number>,
    /// Added once more for each entity after the crowd's first, so that their values differ; 0 when left out.
    pub spread: Option<Number>,
}

/// Entities that appear, change and vanish at random.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, expecting = "a mapping that describes a churn")]
pub struct Churn {
    /// An inclusive range of numbers, such as `1..40`.
    pub entities: Range,
    /// The time between rounds.
    pub every: Duration,
    /// The first round; the start of the run when left out.
    #[serde(default)]
    pub from: Duration,
    /// No round from here on; the beginning of `settle` when left out.
    pub until: Option<Duration>,
    /// The probability, per round, that an entity that is not in the world appears.
    pub spawn: Percent,
    /// The probability, per round, that an entity vanishes.
    pub remove: Percent,
    /// The probability, per round, that an entity that stays gets a new value in one of `fields`.
    pub set: Percent,
    /// The fields that get new values.
    pub fields: Vec<String>,
}

/// What the network does on its own, by direction. A key given for `s2c` or `c2s` replaces the same key of `both`.
#[derive(Clone, Debug, Default, Deserialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, expecting = "a mapping with `both`, `s2c` and `c2s`")]
pub struct Network {
    /// A kind of network whose numbers hold where no other is given.
    pub preset: Option<Preset>,
    /// Both directions.
    #[serde(default)]
    pub both: Link,
    /// From the server to the clients.
    #[serde(default)]
    pub s2c: Link,
    /// From the clients to the server.
    #[serde(default)]
    pub c2s: Link,
}

/// A kind of network.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Preset {
    /// A telephone line: narrow, above all upwards.
    Dsl,
    /// A radio that others use, too: jitter, and bursts of loss.
    Wifi,
    /// A mobile network: wide, with spikes of delay.
    #[serde(rename = "4g")]
    FourG,
    /// A geostationary satellite: far away.
    Satellite,
    /// A bottleneck that is overloaded: long queues, loss, spikes.
    Congested,
    /// A switch under the table.
    LanParty,
}

/// One direction of a link.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, expecting = "a mapping that describes a link")]
pub struct Link {
    /// The time from sending to delivery.
    pub latency: Option<Duration>,
    /// At most this much is added to the latency; on average a fifth of it.
    pub jitter: Option<Duration>,
    /// The probability that a datagram is lost, each on its own.
    pub loss: Option<Percent>,
    /// Loss in bursts.
    pub burst: Option<Burst>,
    /// The probability that a datagram is delivered twice.
    pub duplicate: Option<Percent>,
    /// The second copy comes up to this much later; 10ms when left out.
    pub duplicate_delay: Option<Duration>,
    /// The probability that a datagram is held back so that later ones overtake it.
    pub reorder: Option<Percent>,
    /// How long it is held back; 40ms when left out.
    pub reorder_delay: Option<Duration>,
    /// The probability that a bit is flipped.
    pub corrupt: Option<Percent>,
    /// The probability that a datagram is cut off.
    pub truncate: Option<Percent>,
    /// Longer datagrams are lost, in bytes.
    pub mtu: Option<u32>,
    /// The rate at which datagrams leave the queue.
    pub bandwidth: Option<Rate>,
    /// The size of the queue before it, in bytes; 16384 when left out.
    pub queue: Option<u32>,
    /// Times in which everything takes longer.
    pub spike: Option<Spike>,
    /// Random faults stop here; at the beginning of `settle` when left out.
    pub until: Option<Duration>,
    /// Each seed draws which of the link's faults are on at all.
    pub swarm: Option<bool>,
}

/// Delay spikes: each begins at its height, and falls to nothing.
#[derive(Clone, Copy, Debug, Deserialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, expecting = "a mapping with `enter`, `by` and `for`")]
pub struct Spike {
    /// The probability, per slot of time, that a spike begins.
    pub enter: Percent,
    /// How much is added to the delay when it begins.
    pub by: Duration,
    /// How long it takes to fall to nothing.
    pub r#for: Duration,
}

/// Loss in bursts: a good and a bad state, moving from one to the other as time passes.
#[derive(Clone, Copy, Debug, Deserialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, expecting = "a mapping with `enter`, `leave` and `loss`")]
pub struct Burst {
    /// The probability, per slot of time, of entering the bad state.
    pub enter: Percent,
    /// The probability, per slot of time, of leaving it.
    pub leave: Percent,
    /// The probability that a datagram is lost in the bad state.
    pub loss: Percent,
}

/// One step of the script: `at` and exactly one action, which `every` and `times` repeat.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, expecting = "a mapping with `at` and one action")]
#[cfg_attr(feature = "schemas", schemars(transform = super::shape::one_action))]
pub struct Step {
    /// When.
    pub at: Duration,
    /// Again after each such time, until the beginning of `settle`, or as many `times` as are given.
    pub every: Option<Duration>,
    /// Of verbs: so often in all, at once without `every`.
    #[cfg_attr(feature = "schemas", schemars(range(min = 1)))]
    pub times: Option<u32>,
    /// Change fields of live entities.
    pub set: Option<Assign>,
    /// Entities appear, with their baseline values; fields given here are set at once.
    pub spawn: Option<Assign>,
    /// Entities leave the world.
    pub remove: Option<Which>,
    /// Change baselines, from the next map on.
    pub baseline: Option<Assign>,
    /// Change a statistic of a player.
    pub stat: Option<Stat>,
    /// Start a new map: the world is emptied and clients sign on again.
    pub map: Option<Map>,
    /// A client connects.
    pub connect: Option<Client>,
    /// A client leaves.
    pub disconnect: Option<Client>,
    /// One of the protocol's own verbs.
    pub verb: Option<Verb>,
    /// Several of them, in this order.
    #[cfg_attr(feature = "schemas", schemars(length(min = 1)))]
    pub verbs: Option<Vec<Verb>>,
}

/// Entities.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, expecting = "a mapping with `entity` or `entities`")]
#[cfg_attr(feature = "schemas", schemars(transform = super::shape::one_range))]
pub struct Which {
    /// Its number.
    pub entity: Option<u32>,
    /// An inclusive range of numbers, such as `5..9`.
    pub entities: Option<Range>,
}

/// Entities, and fields by name with their values.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schemas", schemars(transform = super::shape::one_range))]
pub struct Assign {
    /// Its number.
    pub entity: Option<u32>,
    /// An inclusive range of numbers, such as `5..9`.
    pub entities: Option<Range>,
    /// The fields.
    #[cfg_attr(feature = "schemas", schemars(flatten))]
    pub fields: BTreeMap<String, Number>,
}

struct AssignVisitor;

impl<'de> Visitor<'de> for AssignVisitor {
    type Value = Assign;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a mapping with `entity` or `entities`, and fields with their values")
    }

    // By hand, because serde's own way to collect the remaining keys loses the places of mistakes.
    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Assign, A::Error> {
        let mut assign = Assign { entity: None, entities: None, fields: BTreeMap::new() };
        while let Some(key) = map.next_key::<String>()? {
            match key.as_str() {
                "entity" => assign.entity = Some(map.next_value()?),
                "entities" => assign.entities = Some(map.next_value()?),
                _ => {
                    let value = map.next_value()?;
                    assign.fields.insert(key, value);
                }
            }
        }
        Ok(assign)
    }
}

impl<'de> Deserialize<'de> for Assign {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Assign, D::Error> {
        deserializer.deserialize_map(AssignVisitor)
    }
}

/// A statistic of a player, and its value.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, expecting = "a mapping with `client`, `stat` and `value`")]
pub struct Stat {
    /// The client.
    pub client: u16,
    /// The statistic's number.
    pub stat: u8,
    /// Its value; a float when written with a point.
    pub value: Number,
}

/// A new map.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, expecting = "a mapping, `{}` when there is nothing to say")]
pub struct Map {
    /// Whether the entities of `world` appear in it again; the world stays empty when left out.
    #[serde(default)]
    pub respawn: bool,
}

/// A client.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, expecting = "a mapping with `client`")]
pub struct Client {
    /// Its number, from 1.
    pub client: u16,
}

/// One of the protocol's own verbs.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, expecting = "a mapping with `name`, `host`, `args` and `step`")]
pub struct Verb {
    /// Its name.
    pub name: String,
    /// The host that does it.
    pub host: HostName,
    /// Its arguments, by name, all of them.
    #[serde(default)]
    pub args: BTreeMap<String, Int>,
    /// What is added to arguments, by name, each further time.
    #[serde(default)]
    pub step: BTreeMap<String, Int>,
}

/// Something that has to happen, exactly one thing; how often, if not at least once.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, expecting = "a mapping with one thing that has to happen")]
#[cfg_attr(feature = "schemas", schemars(transform = super::shape::one_condition))]
pub struct Reach {
    /// Datagrams were sent.
    pub sent: Option<Packets>,
    /// Datagrams were delivered.
    pub delivered: Option<Packets>,
    /// Datagrams were lost.
    pub lost: Option<Packets>,
    /// A host entered a state.
    pub state: Option<Named>,
    /// A host remarked something.
    pub note: Option<Named>,
    /// The network did at least so much harm.
    pub observed: Option<Observed>,
    /// At least so often.
    pub at_least: Option<u64>,
    /// At most so often.
    pub at_most: Option<u64>,
}

/// Datagrams to count.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, expecting = "a mapping that selects datagrams")]
pub struct Packets {
    /// The way they go.
    pub direction: Way,
    /// The client at the link's end; all together when left out.
    pub client: Option<u16>,
    /// What they carry: a name of the protocol's.
    pub carries: Option<String>,
    /// The entity that it concerns.
    pub entity: Option<u32>,
    /// The frame, sequence or other number that it concerns.
    pub number: Option<u32>,
}

/// Something with a name that happens inside a host.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, expecting = "a mapping with `host` and `name`")]
pub struct Named {
    /// The host.
    pub host: HostName,
    /// Its name.
    pub name: String,
}

/// Harm that the network did, each as a share of the datagrams sent.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, expecting = "a mapping with `direction` and shares of the datagrams")]
pub struct Observed {
    /// The way they went.
    pub direction: Way,
    /// The client at the link's end; all together when left out.
    pub client: Option<u16>,
    /// Lost.
    pub loss: Option<Percent>,
    /// Delivered twice.
    pub duplicate: Option<Percent>,
    /// Overtaken.
    pub reorder: Option<Percent>,
    /// Held up by a delay spike.
    pub spike: Option<Percent>,
}

/// The verdict that is right.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schemas", schemars(transform = super::shape::or_pass))]
pub struct Expect {
    /// A requirement that must be found violated: for tests of the checks themselves. None for a pass.
    pub finding: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, expecting = "`pass` or a mapping with `finding`")]
struct ExpectKeys {
    finding: String,
}

struct ExpectVisitor;

impl<'de> Visitor<'de> for ExpectVisitor {
    type Value = Expect;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("`pass` or a mapping with `finding`")
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Expect, E> {
        match text {
            "pass" => Ok(Expect::default()),
            _ => Err(E::custom(format!("`{text}` is no expectation; write `pass` or `{{ finding: ID }}`"))),
        }
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Expect, A::Error> {
        let keys = ExpectKeys::deserialize(de::value::MapAccessDeserializer::new(map))?;
        Ok(Expect { finding: Some(keys.finding) })
    }
}

impl<'de> Deserialize<'de> for Expect {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Expect, D::Error> {
        deserializer.deserialize_any(ExpectVisitor)
    }
}

/// What is kept for review, beside the row that every case has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Golden {
    /// The trace of the scenario's first case.
    Trace,
}
