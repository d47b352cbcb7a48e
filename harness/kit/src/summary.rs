//! Text and numbers in the one line that a dissector says of a datagram.

/// Bytes as text without line ends at its end, cut after `most` characters; never empty.
pub fn printable(text: &[u8], most: usize) -> String {
    let text: String = String::from_utf8_lossy(text).trim_end_matches(['\n', '\0']).escape_default().collect();
    match text.char_indices().nth(most) {
        _ if text.is_empty() => String::from("(empty)"),
        Some((cut, _)) => format!("{}…", &text[..cut]),
        None => text,
    }
}

/// `1..4 7 9..10`: runs of consecutive numbers are joined.
pub fn ranges(numbers: &[u32]) -> String {
    let runs = numbers.chunk_by(|low, high| low.checked_add(1) == Some(*high)).map(|run| match run {
        [first, .., last] => format!("{first}..{last}"),
        [only] => only.to_string(),
        [] => String::new(),
    });
    runs.collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_escaped_cut_and_never_empty() {
        let check = |text: &[u8], expected: &str| assert_eq!(printable(text, 5), expected);
        check(b"spawn\n", "spawn");
        check(b"a\tb\0", "a\\tb");
        check(b"prespawn", "presp…");
        check(b"\n", "(empty)");
        check(b"", "(empty)");
    }

    #[test]
    fn consecutive_numbers_are_joined() {
        let check = |numbers: &[u32], expected: &str| assert_eq!(ranges(numbers), expected);
        check(&[1, 2, 3, 4, 7, 9, 10], "1..4 7 9..10");
        check(&[3, 2], "3 2");
        check(&[u32::MAX, 0], "4294967295 0");
        check(&[], "");
    }
}
