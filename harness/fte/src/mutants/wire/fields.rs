//! Fields that are not compared, or written or read with another width, sign, meaning or place.

use super::rows::*;
use crate::constants::*;
use crate::delta::{EXT_PREDINFO, PRED_ROWS};
use crate::state::*;
use kit::Mutant;
use kit::table::{Kind, Layout};

/// Effects of one or two bytes.
const SHORT_EFFECTS: &[Layout] =
    &[Layout::without(UF_EFFECTS, UF_EFFECTS2, Kind::U8), Layout::without(UF_EFFECTS2, UF_EFFECTS, SHORT_OF_ANY)];
/// Velocities in whole units.
const IN_UNITS: &[Layout] = &[Layout::when(UFP_VELOCITYXY, WHOLE_UNITS)];
/// A weaponframe whose second byte begins with bit 8.
const BY_8: &[Layout] = &[Layout::without(UFP_WEAPONFRAME, EXT_PREDINFO, EIGHT_AND_SEVEN)];
/// View angles for all axes, whichever are flagged.
const EVERY_AXIS: &[Layout] = &[Layout::when(UFP_WEAPONFRAME | EXT_PREDINFO, Kind::I16)];

/// The broken fields.
pub(in super::super) static FIELDS: &[Mutant] = mutants! {
    server "modelindex2-not-compared" DLT_32 "fte/delta-fields-alone":
        rows without_change(MODELINDEX2), "misses changes of the second model", "FTEQW fec777674";
    server "alpha-not-compared" DLT_39 "fte/delta-fields-alone": rows without_change(ALPHA), "misses changes of alpha";
    server "effects-not-compared" DLT_39 "fte/delta-fields-alone":
        rows without_change(EFFECTS), "misses changes of effects";
    server "only-x-compared" DLT_07 "fte/delta-fields-alone":
        rows without_change(ORIGIN_Y), "misses a change of y that comes without one of x";
    client "effects-zeroed-unflagged" DLT_03 "fte/delta-fields-alone":
        rows zero_when_absent(EFFECTS), "sets effects to zero whenever an update leaves them out";
    client "frame-zeroed-unflagged" DLT_03 "fte/delta-fields-alone":
        rows zero_when_absent(FRAME), "sets the frame to zero whenever an update leaves it out";
    server "alpha-after-scale" DLT_04 "fte/delta-fields-together":
        rows swapped(ALPHA, SCALE), "writes scale before alpha";
    server "flags-before-solid" DLT_04 "fte/delta-fields-together":
        rows swapped(SOLID, FLAGS), "writes flags before the size";
    client "scale-before-alpha" DLT_04 "fte/delta-fields-together":
        rows swapped(ALPHA, SCALE), "reads scale before alpha";
    client "frame-signed" DLT_05 "fte/delta-widths":
        rows recoded!(FRAME, U16 => Kind::I16), "reads the frame as a signed short";
    server "frame-big-endian" DLT_05 "fte/delta-widths":
        rows recoded!(FRAME, U16 => BIG_ENDIAN), "writes long frames with the high byte first";
    server "y-before-x" DLT_06 "fte/delta-fields-alone": rows swapped(ORIGIN_X, ORIGIN_Y), "writes y before x";
    client "y-read-first" DLT_06 "fte/delta-fields-alone": rows swapped(ORIGIN_X, ORIGIN_Y), "reads y before x";
    server "roll-before-pitch" DLT_08 "fte/delta-fields-alone": rows swapped(PITCH, ROLL), "writes roll before pitch";
    client "roll-read-first" DLT_08 "fte/delta-fields-alone": rows swapped(PITCH, ROLL), "reads roll before pitch";
    server "model-big-endian" DLT_14 "fte/delta-widths":
        rows with_forms(MODEL, &byte_or_short(UF_MODEL, BIG_ENDIAN)), "writes long models with the high byte first";
    client "model-of-14-bits" DLT_14 "fte/delta-widths":
        rows with_forms(MODEL, &byte_or_short(UF_MODEL, FOURTEEN_BITS)), "cuts models to 14 bits";
    client "model-with-ragdoll-bit" DLT_14 "fte/delta-ragdolls":
        rows with_forms(MODEL, &byte_or_short(UF_MODEL, Kind::U16)), "keeps bit 15 in the index of a model";
    server "skin-without-sign" DLT_15 "fte/delta-widths":
        rows recoded!(SKIN, I16 => UNSIGNED16), "writes negative skins without their sign";
    client "skin-unsigned" DLT_15 "fte/delta-widths":
        rows recoded!(SKIN, I16 => Kind::U16), "reads skins as unsigned shorts";
    server "colormap-of-7-bits" DLT_17 "fte/delta-high-values":
        rows recoded!(COLORMAP, U8 => SEVEN_BITS), "writes the lower 7 bits of the colormap";
    client "colormap-signed" DLT_17 "fte/delta-high-values":
        rows recoded!(COLORMAP, U8 => Kind::I8), "reads the colormap as a signed char";
    server "solid-big-endian" DLT_18 "fte/delta-high-values":
        rows recoded!(SOLID, U16 => BIG_ENDIAN), "writes the size with its high byte first";
    client "solid-signed" DLT_18 "fte/delta-high-values":
        rows recoded!(SOLID, U16 => Kind::I16), "reads the size as a signed short";
    server "flags-of-7-bits" DLT_20 "fte/delta-high-values":
        rows recoded!(FLAGS, U8 => SEVEN_BITS), "writes the lower 7 flags";
    client "flags-signed" DLT_20 "fte/delta-high-values":
        rows recoded!(FLAGS, U8 => Kind::I8), "reads the flags as a signed char";
    server "colours-swapped" DLT_21 "fte/delta-colours":
        rows recoded!(COLORMAP, U8 => COLOURS_SWAPPED), "writes pants in the upper and shirt in the lower half";
    client "colours-read-swapped" DLT_21 "fte/delta-colours":
        rows recoded!(COLORMAP, U8 => COLOURS_SWAPPED), "reads pants from the upper half";
    server "alpha-biased" DLT_22 "fte/delta-fields-alone":
        rows recoded!(ALPHA, U8 => BIASED), "writes alpha one less than it is";
    client "alpha-0-is-opaque" DLT_22 "fte/delta-fields-alone":
        rows recoded!(ALPHA, U8 => ZERO_IS_DEFAULT), "reads alpha 0 as the default";
    server "scale-of-7-bits" DLT_23 "fte/delta-high-values":
        rows recoded!(SCALE, U8 => SEVEN_BITS), "writes the lower 7 bits of the scale";
    client "scale-0-is-default" DLT_23 "fte/delta-fields-alone":
        rows recoded!(SCALE, U8 => ZERO_IS_DEFAULT), "reads scale 0 as the default";
    server "abslight-left-out" DLT_25 "fte/delta-fields-alone":
        rows coded!(DRAWFLAGS, Layout::when(UF_DRAWFLAGS, Kind::U8)), "never writes absolute light";
    client "abslight-not-read" DLT_25 "fte/delta-fields-alone":
        rows coded!(DRAWFLAGS, Layout::when(UF_DRAWFLAGS, Kind::U8)), "never reads absolute light";
    server "tag-from-0" DLT_26 "fte/delta-fields-alone": rows recoded!(TAGINDEX, U8 => BIASED), "counts bones from 0";
    client "tag-signed" DLT_26 "fte/delta-high-values":
        rows recoded!(TAGINDEX, U8 => Kind::I8), "reads a bone as a signed char";
    server "light-flags-before-style" DLT_27 "fte/delta-fields-alone":
        rows swapped(LIGHTSTYLE, LIGHTPFLAGS), "writes a light's flags before its style";
    client "light-flags-read-first" DLT_27 "fte/delta-fields-alone":
        rows swapped(LIGHTSTYLE, LIGHTPFLAGS), "reads a light's flags before its style";
    server "emit-before-trail" DLT_28 "fte/delta-high-values":
        rows coded!(TRAILEFFECT, Layout::when(UF_TRAILEFFECT, EMIT_BEFORE_TRAIL)),
        "writes the emit effect before the trail";
    client "emit-read-first" DLT_28 "fte/delta-high-values":
        rows coded!(TRAILEFFECT, Layout::when(UF_TRAILEFFECT, EMIT_BEFORE_TRAIL)),
        "reads the emit effect before the trail";
    server "colormod-of-7-bits" DLT_29 "fte/delta-high-values":
        rows recoded!(COLORMOD_G, U8 => SEVEN_BITS), "writes the lower 7 bits of green";
    client "colormod-0-is-default" DLT_29 "fte/delta-fields-alone":
        rows recoded!(COLORMOD_R, U8 => ZERO_IS_DEFAULT), "reads red 0 as the default";
    server "glow-size-unscaled" DLT_30 "fte/delta-fields-alone":
        rows recoded!(GLOW_SIZE, U8 => TIMES_FOUR), "writes the glow's size, not a fourth of it";
    client "glow-colour-read-first" DLT_30 "fte/delta-fields-alone":
        rows swapped(GLOW_SIZE, GLOW_COLOUR), "reads the glow's colour before its size";
    client "glow-refused" DLT_36 "fte/delta-fields-alone":
        rows recoded!(GLOW_SIZE, U8 => REFUSED), "rejects an update with glow";
    server "fatness-of-7-bits" DLT_31 "fte/delta-high-values":
        rows recoded!(FATNESS, U8 => SEVEN_BITS), "writes the lower 7 bits of fatness";
    client "fatness-as-short" DLT_31 "fte/delta-fields-alone":
        rows recoded!(FATNESS, U8 => Kind::U16), "reads two bytes of fatness";
    server "modelindex2-as-byte" DLT_32 "fte/delta-widths":
        rows recoded!(MODELINDEX2, U16 => Kind::U8), "writes the second model as a byte, always";
    client "modelindex2-read-as-byte" DLT_32 "fte/delta-widths":
        rows recoded!(MODELINDEX2, U16 => Kind::U8), "reads the second model as a byte, always";
    server "gravity-yaw-first" DLT_33 "fte/delta-fields-alone":
        rows swapped(GRAVITY_PITCH, GRAVITY_YAW), "writes the yaw of gravity before its pitch";
    client "gravity-yaw-read-first" DLT_33 "fte/delta-fields-alone":
        rows swapped(GRAVITY_PITCH, GRAVITY_YAW), "reads the yaw of gravity before its pitch";
    client "frame-0-ignored" DLT_41 "fte/delta-fields-alone":
        rows recoded!(FRAME, U8 => ZERO_IS_NOTHING), "reads frame 0 as no change";
    client "alpha-0-ignored" DLT_41 "fte/delta-fields-alone":
        rows recoded!(ALPHA, U8 => ZERO_IS_NOTHING), "reads alpha 0 as no change";
};

