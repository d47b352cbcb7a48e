//! What repairs a loss, frame by frame: frames made by hand, no machines.

use super::*;
use crate::delta::{self, UF_FIELDS};
use crate::dialect::{Dialect, Readings, Transport};
use crate::extensions::Extensions;
use crate::message::{self, Carrier, Listener};
use crate::options::Options;
use crate::oracle::coverage::Report;
use crate::oracle::from_server::ServerTx;
use crate::oracle::retransmission;
use crate::oracle::shown::ClientRx;
use crate::oracle::truth::Truth;
use kit::{Reader, Writer};

/// One entry of a frame.
#[derive(Clone, Copy)]
enum Say {
    /// With these flags, from the present state.
    Update(u32, u64),
    Remove(u32),
    RemoveAll,
}

use Say::{Remove, RemoveAll, Update};

/// A server and a receiver that are nothing but what they say.
struct Stage {
    session: Session,
    truth: Truth,
    report: Report,
    dialect: Dialect,
    sequence: u32,
}

impl Stage {
    fn new() -> Stage {
        let setup = Setup::new(&crate::PROTOCOL, &PROFILES[0]);
        let extensions = Extensions { fte1: 0, fte2: PEXT2_REPLACEMENTDELTAS };
        let protocol = netquake::constants::PROTOCOL_NETQUAKE;
        let dialect = Dialect::negotiated(Transport::NetQuake, extensions, protocol, 0, Readings::default());
        let options = Options::new(&setup);
        let mut stage = Stage {
            session: Session::new(CLIENT, options, Default::default()),
            truth: Truth::new(&setup, &options),
            report: Report::new(crate::oracle::CHECKS, kit::Knowledge::World, kit::Vantage::default()),
            dialect,
            sequence: 0,
        };
        // It did so before.
        stage.session.repairs.at_once = true;
        stage.session.begin_map(&dialect, &stage.truth);
        let Stage { session, report, .. } = &mut stage;
        ClientRx::new(session, report, 1, None).session(&dialect);
        let first = stage.frame(&[RemoveAll], true);
        stage.ack(first);
        stage
    }

    fn command(&mut self, command: Command) {
        self.truth.apply(Time::ZERO, &command);
        if let Command::Spawn { entity } | Command::Remove { entity } | Command::Set { entity, .. } = command {
            self.session.world_changed(entity, 0, &self.truth);
        }
    }

    fn spawn(&mut self, entity: u32) {
        self.command(Command::Spawn { entity });
        for field in [MODEL, FRAME, SKIN, EFFECTS, ALPHA] {
            self.command(Command::Set { entity, field, value: 7 });
        }
    }

    fn now(&self) -> Time {
        Time::from_ms(50 * u64::from(self.sequence))
    }

    /// The server sends a frame; the client receives it, or not. The frame's number.
    fn frame(&mut self, says: &[Say], delivered: bool) -> u32 {
        self.sequence += 1;
        let (sequence, now) = (self.sequence, self.now());
        let mut bytes = Vec::new();
        let mut w = Writer::new(&mut bytes);
        w.u8("svc", SVC_UPDATEENTITIES);
        w.f32("servertime", now.as_seconds());
        for say in says {
            match *say {
                RemoveAll => delta::write_index(&mut w, 0, true),
                Remove(number) => delta::write_index(&mut w, number, true),
                Update(number, flags) => {
                    delta::write_index(&mut w, number, false);
                    let state = self.truth.world.live.get(number).expect("the entity lives");
                    delta::write_delta(&mut w, &delta::ENTITY, flags, state, self.dialect.gate);
                }
            }
        }
        w.u16("end", 0);
        let Stage { session, truth, report, dialect, .. } = self;
        let carrier = Carrier { direction: Direction::ServerToClient, reliable: false, sequence, acknowledged: None };
        let mut rx = ServerTx::new(session, truth, report, now, Some(sequence));
        message::walk_services(&mut Reader::new(&bytes), &mut dialect.clone(), Readings::default(), &carrier, &mut rx)
            .expect("good");
        rx.finish(Some(0));
        // A full frame: what is left out is not complained about at once.
        if delivered {
            let mut rx = ClientRx::new(session, report, 1, Some(sequence));
            message::walk_services(&mut Reader::new(&bytes), dialect, Readings::default(), &carrier, &mut rx)
                .expect("good");
            rx.finish(true);
        }
        retransmission::check_lost(session, truth, report, now, false);
        sequence
    }

