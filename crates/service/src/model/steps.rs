//! Random steps, from a seed.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::host::{Outage, Source};

/// The command of a comment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Words {
    Compare,
    Retry,
    /// A measurement that decides nothing.
    Aside,
    Cancel,
    Status,
    AcceptAll,
    AcceptLittle,
    /// A command within a code block.
    Fenced,
    /// A command that nobody sees.
    Hidden,
    Nothing,
}

impl Words {
    pub(super) fn text(self) -> &'static str {
        match self {
            Self::Compare => "/tlslab compare",
            Self::Retry => "/tlslab retry",
            Self::Aside => "/tlslab compare scenario=handshake/*",
            Self::Cancel => "/tlslab cancel",
            Self::Status => "/tlslab status",
            Self::AcceptAll => "/tlslab accept 50% because",
            Self::AcceptLittle => "/tlslab accept 0.001% because",
            Self::Fenced => "you can write\n```\n/tlslab compare\n```",
            Self::Hidden => "<!--\n/tlslab compare\n-->",
            Self::Nothing => "looks good",
        }
    }
}

/// How a runner ends a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// With the commit's true result.
    Honest,
    LabFails,
    RunnerFails,
    GivesBack,
    Cancelled,
}

#[derive(Clone, Debug)]
pub(super) enum Step {
    Open {
        who: u64,
        source: Source,
        is_draft: bool,
        variant: u8,
    },
    Push {
        pull: u64,
        variant: u8,
    },
    Close {
        pull: u64,
    },
    Reopen {
        pull: u64,
    },
    Retarget {
        pull: u64,
    },
    Ready {
        pull: u64,
    },
    Review {
        pull: u64,
        who: u64,
        approves: bool,
    },
    Say {
        pull: u64,
        who: u64,
        what: Words,
    },
    /// A comment becomes a command.
    Edit {
        comment: usize,
    },
    Rights {
        who: u64,
        may: bool,
    },
    PushMain,
    QueueMerge {
        is_wanted: bool,
    },
    /// Events reach the service: the oldest ones, or one of them before the others.
    Deliver {
        all: bool,
        which: usize,
    },
    /// An event is lost.
    Lose {
        which: usize,
    },
    /// An old event reaches the service again, as the same delivery or under a new identifier.
    Again {
        which: usize,
        is_new: bool,
    },
    /// The loops of the service run once.
    Loops,
    Reconcile,
    Take {
        runner: usize,
    },
    Renew {
        runner: usize,
    },
    Finish {
        runner: usize,
        how: End,
    },
    RestartRunner {
        runner: usize,
    },
    Restart,
    Wait {
        seconds: u64,
    },
    Out {
        what: Outage,
        minutes: u64,
    },
}

/// The steps of a seed.
pub(super) fn sequence(seed: u64) -> Vec<Step> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let length = rng.random_range(8..60);
    let mut steps = vec![open(&mut rng), Step::Deliver { all: true, which: 0 }, Step::Loops];
    while steps.len() < length {
        steps.push(step(&mut rng));
        // Mostly the service keeps up.
        if rng.random_bool(0.6) {
            steps.push(Step::Deliver { all: true, which: 0 });
        }
        if rng.random_bool(0.7) {
            steps.push(Step::Loops);
        }
        if rng.random_bool(0.5) {
            steps.push(Step::Wait { seconds: rng.random_range(0..20) });
        }
    }
    steps
}

fn open(rng: &mut ChaCha8Rng) -> Step {
    let source = [Source::Own, Source::Agit, Source::Fork][rng.random_range(0..3)];
    // Only writers can push to a branch of the repository.
    let who = if source == Source::Own { rng.random_range(2..4) } else { rng.random_range(2..6) };
    Step::Open { who, source, is_draft: rng.random_bool(0.1), variant: rng.random_range(0..4) }
}

fn step(rng: &mut ChaCha8Rng) -> Step {
    let pull = rng.random_range(1..3);
    let variant = rng.random_range(0..4);
    match rng.random_range(0..100) {
        0..4 => open(rng),
        4..16 => Step::Push { pull, variant },
        16..21 => Step::Close { pull },
        21..26 => Step::Reopen { pull },
        26..28 => Step::Retarget { pull },
        28..30 => Step::Ready { pull },
        30..36 => Step::Review { pull, who: rng.random_range(2..6), approves: rng.random_bool(0.8) },
        36..48 => {
            let what = [
                Words::Compare,
                Words::Compare,
                Words::Retry,
                Words::Aside,
                Words::Cancel,
                Words::AcceptAll,
                Words::AcceptLittle,
                Words::Status,
                Words::Fenced,
                Words::Hidden,
                Words::Nothing,
            ];
            Step::Say { pull, who: rng.random_range(2..6), what: what[rng.random_range(0..what.len())] }
        }
        48..50 => Step::Edit { comment: rng.random_range(0..8) },
        50..54 => Step::Rights { who: rng.random_range(2..6), may: rng.random_bool(0.5) },
        54..56 => Step::PushMain,
        56..58 => Step::QueueMerge { is_wanted: rng.random_bool(0.7) },
        58..61 => Step::Deliver { all: false, which: rng.random_range(0..4) },
        61..62 => Step::Lose { which: rng.random_range(0..4) },
        62..66 => Step::Again { which: rng.random_range(0..12), is_new: rng.random_bool(0.8) },
        66..67 => Step::Reconcile,
        67..77 => Step::Take { runner: rng.random_range(0..2) },
        77..79 => Step::Renew { runner: rng.random_range(0..2) },
        79..90 => {
            let how = match rng.random_range(0..20) {
                0 => End::LabFails,
                1 => End::RunnerFails,
                2 => End::GivesBack,
                3 => End::Cancelled,
                _ => End::Honest,
            };
            Step::Finish { runner: rng.random_range(0..2), how }
        }
        90..91 => Step::RestartRunner { runner: rng.random_range(0..2) },
        91..92 => Step::Restart,
        92..98 => Step::Wait { seconds: [2, 30, 90, 4_000][rng.random_range(0..4)] },
        _ => {
            let what = [
                Outage::Forbidden,
                Outage::Unauthorised,
                Outage::Broken,
                Outage::Unreachable,
                Outage::Forgetful,
                Outage::Nonsense,
            ];
            Step::Out {
                what: what[rng.random_range(0..what.len())],
                minutes: [1, 5, 60][rng.random_range(0..3)],
            }
        }
    }
}
