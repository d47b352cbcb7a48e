//! Every service, byte for byte.

use super::*;
use crate::effect::SoundExtras;
use crate::primitives::BigEntities;
use crate::update::FIELDS;
use kit::ErrorKind;

/// The service has these bytes, the bytes are read back as the service, and no shorter ones are.
fn check(p: &Primitives, service: Service<'_>, bytes: &[u8]) {
    let mut out = Vec::new();
    service.write(&mut Writer::new(&mut out), p);
    assert_eq!(out, bytes, "{service:?}");
    let mut r = Reader::new(&bytes[1..]);
    assert_eq!(read_service(&mut r, bytes[0], p), Ok(Some(service)));
    assert_eq!(r.left(), 0);
    for length in 1..bytes.len() {
        let error = read_service(&mut Reader::new(&bytes[1..length]), bytes[0], p).unwrap_err();
        assert!(!error.field.is_empty());
        assert!(matches!(error.kind, ErrorKind::Truncated { .. } | ErrorKind::Unterminated), "{error}");
    }
}

fn plain(service: Service<'_>, bytes: &[u8]) {
    check(&Primitives::PLAIN, service, bytes);
}

fn point(x: f32, y: f32, z: f32) -> [i32; 3] {
    [x, y, z].map(float_bits)
}

#[test]
fn services_without_data_are_one_byte() {
    plain(Service::Nop, &[1]);
    plain(Service::Disconnect, &[2]);
    plain(Service::KilledMonster, &[27]);
    plain(Service::FoundSecret, &[28]);
    plain(Service::Intermission, &[30]);
    plain(Service::SellScreen, &[33]);
}

#[test]
fn texts_end_with_a_nul() {
    // qss_nq_deltas_predinfo.txt: the server's first reliable message
    plain(Service::StuffText { text: b"cmd pext\n" }, b"\x09cmd pext\n\0");
    plain(Service::Print { text: b"hi" }, b"\x08hi\0");
    plain(Service::CenterPrint { text: b"" }, b"\x1a\0");
    plain(Service::Finale { text: b"end" }, b"\x1fend\0");
    plain(Service::Cutscene { text: b"cut" }, b"\x22cut\0");
    plain(Service::LightStyle { style: 3, pattern: b"am" }, b"\x0c\x03am\0");
    plain(Service::UpdateName { slot: 2, name: b"probe" }, b"\x0d\x02probe\0");
}

#[test]
fn numbers_are_little_endian() {
    // qss_protocol15.txt: statistics, sign-on 3, and the time of the first frame
    plain(Service::UpdateStat { stat: 12, value: 0 }, &[3, 12, 0, 0, 0, 0]);
    plain(Service::UpdateStat { stat: 1, value: -2 }, &[3, 1, 0xfe, 0xff, 0xff, 0xff]);
    plain(Service::SignOnNum { stage: 3 }, &[25, 3]);
    plain(Service::Time { time: 0x407a_f1aa }, &[7, 0xaa, 0xf1, 0x7a, 0x40]);
    plain(Service::Version { protocol: 15 }, &[4, 15, 0, 0, 0]);
    plain(Service::UpdateFrags { slot: 0, frags: -1 }, &[14, 0, 0xff, 0xff]);
    plain(Service::UpdateColors { slot: 1, colors: 0x4d }, &[17, 1, 0x4d]);
    plain(Service::StopSound { entity: 5, channel: 2 }, &[16, 42, 0]);
    plain(Service::SetPause { paused: true }, &[24, 1]);
    plain(Service::CdTrack { track: 2, looped: 3 }, &[32, 2, 3]);
}

#[test]
fn views_and_beams_follow_the_form_of_entity_numbers() {
    plain(Service::SetView { entity: 1 }, &[5, 1, 0]);
    plain(Service::SetView { entity: 40_000 }, &[5, 0x40, 0x9c]);
    let built = Primitives { big_entities: BigEntities::Built, ..Primitives::PLAIN };
    check(&built, Service::SetView { entity: 40_000 }, &[5, 0x9c, 0x80, 0x40]);
    let (start, end) = (point(1.0, 2.0, 3.0), point(4.0, 5.0, 6.0));
    let beam = |entity| Service::TempEntity(TempEntity::Beam { kind: TE_LIGHTNING2, entity, start, end });
    plain(beam(1), &[23, 6, 1, 0, 8, 0, 16, 0, 24, 0, 32, 0, 40, 0, 48, 0]);
    check(&built, beam(0x8000), &[23, 6, 0x80, 0x80, 0, 8, 0, 16, 0, 24, 0, 32, 0, 40, 0, 48, 0]);
}

