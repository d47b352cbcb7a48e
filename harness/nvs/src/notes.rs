//! What an endpoint reports of itself, beside what it shows.

use kit::Event;

kit::numbered_table! {
    /// The notes, by number. Versions are in hundredths, points and colours in eighths, angles the bits of an `f32`.
    NOTES: [Note];
    COMMAND_IGNORED = "command ignored" ["verb"], "an instruction makes no sense to an endpoint";
    STALE = "stale datagram" ["sequence"], "an endpoint drops a datagram that is not newer than one before";
    WORLD_SVC = "world nvs_svc" ["version"], "the version that QuakeC's world entity shows has changed";
    PLAYER_SVC = "player nvs_svc" ["client", "version"], "the version that QuakeC's entity of a player shows has changed";
    VIEW_ANGLE = "view angle" ["client", "axis", "angle"], "a client's move has changed a view angle that the server holds";
    OVERFLOW = "overflow" ["client"], "bytes do not fit into a buffer of the server: a client's, or a common one (0)";
    BROADCAST_FITS = "broadcast fits" ["client", "bytes"], "a listed BROADCAST has room after the bytes in a client's buffer";
    BROADCAST_DROPPED = "broadcast dropped" ["client", "bytes"], "it has none, and that client does without";
    VERSIONS_SENT = "versions" ["ssvc", "csvc", "cclc"], "a client is sent its versions";
    LIMITS_SENT = "limits" ["edicts", "statics", "temporaries"], "a client is sent the server's limits";
    REPLY_NOT_SENT = "reply not sent" ["bytes"], "a client has too many bytes queued to answer";
    VIEW_TURNED = "view turned" ["pitch", "yaw", "roll"], "the server turns a client's view";
    EXPLOSION = "explosion" ["x", "y", "z"], "a client sees an explosion";
    EXPLOSION_COLOR = "explosion color" ["red", "green", "blue", "alpha"], "it has a colour";
    PARTICLES = "particles" ["x", "y", "z", "count"], "a client sees a burst of particles";
    PARTICLES_LOOK = "particles look" ["x", "y", "z", "color"], "in this direction, and of this colour";
    TEMP_ENTITY = "temp entity" ["kind"], "a client sees a temporary entity other than an explosion";
    DAMAGE = "damage" ["armor", "blood"], "a client is hurt";
    LISTED = "listed message" ["service", "sub"], "a client reads a message that a table lists and that has no note of its own";
    LISTED_VALUE = "listed value" ["value"], "a value of it: a number, the bits of a float, coord or angle, the length of a string";
    SERVICE = "service" ["service"], "a client reads another message of the game, and no part of the sign-on";
}

/// A note with these arguments, at most four.
pub fn note(note: usize, args: &[i64]) -> Event {
    let mut all = [0; 4];
    all.iter_mut().zip(args).for_each(|(to, &from)| *to = from);
    Event::Note { note, args: all }
}
