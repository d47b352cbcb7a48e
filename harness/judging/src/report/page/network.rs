//! What a network was to do and did, in fewer words: most links do what they are set to, and alike.

/// The lines of a report, those of a link in one, and alike links together.
pub(super) fn lines(impairment: &[String]) -> Vec<String> {
    let mut links: Vec<(String, Vec<String>)> = Vec::new();
    for line in impairment {
        // `client1 s2c loss 5.0% configured, …`
        let mut words = line.splitn(3, ' ');
        let (Some(client), Some(direction), Some(what)) = (words.next(), words.next(), words.next()) else {
            links.push((String::new(), vec![line.clone()]));
            continue;
        };
        let name = format!("{client} {direction}");
        let what = short(what).replace(".000ms", "ms");
        match links.last_mut().filter(|(known, _)| *known == name) {
            Some((_, parts)) => parts.push(what),
            None => links.push((name, vec![what])),
        }
    }
    let mut lines: Vec<(Vec<String>, String)> = Vec::new();
    for (name, parts) in links {
        let text = parts.join("; ");
        match lines.iter_mut().find(|(names, known)| *known == text && !names.is_empty()) {
            Some((names, _)) => names.push(name),
            None => lines.push((vec![name], text)),
        }
    }
    lines.into_iter().map(|(names, text)| format!("{}: {text}", names.join(", "))).collect()
}

/// What was observed as it was configured needs no number twice.
fn short(what: &str) -> String {
    if what.starts_with("loss 0.0% configured, 0.00% observed") {
        return String::from("no random loss");
    }
    let parts = what.strip_prefix("delay ").and_then(|rest| rest.split_once(" configured, "));
    if let Some((configured, observed)) = parts
        && observed.strip_prefix(configured).is_some_and(|rest| rest.starts_with(" observed"))
        && let Some((from, to)) = configured.split_once("..")
        && from == to
    {
        return format!("{from} as configured");
    }
    String::from(what)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_that_do_what_they_are_set_to_take_one_line() {
        let of = |client: &str, direction: &str| {
            [
                format!("{client} {direction} loss 0.0% configured, 0.00% observed (0 of 45)"),
                format!(
                    "{client} {direction} delay 25.000ms..25.000ms configured, 25.000ms..25.000ms observed, mean 25.000ms (65 datagrams)"
                ),
            ]
        };
        let mut all: Vec<String> = [of("client1", "s2c"), of("client2", "s2c")].concat();
        all.push("client2 c2s loss 5.0% configured, 4.90% observed (49 of 1000)".into());
        all.push(
            "client2 c2s delay 1.000ms..9.000ms configured, 1.000ms..9.000ms observed, mean 5.000ms (8 datagrams)"
                .into(),
        );
        assert_eq!(
            lines(&all),
            [
                "client1 s2c, client2 s2c: no random loss; 25ms as configured",
                "client2 c2s: loss 5.0% configured, 4.90% observed (49 of 1000); delay 1ms..9ms configured, \
                 1ms..9ms observed, mean 5ms (8 datagrams)",
            ]
        );
    }
}
