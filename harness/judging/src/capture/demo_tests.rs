use crate::capture::{Capture, CaptureDatagram, Options};
use crate::demo::block::{Audience, Clock, MAX_MESSAGE_BYTES, Step, next};
use crate::demo::{kind, unpack};
use flate2::write::DeflateEncoder;
use flate2::{Compression, GzBuilder};
use kit::{Container, Time};
use rawzip::{CompressionMethod, ZipArchiveWriter};
use std::io::Write;

const STORED: CompressionMethod = CompressionMethod::STORE;
const DEFLATED: CompressionMethod = CompressionMethod::DEFLATE;

/// A `.dem` by the description of the format: track 2; a serverinfo of protocol 15 without any name behind a greeting, and a
/// frame at 1.5 seconds that says nothing else.
fn dem() -> Vec<u8> {
    let mut demo = b"2\n".to_vec();
    dem_message(&mut demo, b"\x08hi\0\x0b\x0f\0\0\0\x01\0gap\0\0\0\x19\x01");
    dem_message(&mut demo, b"\x07\0\0\xc0\x3f");
    dem_message(&mut demo, b"\x07\0\0\0\x40");
    demo
}

fn dem_message(demo: &mut Vec<u8>, message: &[u8]) {
    demo.extend((message.len() as u32).to_le_bytes());
    demo.extend([0; 12]);
    demo.extend(message);
}

/// `svc_serverdata` of QuakeWorld without extensions, up to its title; then ten rules of movement.
fn serverdata(seat: &[u8]) -> Vec<u8> {
    let mut message = b"\x0b\x1c\0\0\0\x01\0\0\0qw\0".to_vec();
    message.extend(seat);
    message.extend(b"gap\0");
    message.extend([0; 40]);
    message
}

/// A `.qwd`: a command, the numbers of the connection, two datagrams, of which the first is that of a map that was begun, and what a
/// client writes when it stops.
fn qwd() -> Vec<u8> {
    let mut demo = 5.0_f32.to_le_bytes().to_vec();
    demo.push(0);
    demo.extend([0; 36]);
    demo.extend(5.5_f32.to_le_bytes());
    demo.extend([2, 9, 0, 0, 0, 8, 0, 0, 0]);
    let mut first = vec![7, 0, 0, 0, 0, 0, 0, 0];
    first.extend(serverdata(&[0]));
    let end = b"\xff\xff\xff\xff\x02EndOfDemo\0".to_vec();
    for (seconds, datagram) in [(6.0_f32, first), (7.25, vec![3, 0, 0, 0x80, 0, 0, 0, 0, 1]), (7.5, end)] {
        demo.extend(seconds.to_le_bytes());
        demo.push(1);
        demo.extend((datagram.len() as u32).to_le_bytes());
        demo.extend(datagram);
    }
    demo
}

/// An `.mvd`: what is said to all, hidden bytes, numbers, a message to players 0 and 2, one to player 3, a statistic of
/// player 31.
fn mvd() -> Vec<u8> {
    let mut demo = Vec::new();
    let mut block = |millis: u8, kind: u8, mask: Option<u32>, message: &[u8]| {
        demo.extend([millis, kind]);
        demo.extend(mask.iter().flat_map(|mask| mask.to_le_bytes()));
        demo.extend((message.len() as u32).to_le_bytes());
        demo.extend(message);
    };
    block(0, 1, None, &serverdata(&1.0_f32.to_le_bytes()));
    block(10, 3, Some(0), b"hidden");
    block(13, 3, Some(5), &[1]);
    block(0, 4 | 3 << 3, None, &[1, 1]);
    block(20, 5 | 31 << 3, None, &[3, 0, 100]);
    block(0, 6, None, b"\x02EndOfDemo\0");
    demo
}

/// A `.dm2`: `svc_serverdata` of protocol 34, and a nop.
fn dm2() -> Vec<u8> {
    let mut demo = Vec::new();
    for message in [&b"\x0c\x22\0\0\0\x01\0\0\0\x01\0\0\0gap\0"[..], &[6]] {
        demo.extend((message.len() as u32).to_le_bytes());
        demo.extend(message);
    }
    demo.extend([0xff; 4]);
    demo
}

