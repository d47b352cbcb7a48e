//! What a demo shows is what its client held: after each message, in every scenario.

use super::cases;
use super::demos::{AGREED, Receiver};
use super::recorded::{is_fair, watch};
use deltaproof::demo::wrap::{Wrapper, begins_part};
use deltaproof::scenario::{Case, by_profile};
use kit::{
    Container, Demo, Direction, Dissection, Endpoint, Field, HostId, Probe, Scene, Setup, Time, TraceEvent, Vantage,
    View,
};
use rayon::prelude::*;
use std::collections::BTreeMap;

/// Fields that a client derives, or that depend on when something arrived.
const DERIVED: [&str; 5] = ["alpha", "lerpfinish", "scale", "msec", "colormap"];

/// Beside client 1: the scene of what it receives.
struct Beside<'a> {
    case: &'a Case,
    receiver: Receiver,
    wrapper: Wrapper,
    part: u16,
    messages: usize,
    scene: Box<dyn Scene>,
    out: Dissection,
    /// A message came that was not compared yet.
    news: bool,
    damaged: bool,
    ended: bool,
    compared: usize,
    wrong: Option<String>,
}

impl<'a> Beside<'a> {
    fn new(case: &'a Case) -> Option<Beside<'a>> {
        let demo = (case.protocol.demo)(case.profile)?;
        Some(Beside {
            case,
            receiver: Receiver::new(demo.client),
            wrapper: Wrapper::new(demo.client),
            part: 1,
            messages: 0,
            scene: scene(case, &demo),
            out: Dissection::default(),
            news: false,
            damaged: false,
            ended: false,
            compared: 0,
            wrong: None,
        })
    }

    /// Whether the reference goes on with an entity that the newest message does not mention, which an engine takes away until it is
    /// mentioned again.
    fn keeps(&self, number: u32) -> bool {
        let mut is_shown = false;
        self.scene.entities(&mut |shown, _| is_shown |= shown == number);
        self.case.profile.name == "fitz666" && !is_shown
    }

    fn compare(&mut self, view: &View) -> Option<String> {
        let of_scene = shared(self.scene.fields(), self.case.protocol.fields);
        let mut shown: BTreeMap<u32, Vec<i32>> = BTreeMap::new();
        self.scene.entities(&mut |number, fields| {
            shown.insert(number, of_scene.iter().map(|(at, _)| fields[*at]).collect());
        });
        let odd = |number: &u32| shown.contains_key(number) != view.entity(*number).is_some();
        if let Some(number) = shown.keys().chain(&view.numbers).find(|number| odd(number) && !self.keeps(**number)) {
            return Some(format!(
                "entity {number} is in one alone; the client has it: {}",
                view.entity(*number).is_some()
            ));
        }
        self.compared += shown.len();
        shown.iter().find_map(|(number, fields)| {
            let held = view.entity(*number)?;
            let at = of_scene.iter().zip(fields).find(|((_, at), value)| held[*at] != **value)?;
            let (name, client) = (self.case.protocol.fields[at.0.1].name, held[at.0.1]);
            Some(format!("{name} of entity {number} is {}, the client has {client}", at.1))
        })
    }
}

/// What follows the demo of client 1, at its beginning.
fn scene(case: &Case, demo: &Demo) -> Box<dyn Scene> {
    (demo.scene)(&Setup { vantage: Vantage::of_demo(demo.client.of()), ..case.setup(1) })
}

/// The places of the fields that both have, by name.
fn shared(scene: &[Field], client: &[Field]) -> Vec<(usize, usize)> {
    let place = |field: &Field| client.iter().position(|it| it.name == field.name);
    let all = scene.iter().enumerate().filter(|(_, field)| !DERIVED.contains(&field.name));
    all.filter_map(|(at, field)| Some((at, place(field)?))).collect()
}

impl Probe for Beside<'_> {
    fn on(&mut self, _: Time, event: &TraceEvent<'_>) {
        let TraceEvent::Delivered { packet, bytes, intact, .. } = *event else { return };
        if packet.client != HostId(1) || packet.direction != Direction::ServerToClient {
            return;
        }
        self.damaged |= !intact;
        // Another connection is another demo.
        let outside = match self.receiver.container() {
            Container::Dem => netquake::datagram::is_control(bytes),
            _ => netchan::is_out_of_band(bytes),
        };
        self.ended |= outside && self.messages > 0;
        if self.ended || outside {
            return;
        }
        let Some(message) = self.receiver.message(bytes) else { return };
        if begins_part(self.receiver.container(), &message) && self.messages > 0 {
            self.part += 1;
            // Each part is a session of its own.
            self.scene =
                (self.case.protocol.demo)(self.case.profile).map(|demo| scene(self.case, &demo)).expect("a demo");
        }
        self.messages += 1;
        self.out.clear();
        self.scene.datagram(0, &self.wrapper.datagram(self.part, message), &mut self.out);
        self.news = true;
    }

    fn settled(&mut self, now: Time, host: HostId, endpoint: &dyn Endpoint) {
        if host != HostId(1) || !std::mem::take(&mut self.news) || self.damaged || self.wrong.is_some() {
            return;
        }
        let mut view = View::default();
        endpoint.observe(&mut view);
        if view.valid && view.state == "active" {
            self.wrong = self.compare(&view).map(|what| format!("{} at {now}: {what}", self.case.name()));
        }
    }
}

#[test]
fn a_demo_shows_what_its_client_held_after_each_message() {
    let filter = std::env::var("SCENES").unwrap_or_default();
    let chosen: Vec<&Case> = by_profile(cases())
        .flat_map(|cases| cases.iter())
        .filter(|case| !case.is_left_out() && is_fair(case) && case.name().contains(&filter))
        .filter(|case| !AGREED.iter().any(|name| case.scenario.id.ends_with(name)))
        .collect();
    let compared: Vec<(&str, usize, Option<String>)> = chosen
        .par_iter()
        .filter_map(|case| {
            let mut beside = Beside::new(case)?;
            watch(case, None, &mut beside);
            Some((case.profile.name, beside.compared, beside.wrong.filter(|_| !beside.damaged)))
        })
        .collect();
    let wrong: Vec<&str> = compared.iter().filter_map(|(.., wrong)| wrong.as_deref()).collect();
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), compared.len(), wrong.join("\n"));
    let mut by_profile: BTreeMap<&str, usize> = BTreeMap::new();
    compared.iter().for_each(|(profile, compared, _)| *by_profile.entry(profile).or_default() += compared);
    assert!(!filter.is_empty() || by_profile.values().all(|compared| *compared > 1_000), "{by_profile:?}");
}
