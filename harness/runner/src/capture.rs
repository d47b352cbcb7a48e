//! Recorded traffic in files: [`judging::capture`] reads what [`open`] opens.

use std::fs::{self, File};
use std::io::{self, Cursor, Read};
use std::path::Path;

pub use judging::capture::*;

/// Opens a file, or standard input for `-`.
///
/// # Errors
/// The file is missing, a directory, empty, too large, unreadable, or no capture at all.
pub fn open(input: &str, options: &Options) -> Result<Capture, CaptureError> {
    let fault = |what: String, help: &str| CaptureError {
        input: input.to_string(),
        place: Place::Input,
        what,
        help: help.to_string(),
    };
    let unreadable = |error: io::Error| fault(format!("cannot be read: {error}"), "check the file");
    let too_large =
        || fault(format!("larger than {MAX_FILE_BYTES} bytes"), "split it, for example with `split` or `editcap -c`");
    let source: Box<dyn Source> = if input == "-" {
        let mut bytes = Vec::new();
        io::stdin().lock().take(MAX_FILE_BYTES + 1).read_to_end(&mut bytes).map_err(unreadable)?;
        if bytes.len() as u64 > MAX_FILE_BYTES {
            return Err(too_large());
        }
        Box::new(Cursor::new(bytes))
    } else {
        let metadata = fs::metadata(Path::new(input)).map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => {
                fault("no such file".to_string(), "give a capture file, or the hex digits of a datagram")
            }
            _ => unreadable(error),
        })?;
        if metadata.is_dir() {
            return Err(fault("is a directory".to_string(), "name one or more files in it"));
        }
        if metadata.len() > MAX_FILE_BYTES {
            return Err(too_large());
        }
        Box::new(File::open(input).map_err(unreadable)?)
    };
    Capture::from_source(input, source, options)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_file_says_so() {
        let error = open("no/such/file.txt", &Options::default()).err().map(|error| error.to_string());
        let expected = "no/such/file.txt: no such file; give a capture file, or the hex digits of a datagram";
        assert_eq!(error.as_deref(), Some(expected));
    }

    #[test]
    fn a_directory_says_so() {
        let error = open(".", &Options::default()).err().map(|error| error.to_string());
        assert_eq!(error.as_deref(), Some(".: is a directory; name one or more files in it"));
    }
}
