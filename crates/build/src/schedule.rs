//! A scheduler of parallel tasks with dependencies. It does not know their content.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// Runs every task once all its needs have succeeded, `workers` at a time; of the ready ones, the first in
/// the list starts first. A task whose need failed fails with the same error, without being run; `skipped` is
/// reported.
///
/// `needs[task]` are indices of earlier tasks.
pub(crate) fn run<T, E>(
    needs: &[Vec<usize>],
    workers: usize,
    work: impl Fn(usize) -> Result<T, E> + Sync,
    skipped: impl Fn(usize, &E) + Sync,
) -> Vec<Result<T, E>>
where
    T: Clone + Send,
    E: Clone + Send,
{
    let board =
        Board { state: Mutex::new(needs.iter().map(|_| State::Waiting).collect()), news: Condvar::new() };
    std::thread::scope(|scope| {
        for _ in 0..workers.clamp(1, needs.len().max(1)) {
            scope.spawn(|| {
                while let Some((task, next)) = board.next(needs) {
                    let result = match next {
                        Next::Run => work(task),
                        Next::Inherit(error) => {
                            skipped(task, &error);
                            Err(error)
                        }
                    };
                    board.finish(task, result);
                }
            });
        }
    });
    let states = board.state.into_inner().unwrap_or_else(PoisonError::into_inner);
    states
        .into_iter()
        .map(|state| match state {
            State::Ended(result) => result,
            _ => unreachable!("the workers stop when every task has ended"),
        })
        .collect()
}

struct Board<T, E> {
    state: Mutex<Vec<State<T, E>>>,
    news: Condvar,
}

enum State<T, E> {
    Waiting,
    Running,
    Ended(Result<T, E>),
}

enum Next<E> {
    Run,
    Inherit(E),
}

impl<T, E: Clone> Board<T, E> {
    /// The next ready task; `None` when no task is left.
    fn next(&self, needs: &[Vec<usize>]) -> Option<(usize, Next<E>)> {
        let mut states = self.lock();
        loop {
            let mut is_any_waiting = false;
            for task in 0..needs.len() {
                if !matches!(states[task], State::Waiting) {
                    continue;
                }
                is_any_waiting = true;
                let failed = needs[task].iter().find_map(|&need| match &states[need] {
                    State::Ended(Err(error)) => Some(error.clone()),
                    _ => None,
                });
                let is_ready = || needs[task].iter().all(|&need| matches!(states[need], State::Ended(Ok(_))));
                let next = match failed {
                    Some(error) => Next::Inherit(error),
                    None if is_ready() => Next::Run,
                    None => continue,
                };
                states[task] = State::Running;
                return Some((task, next));
            }
            if !is_any_waiting {
                return None;
            }
            states = self.news.wait(states).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn finish(&self, task: usize, result: Result<T, E>) {
        self.lock()[task] = State::Ended(result);
        self.news.notify_all();
    }

    fn lock(&self) -> MutexGuard<'_, Vec<State<T, E>>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::sync::{Barrier, Mutex};

    use super::*;

    #[test]
    fn tasks_wait_for_what_they_need_and_inherit_failures() {
        let needs = [vec![], vec![0], vec![1], vec![0], vec![2, 3]];
        let (order, skipped) = (Mutex::new(vec![]), Mutex::new(vec![]));
        let results = run(
            &needs,
            2,
            |task| {
                order.lock().unwrap().push(task);
                if task == 1 { Err("one failed") } else { Ok(task * 10) }
            },
            |task, _| skipped.lock().unwrap().push(task),
        );
        let failed = Err("one failed");
        assert_eq!(results, [Ok(0), failed, failed, Ok(30), failed]);
        let mut order = order.into_inner().unwrap();
        assert_eq!(order.remove(0), 0);
        order.sort_unstable();
        assert_eq!(order, [1, 3]);
        assert_eq!(skipped.into_inner().unwrap(), [2, 4]);
    }

    #[test]
    fn no_more_than_so_many_run_at_once() {
        let (now, most) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let two = Barrier::new(2);
        let results = run(
            &vec![vec![]; 8],
            2,
            |_| {
                most.fetch_max(now.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                // Each waits for another one.
                two.wait();
                now.fetch_sub(1, Ordering::SeqCst);
                Ok::<_, ()>(())
            },
            |_, ()| {},
        );
        assert_eq!((results.len(), most.into_inner()), (8, 2));
    }

    #[test]
    fn nothing_to_do_is_done() {
        assert_eq!(run(&[], 2, |_| Ok::<(), ()>(()), |_, ()| {}), []);
    }
}