#[test]
fn every_temporary_entity_is_read_back() {
    let origin = point(1.0, 2.0, -3.0);
    let coords = [8, 0, 16, 0, 0xe8, 0xff];
    for kind in [0, 1, 2, 3, 4, 7, 8, 10, 11] {
        let bytes = [&[23, kind][..], &coords].concat();
        plain(Service::TempEntity(TempEntity::Point { kind, origin }), &bytes);
    }
    for kind in [5, 6, 9, 13] {
        let bytes = [&[23, kind, 7, 0][..], &coords, &coords].concat();
        plain(Service::TempEntity(TempEntity::Beam { kind, entity: 7, start: origin, end: origin }), &bytes);
    }
    let explosion = TempEntity::ColoredExplosion { origin, first_color: 9, colors: 4 };
    plain(Service::TempEntity(explosion), &[23, 12, 8, 0, 16, 0, 0xe8, 0xff, 9, 4]);
    let error = read_service(&mut Reader::new(&[14]), 23, &Primitives::PLAIN).unwrap_err();
    assert_eq!(error.to_string(), "temp entity at byte 0: unknown value 0xe");
}

#[test]
fn sounds_say_only_what_is_not_usual() {
    let origin = point(16.0, 0.0, -8.0);
    let usual = Sound {
        volume: 255,
        attenuation: 64,
        entity: 8191,
        channel: 7,
        sound: 255,
        origin,
        extras: SoundExtras::default(),
        forced: 0,
    };
    let tail = [0x80, 0, 0, 0, 0xc0, 0xff];
    plain(Service::Sound(usual), &[&[6, 0, 0xff, 0xff, 0xff][..], &tail].concat());
    let large = Sound { entity: 8192, ..usual };
    plain(Service::Sound(large), &[&[6, 8, 0, 0x20, 7, 0xff][..], &tail].concat());
    let all = Sound { volume: 128, attenuation: 32, channel: 1, sound: 256, ..large };
    plain(Service::Sound(all), &[&[6, 0x1b, 0x80, 0x20, 0, 0x20, 1, 0, 1][..], &tail].concat());
    // What has room in the short forms may take the wide ones.
    let forced = SND_VOLUME | SND_ATTENUATION | SND_LARGEENTITY | SND_LARGESOUND;
    let wide = [6, 0x1b, 0xff, 64, 0xff, 0x1f, 7, 0xff, 0];
    plain(Service::Sound(Sound { forced, ..usual }), &[&wide[..], &tail].concat());
    let error = read_service(&mut Reader::new(&[0x24, 0]), 6, &Primitives::PLAIN).unwrap_err();
    assert_eq!(error.to_string(), "sound mask at byte 0: unknown value 0x24");
}

#[test]
fn sounds_of_peers_with_replacement_deltas_may_say_more() {
    let p = Primitives { big_entities: BigEntities::Built, ..Primitives::PLAIN };
    let origin = point(16.0, 0.0, -8.0);
    let tail = [0x80, 0, 0, 0, 0xc0, 0xff];
    let extras = SoundExtras { pitch: Some(255), ..SoundExtras::default() };
    let sound = Sound { volume: 255, attenuation: 64, entity: 34, channel: 1, sound: 1, origin, extras, forced: 0 };
    // As QuakeSpasm-Spiked sends every sound.
    check(&p, Service::Sound(sound), &[&[6, 0x80, 0xff, 0x11, 1, 1][..], &tail].concat());
    let all = SoundExtras {
        flags: Some(0x81),
        pitch: Some(50),
        offset: Some(-2),
        velocity: Some([8, -8, 256]),
        speed: Some(8000),
    };
    let bytes = [6, 0xe5, 0x80, 0x81, 9, 50, 0xfe, 0xff, 8, 0, 0xf8, 0xff, 0, 1, 0x40, 0x1f, 0x11, 1, 1];
    check(&p, Service::Sound(Sound { volume: 9, extras: all, ..sound }), &[&bytes[..], &tail].concat());
    for (flags, number) in [
        (0, &[0][..]),
        (0x7e, &[0x7e]),
        (0x80, &[0x80, 0x80]),
        (0x3ffe, &[0xbf, 0xfe]),
        (0x4000, &[0xc0, 0x40, 0]),
        (u64::MAX - 1, &[0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xfe]),
    ] {
        let extras = SoundExtras { flags: Some(flags), ..SoundExtras::default() };
        let bytes = [&[6, 4][..], number, &[0x11, 1, 1], &tail].concat();
        check(&p, Service::Sound(Sound { extras, ..sound }), &bytes);
    }
}

