//! A site as files. Unchanged files are not written again, and only files that an earlier site wrote are
//! deleted.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use tlslab_pages::{Files, Target};

use crate::links::{Refs, broken};
use crate::make::{Made, Site};

/// The list of written files, in the site's folder.
const MANIFEST: &str = "tlslab-site.json";

/// The result of writing a site.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Written {
    /// How many files the site has.
    pub files: usize,
    /// How many of them were written because they are new or have changed.
    pub written: usize,
    /// How many files of an earlier site were removed.
    pub removed: usize,
    /// The size of all files, bytes.
    pub bytes: u64,
    /// The largest page and its bytes.
    pub largest_page: (String, u64),
    /// Links that lead nowhere: page and address.
    pub broken: Vec<(String, String)>,
}

/// The files of a site by their paths in its folder.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Manifest {
    format: u32,
    /// The program that wrote it.
    program: String,
    files: BTreeMap<String, Kept>,
}

/// A file that was written.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Kept {
    /// SHA-256 of its text, hex.
    sha256: String,
    /// Its length.
    bytes: u64,
    /// Its inputs, if they show whether it has to be made again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    made_of: Option<String>,
}

/// Writes a site into a folder that is empty or has one. `program` identifies the program that makes pages:
/// another one makes every page again. `progress` is called with the number of finished files, the total, and
/// the next one's path.
///
/// # Errors
/// Fails if the folder has other files or cannot be written, or if the database cannot be read.
pub fn write(
    site: &Site,
    folder: &Path,
    program: &str,
    progress: &mut dyn FnMut(usize, usize, &str),
) -> anyhow::Result<Written> {
    let before = read_manifest(folder)?;
    let targets = site.targets();
    let paths: BTreeSet<String> = targets.iter().map(Files::file).collect();
    let skeleton = digest_of_frame(site);
    let mut writer = Writer {
        folder,
        before: if before.program == program { before.files.clone() } else { BTreeMap::new() },
        now: Manifest { format: 1, program: program.to_owned(), files: BTreeMap::new() },
        pages: BTreeMap::new(),
        result: Written::default(),
    };
    for (done, target) in targets.iter().enumerate() {
        let path = Files::file(target);
        progress(done, targets.len(), &path);
        let made_of = site.made_of(target).map(|of| format!("{of} {skeleton}"));
        if writer.keep(&path, made_of.as_deref())? {
            continue;
        }
        let links = Files { files: &paths, from: target };
        let made = site.make(target, &links).with_context(|| format!("cannot make {path}"))?;
        let text = match made.with_context(|| format!("the site has nothing at {path}"))? {
            Made::Page(page) => {
                for asset in page.all_assets() {
                    writer.put(&format!("assets/{}", asset.file_name()), asset.text, None)?;
                }
                page.html(&links)
            }
            Made::File { text, .. } => text,
        };
        writer.put(&path, &text, made_of)?;
    }
    writer.finish(&before)
}

/// The common inputs of every page's links, except the runs.
fn digest_of_frame(site: &Site) -> String {
    let mut digest = Sha256::new();
    let is_of_run = |target: &Target| matches!(target, Target::Run(_) | Target::Proof(..) | Target::File(_));
    for target in site.targets().iter().filter(|target| !is_of_run(target)) {
        digest.update(Files::file(target));
        digest.update("\n");
    }
    hex::encode(digest.finalize())
}

struct Writer<'w> {
    folder: &'w Path,
    /// The files that the same program has written before.
    before: BTreeMap<String, Kept>,
    now: Manifest,
    pages: BTreeMap<String, Refs>,
    result: Written,
}

