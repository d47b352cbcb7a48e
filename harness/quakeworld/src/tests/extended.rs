//! What FTE's first mask adds to entities and players, where replacement deltas do not take their place.

use super::*;
use netquake::update::ALPHA;

/// What QuakeWorld's own servers agree upon today.
pub(super) const MODERN: Primitives = Primitives {
    entity_mask: PEXT_TRANS | PEXT_MODELDBL | PEXT_ENTITYDBL | PEXT_ENTITYDBL2 | PEXT_COLOURMOD | PEXT_SPAWNSTATIC2,
    ..Primitives::PLAIN
};

#[test]
fn entities_have_what_the_first_mask_adds() {
    // Worked by hand: number 5 and MOREBITS are 0x8005; MODEL and EVENMORE 0x84; TRANS, MODELDBL, ENTITYDBL and YETMORE
    // 0xaa; COLOURMOD 0x04. The model is 256 + 7, the entity 512 + 5.
    let bytes = [0x05, 0x80, 0x84, 0xaa, 0x04, 7, 128, 1, 2, 3];
    let mut fields = record([263, 0, 0, 0, 0], [0.0; 3], [0.0; 3]);
    fields[ALPHA] = 128;
    let bits = U_MOREBITS | U_MODEL | U_EVENMORE | U_TRANS | U_MODELDBL | U_ENTITYDBL | U_YETMORE | U_COLOURMOD;
    let delta = EntityDelta { entity: 517, bits, fields, colour: [1, 2, 3] };
    check(&MODERN, &[&[66][..], &bytes].concat(), &Service::SpawnBaselineDelta { delta });
    check(&MODERN, &[&[21][..], &bytes].concat(), &Service::SpawnStaticDelta { delta });
    // A removal has the bits of its number; a model alone has a short.
    let gone = EntityDelta {
        entity: 1029,
        bits: U_REMOVE | U_MOREBITS | U_EVENMORE | U_ENTITYDBL2,
        fields: [0; FIELDS],
        colour: [0; 3],
    };
    let wide = EntityDelta {
        entity: 6,
        bits: U_MOREBITS | U_EVENMORE | U_MODELDBL,
        fields: record([300, 0, 0, 0, 0], [0.0; 3], [0.0; 3]),
        colour: [0; 3],
    };
    let all = [&[47][..], &bytes, &[0x06, 0x80, 0x80, 0x08, 0x2c, 0x01], &[0x05, 0xc0, 0x80, 0x40, 0, 0]].concat();
    check(&MODERN, &all, &Service::PacketEntities { from: None, entities: vec![delta, wide, gone] });
    let mut r = Reader::new(&[0x05, 0x80, 0x80, 0x10]);
    let error = entities::read_spawned(&mut r, &MODERN).unwrap_err();
    assert_eq!(error.to_string(), "even more bits at byte 3: unknown value 0x100000");
    // Where nothing was agreed upon, neither message is one of QuakeWorld's.
    for service in [SVC_SPAWNSTATIC2, SVC_SPAWNBASELINE2] {
        assert_eq!(read_service(&mut Reader::new(&bytes), service, &Primitives::PLAIN), Ok(None));
    }
}

#[test]
fn a_player_has_what_the_first_mask_adds() {
    // MORE is bit 15; TRANS and COLOURMOD are 0x0a; frame 9, then opacity, red, green, blue.
    let bytes = [42, 3, 0x00, 0x80, 0x0a, 8, 0, 0, 0, 0, 0, 9, 200, 1, 2, 3];
    let info = PlayerInfo {
        player: 3,
        flags: PF_EXTRA_PFS,
        origin: point([1.0, 0.0, 0.0]),
        frame: 9,
        alpha: 200,
        colour: [1, 2, 3],
        ..PlayerInfo::default()
    };
    check(&MODERN, &bytes, &Service::PlayerInfo(info));
    // Bit 15 is a state without data where nothing was agreed upon.
    let plain = PlayerInfo { alpha: 0, colour: [0; 3], ..info };
    check(&Primitives::PLAIN, &[&bytes[..4], &bytes[5..12]].concat(), &Service::PlayerInfo(plain));
}
