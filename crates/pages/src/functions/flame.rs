//! The flame graph: a box per function and its callers, as wide as its inclusive cost.
//!
//! In a difference the colour of a box is the relative change of its function's self cost. Callees have their
//! own boxes, so the function that changed differs from its callers.

use sha2::{Digest, Sha256};
use tlslab_profile::Flame;
use tlslab_text::clean;
use tlslab_text::number::{figure, signed};

use super::rows::{share, short, signed_change};

/// A graph, its boxes from the outermost to the innermost.
pub(crate) struct Graph {
    pub boxes: Vec<FlameBox>,
    pub height: usize,
}

/// A box. Places are shares of the whole, in percent.
pub(crate) struct FlameBox {
    /// Its name in the address.
    pub id: String,
    pub name: String,
    pub label: String,
    pub class: &'static str,
    /// A sign for the change, with a space behind it.
    pub sign: &'static str,
    pub left: String,
    pub width: String,
    /// Left and width by its cost before.
    pub before: Option<(String, String)>,
    pub row: usize,
    pub y: usize,
}

const ROW: usize = 19;

impl Graph {
    pub(crate) fn of(flame: &Flame, is_compared: bool) -> Self {
        let whole = Whole { after: flame.after, before: is_compared.then(|| flame.before.unwrap_or(0.0)) };
        let mut graph = Self { boxes: Vec::new(), height: 0 };
        graph.grow(flame, &whole, Place::default(), &mut Vec::new());
        graph
    }

    fn grow<'f>(&mut self, flame: &'f Flame, whole: &Whole, place: Place, path: &mut Vec<&'f str>) {
        path.push(&flame.name);
        let y = place.row * ROW;
        self.height = self.height.max(y + ROW);
        let (class, sign) = match whole.before {
            Some(_) => Own::of(flame).shade(),
            None => (plain_shade(&flame.name), ""),
        };
        let percent =
            |value: f64, whole: f64| format!("{:.3}", if whole > 0.0 { 100.0 * value / whole } else { 0.0 });
        self.boxes.push(FlameBox {
            id: identifier(path),
            name: clean(&flame.name),
            label: whole.label(flame),
            class,
            sign,
            left: percent(place.after, whole.after),
            width: percent(flame.after, whole.after),
            before: whole
                .before
                .map(|before| (percent(place.before, before), percent(flame.before.unwrap_or(0.0), before))),
            row: place.row,
            y,
        });
        let mut below = Place { row: place.row + 1, ..place };
        for callee in &flame.callees {
            self.grow(callee, whole, below, path);
            below.after += callee.after;
            below.before += callee.before.unwrap_or(0.0);
        }
        path.pop();
    }
}

/// The position of a box: its left edge and its depth.
#[derive(Clone, Copy, Default)]
struct Place {
    after: f64,
    before: f64,
    row: usize,
}

struct Whole {
    after: f64,
    before: Option<f64>,
}

impl Whole {
    fn label(&self, flame: &Flame) -> String {
        let name = short(&flame.name);
        if self.before.is_none() {
            let share = share(flame.after, self.after);
            return format!("{name}: {} instructions ({share}), callees included", figure(flame.after));
        }
        let own = Own::of(flame);
        let before = flame.before.unwrap_or(0.0);
        format!(
            "{name}: self {} → {} instructions ({}); with callees {} → {} ({})",
            figure(own.before),
            figure(own.after),
            own.change(),
            figure(before),
            figure(flame.after),
            signed(flame.after - before)
        )
    }
}

/// The self cost of a function.
struct Own {
    before: f64,
    after: f64,
}

impl Own {
    fn of(flame: &Flame) -> Self {
        let (mut before, mut after) = (flame.before.unwrap_or(0.0), flame.after);
        for callee in &flame.callees {
            before -= callee.before.unwrap_or(0.0);
            after -= callee.after;
        }
        // Sums of shares of an iteration are not exact.
        let zero = |own: f64, all: f64| if own.abs() <= 1e-9 * all.abs() { 0.0 } else { own.max(0.0) };
        Self { before: zero(before, flame.before.unwrap_or(0.0)), after: zero(after, flame.after) }
    }

    fn change(&self) -> String {
        match (self.before, self.after) {
            (0.0, 0.0) => "unchanged".to_owned(),
            (0.0, _) => "new".to_owned(),
            (_, 0.0) => "gone".to_owned(),
            (before, after) => signed_change(before, after),
        }
    }

    /// The class of the colour, and the sign.
    fn shade(&self) -> (&'static str, &'static str) {
        let change = match (self.before, self.after) {
            (0.0, 0.0) => 0.0,
            (0.0, _) => 1.0,
            (before, after) => (after - before) / before,
        };
        let strength = STEPS.iter().filter(|step| change.abs() >= **step).count();
        match (strength, change > 0.0) {
            (0, _) => ("same", ""),
            (1, true) => ("up-1", "▲ "),
            (2, true) => ("up-2", "▲ "),
            (_, true) => ("up-3", "▲ "),
            (1, false) => ("down-1", "▼ "),
            (2, false) => ("down-2", "▼ "),
            (_, false) => ("down-3", "▼ "),
        }
    }
}

/// From how much relative change on a colour is stronger.
const STEPS: [f64; 3] = [0.005, 0.05, 0.25];

/// Neighbours shall differ; the colour has no other meaning.
fn plain_shade(name: &str) -> &'static str {
    let sum = name.bytes().fold(0_u32, |sum, byte| sum.wrapping_mul(31).wrapping_add(byte.into()));
    ["plain-0", "plain-1", "plain-2"][(sum % 3) as usize]
}

/// A box by its names from the outermost on, so that an address stays true when others come and go.
fn identifier(path: &[&str]) -> String {
    hex::encode(&Sha256::digest(path.join("\n").as_bytes())[..5])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn flame(name: &str, before: f64, after: f64, callees: Vec<Flame>) -> Flame {
        Flame { name: name.to_owned(), before: Some(before), after, callees }
    }

    #[test]
    fn the_culprit_differs_from_its_callers() {
        let seal = flame("seal", 50.0, 80.0, vec![]);
        let graph =
            Graph::of(&flame("client", 100.0, 130.0, vec![seal, flame("x", 50.0, 50.0, vec![])]), true);
        let classes: Vec<_> = graph.boxes.iter().map(|each| (each.name.as_str(), each.class)).collect();
        assert_eq!(classes, [("client", "same"), ("seal", "up-3"), ("x", "same")]);
        assert_eq!((graph.boxes[2].left.as_str(), graph.boxes[2].width.as_str()), ("61.538", "38.462"));
        assert_eq!(graph.boxes[2].before, Some(("50.000".to_owned(), "50.000".to_owned())));
        assert!(graph.boxes[1].label.contains("50 → 80 instructions (+60.0 %)"), "{}", graph.boxes[1].label);
        assert_eq!(graph.height, 2 * ROW);
    }

    #[test]
    fn what_is_new_or_gone_has_the_strongest_colour() {
        let shade = |before, after| Own { before, after }.shade().0;
        assert_eq!(
            [shade(0.0, 1.0), shade(1.0, 0.0), shade(0.0, 0.0), shade(1000.0, 1001.0), shade(100.0, 99.0)],
            ["up-3", "down-3", "same", "same", "down-1"]
        );
    }
}
