//! A static site from what stands: the protocols, a page for each requirement, engines against requirements.
//!
//! Every page is a file of its own, without scripts, and nothing is fetched. The addresses are made of the names of protocols and
//! the ids of requirements, which never change, so that links stay good. [`requirement`] has a requirement's page.

mod requirement;

use super::comparison::Compared;
use super::model::{RequirementStatus, RunReport};
use super::page::{Page, head};
use kit::{Level, Protocol, Requirement};
use maud::{DOCTYPE, Markup, html};

/// The title of the first page, and the end of all others'.
const NAME: &str = "deltaproof";
const POLICY: &str = "default-src 'none'; img-src data:; style-src 'unsafe-inline'";

/// What a site is made of.
pub struct Site<'a> {
    pub protocols: &'a [&'static Protocol],
    /// The scenarios that cover a requirement: each a name, such as `fte/reset-lost`.
    pub covering: &'a dyn Fn(&Protocol, &Requirement) -> Vec<String>,
    /// A case of a scenario, with its profile, as a link to the browser's page needs it; nothing if there is none.
    pub case: &'a dyn Fn(&str) -> Option<String>,
    /// Saved results of implementations.
    pub results: &'a [Compared],
    /// Whether the browser's page is part of the site, as `play.html`.
    pub plays: bool,
}

/// A file of the site.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct File {
    /// Its path, with `/`, such as `requirements/FTE-RST-07.html`.
    pub path: String,
    pub text: String,
}