/// The broken widths.
pub(in super::super) static WIDTHS: &[Mutant] = mutants! {
    server "angles-beside-pred" DLT_09 "fte/delta-angles":
        rows with_forms(YAW, &angle_inverted(UF_ANGLESY)), "writes 16-bit angles with PREDINFO on, not off";
    client "angles-read-beside-pred" DLT_09 "fte/delta-angles":
        rows with_forms(YAW, &angle_inverted(UF_ANGLESY)), "reads 16-bit angles with PREDINFO on, not off";
    server "long-effects-swapped" DLT_10 "fte/delta-widths":
        rows recoded!(EFFECTS, U32 => HALVES_SWAPPED), "writes the upper half of long effects first";
    server "short-effects-big-endian" DLT_10 "fte/delta-widths":
        rows recoded!(EFFECTS, U16 => BIG_ENDIAN), "writes effects of 16 bits high byte first";
    client "short-effects-signed" DLT_10 "fte/delta-widths":
        rows recoded!(EFFECTS, U16 => Kind::I16), "extends the sign of effects of 16 bits";
    client "long-effects-read-swapped" DLT_10 "fte/delta-widths":
        rows recoded!(EFFECTS, U32 => HALVES_SWAPPED), "reads the upper half of long effects first";
    server "effects-cut-to-8" DLT_11 "fte/delta-widths":
        rows coded!(EFFECTS, Layout::when(UF_EFFECTS, BYTE_OF_ANY)), "writes the lower 8 bits of effects";
    server "effects-cut-to-16" DLT_11 "fte/delta-widths":
        rows with_forms(EFFECTS, SHORT_EFFECTS), "writes the lower 16 bits of effects";
    server "long-frame-unannounced" DLT_12 "fte/delta-widths":
        rows coded!(FRAME, Layout::when(UF_FRAME, FITTED)), "writes frames as shorts without 16BIT";
    server "16bit-widens-model-only" DLT_12 "fte/delta-widths":
        rows recoded!(FRAME, U16 => FITTED), "writes the frame as a byte beside a wide model";
    client "16bit-read-for-model-only" DLT_12 "fte/delta-widths":
        rows recoded!(FRAME, U16 => Kind::U8), "ignores 16BIT for frames";
    client "16bit-read-for-frame-only" DLT_12 "fte/delta-widths":
        rows recoded!(SKIN, I16 => Kind::U8), "ignores 16BIT for skins";
    server "frame-never-widens" DLT_13 "fte/delta-widths":
        rows coded!(FRAME, Layout::when(UF_FRAME, BYTE_OF_ANY)), "does not set 16BIT for a frame";
    server "model-never-widens" DLT_13 "fte/delta-widths":
        rows coded!(MODEL, Layout::when(UF_MODEL, BYTE_OF_ANY)), "does not set 16BIT for a model";
    server "frame-256-in-a-byte" DLT_40 "fte/delta-widths":
        rows recoded!(FRAME, U8 => BYTE_TO_256), "writes 256 as a byte";
    server "frame-to-32767" DLT_40 "fte/delta-widths":
        rows recoded!(FRAME, U16 => POSITIVE16), "writes at most 32767 as a frame";
    client "frame-byte-signed" DLT_40 "fte/delta-widths":
        rows recoded!(FRAME, U8 => Kind::I8), "reads a frame of one byte with a sign";
    client "frame-short-signed" DLT_40 "fte/delta-widths":
        rows recoded!(FRAME, U16 => Kind::I16), "reads frames above 32767 as negative";
};

