//! The end of a program in a sandbox.

use tlslab_process::Ended;

/// Bubblewrap ends with 128 plus the signal's number if a signal has killed its program, as a shell does.
const SIGNALS: std::ops::RangeInclusive<i32> = 129..=192;

/// How the program inside has ended, by Bubblewrap's status. One that exits with such a status is taken for
/// killed.
#[must_use]
pub fn ended_inside(ended: Ended) -> Ended {
    match ended {
        Ended::Exited(status) if SIGNALS.contains(&status) => Ended::Signalled(status - 128),
        ended => ended,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_signal_is_seen_through_bubblewrap() {
        assert_eq!(ended_inside(Ended::Exited(137)), Ended::Signalled(9));
        for ended in [Ended::Exited(0), Ended::Exited(128), Ended::Exited(255), Ended::Signalled(11)] {
            assert_eq!(ended_inside(ended), ended);
        }
    }
}
