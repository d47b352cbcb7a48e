//! Reading: values, spans, and errors that say where and what.

use kit::{DecodeError, ErrorKind, Form, Reader, Span};
use proptest::prelude::*;
use std::fmt::Debug;

/// Reads one field, which fills `bytes`: its value, its span and what the span shows. Cut at any length it is an error
/// that names the field, says where it starts and what is missing.
fn check<T: PartialEq + Debug>(
    bytes: &[u8],
    read: impl for<'a> Fn(&mut Reader<'a>) -> Result<T, DecodeError>,
    value: T,
    form: Form,
    shown: &str,
) {
    let mut spans = Vec::new();
    let mut r = Reader::with_spans(bytes, &mut spans);
    assert_eq!(read(&mut r), Ok(value));
    assert_eq!((r.at(), r.left()), (bytes.len(), 0));
    assert_eq!(spans, [Span { field: "field", start: 0, end: bytes.len(), form, depth: 0 }]);
    assert_eq!(spans[0].value(bytes), shown);
    for have in 0..bytes.len() {
        let mut spans = Vec::new();
        let mut r = Reader::with_spans(&bytes[..have], &mut spans);
        let error = read(&mut r).expect_err("the field is cut off");
        assert_eq!((error.offset, error.field), (0, "field"));
        let unterminated = error.kind == ErrorKind::Unterminated;
        assert!(unterminated || error.kind == ErrorKind::Truncated { need: bytes.len(), have }, "{error}");
        assert_eq!((r.at(), spans.len()), (0, 0), "a failed read consumes and records nothing");
    }
}

#[test]
fn numbers_are_little_endian_and_signed_as_named() {
    check(&[0xfe], |r| r.u8("field"), 0xfe, Form::Unsigned, "254");
    check(&[0xfe], |r| r.i8("field"), -2, Form::Signed, "-2");
    check(&[0x34, 0xf2], |r| r.u16("field"), 0xf234, Form::Unsigned, "62004");
    check(&[0x34, 0xf2], |r| r.i16("field"), -0xdcc, Form::Signed, "-3532");
    check(&[1, 2, 3, 0x84], |r| r.u32("field"), 0x8403_0201, Form::Unsigned, "2214789633");
    check(&[0xff, 0xff, 0xff, 0xff], |r| r.i32("field"), -1, Form::Signed, "-1");
    check(&[0, 0, 0xc0, 0x3f], |r| r.f32("field"), 1.5, Form::Float, "1.5");
    check(&[0x80, 1, 0, 0x0c], |r| r.u32_be("field"), 0x8001_000c, Form::BigEndian, "0x8001000c");
}

#[test]
fn fractions_are_shown_divided_and_returned_raw() {
    check(&[0xfc, 0xff], |r| r.fraction16("field", 8), -4, Form::Fraction(8), "-0.5");
    check(&[0x09, 0x00], |r| r.fraction16("field", 8), 9, Form::Fraction(8), "1.125");
}

