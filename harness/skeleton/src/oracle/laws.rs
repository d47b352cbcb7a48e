//! The book of laws: what an implementation has to fulfil, in the order of the README, and what says whether it does.

use super::session::Session;
use crate::constants::HISTORY;
use crate::state::Entities;
use kit::law::Matter;
use kit::{DecodeError, View};

/// What the laws speak of: what passes between the server and one of its clients.
#[derive(Debug)]
pub struct Skeleton;

/// What is known before a step.
#[derive(Clone, Copy, Debug)]
pub struct Known<'a> {
    /// Of the client.
    pub session: &'a Session,
    /// The world as the scenario makes it. Empty where the oracle does not know it.
    pub world: &'a Entities,
}

/// What happens.
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs, reason = "the fields of a step are described with it")]
pub enum Step<'a> {
    /// The host sends a datagram, which can be read or not.
    Writes(Result<(), &'a DecodeError>),
    /// The server sends a snapshot; with a base that was sent, it makes these entities.
    Sends { number: u32, base: u32, makes: Option<&'a Entities> },
    /// The client acknowledges a snapshot, or 0.
    Acknowledges { number: u32 },
    /// The client shows this, and should show `right`; `old` when it has just received what it must not apply.
    Shows { view: &'a View, right: &'a View, old: bool },
}
use Step::*;

impl Matter for Skeleton {
    type State<'a> = Known<'a>;
    type Step<'a> = Step<'a>;
}

kit::laws! { Skeleton, s;
    FORM_01 Must Both "SKL-FORM-01" "README, wire" "Send datagrams of the layouts in the table, and no others." {
        Writes(read) => read.is_ok(), "{}", read.map_or_else(ToString::to_string, |()| String::new());
    }
    NUM_01 Must Server "SKL-NUM-01" "README, server"
        "Give each snapshot a greater number than all those sent to the client before." [ServerShows] {
        // Datagrams of a remote server come in the order of their arrival, which is not that of sending.
        Sends { number, .. } if s.session.newest_sent != 0 => number > s.session.newest_sent,
            "snapshot {number} follows {}", s.session.newest_sent;
    }
    BASE_01 Must Server "SKL-BASE-01" "README, server"
        "Name as base 0, or a snapshot that the client has acknowledged and that is less than 32 numbers old." {
        Sends { number, base, .. } if base != 0 => s.session.acknowledged.contains(&base) && number - base < HISTORY,
            "snapshot {number} is based on {base}, which the client has not acknowledged, or too long ago";
    }
    BASE_02 May Server "SKL-BASE-02" "README, server" "Name 0 as the base of any snapshot, and so send everything.";
    DELTA_01 Must Server "SKL-DELTA-01" "README, server"
        "Send the changes that make the base into the world as it is when the snapshot is sent." [World] {
        Sends { number, base, makes: Some(makes) } => makes == s.world,
            "snapshot {number} of {base} makes {makes:?}; the world is {:?}", s.world;
    }
    SHOW_01 Must Client "SKL-SHOW-01" "README, client"
        "Show the newest snapshot received of which the base is held." [ClientShows] {
        Shows { view, right, old: false } => same(view, right), "{}", difference(s.session, view, right);
    }
    SHOW_02 MustNot Client "SKL-SHOW-02" "README, client"
        "Apply a snapshot that is older than the one shown." [ClientShows] {
        Shows { view, right, old: true } => same(view, right), "{}", difference(s.session, view, right);
    }
    ACK_01 Must Client "SKL-ACK-01" "README, client" "Acknowledge the snapshot that is shown; 0 while there is none." {
        Acknowledges { number } => s.session.newest.contains(number),
            "it acknowledges {number}; the newest snapshot that it can show is {}", s.session.newest.most;
    }
}

fn same(view: &View, right: &View) -> bool {
    (view.valid, &view.numbers, &view.fields) == (right.valid, &right.numbers, &right.fields)
}

fn difference(session: &Session, view: &View, right: &View) -> String {
    let (newest, View { numbers, fields, .. }) = (session.newest.most, view);
    format!("it shows {numbers:?} {fields:?}; snapshot {newest} is {:?} {:?}", right.numbers, right.fields)
}
