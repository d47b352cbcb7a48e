//! Pairs with one half that follows other rules: what it breaks is named.

use super::*;

#[test]
fn a_reset_that_is_not_logged_is_caught() {
    let rules = Rules { reset_copies: 1, logged: crate::rules::Logged::only(!(UF_RESET as u32)), ..Rules::REFERENCE };
    for profile in [0, 1] {
        let run = small(Run::new(profile)).spawn(1_000, 5).rules(rules, Rules::REFERENCE);
        let run = run.losing(first(1, |datagram| datagram.is_about("reset", 5)));
        check_caught(run, "FTE-RST-07");
    }
}

#[test]
fn a_history_that_forgets_is_caught() {
    // A history of 32 frames is "roughly 64" to nobody: 40 frames in flight must be survived, so that this is the
    // lack of a recovery (HIST-06), not a careless merge (HIST-02).
    let rules = Rules { log_frames: 32, overflow: Overflow::Forget, ..Rules::REFERENCE };
    for profile in [0, 1] {
        let run = small(Run::new(profile)).set(1_050, 2, SKIN, 3).rules(rules, Rules::REFERENCE);
        let run = run.losing(|datagram| datagram.comes_from_server() && datagram.between(1_000, 3_000));
        check_caught(run, "FTE-HIST-06");
    }
}

#[test]
fn acknowledgements_in_descending_order_are_caught() {
    let rules = Rules { ack_order: AckOrder::Descending, ..Rules::REFERENCE };
    let run = small(Run::new(0)).option("client_tick_us", 150_000).rules(Rules::REFERENCE, rules);
    check_caught(run, "FTE-ACK-06");
}

const fn without_change(field: usize) -> [Row; FIELDS] {
    let mut rows = ENTITY_ROWS;
    let mut row = 0;
    while row < rows.len() {
        if rows[row].field == field {
            rows[row].raise = 0;
        }
        row += 1;
    }
    rows
}

static NO_MODELINDEX2: Table = Table::new("entity update", &const { without_change(MODELINDEX2) });
static NO_ALPHA: Table = Table::new("entity update", &const { without_change(ALPHA) });

#[test]
fn fields_left_out_of_the_comparison_are_caught() {
    for (table, field, requirement) in [(&NO_MODELINDEX2, MODELINDEX2, "FTE-DLT-32"), (&NO_ALPHA, ALPHA, "FTE-DLT-39")]
    {
        for profile in [0, 1] {
            let rules = Rules { table, ..Rules::REFERENCE };
            let run = small(Run::new(profile)).set(1_000, 2, field, 7).rules(rules, Rules::REFERENCE);
            check_caught(run, requirement);
        }
    }
}

#[test]
fn starting_over_at_the_lowest_entity_is_caught() {
    let rules = Rules { after_full: AfterFull::Restart, ..Rules::REFERENCE };
    for profile in [0, 1] {
        check_caught(crowd(Run::new(profile)).rules(rules, Rules::REFERENCE), "FTE-OVF-03");
    }
}

#[test]
fn a_remove_that_is_not_logged_is_caught() {
    let rules = Rules { logged: crate::rules::Logged::only(!crate::sender::REMOVE), ..Rules::REFERENCE };
    for profile in [0, 1] {
        let run = small(Run::new(profile)).at(1_000, Command::Remove { entity: 2 }).rules(rules, Rules::REFERENCE);
        check_caught(run.losing(first(1, |datagram| datagram.has("remove"))), "FTE-RMV-05");
    }
}

#[test]
fn fields_that_are_not_logged_are_caught() {
    let rules =
        Rules { logged: crate::rules::Logged::only(crate::sender::REMOVE | UF_RESET as u32), ..Rules::REFERENCE };
    for profile in [0, 1] {
        let run = small(Run::new(profile)).set(800, 2, SKIN, 1).set(1_000, 2, SKIN, 9).rules(rules, Rules::REFERENCE);
        check_caught(
            run.losing(|datagram| datagram.comes_from_server() && datagram.between(1_000, 1_060)),
            "FTE-HIST-04",
        );
    }
}
