//! Transparency.

use super::section::{ALPHA, BASE, DEFINITIONS, UPDATE};
use kit::Requirement;
use kit::Role::{Both, Client, Server};
use kit::requirement::{may, must};

pub static ALPHA_01: Requirement = must("FITZ-ALPHA-01", Both, DEFINITIONS, "wire: codes against the world")
    .text("Alpha 0 has code 0; any other has 254 times itself plus 1, between 1 and 255, rounded half away from zero.")
    .errata("A positive alpha below 1/508 has code 1 and is invisible (E9).");

pub static ALPHA_02: Requirement = must("FITZ-ALPHA-02", Server, ALPHA, "wire: codes against the world")
    .text("Any negative alpha has code 1: invisible.");

pub static ALPHA_03: Requirement = must("FITZ-ALPHA-03", Client, DEFINITIONS, "state: opacity of entities")
    .text("Code 0 is drawn opaque, any other code c with an opacity of (c - 1) / 254.");

pub static ALPHA_04: Requirement =
    must("FITZ-ALPHA-04", Server, DEFINITIONS, "wire: codes before and after a game is saved and loaded")
        .text(
            "A saved game holds 0 for code 0, -1 for code 1 and (c - 1) / 254 for any other; loading it gives every \
             code back.",
        )
        .errata("What a client draws with does not do: it gives codes 0 and 1 back as 255 and 0 (E9).");

pub static ALPHA_05: Requirement = must("FITZ-ALPHA-05", Client, ALPHA, "state: water opacity of entities")
    .text("Water surfaces of an entity with code 0 obey the client's setting, those of any other code do not.");

pub static ALPHA_06: Requirement =
    must("FITZ-ALPHA-06", Server, ALPHA, "wire: baselines against the world, without a field in the game code")
        .text("Alpha given in the map is sent, also if the game code has no such field.");

pub static ALPHA_07: Requirement = must("FITZ-ALPHA-07", Server, ALPHA, "wire: codes against the world")
    .text("An entity for which the map gives no alpha has code 0.");

pub static ALPHA_08: Requirement = may("FITZ-ALPHA-08", Server, BASE, "-")
    .text("An entity of code 1 without effects is not mentioned.")
    .engines("QuakeSpasm-Spiked and vkQuake leave such entities out, the player's own included (E8).");

pub static ALPHA_09: Requirement = must("FITZ-ALPHA-09", Server, ALPHA, "wire: codes after a change")
    .text("A change of alpha by the game code shows in the next update of the entity.");

pub static ALPHA_10: Requirement =
    must("FITZ-ALPHA-10", Both, UPDATE, "wire: ALPHA between 0 and 255; state: alpha of the entity").text(
        "Codes 0 and 255 are different states, however alike they look: a change from one to the other is sent and \
         kept.",
    );
