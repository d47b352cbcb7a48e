//! `decode` with invented protocols.

use super::super::arguments::{Arguments, Command};
use super::super::invented::{A, B};
use super::super::output::Format;
use super::decode;
use clap::Parser;
fn run(line: &str) -> (Result<u8, String>, String) {
    let arguments = Arguments::try_parse_from(line.split(' ')).expect("a good command line");
    let Some(Command::Decode(decoding)) = arguments.command else { unreachable!("the line says decode") };
    let mut out = Vec::new();
    let result = decode(&decoding, &[&A, &B], arguments.format, &mut out).map_err(|stop| stop.to_string());
    (result, anstream::adapter::strip_str(&String::from_utf8_lossy(&out)).to_string())
}

#[track_caller]
fn check(line: &str, code: u8, expected: &str) {
    let (result, text) = run(line);
    assert_eq!(text, expected);
    assert_eq!(result, Ok(code));
}

#[test]
fn every_field_is_printed_with_its_place() {
    check(
        "deltaproof decode 61020100feff",
        0,
        "profile: letters-a, guessed: it reads the datagram; the next best, letters-b, 0 of 1 datagrams\n\
        #1 s2c 6 bytes  s2c letter a\n\
        \x20    0  61                 letter = 97\n\
        \x20    1  02                 count = 2\n\
        \x20    2                     numbers\n\
        \x20    2  0100                 number = 1\n\
        \x20    4  feff                 number = -2\n\
        \x20 carries number 1, number 2\n\
        1 datagram, 2 messages, 0 undecoded bytes\n\
        extensions: none\n",
    );
}

#[test]
fn reassembled_messages_are_printed_below_their_last_datagram() {
    let (_, text) = run("deltaproof decode 61010100");
    let expected = "  reassembled message, 8 bytes\n     0  0500               size = 5\n     2  77686f6c6500       text = \"whole\"\n";
    assert!(text.contains(expected), "{text}");
}

#[test]
fn the_protocol_without_errors_is_chosen() {
    check(
        "deltaproof decode --quiet 6200 6200",
        0,
        "profile: letters-b, guessed: it reads the datagram; the next best, letters-a, 0 of 1 datagrams\n\
        #1 s2c 2 bytes  s2c letter b\n#2 s2c 2 bytes  s2c letter b\n2 datagrams, 0 messages, 0 undecoded bytes\nextensions: none\n",
    );
}

#[test]
fn of_protocols_without_errors_the_one_that_finds_extensions_is_chosen() {
    check(
        "deltaproof decode --quiet 6300",
        0,
        "profile: letters-b, guessed: it reads the datagram; the next best, letters-a, the datagram\n\
        #1 s2c 2 bytes  s2c letter b\n1 datagram, 0 messages, 0 undecoded bytes\nextensions: COMMON\n",
    );
}

#[test]
fn a_profile_by_name_is_not_second_guessed() {
    check(
        "deltaproof decode -q --profile letters-b --direction c2s 6200 61020100",
        1,
        "profile: letters-b\n\
         #1 c2s 2 bytes  c2s letter b\n\
         #2 c2s 4 bytes  c2s letter b\n  error: letter at byte 0: unknown value 0x61\n\
         2 datagrams, 0 messages, 4 undecoded bytes, 1 error\n\
         extensions: none\n\
         command line:2: datagram 2 (c2s): letter at byte 0: unknown value 0x61\n",
    );
}

#[test]
fn an_unknown_profile_suggests_the_nearest() {
    let (result, _) = run("deltaproof decode --profile leters-a 6200");
    let expected = "no profile `leters-a`; did you mean letters-a, letters-b?; known are letters-a, letters-b";
    assert_eq!(result, Err(expected.to_string()));
}

#[test]
fn assumed_extensions_are_named_at_the_end() {
    let (result, text) = run("deltaproof decode --assume BIG -q 6200");
    assert!(result == Ok(0) && text.contains("\nextensions: BIG\n"), "{text}");
    let (result, _) = run("deltaproof decode --assume SMALL -q 6200");
    assert_eq!(result, Err("--assume SMALL: no extension `SMALL`; known is BIG".to_string()));
}

#[test]
fn json_has_a_line_per_datagram_and_a_summary() {
    check(
        "deltaproof decode --format json 61010100 62",
        1,
        "{\"n\":1,\"direction\":\"s2c\",\"client\":1,\"bytes\":4,\"summary\":\"s2c letter a\",\"messages\":1,\
         \"marks\":[{\"kind\":\"number\",\"number\":1}],\"fields\":[\
         {\"offset\":0,\"field\":\"letter\",\"length\":1,\"value\":\"97\",\"depth\":0},\
         {\"offset\":1,\"field\":\"count\",\"length\":1,\"value\":\"1\",\"depth\":0},\
         {\"offset\":2,\"field\":\"numbers\",\"length\":2,\"value\":\"\",\"depth\":0},\
         {\"offset\":2,\"field\":\"number\",\"length\":2,\"value\":\"1\",\"depth\":1}],\
         \"assembled\":[{\"bytes\":8,\"fields\":[\
         {\"offset\":0,\"field\":\"size\",\"length\":2,\"value\":\"5\",\"depth\":0},\
         {\"offset\":2,\"field\":\"text\",\"length\":6,\"value\":\"\\\"whole\\\"\",\"depth\":0}]}],\"error\":null}\n\
         {\"n\":2,\"direction\":\"s2c\",\"client\":1,\"bytes\":1,\"summary\":\"s2c letter a\",\"messages\":0,\"marks\":[],\
         \"fields\":[{\"offset\":0,\"field\":\"letter\",\"length\":1,\"value\":\"98\",\"depth\":0}],\"assembled\":[],\
         \"error\":{\"offset\":0,\"field\":\"letter\",\"kind\":\"unknown value 0x62\"}}\n\
         {\"summary\":{\"datagrams\":2,\"messages\":1,\"undecoded_bytes\":1,\"errors\":1,\"extensions\":[],\"guessed\":[\"letters-a\"],\"remarks\":[]}}\n",
    );
}

#[test]
fn an_unreadable_input_ends_with_2_behind_the_summary() {
    check("deltaproof decode no-such-file.txt", 2, "0 datagrams, 0 messages, 0 undecoded bytes\nextensions: none\n");
    assert_eq!(run("deltaproof decode 610").0, Ok(2));
}

#[test]
fn an_error_of_the_output_is_passed_on() {
    struct Full;
    impl std::io::Write for Full {
        fn write(&mut self, _: &[u8]) -> std::io::Result<usize> {
            Err(std::io::ErrorKind::StorageFull.into())
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    for format in [Format::Human, Format::Json] {
        let arguments = Arguments::try_parse_from(["deltaproof", "decode", "6100"]).expect("a good command line");
        let Some(Command::Decode(decoding)) = arguments.command else { unreachable!("the line says decode") };
        let stop = decode(&decoding, &[&A], format, &mut Full).err();
        assert_eq!(stop.map(|stop| stop.exit_code()), Some(4));
    }
}
