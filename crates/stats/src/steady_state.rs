//! Classification of a process's times: steady state, warm-up or slowdown.

use crate::{Refused, level_changes};

/// The class of a process's times.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SteadyState {
    /// One level from the beginning.
    Flat,
    /// Steady, after it was slower.
    WarmedUp,
    /// Steady, after it was faster.
    SlowedDown,
    /// Its last level covers less than half of the values.
    NotReached,
}

/// Classifies the logarithms of a process's times, in time order.
///
/// Levels are those between [`level_changes`], of which each has at least `shortest` values; neighbouring
/// levels that differ by less than `tolerance` (a log ratio) are merged. A process is steady if its last
/// level covers half of the values or more. The classes are those of Barrett et al., "Virtual machine warmup
/// blows hot and cold" (OOPSLA 2017), who require it for the last quarter of 2,000 iterations; a visit has a
/// few dozen slices.
///
/// # Errors
/// Fails as [`level_changes`] does.
pub fn steady_state(logarithms: &[f64], shortest: usize, tolerance: f64) -> Result<SteadyState, Refused> {
    let n = logarithms.len();
    let mut levels: Vec<(usize, f64)> = Vec::new();
    let mut edges = vec![0];
    edges.extend(level_changes(logarithms, shortest)?);
    edges.push(n);
    for edge in edges.windows(2) {
        let piece = &logarithms[edge[0]..edge[1]];
        let mean = piece.iter().sum::<f64>() / piece.len() as f64;
        match levels.last_mut() {
            Some((length, level)) if (mean - *level).abs() < tolerance => {
                let all = *length + piece.len();
                *level = (*level * *length as f64 + mean * piece.len() as f64) / all as f64;
                *length = all;
            }
            _ => levels.push((piece.len(), mean)),
        }
    }
    let Some(((length, last), earlier)) = levels.split_last() else { return Ok(SteadyState::Flat) };
    if earlier.is_empty() {
        return Ok(SteadyState::Flat);
    }
    if 2 * length < n {
        return Ok(SteadyState::NotReached);
    }
    let fastest = earlier.iter().map(|(_, level)| *level).fold(f64::INFINITY, f64::min);
    Ok(if fastest < *last { SteadyState::SlowedDown } else { SteadyState::WarmedUp })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Levels with how long each holds, with noise of ±0.001.
    fn series(levels: &[(usize, f64)]) -> Vec<f64> {
        let noise = [0.001, -0.001, 0.0005, -0.0007, 0.0002];
        let values = levels.iter().flat_map(|(length, level)| vec![*level; *length]);
        values.enumerate().map(|(at, level)| level + noise[at % 5]).collect()
    }

    #[test]
    fn what_it_is_follows_from_the_levels() {
        let of = |levels: &[(usize, f64)]| steady_state(&series(levels), 4, 0.01).unwrap();
        assert_eq!(of(&[(40, 2.0)]), SteadyState::Flat);
        assert_eq!(of(&[(10, 2.5), (30, 2.0)]), SteadyState::WarmedUp);
        assert_eq!(of(&[(10, 2.0), (30, 2.5)]), SteadyState::SlowedDown);
        assert_eq!(of(&[(30, 2.5), (10, 2.0)]), SteadyState::NotReached);
        // Faster in between than at the end.
        assert_eq!(of(&[(10, 2.5), (8, 1.9), (22, 2.0)]), SteadyState::SlowedDown);
        // A step that is smaller than what is asked for.
        assert_eq!(of(&[(30, 2.005), (10, 2.0)]), SteadyState::Flat);
    }

    #[test]
    fn with_too_few_values_nothing_is_said() {
        assert!(steady_state(&[1.0; 7], 4, 0.01).is_err());
    }
}
