//! Protocols that this one has for neighbours, and their services: whoever meets one that it does not have can say what it is.

/// The 2021 release of Quake has these beside protocol 666, and numbers that others have, too.
const RELEASE_2021: [(u8, &str); 13] = [
    (38, "svc_botchat"),
    (45, "svc_setviews"),
    (46, "svc_updateping"),
    (47, "svc_updatesocial"),
    (48, "svc_updateplinfo"),
    (49, "svc_rawprint"),
    (50, "svc_servervars"),
    (51, "svc_seq"),
    (52, "svc_achievement"),
    (53, "svc_chat"),
    (54, "svc_levelcompleted"),
    (55, "svc_backtolobby"),
    (56, "svc_localsound"),
];

/// Those of DarkPlaces.
const DARKPLACES: [(u8, &str); 12] = [
    (50, "svc_downloaddata"),
    (51, "svc_updatestatubyte"),
    (52, "svc_effect"),
    (53, "svc_effect2"),
    (54, "svc_sound2"),
    (55, "svc_spawnbaseline2"),
    (56, "svc_spawnstatic2"),
    (57, "svc_entities"),
    (58, "svc_csqcentities"),
    (59, "svc_spawnstaticsound2"),
    (60, "svc_trailparticles"),
    (61, "svc_pointparticles"),
];

/// Whose a protocol is, by the number that a serverinfo announces: such as `DarkPlaces' protocol 3504 (DP7)`.
///
/// Each stands in an open source: DarkPlaces' table of protocols has its own seven, 250 and BJP's three; Hammer of Thyrion's `protocol.h`
/// those of Hexen II, from 17 (1.09) to 20 (Korax' patch).
pub fn protocol(number: u32) -> String {
    // DarkPlaces has given seven of them names.
    const DARKPLACES: [u32; 7] = [96, 97, 3500, 3501, 3502, 3503, 3504];
    if let Some(place) = DARKPLACES.iter().position(|it| *it == number) {
        return format!("DarkPlaces' protocol {number} (DP{})", place + 1);
    }
    let whose = match number {
        17..=20 => "Hexen II's ",
        24..=33 => "QuakeWorld's ",
        250 => "Nehahra's ",
        10_000..=10_002 => "BJP's ",
        _ => "",
    };
    format!("{whose}protocol {number}")
}

/// What a service is called that protocol 15 and 666 do not have, and whose it is: such as `svc_chat of the 2021 release`. Empty
/// where nobody is known.
pub fn whose(service: u8) -> String {
    let owners = [(&RELEASE_2021[..], "the 2021 release"), (&DARKPLACES[..], "DarkPlaces")];
    let named = owners.iter().filter_map(|(services, owner)| {
        let (_, name) = services.iter().find(|(number, _)| *number == service)?;
        Some(format!("{name} of {owner}"))
    });
    named.collect::<Vec<String>>().join(", or ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_protocol_is_named_by_its_number() {
        assert_eq!(protocol(3504), "DarkPlaces' protocol 3504 (DP7)");
        assert_eq!(protocol(96), "DarkPlaces' protocol 96 (DP1)");
        assert_eq!(
            [19, 250, 10_001, 77].map(protocol)[..],
            ["Hexen II's protocol 19", "Nehahra's protocol 250", "BJP's protocol 10001", "protocol 77"]
        );
    }

    #[test]
    fn a_service_of_a_neighbour_is_named() {
        assert_eq!(whose(38), "svc_botchat of the 2021 release");
        assert_eq!(whose(50), "svc_servervars of the 2021 release, or svc_downloaddata of DarkPlaces");
        assert_eq!(whose(57), "svc_entities of DarkPlaces");
        assert_eq!((whose(200), whose(1)), (String::new(), String::new()));
    }
}
