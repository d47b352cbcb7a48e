//! Our game code for Quake's engines: its sources are carried along, and a compiler of QuakeC makes `progs.dat` of them.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

/// Numbers of models from 2 on are bodies of the map.
pub const MODELS: usize = 520;
/// How many sounds the game code names.
pub const SOUNDS: usize = 300;
/// The model of players, behind all others.
pub const PLAYER: &str = "progs/player.mdl";

const SOURCES: [(&str, &str); 3] = [
    ("interface.qc", include_str!("../../../../shims/game/quake/code/interface.qc")),
    ("answers.qc", include_str!("../../../../shims/game/quake/code/answers.qc")),
    ("proof.qc", include_str!("../../../../shims/game/quake/proof.qc")),
];
/// So many lines of a compiler's complaints are shown.
const SHOWN: usize = 12;

/// A function that gives the name of a number: QuakeC builds no texts.
fn names(function: &str, numbers: std::ops::RangeInclusive<usize>, name: &dyn Fn(usize) -> String) -> String {
    fn choose(code: &mut String, (least, most): (usize, usize), name: &dyn Fn(usize) -> String) {
        if least == most {
            let _ = write!(code, "return \"{}\";", name(least));
        } else {
            let middle = least.midpoint(most);
            let _ = write!(code, "if (n <= {middle}) {{");
            choose(code, (least, middle), name);
            code.push_str("}\n");
            choose(code, (middle + 1, most), name);
        }
    }
    let mut code = format!("string(float n) {function} =\n{{\n");
    choose(&mut code, (*numbers.start(), *numbers.end()), name);
    code.push_str("\n};\n");
    code
}

fn all_names() -> String {
    let sound = |number: usize| format!("{number}.wav");
    let mut code = names("model_name", 2..=MODELS, &|number| format!("*{}", number - 1));
    code.push_str(&names("sound_name", 1..=SOUNDS, &sound));
    let _ = write!(code, "void() precache_all =\n{{\n\tprecache_model(\"{PLAYER}\");\n");
    for number in 1..=SOUNDS {
        let _ = writeln!(code, "\tprecache_sound(\"{}\");", sound(number));
    }
    code.push_str("};\n");
    code
}

/// The compiler: what `QCC` names, or fteqcc.
fn compiler() -> String {
    std::env::var("QCC").ok().filter(|it| !it.trim().is_empty()).unwrap_or_else(|| String::from("fteqcc"))
}

/// Compiles the game code in a folder of its own, made below `near`.
///
/// # Errors
/// There is no compiler, or it cannot compile the code: what to do.
pub fn compiled(near: &Path) -> Result<Vec<u8>, String> {
    let own = near.join(format!("building-{:016x}", rand::random::<u64>()));
    let cannot = |error: std::io::Error| format!("cannot compile the game code in {}: {error}", own.display());
    fs::create_dir_all(&own).map_err(cannot)?;
    let result = compile(&own);
    let _ = fs::remove_dir_all(&own);
    result
}

fn compile(own: &Path) -> Result<Vec<u8>, String> {
    let cannot = |error: std::io::Error| format!("{}: {error}", own.display());
    let written = [
        ("names.qc", all_names()),
        ("progs.src", String::from("progs.dat\ninterface.qc\nanswers.qc\nnames.qc\nproof.qc\n")),
    ];
    for (name, text) in SOURCES.iter().map(|(name, text)| (*name, String::from(*text))).chain(written) {
        fs::write(own.join(name), text).map_err(cannot)?;
    }
    let compiler = compiler();
    let output = Command::new(&compiler).args(["-src", "."]).current_dir(own).stdin(Stdio::null()).output();
    let output = output.map_err(|error| {
        format!(
            "no compiler of QuakeC: `{compiler}` cannot be started, {error}. Install one (Debian: fteqcc), or name it in QCC"
        )
    })?;
    match fs::read(own.join("progs.dat")) {
        Ok(progs) if output.status.success() => Ok(progs),
        _ => {
            let said = [output.stdout, output.stderr].concat();
            let said = String::from_utf8_lossy(&said);
            let lines: Vec<&str> =
                said.lines().filter(|line| line.contains("error") || line.contains("warning")).collect();
            Err(format!("`{compiler}` cannot compile the game code:\n{}", lines[..lines.len().min(SHOWN)].join("\n")))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_chosen_by_halves() {
        let code = names("name", 2..=4, &|number| format!("m{number}"));
        let expected = "string(float n) name =\n{\nif (n <= 3) {if (n <= 2) {return \"m2\";}\nreturn \"m3\";}\nreturn \"m4\";\n};\n";
        assert_eq!(code, expected);
    }
}
