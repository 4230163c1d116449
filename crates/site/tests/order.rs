//! The order of versions in every part of a site.

mod fixture;

use tlslab_pages::{Alone, Target};
use tlslab_record::Policy;
use tlslab_site::{Made, Options, Site, Source};

/// A site of runs, and the name of its only stack.
struct Pages(Site, String, #[expect(dead_code, reason = "it is deleted with the pages")] tempfile::TempDir);

impl Pages {
    fn of(runs: &[Vec<(&str, f64)>], pushes: &[&str], scenario: &dyn Fn(&str) -> String) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let results = fixture::fill_versions(folder.path(), runs, scenario);
        let source = Source::open(results, Policy::default().history).unwrap();
        let pushes = pushes.iter().map(|commit| (*commit).to_owned()).collect();
        let site = Site::read(source, &Options { pushes, ..Options::default() }).unwrap();
        let names = site.targets().into_iter().filter_map(|target| match target {
            Target::HistoryOf(stack) => Some(stack),
            _ => None,
        });
        let names: Vec<String> = names.collect();
        assert_eq!(names.len(), 1, "{names:?}");
        Self(site, names[0].clone(), folder)
    }

    fn of_commits(runs: &[Vec<(&str, f64)>]) -> Self {
        Self::of(runs, &[], &str::to_owned)
    }

    fn text(&self, target: Target) -> String {
        match self.0.make(&target, &Alone).unwrap().unwrap() {
            Made::Page(page) => page.body.as_str().to_owned(),
            Made::File { text, .. } => text,
        }
    }

    fn file(&self, path: &str) -> String {
        self.text(Target::File(path.replace("STACK", &tlslab_pages::slug(&self.1))))
    }

    /// The labels of the first series, each once.
    fn labels(&self) -> Vec<String> {
        let history: serde_json::Value = serde_json::from_str(&self.file("data/history/STACK.json")).unwrap();
        let points = history["timelines"][0]["points"].as_array().unwrap();
        let mut labels: Vec<String> =
            points.iter().map(|point| point["label"].as_str().unwrap().to_owned()).collect();
        labels.dedup();
        labels
    }

    fn versions(&self) -> Vec<String> {
        let page: serde_json::Value = serde_json::from_str(&self.file("data/stacks/STACK.json")).unwrap();
        let versions = page["versions"].as_array().unwrap();
        versions.iter().rev().map(|version| version["label"].as_str().unwrap().to_owned()).collect()
    }

    /// Whether every page and file shows this change of the newest version.
    fn check_newest(&self, label: &str, change: &str, kind: &str) {
        let stack = &self.1;
        for text in [self.text(Target::History), self.text(Target::HistoryOf(stack.clone()))] {
            assert!(text.contains(&format!("<h1>{stack} {label}: ")) && text.contains(change), "{text}");
            assert!(text.contains(kind), "{text}");
        }
        let feed = self.file("feed.atom");
        let title = match kind {
            "regression" => format!("{stack} {label}: "),
            _ => format!("{stack} {label}: 0 worse, "),
        };
        assert!(feed.contains(&title) && feed.contains(&format!("the largest {change}")), "{feed}");
        let overview: serde_json::Value = serde_json::from_str(&self.file("data/overview.json")).unwrap();
        assert_eq!(overview["stacks"][0]["label"], label);
        let (badge, overview) = (self.file("badges/STACK.svg"), self.text(Target::Overview));
        if kind == "regression" {
            assert!(badge.contains(&format!("▲ {label} {change}")), "{badge}");
            assert!(
                overview.contains(&format!("{stack} {label}: ")) && overview.contains(change),
                "{overview}"
            );
        } else {
            assert!(badge.contains(&format!("{label} ")) && !badge.contains('▲'), "{badge}");
        }
        assert_eq!(self.labels(), self.versions());
        assert_eq!(self.labels().last().unwrap(), label);
    }
}

#[test]
fn a_candidate_is_newer_than_its_baseline() {
    let compared = vec![("fbd8a0e5ff78", 1.0), ("d41e3e8aaaaa", 1.0067)];
    Pages::of_commits(std::slice::from_ref(&compared)).check_newest("d41e3e8aaaaa", "+0.67 %", "regression");
    // The baseline is measured again, with a later candidate.
    let later = vec![("fbd8a0e5ff78", 1.0), ("0123456789ab", 1.02)];
    let again = Pages::of_commits(&[compared, later]);
    assert_eq!(again.labels(), ["fbd8a0e5ff78", "d41e3e8aaaaa", "0123456789ab"]);
    assert_eq!(again.versions(), again.labels());
}

#[test]
fn commits_are_in_the_order_in_which_they_were_measured_or_pushed() {
    let history =
        [("f8b7c00ddf72", 1.105), ("7c1157d00000", 1.0), ("6f04465aaaaa", 1.105), ("acfddb900000", 1.0)];
    let runs: Vec<_> = history.iter().map(|one| vec![*one]).collect();
    let measured = Pages::of_commits(&runs);
    measured.check_newest("acfddb900000", "−9.50 %", "improvement");
    let feed = measured.file("feed.atom");
    assert!(feed.contains(&format!("{} 6f04465aaaaa: ", measured.1)), "{feed}");
    assert!(feed.contains("the largest +10.5 %"), "{feed}");
    assert!(!feed.contains("f8b7c00ddf72"), "{feed}");
    // The runs were in another order than the pushes.
    let commits: Vec<String> = history.iter().map(|(label, _)| format!("{label}0000")).collect();
    let commits: Vec<&str> = commits.iter().map(String::as_str).collect();
    let runs: Vec<_> = [3, 1, 0, 2].iter().map(|at| vec![history[*at]]).collect();
    let pushed = Pages::of(&runs, &commits, &str::to_owned);
    pushed.check_newest("acfddb900000", "−9.50 %", "improvement");
    assert_eq!(pushed.labels(), history.map(|(label, _)| label));
}

#[test]
fn numbered_builds_are_in_the_order_of_their_numbers() {
    let labels: Vec<String> = (1..=24).map(|at| format!("r{at}")).collect();
    let factor = |at: usize| if at < 12 { 1.0 } else { 1.2 };
    let runs: Vec<_> =
        labels.iter().enumerate().map(|(at, label)| vec![(label.as_str(), factor(at))]).collect();
    let pages = Pages::of_commits(&runs);
    assert_eq!((pages.labels(), pages.versions()), (labels.clone(), labels));
    let history = pages.text(Target::History);
    assert!(history.contains(" r24: no step in "), "{history}");
    assert!(history.contains(" r13: +20.0 %"), "{history}");
}

#[test]
fn a_history_without_full_handshakes_shows_all_series() {
    let runs = [vec![("1.0", 1.0)], vec![("1.1", 1.05)]];
    let own = Pages::of(&runs, &[], &|scenario| format!("own/{scenario}"));
    let (history, overview) = (own.text(Target::History), own.file("data/overview.json"));
    assert!(history.contains("1.1: ") && history.contains("+5.00 %"), "{history}");
    assert!(history.contains("This page shows all series."), "{history}");
    let overview: serde_json::Value = serde_json::from_str(&overview).unwrap();
    assert_eq!(overview["stacks"][0]["trend"].as_array().unwrap().len(), 2);
    let trend = overview["stacks"][0]["trend_of"].as_str().unwrap();
    assert!(trend.starts_with("instructions of the ") && trend.contains(", own/"), "{trend}");
    let with = Pages::of_commits(&runs).text(Target::History);
    assert!(with.contains("This page shows times and instructions of full handshakes in TLS 1.3."), "{with}");
}
