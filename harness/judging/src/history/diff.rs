//! Where two histories part.

use super::{Datagram, Entry, Field, History, What};
use serde::Serialize;
use std::collections::BTreeMap;

/// The first thing that is not the same in two histories.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Divergence<'a> {
    /// So many things are the same before; findings do not count.
    pub common: usize,
    /// The last of them.
    pub last: Option<&'a Entry>,
    /// What the first history has then; `None` where it ends.
    pub a: Option<&'a Entry>,
    /// What the second one has.
    pub b: Option<&'a Entry>,
    /// Of two datagrams, the fields that differ.
    pub fields: Vec<FieldDifference>,
}

/// A field of which two datagrams have different values.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FieldDifference {
    /// Its name, with the groups around it.
    pub field: String,
    /// Its value in the first datagram; `None` where it has none.
    pub a: Option<String>,
    /// Its value in the second one.
    pub b: Option<String>,
}

/// The first divergence; `None` where the same happened. What was found is not compared, since it is no part of what happened.
pub fn first_divergence<'a>(a: &'a History, b: &'a History) -> Option<Divergence<'a>> {
    let happened =
        |history: &'a History| history.entries.iter().filter(|entry| !matches!(entry.what, What::Finding(_)));
    let (mut left, mut right) = (happened(a), happened(b));
    let (mut common, mut last) = (0, None);
    loop {
        let (a, b) = (left.next(), right.next());
        match (a, b) {
            (None, None) => return None,
            // The hash is of what cannot be seen, too, such as timers.
            (Some(one), Some(other)) if one.at == other.at && one.what == other.what => {
                common += 1;
                last = Some(one);
            }
            _ => return Some(Divergence { common, last, a, b, fields: fields(a, b) }),
        }
    }
}

fn fields(a: Option<&Entry>, b: Option<&Entry>) -> Vec<FieldDifference> {
    match (a.map(|entry| &entry.what), b.map(|entry| &entry.what)) {
        (Some(What::Sent(a)), Some(What::Sent(b))) => {
            let (a, b) = (values(a), values(b));
            let mut differing = Vec::new();
            for (name, value) in &a.in_order {
                let other = b.by_name.get(name);
                if other != Some(value) {
                    let (a, b) = (Some(value.clone()), other.cloned());
                    differing.push(FieldDifference { field: name.clone(), a, b });
                }
            }
            for (name, value) in b.in_order.iter().filter(|(name, _)| !a.by_name.contains_key(name)) {
                differing.push(FieldDifference { field: name.clone(), a: None, b: Some(value.clone()) });
            }
            differing
        }
        _ => Vec::new(),
    }
}

/// The values of a datagram's fields. Each field is named by the groups around it and, where several have a name, by its number.
struct Values {
    in_order: Vec<(String, String)>,
    by_name: BTreeMap<String, String>,
}

fn values(datagram: &Datagram) -> Values {
    let mut values = Values { in_order: Vec::new(), by_name: BTreeMap::new() };
    let messages = datagram.messages.iter().map(|message| ("message/", message.fields.as_slice()));
    for (prefix, fields) in std::iter::once(("", datagram.fields.as_slice())).chain(messages) {
        add(prefix, fields, &mut values);
    }
    values
}

fn add(prefix: &str, fields: &[Field], values: &mut Values) {
    let mut groups: Vec<String> = Vec::new();
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    for field in fields {
        groups.truncate(field.depth.into());
        let mut name = format!("{prefix}{}", groups.concat());
        name.push_str(&field.field);
        let count = seen.entry(name.clone()).or_default();
        *count += 1;
        if *count > 1 {
            name.push_str(&format!(" ({count})"));
        }
        match &field.value {
            Some(value) => {
                values.in_order.push((name.clone(), value.clone()));
                values.by_name.insert(name, value.clone());
            }
            None => {
                let number = if *count > 1 { format!(" ({count})") } else { String::new() };
                groups.push(format!("{}{number}/", field.field));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Arrival, Fate, Packet, parse, write};
    use super::*;
    use kit::{Damage, Direction, HostId, Time};

    fn field(name: &str, depth: u8, value: Option<&str>) -> Field {
        Field { field: String::from(name), offset: 0, length: 1, depth, value: value.map(String::from) }
    }

    fn sent(fields: Vec<Field>) -> Entry {
        let packet = Packet { client: HostId(1), direction: Direction::ServerToClient, index: 3 };
        let damage = Damage::Flipped { bit: 9 };
        let fate = Fate::Arrives(vec![Arrival { at: Time(5), damage }, Arrival { at: Time(9), damage: Damage::None }]);
        let datagram = Datagram {
            packet,
            bytes: vec![0, 255],
            fate,
            summary: String::from("frame 3"),
            carries: Vec::new(),
            fields,
            messages: Vec::new(),
            error: None,
        };
        Entry { at: Time(2), hash: u64::MAX, what: What::Sent(Box::new(datagram)) }
    }

    fn command(text: &str) -> Entry {
        Entry { at: Time(1), hash: 7, what: What::Command { host: HostId::SERVER, text: String::from(text) } }
    }

    fn history(entries: Vec<Entry>) -> History {
        History { entries, end: Time(10), ..History::default() }
    }

    #[test]
    fn the_first_thing_that_differs_is_found_with_the_fields_that_do() {
        let entity = |x: &str| vec![field("entity", 0, None), field("x", 1, Some(x)), field("y", 1, Some("1"))];
        let a = history(vec![command("spawn 5"), sent([entity("7"), entity("8")].concat())]);
        let b = history(vec![command("spawn 5"), sent([entity("7"), entity("9")].concat())]);
        assert_eq!(first_divergence(&a, &a), None);
        let found = first_divergence(&a, &b).expect("they differ");
        assert_eq!((found.common, found.last), (1, a.entries.first()));
        let (a, b) = (Some(String::from("8")), Some(String::from("9")));
        assert_eq!(found.fields, [FieldDifference { field: String::from("entity (2)/x"), a, b }]);
    }

    #[test]
    fn a_history_that_ends_early_differs_there() {
        let a = history(vec![command("spawn 5"), command("remove 5")]);
        let b = history(vec![command("spawn 5")]);
        let found = first_divergence(&a, &b).expect("they differ");
        assert_eq!((found.common, found.a, found.b), (1, a.entries.get(1), None));
    }

    #[test]
    fn a_history_is_read_as_it_was_written() {
        let history = history(vec![command("spawn 5"), sent(vec![field("x", 0, Some("8"))])]);
        let text = write(&history).expect("is JSON").join("\n") + "\n{\"summary\":{}}\n";
        assert_eq!(parse(&text), Ok(history));
        let cut: String = text.lines().take(2).collect::<Vec<_>>().join("\n");
        let error = parse(&cut).expect_err("has no end").to_string();
        assert!(error.starts_with("line 2: is the last, and the end of the run is not there"), "{error}");
        assert!(parse("{\"event\":1}").expect_err("is none").to_string().starts_with("line 1: names no run"));
    }
}
