//! The player's own state.

use super::section::{BASE, CLIENTDATA, OVERVIEW, WEAPON_ALPHA};
use kit::Requirement;
use kit::Role::{Both, Client, Server};
use kit::requirement::{must, should};

pub static CD_01: Requirement = must("FITZ-CD-01", Server, CLIENTDATA, "wire: grammar")
    .text("SU_EXTEND1 is set exactly when a third byte of bits follows the short.");

pub static CD_02: Requirement =
    must("FITZ-CD-02", Server, CLIENTDATA, "wire: grammar; transparency of the weapon alone")
        .text("SU_EXTEND2, in the third byte of bits, is set exactly when a fourth follows.");

pub static CD_03: Requirement = must("FITZ-CD-03", Server, CLIENTDATA, "wire: values against the world")
    .text("The byte of WEAPON2 directly follows the active weapon.");

pub static CD_04: Requirement = must("FITZ-CD-04", Server, CLIENTDATA, "wire: values against the world")
    .text("Armour above 255 has its high byte in ARMOR2, after the place of WEAPON2.");

pub static CD_05: Requirement = must("FITZ-CD-05", Server, CLIENTDATA, "wire: values against the world")
    .text("Ammunition in hand above 255 has its high byte in AMMO2, after the place of ARMOR2.");

pub static CD_06: Requirement = must("FITZ-CD-06", Server, CLIENTDATA, "wire: values against the world")
    .text("Shells above 255 have their high byte in SHELLS2, after the place of AMMO2.");

pub static CD_07: Requirement = must("FITZ-CD-07", Server, CLIENTDATA, "wire: values against the world")
    .text("Nails above 255 have their high byte in NAILS2, after the place of SHELLS2.");

pub static CD_08: Requirement = must("FITZ-CD-08", Server, CLIENTDATA, "wire: values against the world")
    .text("Rockets above 255 have their high byte in ROCKETS2, after the place of NAILS2.");

pub static CD_09: Requirement = must("FITZ-CD-09", Server, CLIENTDATA, "wire: values against the world")
    .text("Cells above 255 have their high byte in CELLS2, after the place of ROCKETS2.");

pub static CD_10: Requirement = must("FITZ-CD-10", Server, CLIENTDATA, "wire: values against the world")
    .text("A weapon frame above 255 has its high byte in WEAPONFRAME2, after the place of CELLS2.")
    .errata("The low byte has to be there, too (E4).");

pub static CD_11: Requirement =
    must("FITZ-CD-11", Server, CLIENTDATA, "wire: WEAPONALPHA and the alpha of the player's entity")
        .text("WEAPONALPHA comes last, and only if the weapon's alpha is not the default.");

pub static CD_12: Requirement = must("FITZ-CD-12", Client, OVERVIEW, "state: the statistic shown")
    .text("Low and high bytes are joined to a number from 0 to 65535.");

pub static CD_13: Requirement = must("FITZ-CD-13", Client, BASE, "state: statistics after two datagrams").text(
    "What a clientdata does not carry has its default (view height 22, everything else 0), not its former value.",
);

pub static CD_14: Requirement = must("FITZ-CD-14", Both, BASE, "wire: grammar")
    .text("Items, health, the five ammunition bytes and the active weapon are always there, whatever the bits are.");

pub static CD_15: Requirement =
    must("FITZ-CD-15", Server, BASE, "wire: grammar, with mission-pack numbers and weapon 0")
        .text("There is exactly one byte of active weapon, also for no weapon at all in a mission pack.")
        .engines("NetQuake and QuakeSpasm-Spiked write none then, and lose their place in the datagram (E12).");

pub static CD_16: Requirement =
    must("FITZ-CD-16", Client, WEAPON_ALPHA, "state: weapon alpha of a transparent player without WEAPONALPHA")
        .text("The weapon's alpha comes from WEAPONALPHA alone, not from the player's entity.");

pub static CD_17: Requirement =
    must("FITZ-CD-17", Server, WEAPON_ALPHA, "wire: WEAPONALPHA against the alpha of the player's entity")
        .text("The weapon's alpha that is sent is the code of that of the player's entity, for want of another.");

pub static CD_18: Requirement =
    should("FITZ-CD-18", Server, CLIENTDATA, "wire: WEAPONALPHA of a player whose entity has an alpha")
        .text("A weapon's alpha that is not the default is sent.")
        .errata("A server for which all weapons are opaque has nothing to send: so it is a recommendation.");
