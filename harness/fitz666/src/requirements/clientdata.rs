//! The player's own state.

use super::section::{BASE, CLIENTDATA, OVERVIEW, WEAPON_ALPHA};
use super::{may, must};
use kit::Requirement;
use kit::Role::{Both, Client, Server};

/// SU_EXTEND1 is set exactly when a third byte of bits follows.
pub static CD_01: Requirement = must(
    "FITZ-CD-01",
    Server,
    "SU_EXTEND1 is set exactly when a third byte of bits follows the short.",
    CLIENTDATA,
    "wire: grammar",
);

/// SU_EXTEND2, in the third byte, announces a fourth.
pub static CD_02: Requirement = must(
    "FITZ-CD-02",
    Server,
    "SU_EXTEND2, in the third byte of bits, is set exactly when a fourth follows.",
    CLIENTDATA,
    "wire: grammar; transparency of the weapon alone",
);

/// WEAPON2 follows the active weapon.
pub static CD_03: Requirement = must(
    "FITZ-CD-03",
    Server,
    "The byte of WEAPON2 directly follows the active weapon.",
    CLIENTDATA,
    "wire: values against the world",
);

/// ARMOR2 follows the place of WEAPON2.
pub static CD_04: Requirement = must(
    "FITZ-CD-04",
    Server,
    "Armour above 255 has its high byte in ARMOR2, behind the place of WEAPON2.",
    CLIENTDATA,
    "wire: values against the world",
);

/// AMMO2 follows the place of ARMOR2.
pub static CD_05: Requirement = must(
    "FITZ-CD-05",
    Server,
    "Ammunition in hand above 255 has its high byte in AMMO2, behind the place of ARMOR2.",
    CLIENTDATA,
    "wire: values against the world",
);

/// SHELLS2 follows the place of AMMO2.
pub static CD_06: Requirement = must(
    "FITZ-CD-06",
    Server,
    "Shells above 255 have their high byte in SHELLS2, behind the place of AMMO2.",
    CLIENTDATA,
    "wire: values against the world",
);

/// NAILS2 follows the place of SHELLS2.
pub static CD_07: Requirement = must(
    "FITZ-CD-07",
    Server,
    "Nails above 255 have their high byte in NAILS2, behind the place of SHELLS2.",
    CLIENTDATA,
    "wire: values against the world",
);

/// ROCKETS2 follows the place of NAILS2.
pub static CD_08: Requirement = must(
    "FITZ-CD-08",
    Server,
    "Rockets above 255 have their high byte in ROCKETS2, behind the place of NAILS2.",
    CLIENTDATA,
    "wire: values against the world",
);

/// CELLS2 follows the place of ROCKETS2.
pub static CD_09: Requirement = must(
    "FITZ-CD-09",
    Server,
    "Cells above 255 have their high byte in CELLS2, behind the place of ROCKETS2.",
    CLIENTDATA,
    "wire: values against the world",
);

/// WEAPONFRAME2 follows the place of CELLS2.
pub static CD_10: Requirement = must(
    "FITZ-CD-10",
    Server,
    "A weapon frame above 255 has its high byte in WEAPONFRAME2, behind the place of CELLS2.",
    CLIENTDATA,
    "wire: values against the world",
)
.errata("The low byte has to be there, too (E4).");

/// WEAPONALPHA comes last, and only where it is not the default.
pub static CD_11: Requirement = must(
    "FITZ-CD-11",
    Server,
    "WEAPONALPHA comes last, and only if the weapon's alpha is not the default.",
    CLIENTDATA,
    "wire: WEAPONALPHA and the alpha of the player's entity",
);

/// The client joins low and high bytes to numbers up to 65535.
pub static CD_12: Requirement = must(
    "FITZ-CD-12",
    Client,
    "Low and high bytes are joined to a number from 0 to 65535.",
    OVERVIEW,
    "state: the statistic shown",
);

/// What is absent has its default.
pub static CD_13: Requirement = must(
    "FITZ-CD-13",
    Client,
    "What a clientdata does not carry has its default (view height 22, everything else 0), not its former value.",
    BASE,
    "state: statistics after two datagrams",
);

/// Items, health, ammunition and active weapon are always there.
pub static CD_14: Requirement = must(
    "FITZ-CD-14",
    Both,
    "Items, health, the five ammunition bytes and the active weapon are always there, whatever the bits say.",
    BASE,
    "wire: grammar",
);

/// There is exactly one byte of active weapon.
pub static CD_15: Requirement = must(
    "FITZ-CD-15",
    Server,
    "There is exactly one byte of active weapon, also for no weapon at all in a mission pack.",
    BASE,
    "wire: grammar, with mission-pack numbers and weapon 0",
)
.engines("NetQuake and QuakeSpasm-Spiked write none then, and lose their place in the datagram (E12).");

/// Only WEAPONALPHA makes a weapon transparent.
pub static CD_16: Requirement = must(
    "FITZ-CD-16",
    Client,
    "The weapon's alpha comes from WEAPONALPHA alone, not from the player's entity.",
    WEAPON_ALPHA,
    "state: weapon alpha of a transparent player without WEAPONALPHA",
);

/// The server takes the weapon's alpha from the player's entity.
pub static CD_17: Requirement = may(
    "FITZ-CD-17",
    Server,
    "The weapon's alpha that is sent is that of the player's entity, for want of another.",
    WEAPON_ALPHA,
    "-",
);