#[test]
fn bytes_and_texts_are_slices_of_the_datagram() {
    check(&[1, 0, 0xab], |r| r.bytes("field", 3).map(<[u8]>::to_vec), vec![1, 0, 0xab], Form::Bytes, "0100ab");
    check(b"ab\n", |r| r.text("field", 3).map(<[u8]>::to_vec), b"ab\n".to_vec(), Form::Text, r#""ab\n""#);
    check(b"skins\n\0", |r| r.string("field").map(<[u8]>::to_vec), b"skins\n".to_vec(), Form::Text, r#""skins\n""#);
    check(b"\0", |r| r.string("field").map(<[u8]>::to_vec), Vec::new(), Form::Text, r#""""#);
}

#[test]
fn errors_read_as_a_sentence_about_one_field() {
    let text = |kind| DecodeError { offset: 12, field: "servertime", kind }.to_string();
    assert_eq!(text(ErrorKind::Truncated { need: 4, have: 1 }), "servertime at byte 12: needs 4 bytes, 1 left");
    assert_eq!(text(ErrorKind::Unterminated), "servertime at byte 12: string without its terminating NUL");
    assert_eq!(text(ErrorKind::Unknown { value: 0x3f }), "servertime at byte 12: unknown value 0x3f");
    assert_eq!(
        text(ErrorKind::TooLarge { value: 70, limit: 64 }),
        "servertime at byte 12: 70 is above the limit of 64"
    );
    assert_eq!(text(ErrorKind::Trailing { left: 3 }), "servertime at byte 12: 3 bytes left over");
    assert_eq!(
        text(ErrorKind::Forbidden { value: 0x40, why: "bit 6 is reserved" }),
        "servertime at byte 12: value 0x40 is not allowed here: bit 6 is reserved"
    );
}

#[test]
fn offsets_count_from_the_start_of_the_datagram() {
    let mut r = Reader::new(&[1, 2, 3, 4, 5]);
    assert_eq!(r.u16("first"), Ok(0x0201));
    assert_eq!((r.at(), r.left(), r.peek()), (2, 3, Some(3)));
    let truncated = DecodeError { offset: 2, field: "second", kind: ErrorKind::Truncated { need: 4, have: 3 } };
    assert_eq!(r.u32("second"), Err(truncated));
    assert_eq!(r.bytes("third", 3), Ok(&[3, 4, 5][..]));
    assert_eq!(r.peek(), None);
    let truncated = DecodeError { offset: 5, field: "fourth", kind: ErrorKind::Truncated { need: 1, have: 0 } };
    assert_eq!(r.u8("fourth"), Err(truncated));
}

#[test]
fn finish_refuses_what_is_left_over() {
    let mut r = Reader::new(&[1, 2, 3]);
    let trailing = DecodeError { offset: 0, field: "packet", kind: ErrorKind::Trailing { left: 3 } };
    assert_eq!(r.finish("packet"), Err(trailing));
    assert_eq!(r.rest("rest"), &[1, 2, 3]);
    assert_eq!(r.finish("packet"), Ok(()));
    assert_eq!(r.rest("nothing"), &[] as &[u8]);
}

#[test]
fn a_length_beyond_all_memory_is_an_error_and_no_overflow() {
    let mut r = Reader::new(&[1, 2, 3]);
    r.u8("first").unwrap();
    let truncated = ErrorKind::Truncated { need: usize::MAX, have: 2 };
    assert_eq!(r.bytes("payload", usize::MAX).unwrap_err().kind, truncated);
    assert_eq!(r.text("payload", usize::MAX).unwrap_err().kind, truncated);
    assert_eq!(r.at(), 1);
}

#[test]
fn groups_nest_and_end_where_their_last_field_ends() {
    let bytes = [1, 2, 3, 4];
    let mut spans = Vec::new();
    let mut r = Reader::with_spans(&bytes, &mut spans);
    let service = r.begin("service");
    r.u8("svc").unwrap();
    let entry = r.begin("entry");
    r.u16("index").unwrap();
    r.end(entry);
    r.end(service);
    r.u8("after").unwrap();
    let listed: Vec<String> = spans.iter().map(|span| format!("{} {span} {:?}", span.depth, span.form)).collect();
    assert_eq!(
        listed,
        [
            "0 0..3 service Group",
            "1 0..1 svc Unsigned",
            "1 1..3 entry Group",
            "2 1..3 index Unsigned",
            "0 3..4 after Unsigned"
        ]
    );
    assert_eq!(spans[0].value(&bytes), "");
}

#[test]
fn a_group_left_open_by_an_error_is_closed_by_the_one_around_it() {
    let mut spans = Vec::new();
    let mut r = Reader::with_spans(&[1, 2, 3], &mut spans);
    let outer = r.begin("outer");
    r.begin("inner");
    r.u16("field").unwrap();
    r.u16("cut").unwrap_err();
    r.end(outer);
    r.u8("next").unwrap();
    assert_eq!(spans.last().map(|span| (span.field, span.depth)), Some(("next", 0)));
    assert_eq!((spans[0].start, spans[0].end), (0, 2));
}

#[test]
fn rewinding_reads_the_same_bytes_as_something_else() {
    let bytes = [9, 1, 2, 3];
    let mut spans = Vec::new();
    let mut r = Reader::with_spans(&bytes, &mut spans);
    r.u8("header").unwrap();
    r.rest("payload");
    r.rewind(1);
    assert_eq!(r.at(), 1);
    assert_eq!(r.u8("first"), Ok(1));
    r.rewind(3);
    assert_eq!(r.at(), 2, "rewinding never skips forward");
    assert_eq!(r.u16("second"), Ok(0x0302));
    let fields: Vec<&str> = spans.iter().map(|span| span.field).collect();
    assert_eq!(fields, ["header", "first", "second"]);
}

#[test]
fn without_a_span_list_groups_cost_nothing_and_change_nothing() {
    let mut r = Reader::new(&[7]);
    let group = r.begin("group");
    assert_eq!(r.u8("field"), Ok(7));
    r.end(group);
    assert_eq!(r.finish("packet"), Ok(()));
}

#[test]
fn spans_show_their_value_and_never_panic_over_other_bytes() {
    let shown = |form, start, end, bytes: &[u8]| Span { field: "field", start, end, form, depth: 0 }.value(bytes);
    assert_eq!(shown(Form::Unsigned, 1, 3, &[9, 0x34, 0x12]), "4660");
    assert_eq!(shown(Form::Signed, 0, 3, &[0xff, 0xff, 0xff]), "-1");
    assert_eq!(shown(Form::BigEndian, 0, 4, &[0x80, 0, 0, 8]), "0x80000008");
    assert_eq!(shown(Form::Fraction(16), 0, 4, &[8, 0, 0, 0]), "0.5");
    assert_eq!(shown(Form::Fraction(0), 0, 1, &[3]), "3");
    assert_eq!(shown(Form::Float, 0, 3, &[0, 0, 0]), "?");
    assert_eq!(shown(Form::Text, 0, 3, &[b'a', 0xff, b'"']), "\"a\u{fffd}\\\"\"");
    assert_eq!(shown(Form::Bytes, 0, 2, &[0x0a, 0xf0]), "0af0");
    assert_eq!(shown(Form::Group, 0, 2, &[1, 2]), "");
    assert_eq!(shown(Form::Unsigned, 0, 5, &[1, 2]), "?", "the span lies outside of the bytes");
    assert_eq!(shown(Form::Signed, 2, 2, &[1, 2]), "0", "an empty span");
    assert_eq!(shown(Form::Unsigned, 0, 12, &[0xff; 12]), u64::MAX.to_string(), "longer than any number");
}

proptest! {
    #![proptest_config(crate::properties())]

    #[test]
    fn any_sequence_of_reads_stays_inside_the_bytes(
        bytes in prop::collection::vec(any::<u8>(), 0..40),
        reads in prop::collection::vec((0u8..14, any::<usize>()), 0..30),
    ) {
        let mut spans = Vec::new();
        let mut r = Reader::with_spans(&bytes, &mut spans);
        let mut group = 0;
        for (read, number) in reads {
            let failed = match read {
                0 => r.u8("field").err(),
                1 => r.i8("field").err(),
                2 => r.u16("field").err(),
                3 => r.i16("field").err(),
                4 => r.u32("field").err(),
                5 => r.i32("field").err(),
                6 => r.f32("field").err(),
                7 => r.u32_be("field").err(),
                8 => r.bytes("field", number % 50).err(),
                9 => r.text("field", number).err(),
                10 => r.string("field").err(),
                11 => { group = r.begin("group"); None }
                12 => { r.end(group); None }
                _ => { r.rewind(number % 50); None }
            };
            prop_assert_eq!(r.at() + r.left(), bytes.len());
            if let Some(error) = failed {
                prop_assert_eq!(error.offset, r.at());
            }
        }
        for span in &spans {
            prop_assert!(span.start <= span.end && span.end <= bytes.len());
            span.value(&bytes);
        }
    }
}
