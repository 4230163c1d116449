//! Tests of the processors that stacks are run as, with the lab's own file.

use proptest::prelude::*;

use crate::processor::Processors;

fn known() -> Processors {
    let file = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../processors.toml");
    Processors::default().with_file("processors.toml", &std::fs::read_to_string(file).unwrap()).unwrap()
}

fn hidden(word: &str) -> Vec<String> {
    known().shown(word).unwrap().hidden.into_iter().map(|feature| feature.name).collect()
}

fn shown(word: &str) -> Vec<String> {
    known().shown(word).unwrap().shown.into_iter().map(|feature| feature.name).collect()
}

fn has(list: &[String], name: &str) -> bool {
    list.iter().any(|known| known == name)
}

#[test]
fn a_named_processor_hides_what_it_lacks_and_needs_what_it_has() {
    let (zen3, lacks) = (shown("zen3"), hidden("zen3"));
    for name in ["vaes", "vpclmulqdq", "sha", "avx2", "adx", "aes"] {
        assert!(has(&zen3, name) && !has(&lacks, name), "{name}");
    }
    for name in ["avx512f", "avx512ifma", "gfni", "amx-tile", "avxvnni"] {
        assert!(has(&lacks, name) && !has(&zen3, name), "{name}");
    }
    assert!(!has(&shown("zen2"), "vaes") && has(&shown("zen4"), "avx512ifma"));
    assert!(!has(&shown("haswell"), "adx") && has(&shown("haswell"), "aes"));
    assert!(has(&shown("skylake-server"), "avx512bw") && !has(&shown("skylake-server"), "sha"));
    assert!(has(&shown("icelake"), "vaes") && has(&shown("alder-lake"), "avxvnni"));
    assert!(!has(&shown("alder-lake"), "avx512f") && !has(&shown("x86-64-v3"), "aes"));
    assert!(!has(&shown("x86-64-v2"), "avx"));
}

