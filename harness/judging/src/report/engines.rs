//! What engines have shown: results of theirs that the program carries along, made with `deltaproof report --save`.

use super::comparison::Compared;
use super::model::RequirementStatus;
use include_dir::{Dir, include_dir};
use std::collections::BTreeSet;
use std::sync::OnceLock;

static FILES: Dir<'static> = include_dir!("$CARGO_MANIFEST_DIR/../../reports/engines");

/// The results, by the names of their files; one that cannot be read is left out, which a test finds.
pub fn saved() -> &'static [Compared] {
    static SAVED: OnceLock<Vec<Compared>> = OnceLock::new();
    SAVED.get_or_init(|| {
        let read = FILES.files().filter_map(|file| {
            let name = String::from(file.path().file_stem()?.to_str()?);
            let report = serde_json::from_slice(file.contents()).ok()?;
            Some(Compared { name, report })
        });
        let mut all: Vec<Compared> = read.collect();
        all.sort_by(|one, other| one.name.cmp(&other.name));
        all
    })
}

/// The engines that were put to the test of a requirement, by the names of their descriptions.
pub fn tested(id: &str) -> BTreeSet<&'static str> {
    saved().iter().filter(|one| is_tested(one, id)).filter_map(|one| one.report.given("--engine")).collect()
}

fn is_tested(one: &Compared, id: &str) -> bool {
    let mut rows = one.report.profiles.iter().flat_map(|profile| &profile.requirements);
    rows.any(|row| row.id == id && matches!(row.status, RequirementStatus::Pass | RequirementStatus::Fail))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_saved_result_is_read_and_small_and_names_no_place_of_a_machine() {
        assert_eq!(saved().len(), FILES.files().count());
        assert!(saved().len() > 5, "{} results", saved().len());
        for one in saved() {
            assert!(one.report.subject.contains("--engine "), "{}: {}", one.name, one.report.subject);
            assert_eq!(one.report.brief(), one.report, "{} is not saved by `deltaproof report --save`", one.name);
        }
        assert!(tested("FTE-RST-02").contains("fteqw"));
    }
}
