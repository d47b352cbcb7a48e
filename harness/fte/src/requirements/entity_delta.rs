//! The fields of an entity update.

use super::section::{DELTAS, SENDING};
use kit::Requirement;
use kit::Role::{Both, Client, Server};
use kit::requirement::{may, must, must_not, should};

pub static DLT_01: Requirement = must("FTE-DLT-01", Both, DELTAS, "wire")
    .text("First flag byte always; bytes 2,3,4 exactly when bits 7,15,23 of the accumulated word are set.");

pub static DLT_02: Requirement = must("FTE-DLT-02", Client, DELTAS, "state")
    .text("Accept an extension flag byte that is zero.")
    .engines("FTEQW and QuakeSpasm-Spiked write no flag byte that is zero, and read one.");

pub static DLT_03: Requirement = must("FTE-DLT-03", Both, DELTAS, "state: change one field")
    .text("Only flagged fields are present; unflagged fields keep their previous value.");

pub static DLT_04: Requirement = must("FTE-DLT-04", Both, DELTAS, "wire: update with all flags")
    .text("Field order is the listed one (pred info before model, effects before pred info, ...).");

pub static DLT_05: Requirement =
    must("FTE-DLT-05", Both, DELTAS, "wire: 255,256,65535").text("FRAME: byte, or unsigned short with 16BIT.");

pub static DLT_06: Requirement =
    must("FTE-DLT-06", Both, DELTAS, "wire").text("ORIGINXY carries both x and y, ORIGINZ only z, as coords.");

pub static DLT_07: Requirement =
    must("FTE-DLT-07", Server, DELTAS, "T2").text("A change of x or of y alone raises ORIGINXY.");

pub static DLT_08: Requirement =
    must("FTE-DLT-08", Both, DELTAS, "wire distinct values").text("ANGLESXZ carries pitch then roll; ANGLESY yaw.");

pub static DLT_09: Requirement = must("FTE-DLT-09", Both, DELTAS, "wire 4 combinations")
    .text(
        "Angles are 16-bit in updates that have the PREDINFO flag while the PREDINFO extension is off; else normal \
         angle.",
    )
    .errata(
        "The specification has 16 bits beside every pred block; engines only while the PREDINFO extension is off \
         (E15), which is what counts.",
    );

pub static DLT_10: Requirement = must("FTE-DLT-10", Both, DELTAS, "wire 255,256,65535,65536,0xFFFFFFFF")
    .text("EFFECTS width: flags 5+29 long, 29 only ushort, 5 only byte, none absent.")
    .engines(
        "Writers in use take both flags from 65536 and flag 29 alone from 256; a wider form than needed is legal.",
    );

pub static DLT_11: Requirement = must("FTE-DLT-11", Server, DELTAS, "T1: 65536 -> 1")
    .text("Choose a width that holds the whole value, also when it shrinks again.")
    .engines(
        "Until 0f8d07b8e an internal flag of FTEQW's shared bit 29, so that repairs of effects came out empty or \
         wrong.",
    );

pub static DLT_12: Requirement = must("FTE-DLT-12", Both, DELTAS, "state/wire")
    .text("16BIT is not itself a field; it widens model, skin, frame and second model in that update only.")
    .errata(
        "The specification's summary names three fields, its list has the second model as well, and so have engines \
         (E21). LERPTIME gives the bit another meaning (E12) and is never offered here.",
    );

pub static DLT_13: Requirement = must("FTE-DLT-13", Server, DELTAS, "wire: model 300 with frame 3")
    .text("Set 16BIT when any included field needs it.");

pub static DLT_14: Requirement = must("FTE-DLT-14", Both, DELTAS, "state: 0x8005 -> 5")
    .text("MODEL: byte or ushort; bit 15 is a flag to be masked out of the index.")
    .engines("FTEQW keeps indices below 2^14; no engine was seen to use bit 15.");

pub static DLT_15: Requirement = must("FTE-DLT-15", Both, DELTAS, "state: -1 via 16BIT")
    .text("SKIN is signed overall; negative values denote contents (8-bit sign: dialect E8).")
    .errata(
        "Signed in the specification, the byte form is read as unsigned by engines (E8): 128 to 255 in a byte are \
         ambiguous.",
    )
    .engines(
        "FTEQW takes the short for negative skins and those above 255; QuakeSpasm-Spiked writes the low byte only.",
    );