#[test]
fn effects_and_views_hold_points_and_angles() {
    let origin = point(1.0, 2.0, 3.0);
    let coords = [8, 0, 16, 0, 24, 0];
    let sound = Service::SpawnStaticSound { origin, sound: 7, volume: 255, attenuation: 64 };
    plain(sound, &[&[29][..], &coords, &[7, 0xff, 0x40]].concat());
    let blood = Service::Particle { origin, direction: [-1, 0, 16], count: 20, color: 73 };
    plain(blood, &[&[18][..], &coords, &[0xff, 0, 16, 20, 73]].concat());
    plain(Service::Damage { armor: 3, blood: 5, from: origin }, &[&[19, 3, 5][..], &coords].concat());
    plain(Service::SetAngle { angles: point(0.0, 90.0, -45.0) }, &[10, 0, 0x40, 0xe0]);
    let float = Primitives::negotiated(15, 0, true, BigEntities::Plain);
    check(&float, Service::SetAngle { angles: point(0.0, 90.0, -45.0) }, &[10, 0, 0, 0, 0x40, 0, 0xe0]);
}

#[test]
fn baselines_and_statics_share_their_record() {
    let mut fields = [0; FIELDS];
    fields[crate::update::MODEL] = 10;
    fields[5..8].copy_from_slice(&point(1.0, 2.0, 3.0));
    fields[9] = float_bits(90.0);
    let record = [10, 0, 0, 0, 8, 0, 0, 16, 0, 0x40, 24, 0, 0];
    plain(Service::SpawnBaseline { entity: 5, fields }, &[&[22, 5, 0][..], &record].concat());
    plain(Service::SpawnStatic { fields }, &[&[20][..], &record].concat());
}

#[test]
fn composite_services_carry_their_number() {
    let update = FastUpdate { entity: 1, bits: U_SIGNAL, fields: [0; FIELDS] };
    plain(Service::FastUpdate(update), &[0x80, 1]);
    let data = ClientData { health: 100, ..ClientData::default() };
    plain(Service::ClientData(data), &[15, 0, 0x42, 0, 0, 0, 0, 0, 100, 0, 0, 0, 0, 0, 0, 0]);
    let info = ServerInfo { protocol: 15, max_clients: 1, level: b"x", ..ServerInfo::default() };
    plain(Service::ServerInfo(info), &[11, 15, 0, 0, 0, 1, 0, b'x', 0, 0, 0]);
}

#[test]
fn foreign_services_are_left_alone() {
    for svc in [0, 21, 35, 54, 66, 86, 127] {
        let mut r = Reader::new(&[1, 2, 3]);
        assert_eq!(read_service(&mut r, svc, &Primitives::PLAIN), Ok(None));
        assert_eq!(r.at(), 0);
    }
}

#[test]
fn a_client_is_told_to_sign_on_again_with_or_without_the_name_of_a_map() {
    for text in [&b"reconnect\n"[..], b"reconnect", b"bf\nreconnect\n", b"reconnect \"start2\"\n", b"  reconnect x\n"] {
        assert!(has_reconnect(text), "{}", text.escape_ascii());
    }
    for text in [&b""[..], b"\n", b"reconnects\n", b"echo reconnect\n", b"cmd reconnect\n"] {
        assert!(!has_reconnect(text), "{}", text.escape_ascii());
    }
}
