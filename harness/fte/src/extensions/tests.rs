//! What people may type, and what recorded clients sent.

use super::*;

#[test]
fn pext_is_as_the_recorded_client_sent_it() {
    let write = |fte1, fte2| {
        let mut out = Vec::new();
        Extensions { fte1, fte2 }.write_pext(&mut out);
        assert_eq!(Extensions::read_pext(&out), Some(Extensions { fte1, fte2 }));
        String::from_utf8(out).unwrap()
    };
    // fteqw_nq_ack_minus1.txt, qss_nq_deltas_predinfo.txt, qss_protocol15.txt
    assert_eq!(write(0, 8), "pext 0x32455446 0x8");
    assert_eq!(write(0, 0x28), "pext 0x32455446 0x28");
    assert_eq!(write(0, 0), "pext");
    assert_eq!(write(0x8000, 0x28), "pext 0x58455446 0x8000 0x32455446 0x28");
}

#[test]
fn pext_is_read_generously() {
    let read = |text: &str| Extensions::read_pext(text.as_bytes()).map(|found| (found.fte1, found.fte2));
    assert_eq!(read("prespawn"), None);
    assert_eq!(read(""), None);
    assert_eq!(read("pext"), Some((0, 0)));
    assert_eq!(read("pext 0x32455446"), Some((0, 0)));
    assert_eq!(read("pext 843404358 050"), Some((0, 40)));
    assert_eq!(read("  pext\t\"0X32455446\"  +8"), Some((0, 8)));
    assert_eq!(read("pext 0x11111111 \"a b\" 0x32455446 8 oops 1 0x58455446 32768"), Some((0x8000, 8)));
    assert_eq!(read("pext 0x32455446 8 0x32455446 0x20"), Some((0, 0x20)));
    assert_eq!(read("pext 0x32455446 \"40"), Some((0, 40)));
    assert_eq!(read("pext 0x32455446 8\0 0x58455446 1"), Some((0, 8)));
}

#[test]
fn extensions_meet_and_print_their_names() {
    let ours = Extensions { fte1: 0x8000, fte2: 0x28 };
    assert_eq!(ours.mask(Extensions { fte1: 1, fte2: 0x27f }), Extensions { fte1: 0, fte2: 0x28 });
    assert!(ours.replacement_deltas() && ours.predinfo() && ours.float_coords());
    assert!(!ours.mask(Extensions::default()).replacement_deltas());
    assert_eq!(ours.to_string(), "PEXT_FLOATCOORDS PEXT2_REPLACEMENTDELTAS PEXT2_PREDINFO");
    assert_eq!(Extensions::default().to_string(), "none");
    for text in ["none", "FTEX:0x1 PEXT2_PREDINFO FTE2:0x80000000", "PEXT_CSQC"] {
        assert_eq!(text.parse::<Extensions>().unwrap().to_string(), text);
    }
    assert_eq!("pext2_predinfo,PEXT_FLOATCOORDS".parse(), Ok(Extensions { fte1: 0x8000, fte2: 0x20 }));
    let error = "pext2_bogus".parse::<Extensions>().unwrap_err();
    assert!(error.starts_with("unknown extension \"pext2_bogus\"; known are PEXT_LIGHTSTYLECOL, "), "{error}");
}

#[test]
fn our_client_asks_for_no_extension_that_it_cannot_go_along_with() {
    use crate::options::Options;
    for (asked, goes) in [(0x28, 0x28), (0x2c, 0x2c), (u32::MAX, 0xffff_f8ae), (PEXT2_LERPTIME | PEXT2_STUNAWARE, 0)] {
        let mut setup = kit::Setup::new(&crate::PROTOCOL, &crate::options::PROFILES[0]);
        let place = crate::options::OPTIONS.iter().position(|option| option.name == "client_fte2").unwrap();
        setup.options[place] = asked.into();
        assert_eq!(Options::new(&setup).client_extensions.fte2, goes, "{asked:#x}");
    }
}

#[test]
fn no_byte_makes_the_pext_command_panic() {
    let vector = b"pext 0x32455446 0x28 \"a b\" 1";
    for at in 0..vector.len() {
        let read = (0..=u8::MAX).filter(|&byte| {
            let mut bytes = vector.to_vec();
            bytes[at] = byte;
            Extensions::read_pext(&bytes).is_some()
        });
        let read = read.count();
        assert!(if at < 4 { read == 1 } else { read > 0 }, "{read} at {at}");
    }
}
