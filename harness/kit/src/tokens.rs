//! Lines of text as consoles and connectionless datagrams have them, cut into words.

/// Most words that a line is cut into; the rest of it is ignored.
pub const MAX_TOKENS: usize = 80;

/// The words of a line: separated by blanks and control characters, or between quotes. At most [`MAX_TOKENS`]; a NUL
/// ends the line, and a quote that is never closed lasts to the end.
#[derive(Clone, Debug)]
pub struct Tokens<'a> {
    rest: &'a [u8],
    left: usize,
}

impl<'a> Tokens<'a> {
    /// The words of `line`.
    pub fn new(line: &'a [u8]) -> Tokens<'a> {
        Tokens { rest: line.split(|&byte| byte == 0).next().unwrap_or_default(), left: MAX_TOKENS }
    }
}

impl<'a> Iterator for Tokens<'a> {
    type Item = &'a [u8];

    fn next(&mut self) -> Option<&'a [u8]> {
        let start = self.rest.iter().position(|&byte| byte > b' ')?;
        self.left = self.left.checked_sub(1)?;
        let (word, rest) = match &self.rest[start..] {
            [b'"', quoted @ ..] => match quoted.iter().position(|&byte| byte == b'"') {
                Some(end) => (&quoted[..end], &quoted[end + 1..]),
                None => (quoted, &[][..]),
            },
            word => word.split_at(word.iter().position(|&byte| byte <= b' ').unwrap_or(word.len())),
        };
        self.rest = rest;
        Some(word)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_bounded() {
        assert_eq!(Tokens::new(&b"a ".repeat(MAX_TOKENS + 5)).count(), MAX_TOKENS);
        let words: Vec<&[u8]> = Tokens::new(b" a\t\"\" b\"c \"d e\"f").collect();
        assert_eq!(words, [&b"a"[..], b"", b"b\"c", b"d e", b"f"]);
    }
}
