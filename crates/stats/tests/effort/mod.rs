//! Simulations that are tests twice, for the tests of several crates.

/// Each is a test with a tenth of its trials, and one with all of them, which takes minutes: `make test-all`.
macro_rules! simulations {
    ($($name:ident),* $(,)?) => {
        mod a_tenth {
            $(#[test] fn $name() { super::$name(1); })*
        }

        mod whole {
            $(#[test] #[ignore = "takes minutes: `make test-all`"] fn $name() { super::$name(10); })*
        }
    };
}