    /// The server learns that `sequence` arrived.
    fn ack(&mut self, sequence: u32) {
        retransmission::acknowledged(&mut self.session, &self.truth, &mut self.report, sequence, true, false);
    }

    /// Time passes; everything is delivered, nothing sent. Then what was found about repairs.
    fn findings(self) -> Vec<String> {
        self.findings_after(64)
    }

    /// The same, after so many frames.
    fn findings_after(mut self, frames: u32) -> Vec<String> {
        for _ in 0..frames {
            let sequence = self.frame(&[], true);
            self.ack(sequence);
        }
        let musts = self.report.findings.iter().filter(|finding| finding.requirement().level.is_must());
        let repairs = musts.filter(|finding| !finding.requirement().id.starts_with("FTE-OVF"));
        repairs.map(|finding| finding.suspects.to_string()).collect()
    }
}

/// An entity's RESET is lost, and then the server sends `repairs`, one frame each, all delivered.
fn after_lost_reset(repairs: &[&[Say]]) -> Vec<String> {
    let mut stage = Stage::new();
    stage.spawn(5);
    stage.frame(&[Update(5, UF_RESET | UF_FIELDS)], false);
    let frame = stage.frame(&[], true);
    stage.ack(frame);
    for repair in repairs {
        let sequence = stage.frame(repair, true);
        stage.ack(sequence);
    }
    stage.findings()
}

#[test]
fn a_lost_reset_is_made_good_by_a_reset_or_by_frames_that_cover_everything() {
    const LOW: u64 = UF_FIELDS & 0xffff;
    const HIGH: u64 = UF_FIELDS & !0xffff;
    let none: [&str; 0] = [];
    assert_eq!(after_lost_reset(&[&[Update(5, UF_RESET | UF_FIELDS)]]), none);
    assert_eq!(after_lost_reset(&[&[Update(5, UF_FIELDS)]]), none);
    assert_eq!(after_lost_reset(&[&[Update(5, LOW)], &[], &[Update(5, HIGH)]]), none);
    assert_eq!(after_lost_reset(&[&[RemoveAll], &[Update(5, UF_RESET | UF_FIELDS)]]), none);
    // Covers all that the null state does not hold anyway; but whether a client begins with that is not said.
    let some = UF_MODEL | UF_FRAME | UF_SKIN | UF_EFFECTS | UF_ALPHA;
    assert_eq!(after_lost_reset(&[&[Update(5, some)]]), none);
    assert_eq!(after_lost_reset(&[&[Update(5, some & !UF_SKIN)]]), ["FTE-RST-07 (or HIST-05)"]);
    assert_eq!(after_lost_reset(&[]), ["FTE-RST-07"]);
}

#[test]
fn a_repair_that_is_lost_is_due_again() {
    let mut stage = Stage::new();
    stage.spawn(5);
    stage.frame(&[Update(5, UF_RESET | UF_FIELDS)], false);
    let frame = stage.frame(&[], true);
    stage.ack(frame);
    stage.frame(&[Update(5, UF_RESET | UF_FIELDS)], false);
    let frame = stage.frame(&[], true);
    stage.ack(frame);
    assert_eq!(stage.findings(), ["FTE-RST-07"]);
}

#[test]
fn a_lost_field_is_made_good_by_a_newer_value_and_not_by_another_field() {
    let run = |repair: &[Say]| {
        let mut stage = Stage::new();
        stage.spawn(5);
        let frame = stage.frame(&[Update(5, UF_RESET | UF_FIELDS)], true);
        stage.ack(frame);
        stage.command(Command::Set { entity: 5, field: FRAME, value: 8 });
        stage.frame(&[Update(5, UF_FRAME)], false);
        stage.command(Command::Set { entity: 5, field: FRAME, value: 9 });
        let frame = stage.frame(repair, true);
        stage.ack(frame);
        stage.findings()
    };
    let none: [&str; 0] = [];
    assert_eq!(run(&[Update(5, UF_FRAME)]), none);
    assert_eq!(run(&[Update(5, UF_SKIN)]), ["FTE-HIST-04 (or HIST-02)"]);
}

