use super::description::Given;
use super::*;
use crate::foreign::PATIENCE;

const HEAD: &str = "name: X\nabout: x\nroles: [server]\nprofiles: [fte-qw, fte-nq]\n";

fn parse(more: &str) -> Result<Description, Diagnostic> {
    Description::parse(Path::new("x.yaml"), &format!("{HEAD}{more}"))
}

/// Checks place, words and advice for what is wrong with `more`, which begins on line 5.
#[track_caller]
fn check(more: &str, expected: &str) {
    let found = parse(more).expect_err(more).one_line();
    assert_eq!(found.strip_prefix("x.yaml:").unwrap_or(&found), expected, "\n{more}");
}

fn engine(more: &str, dir: Option<&str>, map: Option<&str>) -> Engine {
    let chosen = Chosen {
        name: String::from("x"),
        program: PathBuf::from("/games/x y"),
        dir: dir.map(PathBuf::from),
        map: map.map(String::from),
        describe: None,
    };
    let program = Program { path: chosen.program.clone(), narrow: false, hash: String::from("abc") };
    Engine {
        chosen,
        description: parse(more).expect("it is right"),
        program,
        library: PathBuf::from("/cache/preload.so"),
    }
}

fn variable<'a>(launch: &'a Launch, name: &str) -> Option<&'a str> {
    launch.env.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
}

#[test]
fn every_description_that_is_carried_along_is_right_and_each_is_carried_along() {
    for (name, _) in BUILT_IN {
        let description = describe(name, None).unwrap_or_else(|why| panic!("{name}: {why}"));
        assert!(description.needs_dir() && !description.notes.is_empty(), "{name}");
    }
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("shims/engines");
    let files = fs::read_dir(folder).expect("it is there").flatten().map(|file| file.path());
    let mut names: Vec<String> = files
        .filter(|path| path.extension().is_some_and(|it| it == "yaml"))
        .filter_map(|path| Some(path.file_stem()?.to_str()?.to_string()))
        .collect();
    names.sort();
    assert_eq!(names, BUILT_IN.iter().map(|(name, _)| *name).collect::<Vec<_>>());
    let why = describe("q2por", None).expect_err("there is none").to_string();
    assert!(why.starts_with("no engine `q2por` is described; there are fteqw, q2pro,"), "{why}");
}

#[test]
fn what_is_wrong_with_a_description_is_told_at_its_place() {
    check("portz: [27500]\n", "5:1: unknown key `portz` (did you mean `ports`?)");
    check(
        "boot_ms: soon\n",
        "5:10: boot_ms: wrong type: the text \"soon\", expected a whole number from 0 to 4294967295",
    );
    check("threads: refused\n", "5:10: unknown word `refused` in threads (did you mean `refuse`?)");
    check(
        "environment: { HOME: [a] }\n",
        "5:22: environment.HOME: wrong type: a list, expected text or a whole number",
    );
    check("arguments: [\"+map\", \"{mop}\"]\n", "5:21: unknown placeholder `mop` (did you mean `map`?)");
    check(
        "directory: \"{home}/{x}\"\n",
        "5:12: unknown placeholder `x` (there are `dir`, `map`, `home`, `port`, `program`)",
    );
    check("ports: [27500, 0]\n", "5:16: no port has the number 0");
    check("set: { map_cheksum: 1 }\n", "5:8: unknown option or text `map_cheksum` (did you mean `map_checksum`?)");
    check("console:\n  mapp: x\n", "6:3: unknown command or verb `mapp` (did you mean `map`?)");
    check("by_profile: { fte-wq: {} }\n", "5:15: unknown profile `fte-wq` (did you mean `fte-qw`?)");
    check(
        "by_profile:\n  fte-nq: { sett: {} }\n",
        "6:13: unknown key `sett` in by_profile.fte-nq (did you mean `set`?)",
    );
    check("spin: 1\nspin: 2\n", "6:1: duplicate key `spin`; the first is on line 5 (keep one of the two)");
    check(
        "arguments: [\"{port}\"]\n",
        "5:1: fte-qw: `{port}` is used, and `ports` is empty (write `ports: [27500]`, with the UDP port that it binds)",
    );
    let wrong = |text: &str| Description::parse(Path::new("x.yaml"), text).expect_err(text).one_line();
    assert_eq!(
        wrong(&HEAD.replace("fte-nq", "fte-qn")),
        "x.yaml:4:20: unknown profile `fte-qn` (did you mean `fte-nq`?)"
    );
    assert_eq!(wrong(&HEAD.replace("[server]", "[]")), "x.yaml:3:8: `roles` is empty");
    assert_eq!(
        wrong("about: x\nroles: [server]\nprofiles: [nvs]\n"),
        "x.yaml:1:1: missing key `name` (a description begins with `name:`)"
    );
    assert_eq!(wrong("\n"), "x.yaml:1:1: the file is empty (a description begins with `name:`)");
}

