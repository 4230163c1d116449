//! Figures of each side of a cell's connections, over several connections.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use tlslab_protocol::Side;

/// The figures of both sides, each with its value in every connection.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PerConnection {
    /// How many connections were read.
    pub connections: u32,
    /// The client's figures by name, such as `flight.1` or `hello.extension.key_share`.
    pub client: BTreeMap<String, Lengths>,
    /// The server's.
    pub server: BTreeMap<String, Lengths>,
}

/// A figure of several connections: how many of them had each value.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "BTreeMap<u64, u32>")]
pub struct Lengths(BTreeMap<u64, u32>);

/// A value is rare if fewer than one connection in this many reaches it.
const RARE: u64 = 16;

/// The most connections of a figure in a record.
const MOST_CONNECTIONS: u64 = 100_000;

impl TryFrom<BTreeMap<u64, u32>> for Lengths {
    type Error = String;

    fn try_from(counts: BTreeMap<u64, u32>) -> Result<Self, Self::Error> {
        let all: u64 = counts.values().map(|count| u64::from(*count)).sum();
        match all <= MOST_CONNECTIONS {
            true => Ok(Self(counts)),
            false => Err(format!("a figure of {all} connections, more than {MOST_CONNECTIONS}")),
        }
    }
}

impl PerConnection {
    /// The figures of one side.
    #[must_use]
    pub fn side(&self, side: Side) -> &BTreeMap<String, Lengths> {
        match side {
            Side::Client => &self.client,
            Side::Server => &self.server,
        }
    }

    /// Adds a connection with what its client and its server sent. A figure that not all connections have,
    /// such as an extension that is sent at random, is 0 in the others.
    pub fn add(&mut self, client: &BTreeMap<String, u64>, server: &BTreeMap<String, u64>) {
        for (all, sent) in [(&mut self.client, client), (&mut self.server, server)] {
            for (name, value) in sent {
                let lengths = all.entry(name.clone()).or_insert_with(|| Lengths::zeros(self.connections));
                lengths.add(*value, 1);
            }
            for (_, lengths) in all.iter_mut().filter(|(name, _)| !sent.contains_key(*name)) {
                lengths.add(0, 1);
            }
        }
        self.connections += 1;
    }

    /// The connections of several processes together.
    #[must_use]
    pub fn together<'w>(all: impl IntoIterator<Item = &'w Self>) -> Self {
        all.into_iter().fold(Self::default(), |sofar, next| Self {
            connections: sofar.connections.saturating_add(next.connections),
            client: joined(&sofar, next, Side::Client),
            server: joined(&sofar, next, Side::Server),
        })
    }
}

fn joined(one: &PerConnection, other: &PerConnection, side: Side) -> BTreeMap<String, Lengths> {
    let names = one.side(side).keys().chain(other.side(side).keys());
    let of = |sizes: &PerConnection, name: &String| {
        sizes.side(side).get(name).cloned().unwrap_or_else(|| Lengths::zeros(sizes.connections))
    };
    let both = |name: &String| {
        let mut lengths = of(one, name);
        for (value, count) in of(other, name).0 {
            lengths.add(value, count);
        }
        (name.clone(), lengths)
    };
    names.map(both).collect()
}

impl Lengths {
    /// So many connections without the figure.
    #[must_use]
    pub fn zeros(connections: u32) -> Self {
        Self((connections > 0).then_some((0, connections)).into_iter().collect())
    }

    fn add(&mut self, value: u64, count: u32) {
        let sofar = self.0.entry(value).or_default();
        *sofar = sofar.saturating_add(count);
    }

    /// How many connections had each value.
    #[must_use]
    pub fn counts(&self) -> &BTreeMap<u64, u32> {
        &self.0
    }

    /// The lowest value and the highest; `None` without any.
    #[must_use]
    pub fn range(&self) -> Option<(u64, u64)> {
        let (lowest, _) = self.0.first_key_value()?;
        let (highest, _) = self.0.last_key_value()?;
        Some((*lowest, *highest))
    }

    /// The median; of an even number of values the lower of the middle two. `None` without any.
    #[must_use]
    pub fn median(&self) -> Option<u64> {
        let all: u64 = self.0.values().map(|count| u64::from(*count)).sum();
        let mut below = 0;
        let is_middle = |(_, count): &(&u64, &u32)| {
            below += u64::from(**count);
            2 * below >= all
        };
        self.0.iter().filter(|(_, count)| **count > 0).find(is_middle).map(|(value, _)| *value)
    }

