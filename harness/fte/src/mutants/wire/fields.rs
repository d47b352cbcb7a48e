//! Fields that are written or read with another meaning, sign or place.

use super::rows::*;
use crate::constants::*;
use crate::state::*;
use kit::Mutant;
use kit::table::{Kind, Layout};

/// The broken fields.
pub(in super::super) static MUTANTS: &[Mutant] = &[
    writes!(
        "modelindex2-not-compared",
        DLT_32,
        "fte/delta-fields-alone",
        "misses changes of the second model",
        without_change(MODELINDEX2)
    )
    .recalls("FTEQW fec777674"),
    writes!("alpha-not-compared", DLT_39, "fte/delta-fields-alone", "misses changes of alpha", without_change(ALPHA)),
    writes!(
        "effects-not-compared",
        DLT_39,
        "fte/delta-fields-alone",
        "misses changes of effects",
        without_change(EFFECTS)
    ),
    writes!(
        "only-x-compared",
        DLT_07,
        "fte/delta-fields-alone",
        "misses a change of y that comes without one of x",
        without_change(ORIGIN_Y)
    ),
    reads!(
        "effects-zeroed-unflagged",
        DLT_03,
        "fte/delta-fields-alone",
        "sets effects to zero whenever an update leaves them out",
        zero_when_absent(EFFECTS)
    ),
    reads!(
        "frame-zeroed-unflagged",
        DLT_03,
        "fte/delta-fields-alone",
        "sets the frame to zero whenever an update leaves it out",
        zero_when_absent(FRAME)
    ),
    writes!(
        "alpha-behind-scale",
        DLT_04,
        "fte/delta-fields-together",
        "writes scale before alpha",
        swapped(ALPHA, SCALE)
    ),
    writes!(
        "flags-before-solid",
        DLT_04,
        "fte/delta-fields-together",
        "writes flags before the size",
        swapped(SOLID, FLAGS)
    ),
    reads!(
        "scale-before-alpha",
        DLT_04,
        "fte/delta-fields-together",
        "reads scale before alpha",
        swapped(ALPHA, SCALE)
    ),
    reads!("frame-signed", DLT_05, "fte/delta-widths", "reads the frame as a signed short", {
        with_forms(FRAME, &byte_or(UF_FRAME, Kind::I16))
    }),
    writes!("frame-big-endian", DLT_05, "fte/delta-widths", "writes long frames with the high byte first", {
        with_forms(FRAME, &byte_or(UF_FRAME, BIG_ENDIAN))
    }),
    writes!("y-before-x", DLT_06, "fte/delta-fields-alone", "writes y before x", swapped(ORIGIN_X, ORIGIN_Y)),
    reads!("y-read-first", DLT_06, "fte/delta-fields-alone", "reads y before x", swapped(ORIGIN_X, ORIGIN_Y)),
    writes!("roll-before-pitch", DLT_08, "fte/delta-fields-alone", "writes roll before pitch", swapped(PITCH, ROLL)),
    reads!("roll-read-first", DLT_08, "fte/delta-fields-alone", "reads roll before pitch", swapped(PITCH, ROLL)),
    writes!("model-big-endian", DLT_14, "fte/delta-widths", "writes long models with the high byte first", {
        with_forms(MODEL, &byte_or(UF_MODEL, BIG_ENDIAN))
    }),
    reads!("model-of-14-bits", DLT_14, "fte/delta-widths", "cuts models to 14 bits", {
        with_forms(MODEL, &byte_or(UF_MODEL, FOURTEEN_BITS))
    }),
    writes!("skin-without-sign", DLT_15, "fte/delta-widths", "writes negative skins without their sign", {
        with_forms(SKIN, &byte_or(UF_SKIN, UNSIGNED16))
    }),
    reads!("skin-unsigned", DLT_15, "fte/delta-widths", "reads skins as unsigned shorts", {
        with_forms(SKIN, &byte_or(UF_SKIN, Kind::U16))
    }),
    writes!("colormap-of-7-bits", DLT_17, "fte/delta-high-values", "writes the lower 7 bits of the colormap", {
        with_forms(COLORMAP, &[Layout::when(UF_COLORMAP, SEVEN_BITS)])
    }),
    reads!("colormap-signed", DLT_17, "fte/delta-high-values", "reads the colormap as a signed char", {
        with_forms(COLORMAP, &[Layout::when(UF_COLORMAP, Kind::I8)])
    }),
    writes!("solid-big-endian", DLT_18, "fte/delta-high-values", "writes the size with its high byte first", {
        with_forms(SOLID, &[Layout::when(UF_SOLID, BIG_ENDIAN)])
    }),
    reads!("solid-signed", DLT_18, "fte/delta-high-values", "reads the size as a signed short", {
        with_forms(SOLID, &[Layout::when(UF_SOLID, Kind::I16)])
    }),
    writes!("flags-of-7-bits", DLT_20, "fte/delta-high-values", "writes the lower 7 flags", {
        with_forms(FLAGS, &[Layout::when(UF_FLAGS, SEVEN_BITS)])
    }),
    reads!("flags-signed", DLT_20, "fte/delta-high-values", "reads the flags as a signed char", {
        with_forms(FLAGS, &[Layout::when(UF_FLAGS, Kind::I8)])
    }),
    writes!("colours-swapped", DLT_21, "fte/delta-colours", "writes pants in the upper and shirt in the lower half", {
        with_forms(COLORMAP, &[Layout::when(UF_COLORMAP, COLOURS_SWAPPED)])
    }),
    reads!("colours-read-swapped", DLT_21, "fte/delta-colours", "reads pants from the upper half", {
        with_forms(COLORMAP, &[Layout::when(UF_COLORMAP, COLOURS_SWAPPED)])
    }),
    writes!("alpha-biased", DLT_22, "fte/delta-fields-alone", "writes alpha one less than it is", {
        with_forms(ALPHA, &[Layout::when(UF_ALPHA, BIASED)])
    }),
    reads!("alpha-0-is-opaque", DLT_22, "fte/delta-fields-alone", "takes an alpha of 0 for the default", {
        with_forms(ALPHA, &[Layout::when(UF_ALPHA, ZERO_IS_DEFAULT)])
    }),
    writes!("scale-of-7-bits", DLT_23, "fte/delta-high-values", "writes the lower 7 bits of the scale", {
        with_forms(SCALE, &[Layout::when(UF_SCALE, SEVEN_BITS)])
    }),
    reads!("scale-0-is-default", DLT_23, "fte/delta-fields-alone", "takes a scale of 0 for the default", {
        with_forms(SCALE, &[Layout::when(UF_SCALE, ZERO_IS_DEFAULT)])
    }),
    writes!("abslight-left-out", DLT_25, "fte/delta-fields-alone", "never writes absolute light", {
        with_forms(DRAWFLAGS, &[Layout::when(UF_DRAWFLAGS, Kind::U8)])
    }),
    reads!("abslight-not-read", DLT_25, "fte/delta-fields-alone", "never reads absolute light", {
        with_forms(DRAWFLAGS, &[Layout::when(UF_DRAWFLAGS, Kind::U8)])
    }),
    writes!("tag-from-0", DLT_26, "fte/delta-fields-alone", "counts bones from 0", {
        with_forms(TAGINDEX, &[Layout::when(UF_TAGINFO, BIASED)])
    }),
    reads!("tag-signed", DLT_26, "fte/delta-high-values", "reads a bone as a signed char", {
        with_forms(TAGINDEX, &[Layout::when(UF_TAGINFO, Kind::I8)])
    }),
    writes!(
        "light-flags-before-style",
        DLT_27,
        "fte/delta-fields-alone",
        "writes a light's flags before its style",
        swapped(LIGHTSTYLE, LIGHTPFLAGS)
    ),
    reads!(
        "light-flags-read-first",
        DLT_27,
        "fte/delta-fields-alone",
        "reads a light's flags before its style",
        swapped(LIGHTSTYLE, LIGHTPFLAGS)
    ),
    writes!("emit-before-trail", DLT_28, "fte/delta-high-values", "writes the emit effect before the trail", {
        with_forms(TRAILEFFECT, &[Layout::when(UF_TRAILEFFECT, EMIT_BEFORE_TRAIL)])
    }),
    reads!("emit-read-first", DLT_28, "fte/delta-high-values", "reads the emit effect before the trail", {
        with_forms(TRAILEFFECT, &[Layout::when(UF_TRAILEFFECT, EMIT_BEFORE_TRAIL)])
    }),
    writes!("colormod-of-7-bits", DLT_29, "fte/delta-high-values", "writes the lower 7 bits of green", {
        with_forms(COLORMOD_G, &[Layout::when(UF_COLORMOD, SEVEN_BITS)])
    }),
    reads!("colormod-0-is-default", DLT_29, "fte/delta-fields-alone", "takes a red of 0 for the default", {
        with_forms(COLORMOD_R, &[Layout::when(UF_COLORMOD, ZERO_IS_DEFAULT)])
    }),
    writes!("glow-size-unscaled", DLT_30, "fte/delta-fields-alone", "writes the glow's size, not a fourth of it", {
        with_forms(GLOW_SIZE, &[Layout::when(UF_GLOW, TIMES_FOUR)])
    }),
    reads!(
        "glow-colour-read-first",
        DLT_30,
        "fte/delta-fields-alone",
        "reads the glow's colour before its size",
        swapped(GLOW_SIZE, GLOW_COLOUR)
    ),
    reads!("glow-refused", DLT_36, "fte/delta-fields-alone", "calls an update with glow an error", {
        with_forms(GLOW_SIZE, &[Layout::when(UF_GLOW, REFUSED)])
    }),
    writes!("fatness-of-7-bits", DLT_31, "fte/delta-high-values", "writes the lower 7 bits of fatness", {
        with_forms(FATNESS, &[Layout::when(UF_FATNESS, SEVEN_BITS)])
    }),
    reads!("fatness-as-short", DLT_31, "fte/delta-fields-alone", "reads two bytes of fatness", {
        with_forms(FATNESS, &[Layout::when(UF_FATNESS, Kind::U16)])
    }),
    writes!("modelindex2-as-byte", DLT_32, "fte/delta-widths", "writes the second model as a byte, always", {
        with_forms(
            MODELINDEX2,
            &[Layout::without(UF_MODELINDEX2, UF_16BIT, Kind::U8), Layout::when(UF_MODELINDEX2 | UF_16BIT, Kind::U8)],
        )
    }),
    reads!("modelindex2-read-as-byte", DLT_32, "fte/delta-widths", "reads the second model as a byte, always", {
        with_forms(MODELINDEX2, &[Layout::when(UF_MODELINDEX2, Kind::U8)])
    }),
    writes!(
        "gravity-yaw-first",
        DLT_33,
        "fte/delta-fields-alone",
        "writes the yaw of gravity before its pitch",
        swapped(GRAVITY_PITCH, GRAVITY_YAW)
    ),
    reads!(
        "gravity-yaw-read-first",
        DLT_33,
        "fte/delta-fields-alone",
        "reads the yaw of gravity before its pitch",
        swapped(GRAVITY_PITCH, GRAVITY_YAW)
    ),
    reads!("frame-0-ignored", DLT_41, "fte/delta-fields-alone", "takes a frame of 0 for no change", {
        with_forms(FRAME, &byte_0_ignored())
    }),
    reads!("alpha-0-ignored", DLT_41, "fte/delta-fields-alone", "takes an alpha of 0 for no change", {
        with_forms(ALPHA, &[Layout::when(UF_ALPHA, ZERO_IS_NOTHING)])
    }),
];

/// A frame of which the byte 0 stands for no change.
const fn byte_0_ignored() -> [Layout; 2] {
    [Layout::without(UF_FRAME, UF_16BIT, ZERO_IS_NOTHING), Layout::when(UF_FRAME | UF_16BIT, Kind::U16)]
}