/// The broken pred blocks.
pub(in super::super) static PRED_BLOCKS: &[Mutant] = mutants! {
    server "movetype-first" PRED_01 "fte/pred-block":
        rows with_pred!(exchanged(PRED_ROWS, FORWARD, MOVETYPE)), "writes the movetype before the movement";
    client "movetype-read-first" PRED_01 "fte/pred-block":
        rows with_pred!(exchanged(PRED_ROWS, FORWARD, MOVETYPE)), "reads the movetype before the movement";
    client "movement-kept" PRED_02 "fte/pred-block":
        rows with_pred!(pred_kept()), "keeps movement and velocity that a pred block leaves out";
    client "movetype-zeroed" PRED_03 "fte/pred-block":
        rows zero_when_absent(MOVETYPE), "sets the movetype to zero when it is not sent";
    server "velocity-in-units" PRED_04 "fte/pred-block":
        rows with_pred!(pred_with_forms(VELOCITY_X, IN_UNITS)), "writes velocities in whole units";
    client "velocity-read-in-units" PRED_04 "fte/pred-block":
        rows with_pred!(pred_with_forms(VELOCITY_X, IN_UNITS)), "reads velocities as whole units";
    server "weaponframe-by-8" PRED_05 "fte/pred-weaponframe":
        rows with_pred!(pred_with_forms(WEAPONFRAME, BY_8)), "begins a weaponframe's second byte with bit 8";
    client "weaponframe-read-by-8" PRED_05 "fte/pred-weaponframe":
        rows with_pred!(pred_with_forms(WEAPONFRAME, BY_8)), "reads a weaponframe's second byte from bit 8";
    server "view-roll-first" PRED_07 "fte/pred-view-angles":
        rows with_pred!(exchanged(PRED_ROWS, VIEW_PITCH, VIEW_ROLL)), "writes the roll of the view before its pitch";
    client "view-angles-always-three" PRED_07 "fte/pred-view-angles":
        rows with_pred!(pred_with_forms(VIEW_YAW, EVERY_AXIS)), "always reads the view yaw";
};

