//! What is measured: the storm, or where there is none the worst loss, of each protocol.

pub const CASES: [&str; 5] = [
    "fte/storm@fte-nq[client_fte2=0x8]",
    "fitz666/link-loss@fitz666[protocol=666]",
    "r1q2/storm@r1q2-35",
    "pygg2/storm@pygg2",
    "nvs/storm@nvs",
];