impl Writer<'_> {
    /// Keeps a file whose inputs and contents are unchanged. Returns whether it was kept.
    fn keep(&mut self, path: &str, made_of: Option<&str>) -> anyhow::Result<bool> {
        let Some(kept) =
            self.before.get(path).filter(|kept| made_of.is_some() && kept.made_of.as_deref() == made_of)
        else {
            return Ok(false);
        };
        let kept = kept.clone();
        let Ok(text) = fs::read_to_string(self.folder.join(path)) else { return Ok(false) };
        if digest(&text) != kept.sha256 {
            return Ok(false);
        }
        let refs = Refs::of(&text);
        // Its assets are those of pages that are made each time, or they are made with it.
        let assets = refs
            .to
            .iter()
            .filter_map(|to| to.split_once("assets/"))
            .map(|(_, name)| format!("assets/{name}"));
        for asset in assets {
            let Some(known) = self.before.get(&asset).cloned() else { return Ok(false) };
            if !self.folder.join(&asset).is_file() {
                return Ok(false);
            }
            self.now.files.entry(asset).or_insert(known);
        }
        self.note(path, &text, kept, refs);
        Ok(true)
    }

    fn put(&mut self, path: &str, text: &str, made_of: Option<String>) -> anyhow::Result<()> {
        let kept = Kept { sha256: digest(text), bytes: text.len() as u64, made_of };
        let place = self.folder.join(path);
        let is_same = self.before.get(path).is_some_and(|before| before.sha256 == kept.sha256)
            && fs::read_to_string(&place).is_ok_and(|there| digest(&there) == kept.sha256);
        if !is_same && !self.now.files.contains_key(path) {
            let above = place.parent().unwrap_or(self.folder);
            fs::create_dir_all(above).with_context(|| format!("cannot create {}", above.display()))?;
            replace(&place, text)?;
            self.result.written += 1;
        }
        let refs = if path.ends_with(".html") { Refs::of(text) } else { Refs::default() };
        self.note(path, text, kept, refs);
        Ok(())
    }

    fn note(&mut self, path: &str, text: &str, kept: Kept, refs: Refs) {
        if path.ends_with(".html") {
            if text.len() as u64 > self.result.largest_page.1 {
                self.result.largest_page = (path.to_owned(), text.len() as u64);
            }
            self.pages.insert(path.to_owned(), refs);
        }
        self.now.files.insert(path.to_owned(), kept);
    }

    /// Deletes obsolete files, writes the manifest, and checks links.
    fn finish(mut self, before: &Manifest) -> anyhow::Result<Written> {
        let gone = before.files.keys().filter(|path| !self.now.files.contains_key(*path));
        for path in gone.filter(|path| is_of_site(path)) {
            let place = self.folder.join(path);
            match fs::remove_file(&place) {
                Ok(()) => self.result.removed += 1,
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => {
                    return Err(error).with_context(|| format!("cannot remove {}", place.display()));
                }
            }
        }
        let text = serde_json::to_string_pretty(&self.now)? + "\n";
        replace(&self.folder.join(MANIFEST), &text)?;
        let files: BTreeSet<String> = self.now.files.keys().cloned().collect();
        self.result.files = files.len();
        self.result.bytes = self.now.files.values().map(|kept| kept.bytes).sum();
        self.result.broken = broken(&self.pages, &files);
        Ok(self.result)
    }
}

/// The list of a folder that is empty, or that an earlier call has written.
fn read_manifest(folder: &Path) -> anyhow::Result<Manifest> {
    let place = folder.join(MANIFEST);
    match fs::read_to_string(&place) {
        Ok(text) => {
            let manifest: Manifest = serde_json::from_str(&text).with_context(|| {
                format!("{} is damaged; remove it and the other files of the site", place.display())
            })?;
            if manifest.format > 1 {
                bail!(
                    "{} is of a later version of the lab; write the site to another folder",
                    place.display()
                );
            }
            Ok(manifest)
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            fs::create_dir_all(folder).with_context(|| format!("cannot create {}", folder.display()))?;
            let mut entries =
                fs::read_dir(folder).with_context(|| format!("cannot list {}", folder.display()))?;
            if entries.next().is_some() {
                bail!("{} has files that do not belong to a site; name an empty folder", folder.display());
            }
            Ok(Manifest::default())
        }
        Err(error) => Err(error).with_context(|| format!("cannot read {}", place.display())),
    }
}

/// A list could name anything: only paths below the folder, as a site has them, are removed.
fn is_of_site(path: &str) -> bool {
    let is_plain = |part: &str| {
        !part.is_empty()
            && !part.starts_with('.')
            && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._-@+~=".contains(&byte))
    };
    path.split('/').all(is_plain)
}

fn replace(place: &Path, text: &str) -> anyhow::Result<()> {
    let mut beside = place.as_os_str().to_owned();
    beside.push(".new");
    let beside = PathBuf::from(beside);
    let failed = || format!("cannot write {}", place.display());
    fs::write(&beside, text).with_context(failed)?;
    fs::rename(&beside, place).with_context(failed)
}

fn digest(text: &str) -> String {
    hex::encode(Sha256::digest(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_removes_nothing_outside_its_folder() {
        assert!(is_of_site("stacks/rustls~ring.html") && is_of_site("data/history/a=20b.json"));
        for path in ["../x", "/etc/passwd", "a//b", ".git/config", "a/../b", ""] {
            assert!(!is_of_site(path), "{path}");
        }
    }

    #[test]
    fn a_folder_with_other_files_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("thesis.tex"), "").unwrap();
        let error = read_manifest(folder.path()).unwrap_err().to_string();
        assert!(error.ends_with("has files that do not belong to a site; name an empty folder"), "{error}");
    }
}