fn all() -> [(Container, Vec<u8>, usize); 4] {
    [(Container::Dem, dem(), 3), (Container::Qwd, qwd(), 2), (Container::Mvd, mvd(), 5), (Container::Dm2, dm2(), 2)]
}

fn read(name: &str, bytes: Vec<u8>) -> Result<(Vec<CaptureDatagram>, Vec<String>), String> {
    let mut capture = Capture::from_bytes(name, bytes, &Options::default()).map_err(|error| error.to_string())?;
    let datagrams: Vec<_> = capture.by_ref().collect::<Result<_, _>>().map_err(|error| error.to_string())?;
    Ok((datagrams, capture.remarks()))
}

#[test]
fn every_container_is_known_by_what_it_says() {
    for (container, demo, messages) in all() {
        assert_eq!(kind::of("-", &demo), Some(container));
        let (datagrams, remarks) = read("-", demo).unwrap_or_else(|error| panic!("{}: {error}", container.name()));
        assert_eq!((datagrams.len(), remarks), (messages, Vec::<String>::new()), "{container:?}");
        assert!(datagrams.iter().all(|datagram| datagram.demo.is_some_and(|it| it.container == container)));
    }
}

#[test]
fn a_name_counts_only_where_the_bytes_leave_it_open() {
    assert_eq!(kind::of("game.dm2", &dem()), Some(Container::Dem));
    // A message to all of an .mvd that begins in the middle of a map.
    let middle = [0, 6, 1, 0, 0, 0, 1];
    assert_eq!(kind::of("game.mvd", &middle), Some(Container::Mvd));
    assert_eq!(kind::of("game", &middle), None);
    assert_eq!(kind::of("game.mvd", b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0"), None);
}

#[test]
fn messages_have_the_time_that_their_container_or_the_server_says() {
    let times = |demo| -> Vec<u64> {
        let (datagrams, _) = read("-", demo).expect("a demo");
        datagrams.iter().map(|datagram| datagram.time.unwrap_or_default().0).collect()
    };
    assert_eq!(times(dem()), [0, 0, 500_000]);
    assert_eq!(times(qwd()), [1_000_000, 2_250_000]);
    assert_eq!(times(mvd()), [0, 23_000, 23_000, 43_000, 43_000]);
}

#[test]
fn messages_get_a_header_that_says_their_place() {
    let (datagrams, _) = read("-", dem()).expect("a demo");
    assert_eq!(datagrams[0].bytes[..8], [0, 9, 0, 27, 0, 0, 0, 0]);
    assert_eq!(datagrams[2].bytes, [0, 0x10, 0, 13, 0, 0, 0, 1, 7, 0, 0, 0, 0x40]);
    let (datagrams, _) = read("-", dm2()).expect("a demo");
    assert_eq!(datagrams[1].bytes, [2, 0, 0, 0, 0, 0, 0, 0, 6]);
    // What a frame builds on is a number below 256, so that numbers that fall get as much more as keeps them apart.
    let (datagrams, _) = read("-", qwd()).expect("a demo");
    assert_eq!([datagrams[0].bytes[0], datagrams[1].bytes[1]], [7, 1]);
    assert_eq!(datagrams[1].bytes, [3, 1, 0, 0x80, 0, 0, 0, 0, 1]);
}

#[test]
fn messages_of_an_mvd_say_to_whom_they_are() {
    let (datagrams, _) = read("-", mvd()).expect("a demo");
    let labels: Vec<&str> = datagrams.iter().map(|datagram| datagram.label.as_str()).collect();
    assert_eq!(labels, ["", "to 0 2", "to 3", "to 31", ""]);
    assert!(datagrams.iter().all(|datagram| !datagram.bytes.ends_with(b"hidden")));
}

#[test]
fn each_map_begins_a_part() {
    let parts = |demo| -> Vec<u16> {
        let (datagrams, _) = read("-", demo).expect("a demo");
        datagrams.iter().map(|datagram| datagram.client.0).collect()
    };
    // Joined end to end, the second with its track.
    assert_eq!(parts([dem(), dem()].concat()), [1, 1, 1, 2, 2, 2]);
    assert_eq!(parts([mvd(), mvd()].concat()), [1, 1, 1, 1, 1, 2, 2, 2, 2, 2]);
    assert_eq!(parts([dm2(), dm2()].concat()), [1, 1, 2, 2]);
}

#[test]
fn a_demo_that_is_cut_anywhere_is_read_up_to_there() {
    for (container, demo, _) in all() {
        let (whole, _) = read("-", demo.clone()).expect("a demo");
        let mut cuts = 0;
        for length in 0..demo.len() {
            // The name says what it is where the beginning is too short to.
            let name = format!("cut.{}", container.name());
            let Ok((datagrams, remarks)) = read(&name, demo[..length].to_vec()) else { continue };
            assert_eq!(datagrams, whole[..datagrams.len()], "{name} {length}");
            cuts += usize::from(remarks.iter().any(|remark| remark.contains("cut")));
        }
        assert!(cuts > 5, "{container:?}: {cuts}");
    }
}

#[test]
fn no_length_makes_a_reader_wait_or_allocate() {
    for container in [Container::Dem, Container::Qwd, Container::Mvd, Container::Dm2] {
        let mut block = match container {
            Container::Qwd => vec![0, 0, 0, 0, 1],
            Container::Mvd => vec![0, 1],
            _ => Vec::new(),
        };
        block.extend((MAX_MESSAGE_BYTES as u32 + 1).to_le_bytes());
        block.extend([0; 100]);
        assert!(matches!(next(container, &block), Step::Bad(_)), "{container:?}");
    }
    assert_eq!(next(Container::Mvd, &[5, 7, 0]), Step::Bad(String::from("7 is no kind of block")));
    let nan = [0xff, 0xff, 0xff, 0x7f, 0];
    assert_eq!(next(Container::Qwd, &nan), Step::Bad(String::from("NaN is no time")));
    let message = Step::Message { clock: Clock::After(1_000), to: Audience::Players(1 << 31), body: 6..7 };
    assert_eq!(next(Container::Mvd, &[1, 4 | 31 << 3, 1, 0, 0, 0, 9]), message);
}

fn gzipped(name: &[u8], bytes: &[u8]) -> Vec<u8> {
    let mut file = GzBuilder::new().filename(name).write(Vec::new(), Compression::default());
    file.write_all(bytes).expect("memory is written");
    file.finish().expect("memory is written")
}

/// A zip with these files.
fn zipped(files: &[(&str, CompressionMethod, Vec<u8>)]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut zip = ZipArchiveWriter::new(&mut out);
    for (name, method, bytes) in files {
        let (mut entry, config) = zip.new_file(name).compression_method(*method).start().expect("a name");
        let stored = match *method {
            DEFLATED => deflated(bytes),
            _ => bytes.clone(),
        };
        // The checksum is of what is in it, whatever is stored.
        let mut sum = config.wrap(std::io::sink());
        sum.write_all(bytes).expect("nothing is written");
        let (_, descriptor) = sum.finish().expect("nothing is written");
        entry.write_all(&stored).expect("memory is written");
        entry.finish(descriptor).expect("memory is written");
    }
    zip.finish().expect("memory is written");
    out
}

fn deflated(bytes: &[u8]) -> Vec<u8> {
    let mut deflated = DeflateEncoder::new(Vec::new(), Compression::default());
    deflated.write_all(bytes).expect("memory is written");
    deflated.finish().expect("memory is written")
}

#[test]
fn packed_demos_are_read_as_they_are() {
    let (plain, _) = read("-", dem()).expect("a demo");
    assert_eq!(read("a.gz", gzipped(b"game.dem", &dem())), Ok((plain.clone(), vec![])));
    let zip =
        zipped(&[("readme.txt", STORED, b"hi".to_vec()), ("Game.DEM", DEFLATED, dem()), ("b.mvd", STORED, mvd())]);
    let remark = String::from("of 2 demos in the zip, `Game.DEM` is read");
    assert_eq!(read("a.zip", zip.clone()), Ok((plain, vec![remark])));
    let (stored, _) = read("-", mvd()).expect("a demo");
    assert_eq!(read("a.zip", zipped(&[("b.mvd", STORED, mvd())])), Ok((stored.clone(), vec![])));
    assert_eq!(read("a.zip", zipped(&[("b.mvd.gz", STORED, gzipped(b"b.mvd", &mvd()))])), Ok((stored.clone(), vec![])));
    // Two that were joined end to end are one.
    let joined = [gzipped(b"b.mvd", &mvd()[..20]), gzipped(b"", &mvd()[20..])].concat();
    assert_eq!(read("b.mvd.gz", joined), Ok((stored, vec![])));
    for length in 0..zip.len() - 22 {
        // Without its directory a zip has nothing to go by.
        assert!(read("a.zip", zip[..length].to_vec()).is_err());
    }
}

#[test]
fn a_packed_demo_that_is_cut_is_read_up_to_there() {
    let long: Vec<u8> = std::iter::repeat_with(dem).take(50).flatten().collect();
    let (whole, _) = read("-", long.clone()).expect("a demo");
    let packed = gzipped(b"game.dem", &long);
    let mut most = 0;
    for length in 0..packed.len() - 8 {
        let Ok((datagrams, remarks)) = read("game.dem.gz", packed[..length].to_vec()) else { continue };
        assert_eq!(datagrams, whole[..datagrams.len()], "{length}");
        assert!(!remarks.is_empty(), "{length}");
        most = most.max(datagrams.len());
    }
    assert!(most > 50, "{most}");
}

#[test]
fn a_packed_demo_that_is_damaged_is_read_up_to_there() {
    let long: Vec<u8> = std::iter::repeat_with(dem).take(50).flatten().collect();
    let packed = gzipped(b"game.dem", &long);
    for at in 0..packed.len() {
        let mut wrong = packed.clone();
        wrong[at] ^= 0x55;
        // Whatever comes of it, that something is wrong is said, unless nobody reads that byte: of a time, a system, a name.
        let Ok((datagrams, remarks)) = read("game.dem.gz", wrong) else { continue };
        assert!(!remarks.is_empty() || datagrams.len() == 150 && at < 19, "{at}: {}", datagrams.len());
    }
}

#[test]
fn what_unpacks_to_more_than_the_limit_is_refused() {
    let bomb = vec![0; 1 << 20];
    let limit = 1 << 16;
    let expected = format!("unpacks to more than {limit} bytes");
    let refused = |packed: Vec<u8>| unpack::unpack(&packed, limit).expect_err("a bomb").0;
    assert_eq!(refused(gzipped(b"a", &bomb)), expected);
    assert_eq!(refused(zipped(&[("a.dem", DEFLATED, bomb.clone())])), expected);
    assert!(unpack::unpack(&gzipped(b"a", &bomb[..limit]), limit).is_ok());
    // Nor do many short ones.
    let many = gzipped(b"a", &bomb[..limit / 2]).repeat(3);
    assert_eq!(refused(many), expected);
}

#[test]
fn what_is_no_demo_of_ours_is_named() {
    let fault = |name: &str, bytes: &[u8]| read(name, bytes.to_vec()).expect_err("no demo");
    assert!(fault("a.mvd2", b"MVD2\x0c\0\x01\x02").contains("Q2PRO's MVD2"));
    assert!(fault("a.dz", b"DZ\x02\x09\0\0\0\0").contains("Dzip"));
    assert!(fault("a.zip", &zipped(&[("readme.txt", STORED, vec![0])])).contains("without a .dem"));
    let mut locked = zipped(&[("a.dem", STORED, dem())]);
    let directory = locked.windows(4).position(|window| window == b"PK\x01\x02").expect("a directory");
    locked[directory + 8] = 1;
    assert!(fault("a.zip", &locked).contains("password"));
}

#[test]
fn the_time_of_a_second_part_goes_on() {
    let (datagrams, _) = read("-", [dem(), dem()].concat()).expect("a demo");
    let times: Vec<Option<Time>> = datagrams.iter().map(|datagram| datagram.time).collect();
    assert_eq!(times[5], Some(Time(1_000_000)));
}
