//! How players move: a model without a map, in whole eighths, so that server, client and judge agree to the last bit.
//!
//! A spectator flies as its command says: forward along x, sideways along y, upward along z, in units a second, whatever
//! it looks at; that is its velocity, too. On foot (`PM_NORMAL`) a player goes on with the velocity that it has. No
//! other player moves. What a command covers less than an eighth of is kept for the next one.

use crate::wire::constants::{PM_NORMAL, PM_SPECTATOR, PROTOCOL_R1Q2};
use crate::wire::state::{PM_ORIGIN_X, PM_TYPE, PM_VELOCITY_X, Player};
use crate::wire::usercmd::{CMD_FORWARD, CMD_MSEC, UserCmd};

/// Eighths in a unit.
const EIGHTHS: i32 = 8;
/// Milliseconds in a second.
const SECOND: i32 = 1000;
/// Longest time of a command, in milliseconds; engines take a client that sends more for a cheater.
pub const MAX_MSEC: i32 = 250;

/// How long a command lasts, in times of what it says, of the protocol and the kind of movement: over protocol 35 twice
/// as long for a spectator.
pub fn command_time(protocol: u32, pm_type: i32) -> i32 {
    // R1Q2-MOV-01
    if protocol == PROTOCOL_R1Q2 && pm_type == PM_SPECTATOR { 2 } else { 1 }
}

/// Moves one player.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Mover {
    /// What was covered less than an eighth of: thousandths of it, by axis.
    remainder: [i32; 3],
}

impl Mover {
    /// Moves `player` by a command that lasts `times` as long as it says.
    pub fn apply(&mut self, player: &mut Player, command: &UserCmd, times: i32) {
        let msec = command[CMD_MSEC].clamp(0, MAX_MSEC);
        for axis in 0..3 {
            let short = |value: i32| value.clamp(i16::MIN.into(), i16::MAX.into());
            match player[PM_TYPE] {
                PM_SPECTATOR => player[PM_VELOCITY_X + axis] = short(command[CMD_FORWARD + axis] * EIGHTHS),
                PM_NORMAL => {}
                _ => continue,
            }
            let covered = short(player[PM_VELOCITY_X + axis]) * msec * times + self.remainder[axis];
            self.remainder[axis] = covered.rem_euclid(SECOND);
            player[PM_ORIGIN_X + axis] = short(short(player[PM_ORIGIN_X + axis]) + covered.div_euclid(SECOND));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::state::PM_ORIGIN_Z;

    /// Where a player of this kind and velocity is after commands of 50 ms with 100 units forward and 33 upward.
    #[track_caller]
    fn check(pm_type: i32, velocity: i32, protocol: u32, commands: usize, expected: [i32; 2]) {
        let (mut player, mut mover, mut command) = (Player::NULL, Mover::default(), UserCmd::NULL);
        (player[PM_TYPE], player[PM_VELOCITY_X]) = (pm_type, velocity);
        (command[CMD_FORWARD], command[CMD_FORWARD + 2], command[CMD_MSEC]) = (100, 33, 50);
        for _ in 0..commands {
            mover.apply(&mut player, &command, command_time(protocol, pm_type));
        }
        assert_eq!([player[PM_ORIGIN_X], player[PM_ORIGIN_Z]], expected);
    }

    #[test]
    fn a_spectator_goes_twice_as_far_over_protocol_35() {
        // 800 eighths a second, a second long; upward 264, a twentieth of which is 13.2.
        check(PM_SPECTATOR, 0, 34, 20, [800, 264]);
        check(PM_SPECTATOR, 0, 35, 20, [1600, 528]);
        check(PM_SPECTATOR, 0, 34, 1, [40, 13]);
        check(PM_SPECTATOR, 0, 35, 1, [80, 26]);
    }

    #[test]
    fn on_foot_the_protocol_does_not_matter_and_the_dead_stay() {
        check(PM_NORMAL, 80, 34, 20, [80, 0]);
        check(PM_NORMAL, 80, 35, 20, [80, 0]);
        check(PM_NORMAL, -80, 35, 1, [-4, 0]);
        check(crate::wire::constants::PM_DEAD, 80, 35, 20, [0, 0]);
    }
}