pub static DLT_16: Requirement = may("FTE-DLT-16", Client, DELTAS, "state")
    .text("Treat skins 100-109 as global skins only if the model lacks that many.")
    .untestable("Which picture a skin number stands for shows on a screen only; the number itself is compared.");

pub static DLT_17: Requirement =
    must("FTE-DLT-17", Both, DELTAS, "state: slot 200").text("COLORMAP is one byte: the slot of a player, or 0.");

pub static DLT_18: Requirement = must("FTE-DLT-18", Both, DELTAS, "state: 0, 31, packed")
    .text("SOLID is one ushort, with all its bits.")
    .errata(
        "The specification's middle group of bits is the upper bound by name, but the lower one in engines; all are in \
         steps of 8 units, and the top reaches from -32 to 472 (E7). Engines' reading counts.",
    )
    .engines("FTEQW's reader turns 0 into a box of no width.");

pub static DLT_19: Requirement = may("FTE-DLT-19", Client, DELTAS, "state of later fields")
    .text("Ignore SOLID meaning when not predicting, but must still consume it.")
    .untestable(
        "What a client makes of a size shows in its prediction only. That it reads the field is DLT-03's and DLT-04's.",
    );

pub static DLT_20: Requirement = must("FTE-DLT-20", Both, DELTAS, "wire")
    .text("FLAGS is one byte, with all its bits; reserved ones do not disturb parsing.")
    .errata(
        "Bit 128 means on-ground in the specification and in QuakeSpasm-Spiked, a kind of animation in FTEQW, which \
         has on-ground in the movetype (E10): the byte is not interpreted here.",
    );

pub static DLT_21: Requirement = must("FTE-DLT-21", Both, DELTAS, "state")
    .text("FLAGS bit 32 switches COLORMAP to direct pants(low 4)/shirt(high 4).")
    .engines("FTEQW sets the flag for colormaps from 1024.");

pub static DLT_22: Requirement = must("FTE-DLT-22", Both, DELTAS, "state: 0, 1, 254, 255")
    .text("ALPHA byte 0..255: 0 invisible, 255 default and full.")
    .engines(
        "FTEQW turns an unset alpha into 255; QuakeSpasm-Spiked stores the value plus one. Until ce419017 vkQuake \
         judged by an old alpha whether to send an entity, and never sent one that had become visible.",
    );

pub static DLT_23: Requirement =
    must("FTE-DLT-23", Both, DELTAS, "state").text("SCALE byte default 16 = 1.0, 0 = zero size.");

pub static DLT_24: Requirement = must("FTE-DLT-24", Both, DELTAS, "wire")
    .text("Bit 18 is unused in the seed; must not be sent unless a negotiated extension defines it.")
    .errata("The bit has become bone data since, sent under NEWSIZEENCODING only (E11), which is never offered here.")
    .engines("FTEQW raised it, and the weaponframe's bit, without agreement until 0f8d07b8e.");

pub static DLT_25: Requirement = must("FTE-DLT-25", Both, DELTAS, "wire 5,6,7")
    .text("DRAWFLAGS byte, followed by abslight only when its low three bits are 7.")
    .errata(
        "FTEQW reads and writes abslight from 6 already (E9). What drawflags are in the null state is not said: 96 in \
         FTEQW, 0 in QuakeSpasm-Spiked (E30).",
    )
    .engines("An FTEQW server that sends 6 puts a QuakeSpasm-Spiked client out of step.");

pub static DLT_26: Requirement = must("FTE-DLT-26", Both, DELTAS, "wire: tag 40000")
    .text("TAGINFO: entity number in the regular coding, then byte; 0 disables; index 0 = origin, else 1-based.")
    .engines("FTEQW reads a tag index of 255 as -1.");

pub static DLT_27: Requirement =
    must("FTE-DLT-27", Both, DELTAS, "wire all-distinct values").text("LIGHT: four shorts then two bytes.");

pub static DLT_28: Requirement = must("FTE-DLT-28", Both, DELTAS, "wire/state")
    .text("TRAILEFFECT: a short effect index (bit 15 extension: dialect E14).")
    .errata("In engines bit 15 announces a second short, an effect that is emitted, and indices have 14 bits (E14).");

pub static DLT_29: Requirement =
    must("FTE-DLT-29", Both, DELTAS, "state after RESET").text("COLORMOD three bytes, 32 = 1.0, default 32 each.");

