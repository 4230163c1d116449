//! Values of the engine's own types on the command line: their names are those in requests.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use serde::de::value::Error;
use serde::de::{DeserializeOwned, IntoDeserializer};
use tlslab_protocol::Measure;

/// Names of values, each with its help.
pub(crate) type Values = &'static [(&'static str, &'static str)];

/// What can be measured.
pub(crate) const METRICS: Values = &[
    ("time", "How long each side takes"),
    ("heap", "How much heap and stack memory each side uses"),
    ("count", "How many instructions each side executes"),
    ("contention", "What threads contend for: shared cache lines and instructions under locks, exact"),
    ("wire", "What each side sends: bytes, records, messages and packets of each flight, exact"),
    ("kernel", "What each side asks of the kernel: system calls, page faults, growth of the heap, exact"),
    ("size", "How large the library is: its code and data in a program, exact; of no scenario"),
];

/// What counts instructions.
pub(crate) const COUNTERS: Values = &[
    (
        "valgrind",
        "The lab's valgrind tool, the default: repeatable; it emulates a processor with fewer instruction-set extensions",
    ),
    (
        "callgrind",
        "Valgrind's callgrind, used if the lab's tool cannot be built: slower, and less repeatable",
    ),
    ("hardware", "The processor's own counter, if the host has one; random number generators are not seeded"),
    ("frida", "Frida, which counts native execution; it is installed when it is first used"),
    ("native", "Native execution: the processor's own counter if the host has one, else Frida"),
];

/// Takes one of the named values.
pub(crate) fn parse_named<T>(values: Values) -> impl TypedValueParser<Value = T>
where
    T: DeserializeOwned + Clone + Send + Sync + 'static,
{
    let read = |name: &str| T::deserialize(IntoDeserializer::<Error>::into_deserializer(name));
    debug_assert!(values.iter().all(|(name, _)| read(name).is_ok()), "{values:?} has a name of no value");
    let values = values.iter().map(|(name, help)| PossibleValue::new(*name).help(*help));
    PossibleValuesParser::new(values).try_map(move |name| read(&name))
}

/// One of the metrics that `validate` knows.
pub(crate) fn parse_time_or_count(text: &str) -> Result<Measure, String> {
    let known = [Measure::Time, Measure::Count].into_iter().find(|metric| metric.name() == text);
    known.ok_or_else(|| "it is time or count".to_owned())
}

/// One of the metrics that `bisect` searches by.
pub(crate) fn parse_searched(text: &str) -> Result<Measure, String> {
    let known = [Measure::Contention, Measure::Wire, Measure::Kernel]
        .into_iter()
        .find(|metric| metric.name() == text);
    known
        .or_else(|| parse_time_or_count(text).ok())
        .ok_or_else(|| "it is time, count, contention, wire or kernel".to_owned())
}