impl Site<'_> {
    /// Every file.
    pub fn files(&self) -> Vec<File> {
        let mut files = vec![self.page("index.html", NAME, &self.start())];
        for &protocol in self.protocols {
            let path = format!("protocols/{}.html", protocol.name);
            files.push(self.page(&path, protocol.title, &self.protocol(protocol)));
            for requirement in protocol.requirements {
                let path = format!("requirements/{}.html", requirement.id);
                files.push(self.page(&path, requirement.id, &self.requirement(protocol, requirement)));
            }
        }
        if !self.results.is_empty() {
            files.push(self.page("engines.html", "Engines and requirements", &self.engines()));
            let text = Page { results: self.results, kills: &[], blind: &[] }.document();
            files.push(File { path: String::from("results.html"), text });
        }
        files
    }

    /// A page around `content`. Links in it begin at the page's own folder.
    fn page(&self, path: &str, title: &str, content: &Markup) -> File {
        let up = if path.contains('/') { "../" } else { "" };
        let whole = if title == NAME { String::from(NAME) } else { format!("{title} - {NAME}") };
        let text = html! {
            (DOCTYPE)
            html lang="en" {
                (head(&whole, POLICY))
                body {
                    a.skip href="#main" { "Skip to the text" }
                    nav {
                        a href={ (up) "index.html" } { "deltaproof" }
                        @for protocol in self.protocols {
                            a href={ (up) "protocols/" (protocol.name) ".html" } { (protocol.name) }
                        }
                        @if !self.results.is_empty() { a href={ (up) "engines.html" } { "engines" } }
                        @if self.plays { a href={ (up) "play.html" } { "play" } }
                    }
                    main id="main" { h1 { (title) } (content) }
                }
            }
        };
        File { path: String::from(path), text: text.into_string() }
    }

    fn start(&self) -> Markup {
        let count = |protocol: &Protocol, level| protocol.requirements.iter().filter(|it| it.level == level).count();
        html! {
            p {
                "Conformance tests for delta-compressed game protocols under packet loss, reordering and duplication. Servers and "
                "clients run in virtual time under a seeded network; every requirement of the protocol's specification is checked "
                "while they run, and anyone can reproduce a verdict bit for bit."
            }
            pre { "cargo run -- run      # every scenario against the built-in reference\ncargo test            # the project's own tests" }
            h2 { "Protocols" }
            div.wide { table {
                thead { tr { th { "protocol" } th { "profiles" } th { "MUST" } th { "SHOULD" } th { "mutants" } } }
                tbody {
                    @for protocol in self.protocols {
                        tr {
                            th { a href={ "protocols/" (protocol.name) ".html" } { (protocol.title) } }
                            td { @for profile in protocol.profiles { code { (profile.name) } " " } }
                            td.number { (count(protocol, Level::Must)) }
                            td.number { (count(protocol, Level::Should)) }
                            td.number { (protocol.mutants().count()) }
                        }
                    }
                }
            } }
            @if !self.results.is_empty() { h2 { "Implementations" } (self.verdicts()) }
            h2 { "How to begin" }
            ul {
                li { "An engine as it is: " code { "deltaproof engine doctor --engine q2pro --program ./q2proded --dir ./q2" } }
                li { "A server over UDP: " code { "deltaproof probe --profile fte-qw --to 127.0.0.1:27500" } }
                li { "A client over UDP: " code { "deltaproof serve --profile fte-qw --listen 127.0.0.1:27500" } }
                li { "Code in any language: " code { "deltaproof shim new --lang c --profile fte-nq --role client my-shim" } }
                li { "A capture or a demo: " code { "deltaproof judge game.pcapng" } }
                @if self.plays { li { a href="play.html" { "Every scenario, in the browser" } } }
            }
        }
    }

    fn verdicts(&self) -> Markup {
        html! {
            ul {
                @for one in self.results { li { b { (one.name) } ": " (one.report.sentence()) } }
            }
            p { a href="engines.html" { "Each requirement" } ", or " a href="results.html" { "the whole report" } "." }
        }
    }

    fn protocol(&self, protocol: &Protocol) -> Markup {
        let chapters = protocol.requirements.chunk_by(|one, next| chapter(one.id) == chapter(next.id));
        html! {
            p { "Profiles: " @for profile in protocol.profiles { code { (profile.name) } " " } }
            @for chapter_rows in chapters {
                h2 { (chapter(chapter_rows[0].id)) }
                div.wide { table {
                    tbody {
                        @for row in chapter_rows {
                            tr {
                                th { a href={ "../requirements/" (row.id) ".html" } { (row.id) } }
                                td { (row.level) }
                                td { (row.role) }
                                td { (row.text) }
                            }
                        }
                    }
                } }
            }
        }
    }

    /// Implementations against requirements: those that any of them was put to the test of.
    fn engines(&self) -> Markup {
        html! {
            p { "What was put to the test, and held (" span.pass { "+" } ") or was violated (" span.bad { "x" } "). Nothing is there where no run covered it." }
            (self.verdicts())
            @for protocol in self.protocols {
                @let rows: Vec<(&Requirement, Vec<Option<RequirementStatus>>)> = protocol.requirements.iter().map(|row| (*row, self.statuses(row.id))).collect();
                @let judged: Vec<_> = rows.iter().filter(|(_, cells)| cells.iter().any(Option::is_some)).collect();
                // Of each protocol those that speak it.
                @let speak: Vec<usize> = (0..self.results.len()).filter(|one| judged.iter().any(|(_, cells)| cells[*one].is_some())).collect();
                @if !judged.is_empty() {
                    h2 { (protocol.title) }
                    div.wide { table {
                        thead { tr { th { "requirement" } @for one in &speak { th { (self.results[*one].name) } } th { "what must hold" } } }
                        tbody {
                            @for (row, cells) in judged {
                                tr {
                                    th { a href={ "requirements/" (row.id) ".html" } { (row.id) } }
                                    @for one in &speak { (mark(cells[*one])) }
                                    td { (row.text) }
                                }
                            }
                        }
                    } }
                }
            }
        }
    }

    /// What each result says of a requirement.
    fn statuses(&self, id: &str) -> Vec<Option<RequirementStatus>> {
        self.results.iter().map(|one| status(&one.report, id)).collect()
    }
}

/// What a report says of a requirement, the gravest of its profiles; `None` if no run put it to the test.
fn status(report: &RunReport, id: &str) -> Option<RequirementStatus> {
    let rows = report.profiles.iter().flat_map(|profile| &profile.requirements).filter(|row| row.id == id);
    let judged = [RequirementStatus::Fail, RequirementStatus::Pass];
    judged.into_iter().find(|status| rows.clone().any(|row| row.status == *status))
}

fn mark(status: Option<RequirementStatus>) -> Markup {
    match status {
        Some(RequirementStatus::Fail) => html! { td.bad title="violated" { "x" } },
        Some(RequirementStatus::Pass) => html! { td.pass title="held" { "+" } },
        _ => html! { td {} },
    }
}

/// The part of an id that names its chapter: `FTE-RST` of `FTE-RST-07`.
fn chapter(id: &str) -> &str {
    id.rsplit_once('-').map_or(id, |(chapter, _)| chapter)
}
