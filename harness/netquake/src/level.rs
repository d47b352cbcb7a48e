//! The map that a server announces: its name, and the names of its models.

use kit::options::MAP;

/// A model that every game of Quake has.
const PLAYER: &str = "progs/player.mdl";

/// The models of a small map of ours beside its own; their names are of no consequence, only their count.
pub const MODELS: [&str; 2] = [PLAYER, "progs/thing.mdl"];

/// A map.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Level {
    name: String,
    models: Vec<String>,
}

impl Level {
    /// The map called `name`, with `models` beside its own. A map that is not ours is played with its game's data, in which none
    /// of ours is: all of them are the player's then, as clients refuse a map of which they lack a model.
    pub fn new(name: &str, models: impl IntoIterator<Item: Into<String>>) -> Level {
        let own = |model: String| if name == MAP.default { model } else { String::from(PLAYER) };
        let others = models.into_iter().map(|model| own(model.into()));
        Level { name: String::from(name), models: std::iter::once(format!("maps/{name}.bsp")).chain(others).collect() }
    }

    /// Its name, as a server writes it.
    pub fn name(&self) -> &[u8] {
        self.name.as_bytes()
    }

    /// The names of its models, the map's own first.
    pub fn models(&self) -> Vec<&[u8]> {
        self.models.iter().map(String::as_bytes).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_map_of_another_game_is_announced_with_models_that_the_game_has() {
        let level = |name| Level::new(name, ["m/2", "m/3"]);
        let models: [&[u8]; 3] = [b"maps/proof.bsp", b"m/2", b"m/3"];
        assert_eq!(level("proof").models(), models);
        let models: [&[u8]; 3] = [b"maps/start.bsp", b"progs/player.mdl", b"progs/player.mdl"];
        assert_eq!(level("start").models(), models);
        assert_eq!(level("start").name(), b"start");
    }
}
