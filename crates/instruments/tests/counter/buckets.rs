//! Buckets within buckets, in children and in threads.

use crate::under::Compiled;

#[test]
fn each_bucket_gets_its_own() {
    let said = Compiled::new("buckets", &[]).run(&[], &[]);
    // A switch is three instructions, of the bucket that it leaves.
    let expected = "\
zeroed 0
a hundred and a switch 103
a switch 3
nested 0 4 5 4
no such bucket 22 -1
bad place 1
still outside 0
child 1000 0 0
parent 100 0 0
creator's bucket 0
thread 1 1
";
    assert_eq!(said, expected);
}
