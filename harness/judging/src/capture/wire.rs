//! A history as a pcapng file, for Wireshark, tshark and `judge`.
//!
//! Times are those of the run, from 1970 on. Every datagram stands there as it was sent, and again at each of its arrivals, with
//! the bytes that arrived. Its comment says which it is, what becomes of it and what it says; the comment on the datagram that made
//! a finding certain says what was found.

use super::stage::{SessionNote, Stage};
use super::write::PacketWriter;
use crate::history::{CauseStage, Datagram, Fate, Found, History, Packet, What};
use kit::{Delivery, LossCause, Time, Vantage};
use std::collections::BTreeMap;
use std::io;

/// A comment has at most so many characters of what a datagram says.
const SUMMARY: usize = 2_000;

/// The file's bytes.
///
/// # Errors
/// A datagram is longer than a UDP packet can be.
pub fn pcapng(history: &History) -> io::Result<Vec<u8>> {
    let run = &history.run;
    let options = run.options.iter().map(|option| (option.name.clone(), option.value)).collect();
    let note = SessionNote { profile: run.profile.clone(), vantage: Vantage::default(), options };
    let mut writer = PacketWriter::new(Vec::new(), &note, run.server_port)?;
    let mut sent: BTreeMap<Packet, &Datagram> = BTreeMap::new();
    let findings: Vec<&Found> = history.findings().map(|(_, found)| found).collect();
    let mut bytes = Vec::new();
    for entry in &history.entries {
        match &entry.what {
            What::Sent(datagram) => {
                let packet = datagram.packet;
                sent.insert(packet, datagram);
                let stage = Stage::Sent { packet: packet.id(), fate: fate(entry.at, &datagram.fate) };
                let remark = remark(datagram, &findings, true);
                writer.write(entry.at, stage, &datagram.bytes, &remark);
            }
            What::Delivered { packet, copy, intact } => {
                let Some(datagram) = sent.get(packet) else { continue };
                datagram.arrived(*copy, &mut bytes);
                let stage = Stage::Delivered { packet: packet.id(), copy: *copy, intact: *intact };
                writer.write(entry.at, stage, &bytes, &remark(datagram, &findings, false));
            }
            _ => {}
        }
    }
    writer.finish()
}

/// What people read below the first line.
fn remark(datagram: &Datagram, findings: &[&Found], sent: bool) -> String {
    let summary: String = datagram.summary.chars().take(SUMMARY).collect();
    let mut text = format!("{summary}\n{}", datagram.fate);
    if let Some(error) = &datagram.error {
        text.push_str(&format!("\ncannot be decoded: {error}"));
    }
    for found in findings {
        let here = found.cause.filter(|cause| cause.packet == datagram.packet);
        if here.is_some_and(|cause| (cause.stage == CauseStage::Sent) == sent) {
            let finding = &found.finding;
            text.push_str(&format!("\n{} {} {}: {}", finding.suspects(), finding.weight(), finding.host, finding.what));
        }
    }
    text
}

fn fate(sent: Time, fate: &Fate) -> kit::Fate {
    let Fate::Arrives(arrivals) = fate else { return kit::Fate::Lost(LossCause::Script) };
    let mut deliveries =
        arrivals.iter().map(|arrival| Delivery { delay_us: arrival.at.since(sent), damage: arrival.damage });
    match (deliveries.next(), deliveries.next()) {
        (Some(first), Some(second)) => kit::Fate::Twice(first, second),
        (Some(only), None) => kit::Fate::Once(only),
        (None, _) => kit::Fate::Lost(LossCause::Script),
    }
}
