//! A badge: a small SVG picture for a project's README.

use super::Certificate;
use maud::{PreEscaped, html};

/// Width of a character of the font, in tenths of a pixel; near enough for a box around it.
const CHARACTER: usize = 66;

/// The picture.
pub fn badge(certificate: &Certificate) -> String {
    let left = "deltaproof";
    let (level, colour) = match certificate.level {
        None => (String::from("not valid"), "#b3261e"),
        Some(level @ 0..=2) => (format!("level {level}"), "#8a6d00"),
        Some(level) => (format!("level {level}"), "#1b7f3b"),
    };
    let level = if certificate.by_the_wire { format!("{level} by the wire") } else { level };
    let right = format!("{} {} {level}", certificate.profile, certificate.role);
    let width = |text: &str| text.len() * CHARACTER / 10 + 12;
    let (first, second) = (width(left), width(&right));
    let picture = html! {
        svg xmlns="http://www.w3.org/2000/svg" width=(first + second) height="20" role="img" aria-label={ (left) ": " (right) } {
            title { (left) ": " (right) }
            rect width=(first) height="20" fill="#444" {}
            rect x=(first) width=(second) height="20" fill=(colour) {}
            g fill="#fff" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11" text-anchor="middle" {
                text x=(first / 2) y="14" { (left) }
                text x=(first + second / 2) y="14" { (right) }
            }
        }
    };
    PreEscaped(picture.into_string() + "\n").0
}
