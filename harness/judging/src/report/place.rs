//! Places in files, for services that show a line.

use super::model::CaseReport;

/// Finds where a failure of a case is shown, of a requirement or of none; nothing where no file of the reader's has to do with it.
pub type Places<'a> = &'a dyn Fn(&CaseReport, Option<&str>) -> Option<Place>;

/// A line of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The file.
    pub path: String,
    /// The line, from 1.
    pub line: usize,
}

/// Where `text`, which the file `path` holds, names a requirement; its first line where it does not, or without one.
pub fn within(path: &str, text: &str, requirement: Option<&str>) -> Place {
    Place { path: String::from(path), line: requirement.map_or(1, |id| line_of(text, id)) }
}

/// The first line that has `id` as a word and is no comment.
fn line_of(text: &str, id: &str) -> usize {
    let is_word = |line: &str| {
        let words = line.split('#').next().unwrap_or_default();
        words.split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '-').any(|word| word == id)
    };
    text.lines().position(is_word).map_or(1, |line| line + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_requirement_is_found_as_a_word() {
        let text = "# FTE-RST-1\ntitle: x\nrequirements: [FTE-RST-10, FTE-RST-1]\n";
        assert_eq!(line_of(text, "FTE-RST-1"), 3);
        assert_eq!(line_of(text, "FTE-RST-10"), 3);
        assert_eq!(line_of(text, "FTE-RST-2"), 1);
    }
}