pub static DLT_30: Requirement = must("FTE-DLT-30", Both, DELTAS, "wire")
    .text("GLOW is five bytes: size, colour, r, g, b.")
    .errata("What the colours are by default is not said (E30); 32 each in engines.");

pub static DLT_31: Requirement =
    must("FTE-DLT-31", Both, DELTAS, "wire").text("FATNESS is one byte.").engines("FTEQW stores it as a signed byte.");

pub static DLT_32: Requirement = must("FTE-DLT-32", Both, DELTAS, "wire")
    .text("MODELINDEX2 is a byte, or a ushort by 16BIT.")
    .errata("The specification's summary leaves it out of what 16BIT widens, its list of fields does not (E21).")
    .engines("FTEQW forgot it in the comparison until fec777674.");

pub static DLT_33: Requirement =
    must("FTE-DLT-33", Both, DELTAS, "state").text("GRAVITYDIR is two bytes, pitch and yaw.");

pub static DLT_34: Requirement = must_not("FTE-DLT-34", Both, DELTAS, "wire")
    .text("Bits 30 and 31 are never sent.")
    .errata("Unused in the specification, an error in engines (E13).")
    .engines("vkQuake has a meaning of its own for bit 30 (8b44233e), on loopback only.");

pub static DLT_35: Requirement = must("FTE-DLT-35", Client, DELTAS, "state: disconnect/error")
    .text("Treat an update with a flag it cannot parse as an error (not silently misparse).")
    .engines(
        "FTEQW gives up at bit 31 as soon as it reads the flags and at bit 30 after the fields; QuakeSpasm-Spiked at \
         both after the fields.",
    );

pub static DLT_36: Requirement = should("FTE-DLT-36", Client, DELTAS, "state of following entity")
    .text("Parse and ignore rarely used fields rather than reject them.");

pub static DLT_37: Requirement =
    must("FTE-DLT-37", Server, SENDING, "T1").text("Values sent are the current ones at build time, even for resends.");

pub static DLT_38: Requirement = must("FTE-DLT-38", Client, SENDING, "state after losses")
    .text("Apply a non-reset delta on top of the last received state whatever frame that was.");

pub static DLT_39: Requirement = must("FTE-DLT-39", Server, SENDING, "T2 each field alone")
    .text("Changed fields of a visible entity raise their flags (diff against previous frame).")
    .engines(
        "FTEQW and QuakeSpasm-Spiked compare unrounded floats, so that some updates change nothing that the wire can \
         show; that is legal. Until 010b11f1 vkQuake compared the step flag wrongly.",
    );

pub static DLT_40: Requirement = must("FTE-DLT-40", Both, DELTAS, "wire")
    .text("Boundary widths decode the same on both sides (255/256, 32767/32768, 65535).");

pub static DLT_41: Requirement =
    must("FTE-DLT-41", Client, DELTAS, "state: frame 5 -> 0").text("Distinguish unchanged from changed-to-zero.");

pub static DLT_42: Requirement =
    must("FTE-DLT-42", Client, DELTAS, "-").text("A COLORMAP that is no slot of a player is treated as 0.").untestable(
        "How a colormap is treated shows on a screen only. A client may hold the number or 0 in its place: both pass.",
    );

pub static DLT_43: Requirement = must("FTE-DLT-43", Both, DELTAS, "-")
    .text(
        "The numbers mean what is listed: bits of SOLID and FLAGS, angles of GRAVITYDIR, units of GLOW, FATNESS, SCALE and \
         COLORMOD, and that the second model has the frame of the first.",
    )
    .untestable(
        "What a number means shows on a screen, or in how a game's own code fills it. That every bit of it arrives is \
         compared by the rows of the fields.",
    );

pub(super) const ALL: &[&Requirement] = &[
    &DLT_01, &DLT_02, &DLT_03, &DLT_04, &DLT_05, &DLT_06, &DLT_07, &DLT_08, &DLT_09, &DLT_10, &DLT_11, &DLT_12,
    &DLT_13, &DLT_14, &DLT_15, &DLT_16, &DLT_17, &DLT_18, &DLT_19, &DLT_20, &DLT_21, &DLT_22, &DLT_23, &DLT_24,
    &DLT_25, &DLT_26, &DLT_27, &DLT_28, &DLT_29, &DLT_30, &DLT_31, &DLT_32, &DLT_33, &DLT_34, &DLT_35, &DLT_36,
    &DLT_37, &DLT_38, &DLT_39, &DLT_40, &DLT_41, &DLT_42, &DLT_43,
];