/// The broken entity numbers inside of updates.
pub(in super::super) static TAGS: &[Mutant] = mutants! {
    server "small-tag-big-endian" ENT_01 "fte/entity-numbers":
        rows coded!(TAGENTITY, Layout::when(UF_TAGINFO, NUMBER_BIG_ENDIAN)),
        "writes small entity numbers high byte first";
    client "small-tag-read-big-endian" ENT_01 "fte/entity-numbers":
        rows coded!(TAGENTITY, Layout::when(UF_TAGINFO, NUMBER_BIG_ENDIAN)),
        "reads small entity numbers high byte first";
    server "big-tag-as-short" ENT_02 "fte/entity-numbers":
        rows coded!(TAGENTITY, Layout::when(UF_TAGINFO, SHORT_OF_ANY)),
        "writes every entity number as a short", "QuakeSpasm-Spiked d5a78dc7";
    client "big-tag-misplaced" ENT_02 "fte/entity-numbers":
        rows coded!(TAGENTITY, Layout::when(UF_TAGINFO, NUMBER_MISPLACED)),
        "reads large entity numbers in the other placement of erratum E1";
    server "tag-as-index" ENT_13 "fte/entity-numbers":
        rows coded!(TAGENTITY, Layout::when(UF_TAGINFO, NUMBER_AS_INDEX)),
        "writes the number of a tag as a delta index";
    client "tag-read-as-index" ENT_13 "fte/entity-numbers":
        rows coded!(TAGENTITY, Layout::when(UF_TAGINFO, NUMBER_AS_INDEX)), "reads the number of a tag as a delta index";
};