#[test]
fn a_server_may_wait_until_its_history_needs_the_place_unless_it_repaired_a_loss_at_once() {
    let run = |repairs: bool, frames: u32| {
        let mut stage = Stage::new();
        stage.session.repairs.at_once = false;
        stage.spawn(5);
        let frame = stage.frame(&[Update(5, UF_RESET | UF_FIELDS)], true);
        stage.ack(frame);
        for value in [8, 9] {
            stage.command(Command::Set { entity: 5, field: FRAME, value });
            stage.frame(&[Update(5, UF_FRAME)], false);
            // So many newer ones may overtake it.
            for _ in 0..4 {
                let frame = stage.frame(&[], true);
                stage.ack(frame);
            }
            if repairs && value == 8 {
                let frame = stage.frame(&[Update(5, UF_FRAME)], true);
                stage.ack(frame);
            }
        }
        stage.findings_after(frames)
    };
    let none: [&str; 0] = [];
    assert_eq!(run(false, 66), none);
    assert_eq!(run(false, 69).len(), 1);
    assert_eq!(run(true, 3), none);
    assert_eq!(run(true, 16).len(), 1);
}

#[test]
fn what_was_lost_without_effect_need_not_be_repeated() {
    let mut stage = Stage::new();
    stage.spawn(5);
    let frame = stage.frame(&[Update(5, UF_RESET | UF_FIELDS)], true);
    stage.ack(frame);
    stage.frame(&[Update(5, UF_RESET | UF_FIELDS)], false);
    let frame = stage.frame(&[], true);
    stage.ack(frame);
    let none: [&str; 0] = [];
    assert_eq!(stage.findings(), none);
}

/// Entities 5 and 6 are known; both go, and what says so is lost. Then the server sends `repairs`.
fn after_lost_removes(lost: &[Say], repairs: &[Say]) -> Vec<String> {
    let mut stage = Stage::new();
    stage.spawn(5);
    stage.spawn(6);
    let all = UF_RESET | UF_FIELDS;
    let frame = stage.frame(&[Update(5, all), Update(6, all)], true);
    stage.ack(frame);
    stage.command(Command::Remove { entity: 5 });
    stage.command(Command::Remove { entity: 6 });
    stage.frame(lost, false);
    let frame = stage.frame(&[], true);
    stage.ack(frame);
    let frame = stage.frame(repairs, true);
    stage.ack(frame);
    stage.findings()
}

#[test]
fn a_lost_remove_is_made_good_by_a_remove_or_a_remove_all() {
    let none: [&str; 0] = [];
    let both = [Remove(5), Remove(6)];
    assert_eq!(after_lost_removes(&both, &both), none);
    assert_eq!(after_lost_removes(&both, &[RemoveAll]), none);
    assert_eq!(after_lost_removes(&both, &[Remove(6)]), ["FTE-RMV-05 (or HIST-05)"]);
}

#[test]
fn a_lost_remove_all_is_made_good_by_another_or_by_removing_each() {
    let none: [&str; 0] = [];
    assert_eq!(after_lost_removes(&[RemoveAll], &[RemoveAll]), none);
    assert_eq!(after_lost_removes(&[RemoveAll], &[Remove(5), Remove(6)]), none);
    assert_eq!(after_lost_removes(&[RemoveAll], &[Remove(5)]), ["FTE-RMV-10"]);
}

#[test]
fn what_is_in_flight_is_not_lost() {
    let mut stage = Stage::new();
    stage.spawn(5);
    let frame = stage.frame(&[], true);
    stage.frame(&[Update(5, UF_RESET | UF_FIELDS)], false);
    // An old acknowledgement, and a repeated one, say nothing about what came after.
    stage.ack(frame);
    stage.ack(frame);
    for _ in 0..64 {
        stage.frame(&[], true);
    }
    retransmission::check_lost(&mut stage.session, &stage.truth, &mut stage.report, Time::ZERO, true);
    assert!(stage.report.findings.iter().all(|finding| finding.requirement().id.starts_with("FTE-OVF")));
}
