//! Options and their ranges.

use super::diagnostics::check;

#[test]
fn options_must_be_within_their_ranges() {
    check(
        "options: { server_fte2: 256 }\n",
        "7:25: 256 is out of the range of `server_fte2`, 0 to 255 (server_fte2: a mask)",
    );
    check(
        "matrix: [ { option: client_fte2, values: [1, -1] } ]\n",
        "7:46: -1 is out of the range of `client_fte2`, 0 to 255 (client_fte2: a mask)",
    );
}