/// The compiler has the same lists, and reports them as macros.
#[test]
fn the_compiler_knows_the_same_features_of_each_processor() {
    // The compiler's name, and features that it leaves out, as cheap models of that kind lack them.
    let names: [(&str, &str, &[&str]); 9] = [
        ("x86-64-v2", "x86-64-v2", &[]),
        ("x86-64-v3", "x86-64-v3", &[]),
        ("x86-64-v4", "x86-64-v4", &[]),
        ("haswell", "haswell", &["aes"]),
        ("skylake-server", "skylake-avx512", &[]),
        ("icelake", "icelake-server", &[]),
        ("alder-lake", "alderlake", &[]),
        ("zen2", "znver2", &[]),
        ("zen3", "znver3", &[]),
    ];
    let macros = |arch: &str| {
        let arguments = [&format!("-march={arch}"), "-dM", "-E", "-x", "c", "/dev/null"];
        let output = std::process::Command::new("cc").args(arguments).output().unwrap();
        assert!(output.status.success(), "{arch}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    };
    for (name, arch, left_out) in names {
        let (text, has_it) = (macros(arch), shown(name));
        for feature in known().features() {
            let called = match feature.name.as_str() {
                "pclmulqdq" => "__PCLMUL__".to_owned(),
                "rdrand" => "__RDRND__".to_owned(),
                "bmi1" => "__BMI__".to_owned(),
                "cmpxchg16b" => "__GCC_HAVE_SYNC_COMPARE_AND_SWAP_16".to_owned(),
                name => format!("__{}__", name.replace(['.', '-'], "_").to_uppercase()),
            };
            let knows = text.contains(&format!("#define {called} 1\n"));
            let expected = has(&has_it, &feature.name) && !left_out.contains(&feature.name.as_str());
            assert_eq!(knows, expected, "{name}: {}", feature.name);
        }
    }
}

#[test]
fn a_hidden_feature_takes_with_it_what_needs_it() {
    let without = hidden("without-avx512f");
    assert!(without.iter().all(|name| name.starts_with("avx512") || name == "avx10"), "{without:?}");
    assert!(has(&without, "avx512vbmi2"));
    assert_eq!(hidden("without-vaes"), ["vaes"]);
    let both = hidden("without-avx512f-vaes");
    assert!(has(&both, "vaes") && !has(&both, "vpclmulqdq"));
    assert!(has(&hidden("without-aes"), "vaes") && has(&hidden("without-sse41"), "avx2"));
    assert!(shown("without-vaes").is_empty());
    let icelake = known().shown("icelake-without-vaes").unwrap();
    assert!(icelake.hidden.iter().any(|feature| feature.name == "vaes"));
    assert!(icelake.shown.iter().any(|feature| feature.name == "avx512f"));
    assert_eq!(icelake.title, "Intel Ice Lake-SP (Xeon Scalable of the 3rd generation) without vaes");
}

#[test]
fn a_name_that_is_not_known_is_refused_with_those_that_are() {
    let refused = |word: &str| known().shown(word).unwrap_err().to_string();
    assert!(refused("zen33").starts_with("no processor is called \"zen33\"; did you mean "));
    assert!(refused("zen33").contains("zen2, zen3, zen4"));
    assert!(
        refused("without-vaess").contains("no feature of processors is called \"vaess\"; did you mean vaes")
    );
    assert!(refused("").contains("no processor is called \"\""));
    assert!(refused("without-").contains("no feature of processors is called \"\""));
}

#[test]
fn an_own_file_replaces_the_labs_and_mistakes_in_it_are_named() {
    let own = "[[feature]]\nname = \"later\"\nat = \"7.1.edx\"\nbit = 31\n\
               [[processor]]\nname = \"zen3\"\ntitle = \"mine\"\nsource = \"its maker\"\nhas = [\"later\"]\n";
    let both = known().with_file("own", own).unwrap();
    let mine = both.shown("zen3").unwrap();
    assert_eq!((mine.title.as_str(), mine.shown.len()), ("mine", 1));
    assert!(both.shown("zen4").unwrap().hidden.iter().any(|feature| feature.name == "later"));

    let refused = |text: &str| known().with_file("own", text).unwrap_err().to_string();
    let feature = |lines: &str| format!("[[feature]]\nname = \"later\"\n{lines}\n");
    assert!(refused(&feature("at = \"7.0\"\nbit = 1")).contains("LEAF.PART.REGISTER"));
    assert!(refused(&feature("at = \"7.0.ebp\"\nbit = 1")).contains("no register"));
    assert!(refused(&feature("at = \"x.0.ebx\"\nbit = 1")).contains("no number"));
    assert!(refused(&feature("at = \"7.0.ebx\"\nbit = 32")).contains("0 to 31"));
    assert!(refused(&feature("at = \"7.0.ebx\"\nbit = 1\nneeds = [\"x\"]")).contains("\"x\", which is no"));
    assert!(refused(&feature("at = \"7.0.ebx\"\nbit = 1\nc_library = \"a:b\"")).contains("c_library"));
    let processor = |lines: &str| {
        format!("[[processor]]\nname = \"p\"\ntitle = \"P\"\nsource = \"its maker\"\n{lines}\n")
    };
    assert!(refused(&processor("has = [\"x\"]")).contains("\"x\" is no feature"));
    assert!(refused(&processor("like = \"q\"")).contains("like \"q\", which is not known"));
    assert!(refused(&processor("has = [\"vaes\"]")).contains("no processor has without"));
    assert!(
        refused("[[processor]]\nname = \"a-without-b\"\ntitle = \"A\"\nsource = \"b\"").contains("no word")
    );
    assert!(refused("[[processor]]\nname = \"a\"\ntitle = \"A\"\nsource = \"\"").contains("source is empty"));
    let one = "[[processor]]\nname = \"a\"\ntitle = \"A\"\nsource = \"b\"\n";
    assert!(refused(&format!("{one}{one}")).contains("listed twice"));
    assert!(known().with_file("own", &format!("{one}like = \"zen4\"\n")).is_ok());
    assert!(refused("[other]").contains("own: line 1"));
}

proptest! {
    #[test]
    fn no_text_and_no_word_makes_it_panic(
        text in "\\PC{0,60}|(\\[\\[(feature|processor)\\]\\]\n(name|at|bit|has) = (\"[a-z0-9.]{0,6}\"|7|\\[\\])\n){0,4}",
        word in "[a-z0-9-]{0,24}|without-[a-z0-9-]{0,12}",
    ) {
        let _ = Processors::default().with_file("file", &text);
        if let Ok(shown) = known().shown(&word) {
            prop_assert!(shown.hidden.iter().all(|feature| !shown.shown.contains(feature)));
        }
    }
}
