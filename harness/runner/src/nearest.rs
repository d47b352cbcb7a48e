//! Suggestions for names that nobody has.

/// The names most like `wrong`, best first: for errors that suggest. Names that contain it come before all others.
pub fn nearest<'a>(wrong: &str, names: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    const MOST: usize = 5;
    let wrong = wrong.to_ascii_lowercase();
    let mut scored: Vec<(usize, &str)> = names
        .filter_map(|name| {
            let lower = name.to_ascii_lowercase();
            let distance = strsim::damerau_levenshtein(&wrong, &lower);
            if !wrong.is_empty() && lower.contains(&wrong) {
                Some((0, name))
            } else {
                (distance <= 2.max(wrong.len() / 4)).then_some((distance, name))
            }
        })
        .collect();
    scored.sort();
    scored.dedup();
    scored.truncate(MOST);
    scored.into_iter().map(|(_, name)| name).collect()
}

/// `; did you mean A, B?`, or nothing.
pub fn did_you_mean(names: &[&str]) -> String {
    if names.is_empty() { String::new() } else { format!("; did you mean {}?", names.join(", ")) }
}