#[test]
fn what_differs_in_a_profile_is_merged() {
    let more = "arguments: [a]\nenvironment: { A: 1, B: 2 }\nports: [1]\n\
                by_profile: { fte-nq: { arguments: [b], environment: { B: x }, ports: [2, 3], threads: allow } }\n";
    let all = parse(more).expect("it is right");
    let own = all.of("fte-nq");
    assert_eq!(own.arguments, [Given(String::from("b"))]);
    assert_eq!(own.environment.values().map(Given::to_string).collect::<Vec<_>>(), ["1", "x"]);
    assert_eq!((own.ports.as_slice(), own.threads), ([2, 3].as_slice(), description::Threads::Allow));
    assert_eq!((all.of("fte-qw").ports, own.spin), (vec![1], 2_000));
}

#[test]
fn an_engine_is_started_as_its_description_says_and_finds_nothing_of_ours() {
    let more = "arguments: [-basedir, \"{dir}\", -port, \"{port}\", +map, \"{map}\", -home, \"{home}\"]\n\
                directory: \"{dir}\"\nenvironment: { HOME: \"{home}\", LD_PRELOAD: /lib/more.so }\nports: [27500]\nmap: start\n\
                boot_type: [one, \"map {map}\"]\nconsole: { map: \"map {map}\", leave: \"\" }\n";
    let forms = engine(more, Some("/games/q"), Some("e1m1")).forms(&[], PATIENCE, false).expect("it is right");
    assert_eq!(forms.len(), 1);
    let Launch { command, surroundings, tcp, .. } = &forms[0].launch;
    let words = ["/games/x y", "-basedir", "/games/q", "-port", "27500", "+map", "e1m1", "-home", "{home}"];
    assert_eq!(command, &words);
    assert!(*tcp && surroundings.alone && surroundings.home == Some("{home}"));
    assert_eq!(surroundings.directory.as_deref(), Some("/games/q"));
    let of = |name: &str| variable(&forms[0].launch, name);
    assert_eq!(of("HOME"), Some("{home}"));
    assert_eq!(of("LD_PRELOAD"), Some("/cache/preload.so:/lib/more.so"));
    assert_eq!(of("DELTAPROOF_ENGINE_TYPE_map"), Some("map e1m1"));
    assert_eq!(of("DELTAPROOF_ENGINE_TYPE_leave"), Some(""));
    assert_eq!(of("DELTAPROOF_ENGINE_BOOT_TYPE"), Some("one\\nmap e1m1"));
    assert_eq!((of("DELTAPROOF_ENGINE_PORTS"), of("DELTAPROOF_ENGINE_THREADS")), (Some("27500"), Some("refuse")));
    let hello = of("DELTAPROOF_ENGINE_HELLO").expect("it is there");
    let hello: serde_json::Value = serde_json::from_str(&format!("{{{hello}}}")).expect("it is JSON");
    assert_eq!((&hello["build"], &hello["takes_world"]), (&json!("abc"), &json!(false)));
    assert!(hello.get("not_shown").is_none());
    let known = ["PATH", "LANG", "LD_LIBRARY_PATH", "HOME", "LD_PRELOAD"];
    let strange = forms[0].launch.env.iter().map(|(name, _)| name.as_str());
    let strange: Vec<&str> =
        strange.filter(|name| !known.contains(name) && !name.starts_with("DELTAPROOF_ENGINE_")).collect();
    assert_eq!(strange, [""; 0]);
}

