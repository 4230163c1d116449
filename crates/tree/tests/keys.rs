//! Builds from an unpacked tree equal builds from the checkout: every input has the same digest.

use std::path::Path;
use std::sync::atomic::AtomicBool;

use tlslab_build::Builder;

#[test]
fn every_stack_has_the_same_keys_as_in_the_checkout() {
    let cache = tempfile::tempdir().unwrap();
    let unpacked = tlslab_tree::unpack(cache.path()).unwrap();
    let checkout = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap();
    let [in_checkout, in_unpacked] = [&checkout, &unpacked].map(|tree| {
        let builder = Builder::new(tree, cache.path());
        let index = builder.recipe_index().unwrap();
        let recipes: Vec<_> = index
            .files()
            .iter()
            .filter(|file| file.is_stack)
            .map(|file| index.named(&file.name).unwrap())
            .collect();
        let planned = builder.plan(&recipes, &AtomicBool::new(false));
        let stages = |planned: tlslab_build::Planned| {
            let keys = planned.stages.map_err(|failure| failure.to_string()).map(|stages| {
                let key = |stage: tlslab_build::PlannedStage| {
                    (stage.stage.name(), stage.key.map(|key| key.to_string()))
                };
                stages.into_iter().map(key).collect::<Vec<_>>()
            });
            (planned.stack, keys.map_err(|text| text.replace(&tree.display().to_string(), "TREE")))
        };
        planned.into_iter().map(stages).collect::<Vec<_>>()
    });
    assert!(
        in_checkout
            .iter()
            .any(|(_, keys)| keys.as_ref().is_ok_and(|keys| keys.iter().any(|(_, key)| key.is_some())))
    );
    assert_eq!(in_checkout, in_unpacked);
}
