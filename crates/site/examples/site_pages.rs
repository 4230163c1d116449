//! Writes a site of made-up runs into a folder: `cargo run -p tlslab-site --example site_pages -- DIR`.

#[path = "../tests/fixture/mod.rs"]
mod fixture;

use tlslab_record::Policy;
use tlslab_site::{Options, Site, Source, write};

fn main() -> anyhow::Result<()> {
    let folder = std::env::args().nth(1).expect("usage: site_pages DIR");
    let database = tempfile::tempdir()?;
    let source = Source::open(fixture::fill(database.path()), Policy::default().history)?;
    let options = Options { capabilities: fixture::capabilities(), ..Options::default() };
    let written = write(&Site::read(source, &options)?, folder.as_ref(), "example", &mut |_, _, _| {})?;
    anyhow::ensure!(written.broken.is_empty(), "{:?}", written.broken);
    Ok(())
}
