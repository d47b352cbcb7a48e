//! Writing is the mirror of reading: the same bytes, the same spans.

use kit::{Form, Reader, Span, Writer};

/// Writes and reads the same fields: same bytes, same spans.
fn check(
    write: impl Fn(&mut Writer<'_>),
    read: impl for<'a> Fn(&mut Reader<'a>) -> Result<(), kit::DecodeError>,
    bytes: &[u8],
) {
    let (mut out, mut written, mut found) = (Vec::new(), Vec::new(), Vec::new());
    write(&mut Writer::with_spans(&mut out, &mut written));
    assert_eq!(out, bytes);
    let mut r = Reader::with_spans(&out, &mut found);
    read(&mut r).expect("what was written can be read");
    assert_eq!(r.finish("record"), Ok(()));
    assert_eq!(written, found);
    let mut silent = Vec::new();
    write(&mut Writer::new(&mut silent));
    assert_eq!(silent, bytes, "spans change nothing");
}

#[test]
fn every_primitive_is_written_as_it_is_read() {
    check(
        |w| {
            w.u8("a", 200);
            w.i8("b", -2);
            w.u16("c", 0x1234);
            w.i16("d", -1);
            w.u32("e", 0x0403_0201);
            w.i32("f", -2);
            w.f32("g", 1.0);
            w.u32_be("h", 0x8000_000c);
        },
        |r| {
            assert_eq!((r.u8("a")?, r.i8("b")?, r.u16("c")?), (200, -2, 0x1234));
            assert_eq!((r.i16("d")?, r.u32("e")?, r.i32("f")?), (-1, 0x0403_0201, -2));
            assert_eq!((r.f32("g")?, r.u32_be("h")?), (1.0, 0x8000_000c));
            Ok(())
        },
        &[200, 0xfe, 0x34, 0x12, 0xff, 0xff, 1, 2, 3, 4, 0xfe, 0xff, 0xff, 0xff, 0, 0, 0x80, 0x3f, 0x80, 0, 0, 12],
    );
}

#[test]
fn bytes_texts_and_strings_are_written_as_they_are_read() {
    check(
        |w| {
            w.bytes("a", &[1, 0, 2]);
            w.text("b", b"j\n");
            w.string("c", b"new");
        },
        |r| {
            assert_eq!((r.bytes("a", 3)?, r.text("b", 2)?, r.string("c")?), (&[1, 0, 2][..], &b"j\n"[..], &b"new"[..]));
            Ok(())
        },
        b"\x01\x00\x02j\nnew\x00",
    );
}

#[test]
fn a_string_ends_at_its_first_nul() {
    check(
        |w| w.string("text", b"kill\0er"),
        |r| {
            assert_eq!(r.string("text")?, b"kill");
            Ok(())
        },
        b"kill\0",
    );
}

#[test]
fn a_writer_appends_to_what_is_there() {
    let (mut out, mut spans) = (vec![1, 2], Vec::new());
    let mut w = Writer::with_spans(&mut out, &mut spans);
    assert_eq!((w.len(), w.is_empty()), (2, false));
    w.u16("field", 0x0403);
    assert_eq!(w.len(), 4);
    assert_eq!(out, [1, 2, 3, 4]);
    assert_eq!(spans, [Span { field: "field", start: 2, end: 4, form: Form::Unsigned, depth: 0 }]);
    assert!(Writer::new(&mut Vec::new()).is_empty());
}

#[test]
fn truncating_takes_back_bytes_and_their_spans() {
    let (mut out, mut spans) = (Vec::new(), Vec::new());
    let mut w = Writer::with_spans(&mut out, &mut spans);
    w.u16("kept", 1);
    let mark = w.len();
    w.u32("taken back", 2);
    w.string("taken back", b"too");
    w.truncate(mark);
    w.u8("after", 3);
    assert_eq!(out, [1, 0, 3]);
    let fields: Vec<&str> = spans.iter().map(|span| span.field).collect();
    assert_eq!(fields, ["kept", "after"]);
}

#[test]
fn patching_overwrites_in_place() {
    let mut out = Vec::new();
    let mut w = Writer::new(&mut out);
    w.u32("length", 0);
    w.u8("payload", 9);
    w.patch(1, &[5, 6]);
    assert_eq!(out, [0, 5, 6, 0, 9]);
}