    /// The range of the usual values: the lowest and the highest without those that fewer than one
    /// connection in 16 goes below or above. Of a signature's lengths it leaves out the one in hundreds that
    /// is shorter still, so that two runs show the same range. `None` without any.
    #[must_use]
    pub fn usual_range(&self) -> Option<(u64, u64)> {
        let all: u64 = self.0.values().map(|count| u64::from(*count)).sum();
        let needed = all.div_ceil(RARE).max(1);
        let (lowest, highest) = (reached(self.0.iter(), needed)?, reached(self.0.iter().rev(), needed)?);
        Some((lowest, highest))
    }

    /// Every value as often as it occurred, the lowest first.
    pub fn values(&self) -> impl Iterator<Item = u64> + '_ {
        self.0.iter().flat_map(|(value, count)| std::iter::repeat_n(*value, *count as usize))
    }
}

/// The first value at which so many connections are reached.
fn reached<'c>(mut values: impl Iterator<Item = (&'c u64, &'c u32)>, needed: u64) -> Option<u64> {
    let mut sofar = 0;
    values.find_map(|(value, count)| {
        sofar += u64::from(*count);
        (sofar >= needed).then_some(*value)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sent(figures: &[(&str, u64)]) -> BTreeMap<String, u64> {
        figures.iter().map(|(name, value)| ((*name).to_owned(), *value)).collect()
    }

    #[test]
    fn a_figure_that_a_connection_lacks_is_zero_there() {
        let mut sizes = PerConnection::default();
        for client in [sent(&[("a", 5)]), sent(&[("a", 5), ("b", 7)]), sent(&[("a", 6)])] {
            sizes.add(&client, &sent(&[]));
        }
        assert_eq!(sizes.client["a"], Lengths([(5, 2), (6, 1)].into()));
        assert_eq!(sizes.client["b"], Lengths([(0, 2), (7, 1)].into()));
        assert_eq!((sizes.client["a"].median(), sizes.client["a"].range()), (Some(5), Some((5, 6))));
        let mut other = PerConnection::default();
        other.add(&sent(&[("a", 6)]), &sent(&[("c", 1)]));
        let both = PerConnection::together([&sizes, &other]);
        assert_eq!(both.connections, 4);
        assert_eq!(both.client["b"], Lengths([(0, 3), (7, 1)].into()));
        assert_eq!(both.server["c"], Lengths([(0, 3), (1, 1)].into()));
        assert_eq!(both.client["a"].values().collect::<Vec<_>>(), [5, 5, 6, 6]);
    }

    #[test]
    fn the_usual_range_leaves_out_what_is_rare() {
        let range = |counts: &[(u64, u32)]| Lengths(counts.iter().copied().collect()).usual_range();
        assert_eq!(range(&[(69, 1), (70, 31), (71, 64), (72, 32)]), Some((70, 72)));
        assert_eq!(range(&[(69, 4), (70, 20), (71, 72), (72, 25), (73, 7)]), Some((70, 72)));
        assert_eq!(range(&[(5, 1), (6, 15)]), Some((5, 6)), "one of sixteen is not rare");
        assert_eq!((range(&[(5, 1)]), range(&[])), (Some((5, 5)), None));
    }

    #[test]
    fn sizes_are_read_as_they_are_written() {
        let mut sizes = PerConnection::default();
        sizes.add(&sent(&[("flight.1", 201)]), &sent(&[("flight.1", 1216)]));
        let text = serde_json::to_string(&sizes).unwrap();
        assert_eq!(
            text,
            r#"{"connections":1,"client":{"flight.1":{"201":1}},"server":{"flight.1":{"1216":1}}}"#
        );
        assert_eq!(serde_json::from_str::<PerConnection>(&text).unwrap(), sizes);
        assert_eq!(Lengths::default().median(), None);
        let wrong = serde_json::from_str::<Lengths>(r#"{"5":100000,"6":1}"#).unwrap_err().to_string();
        assert!(wrong.contains("a figure of 100001 connections, more than 100000"), "{wrong}");
    }
}
