//! Services of protocols that this one has for neighbours: whoever meets one that it does not have can say what it is.

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
    fn a_service_of_a_neighbour_is_named() {
        assert_eq!(whose(38), "svc_botchat of the 2021 release");
        assert_eq!(whose(50), "svc_servervars of the 2021 release, or svc_downloaddata of DarkPlaces");
        assert_eq!(whose(57), "svc_entities of DarkPlaces");
        assert_eq!((whose(200), whose(1)), (String::new(), String::new()));
    }
}
