//! The codec against bytes made by hand, recorded traffic of engines, and arbitrary input.

mod captures;
mod citations;
mod machine;
mod messages;
mod oracle;
mod round_trip;
mod run;
mod sessions;
mod vantage;
mod vectors;

/// The recordings, by name.
const RECORDINGS: [&str; 6] = [
    "r1q2/r1q2_b5183_p34",
    "r1q2/r1q2_b5183_p35_minor1901",
    "r1q2/r1q2_b5183_p35_frames_in_zpackets",
    "r1q2/r1q2_b8012_zdownload",
    "r1q2/q2pro_p35_minor1905",
    "r1q2/q2pro_p35_bigmap",
];