#[test]
fn an_engine_is_told_the_world_where_the_game_in_its_folder_is_ours() {
    let head = "name: X\nabout: x\nroles: [server]\nprofiles: [r1q2-1905]\n";
    let text = format!("{head}world: {{ not_taken: [area] }}\n");
    let hello = |dir: &Path| {
        let description = Description::parse(Path::new("x.yaml"), &text).expect("it is right");
        let engine = Engine { description, ..engine("", dir.to_str(), None) };
        let forms = engine.forms(&[], PATIENCE, false).expect("it is right");
        let of = |name: &str| variable(&forms[0].launch, name).map(String::from);
        let hello = of("DELTAPROOF_ENGINE_HELLO").expect("it is there");
        let hello: serde_json::Value = serde_json::from_str(&format!("{{{hello}}}")).expect("it is JSON");
        (hello, of("DELTAPROOF_ENGINE_GAME"))
    };
    let folder = std::env::temp_dir().join(format!("deltaproof-told-{}", std::process::id()));
    fs::create_dir_all(&folder).expect("there is room");
    let (other, game) = hello(&folder);
    assert_eq!((&other["takes_world"], other.get("own_options"), game), (&json!(false), None, None));
    fs::write(folder.join("deltaproof.txt"), "").expect("it can be written");
    let (ours, game) = hello(&folder);
    fs::remove_dir_all(&folder).expect("it was made here");
    assert_eq!((&ours["takes_world"], &ours["own_options"]), (&json!(true), &json!(true)));
    assert_eq!((&ours["not_taken"], game.as_deref()), (&json!(["area"]), Some("1")));
    let wrong = format!("{head}world: {{ not_taken: [aria] }}\n");
    let why = Description::parse(Path::new("x.yaml"), &wrong).expect_err("there is no such verb").one_line();
    assert_eq!(why, "x.yaml:5:22: unknown verb, field or argument `aria` (did you mean `area`?)");
}

#[test]
fn profiles_that_need_something_else_have_forms_of_their_own_and_the_command_line_has_the_last_word() {
    let more = "set: { map_checksum: 7 }\nby_profile: { fte-nq: { set: { client_fte2: 8 } } }\n";
    let forms =
        engine(more, None, None).forms(&[String::from("map_checksum=9")], PATIENCE, false).expect("it is right");
    let arguments: Vec<String> = forms.iter().map(|form| form.settings.argument()).collect();
    assert_eq!(forms.iter().map(|form| form.profiles.as_slice()).collect::<Vec<_>>(), [["fte-qw"], ["fte-nq"]]);
    assert_eq!(arguments[0], " --set 'map_checksum=7' --set 'map_checksum=9'");
    assert!(arguments[1].contains(" --set 'client_fte2=8'"), "{arguments:?}");
    let missing = engine("set: { map_checksum: \"{bsp}\" }\n", None, None);
    let why = missing.forms(&[], PATIENCE, false).expect_err("there is no map");
    assert_eq!(why, "X: the checksum of a map needs --dir and a map");
    assert!(missing.forms(&[String::from("map_checksum=9")], PATIENCE, false).is_ok());
}

#[test]
fn the_line_that_starts_it_again_is_good_in_any_folder() {
    let engine = engine("", Some("/games/q"), Some("e1m1"));
    assert_eq!(engine.chosen.argument(), "--engine x --program '/games/x y' --dir /games/q --map e1m1");
}

#[test]
fn engines_are_for_linux_and_elsewhere_one_is_told_what_to_do() {
    assert!(on("linux").is_ok());
    for other in ["windows", "macos"] {
        let why = on(other).err().map(|why| why.to_string()).unwrap_or_default();
        assert!(
            why.contains(&format!(
                "need Linux, where a library is preloaded into them, and this is {other}; here, write a shim"
            )),
            "{why}"
        );
    }
}
