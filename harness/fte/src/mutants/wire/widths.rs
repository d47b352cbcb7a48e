//! Widths: which form of a value an update has, and what each end takes it for.

use super::rows::*;
use crate::constants::*;
use crate::state::*;
use kit::Mutant;
use kit::table::{Kind, Layout};

/// Effects of one to four bytes, with the two wide forms given.
const fn effects(wide: Kind, long: Kind) -> [Layout; 3] {
    [
        Layout::without(UF_EFFECTS, UF_EFFECTS2, Kind::U8),
        Layout::without(UF_EFFECTS2, UF_EFFECTS, wide),
        Layout::when(UF_EFFECTS | UF_EFFECTS2, long),
    ]
}

/// Effects of one or two bytes.
const EFFECTS_OF_16: [Layout; 2] =
    [Layout::without(UF_EFFECTS, UF_EFFECTS2, Kind::U8), Layout::without(UF_EFFECTS2, UF_EFFECTS, SHORT_OF_ANY)];
/// A frame that is a byte up to 256.
const FRAME_TO_256: [Layout; 2] =
    [Layout::without(UF_FRAME, UF_16BIT, BYTE_TO_256), Layout::when(UF_FRAME | UF_16BIT, Kind::U16)];
/// A frame whose byte has a sign.
const FRAME_SIGNED: [Layout; 2] =
    [Layout::without(UF_FRAME, UF_16BIT, Kind::I8), Layout::when(UF_FRAME | UF_16BIT, Kind::U16)];

/// The broken widths.
pub(in super::super) static MUTANTS: &[Mutant] = &[
    writes!("angles-beside-pred", DLT_09, "fte/delta-angles", "writes 16-bit angles with PREDINFO on, not off", {
        with_forms(YAW, &angle_inverted(UF_ANGLESY))
    }),
    reads!("angles-read-beside-pred", DLT_09, "fte/delta-angles", "reads 16-bit angles with PREDINFO on, not off", {
        with_forms(YAW, &angle_inverted(UF_ANGLESY))
    }),
    writes!("long-effects-swapped", DLT_10, "fte/delta-widths", "writes the upper half of long effects first", {
        with_forms(EFFECTS, &effects(Kind::U16, HALVES_SWAPPED))
    }),
    writes!("short-effects-big-endian", DLT_10, "fte/delta-widths", "writes effects of 16 bits high byte first", {
        with_forms(EFFECTS, &effects(BIG_ENDIAN, Kind::U32))
    }),
    reads!("short-effects-signed", DLT_10, "fte/delta-widths", "extends the sign of effects of 16 bits", {
        with_forms(EFFECTS, &effects(Kind::I16, Kind::U32))
    }),
    reads!("long-effects-read-swapped", DLT_10, "fte/delta-widths", "reads the upper half of long effects first", {
        with_forms(EFFECTS, &effects(Kind::U16, HALVES_SWAPPED))
    }),
    writes!("effects-cut-to-8", DLT_11, "fte/delta-widths", "writes the lower 8 bits of effects", {
        with_forms(EFFECTS, &[Layout::when(UF_EFFECTS, BYTE_OF_ANY)])
    }),
    writes!("effects-cut-to-16", DLT_11, "fte/delta-widths", "writes the lower 16 bits of effects", {
        with_forms(EFFECTS, &EFFECTS_OF_16)
    }),
    writes!("long-frame-unannounced", DLT_12, "fte/delta-widths", "writes frames as shorts, and does not say so", {
        with_forms(FRAME, &[Layout::when(UF_FRAME, FITTED)])
    }),
    writes!("16bit-widens-model-only", DLT_12, "fte/delta-widths", "writes a byte of frame beside a wide model", {
        with_forms(FRAME, &byte_or(UF_FRAME, FITTED))
    }),
    reads!("16bit-read-for-model-only", DLT_12, "fte/delta-widths", "reads frames as bytes, whatever 16BIT says", {
        with_forms(FRAME, &[Layout::when(UF_FRAME, Kind::U8)])
    }),
    reads!("16bit-read-for-frame-only", DLT_12, "fte/delta-widths", "reads skins as bytes, whatever 16BIT says", {
        with_forms(SKIN, &[Layout::when(UF_SKIN, Kind::U8)])
    }),
    writes!("frame-never-widens", DLT_13, "fte/delta-widths", "does not set 16BIT for a frame", {
        with_forms(FRAME, &[Layout::when(UF_FRAME, BYTE_OF_ANY)])
    }),
    writes!("model-never-widens", DLT_13, "fte/delta-widths", "does not set 16BIT for a model", {
        with_forms(MODEL, &[Layout::when(UF_MODEL, BYTE_OF_ANY)])
    }),
    writes!("frame-256-in-a-byte", DLT_40, "fte/delta-widths", "takes 256 for a value of one byte", {
        with_forms(FRAME, &FRAME_TO_256)
    }),
    writes!("frame-to-32767", DLT_40, "fte/delta-widths", "writes at most 32767 as a frame", {
        with_forms(FRAME, &byte_or(UF_FRAME, POSITIVE16))
    }),
    reads!("frame-byte-signed", DLT_40, "fte/delta-widths", "reads a frame of one byte with a sign", {
        with_forms(FRAME, &FRAME_SIGNED)
    }),
    reads!("frame-short-signed", DLT_40, "fte/delta-widths", "reads frames above 32767 as negative", {
        with_forms(FRAME, &byte_or(UF_FRAME, Kind::I16))
    }),
];
