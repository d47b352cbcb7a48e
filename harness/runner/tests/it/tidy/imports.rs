//! Who imports whom: no circle among the modules of a crate, and no arrow from a lower floor to a higher one.

use super::source::{Mention, Module, Source};
use std::collections::{BTreeMap, BTreeSet};

/// Re-exports that lead to re-exports are followed so far.
const MAX_HOPS: usize = 8;

/// An import: `from` mentions something of `to`, both files of one crate.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Arrow {
    pub from: Module,
    pub to: Module,
    /// What is mentioned, and where.
    pub what: String,
}

pub fn shown(module: &[String]) -> String {
    if module.is_empty() { String::from("lib") } else { module.join("/") }
}

/// One crate's files that are compiled for more than tests, by module.
pub struct Package<'a>(BTreeMap<&'a [String], &'a Source>);

impl<'a> Package<'a> {
    pub fn of(sources: &'a [Source], name: &str) -> Package<'a> {
        let files = sources.iter().filter(|source| source.package == name && !source.test);
        Package(files.map(|source| (&source.module[..], source)).collect())
    }

    pub fn arrows(&self) -> BTreeSet<Arrow> {
        let mut arrows = BTreeSet::new();
        for source in self.0.values() {
            for mention in &source.mentions {
                let Some(to) = self.target(mention, MAX_HOPS) else { continue };
                if to != source.module {
                    let what = format!("{}:{} {}", source.path, mention.line, mention.segments.join("::"));
                    arrows.insert(Arrow { from: source.module.clone(), to, what });
                }
            }
        }
        arrows
    }

    /// The file of this crate that has what is mentioned; `None`: another crate, or a name that a `use` has brought.
    fn target(&self, mention: &Mention, hops: usize) -> Option<Module> {
        let named = matches!(mention.segments.first()?.as_str(), "crate" | "self" | "super");
        let (mut at, mut rest) = (mention.scope.clone(), &mention.segments[..]);
        while let Some((first, further)) = rest.split_first() {
            match first.as_str() {
                "crate" => at.clear(),
                "super" => drop(at.pop()),
                "self" => {}
                _ => break,
            }
            rest = further;
        }
        let mut depth = 0;
        while let Some(next) = rest.get(depth) {
            let child = [&at[..], std::slice::from_ref(next)].concat();
            if !self.0.contains_key(&child[..]) {
                break;
            }
            (at, depth) = (child, depth + 1);
        }
        if depth == 0 && !named {
            return None;
        }
        // Inside an inline module the file is that of the nearest module which has one.
        while !self.0.contains_key(&at[..]) {
            at.pop()?;
        }
        let brought = rest.get(depth).and_then(|name| self.0.get(&at[..])?.names.get(name));
        match brought {
            Some(brought) if hops > 0 => self.target(brought, hops - 1),
            _ => Some(at),
        }
    }
}

/// The sets of modules that import each other, with their arrows. A child is part of its parent: what it takes from
/// there is no arrow, what the parent takes from it is one.
pub fn circles(arrows: &BTreeSet<Arrow>) -> Vec<(BTreeSet<&Module>, Vec<&Arrow>)> {
    let arrows: Vec<&Arrow> = arrows.iter().filter(|arrow| !arrow.from.starts_with(&arrow.to)).collect();
    let mut reached: BTreeMap<&Module, BTreeSet<&Module>> = BTreeMap::new();
    for arrow in &arrows {
        reached.entry(&arrow.from).or_default().insert(&arrow.to);
    }
    while {
        let before: usize = reached.values().map(BTreeSet::len).sum();
        for (module, targets) in reached.clone() {
            let further: Vec<&Module> =
                targets.iter().filter_map(|&target| reached.get(target)).flatten().copied().collect();
            reached.entry(module).or_default().extend(further);
        }
        reached.values().map(BTreeSet::len).sum::<usize>() > before
    } {}
    let reaches = |from: &Module, to: &Module| reached.get(from).is_some_and(|targets| targets.contains(to));
    let mut circles: BTreeSet<BTreeSet<&Module>> = BTreeSet::new();
    for (module, targets) in reached.iter().filter(|(module, _)| reaches(module, module)) {
        circles.insert(targets.iter().filter(|other| reaches(other, module)).copied().collect());
    }
    let inside = |circle: &BTreeSet<&Module>| {
        let both = |arrow: &&&Arrow| circle.contains(&arrow.from) && circle.contains(&arrow.to);
        arrows.iter().filter(both).copied().collect()
    };
    circles.into_iter().map(|circle| (inside(&circle), circle)).map(|(arrows, circle)| (circle, arrows)).collect()
}

/// The part of a module's name that decides its floor.
fn room(module: &[String]) -> &[String] {
    &module[..module.len().min(1)]
}

/// The floor of a protocol's module, from the lowest; `None`: no floor has it.
fn floor(floors: &[(&str, &[&str])], module: &[String]) -> Option<usize> {
    let room = module.first().map_or("lib", String::as_str);
    floors.iter().position(|(_, rooms)| rooms.contains(&room))
}

/// What is wrong with the arrows of a protocol's crate: from a lower floor to a higher one, or of a room without a floor.
pub fn upward(floors: &[(&str, &[&str])], arrows: &BTreeSet<Arrow>) -> Vec<(String, String)> {
    let mut wrong = Vec::new();
    for arrow in arrows {
        let key = format!("{} -> {}", shown(room(&arrow.from)), shown(room(&arrow.to)));
        match (floor(floors, &arrow.from), floor(floors, &arrow.to)) {
            (Some(from), Some(to)) if from >= to => {}
            (Some(from), Some(to)) => {
                wrong.push((key, format!("{} is below {}: {}", floors[from].0, floors[to].0, arrow.what)));
            }
            _ => wrong.push((key, format!("one of them has no floor: {}", arrow.what))),
        }
    }
    wrong
}
