//! A sheet as a page that needs nothing else: tables, and a flame graph to click in.

use crate::sheet::Sheet;

/// The sheet as HTML.
pub fn page(sheet: &Sheet) -> String {
    let title = match &sheet.base {
        Some(base) => format!("{} against {base}", sheet.title),
        None => sheet.title.clone(),
    };
    // Neither ends the element that it stands in.
    let json =
        serde_json::to_string(sheet).expect("a sheet has numbers and text alone").replace("</", "<\\/");
    let mut page = PAGE.to_owned();
    for (place, content) in
        [("style", STYLE), ("script", SCRIPT), ("title", &*text(&title)), ("sheet", &json)]
    {
        let place = format!("/*{place}*/");
        let at = page.find(&place).expect("the page has a place for it");
        page.replace_range(at..at + place.len(), content);
    }
    page
}

fn text(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;")
}

const PAGE: &str = include_str!("../../assets/page.html");
const STYLE: &str = include_str!("../../assets/page.css");
const SCRIPT: &str = include_str!("../../assets/page.js");

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_counted_ends_no_element() {
        let sheet = Sheet {
            title: "a < b </script>".to_owned(),
            base: None,
            notes: vec!["</script><script>alert(1)</script>".to_owned()],
            sides: vec![],
        };
        let page = page(&sheet);
        assert_eq!(page.matches("</script>").count(), 2, "the two of the page itself");
        assert!(page.contains("<title>a &lt; b &lt;/script></title>"));
        assert!(!page.contains("/*sheet*/"));
    }
}
