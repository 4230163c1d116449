// A browser, and the pages that a crate's example makes for it: opened as files, without a network.

import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, before } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

const root = join(dirname(fileURLToPath(import.meta.url)), "..", "..");

const target = process.env.CARGO_TARGET_DIR ?? join(root, "target");
let built = false;

/** Has an example write a page. The whole workspace's are built at once: one crate's alone would be compiled with other features. */
export function makePage(example, ...args) {
  const build = ["build", "--quiet", "--locked", "--workspace", "--bins", "--examples", "--tests"];
  if (!built) execFileSync("cargo", build, { cwd: root, stdio: "inherit" });
  built = true;
  execFileSync(join(target, "debug", "examples", example), args, { cwd: root, stdio: "inherit" });
}

/** A program of the workspace, built before. */
export const program = (name) => join(target, "debug", name);

/** A browser without a network. */
export const launch = () =>
  chromium.launch({
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    args: ["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"],
  });

/**
 * Has an example make a page for each kind, the first without an argument, the others with their name.
 * What is returned opens one, with what went wrong in it; `state` is what stands in the address behind the file, such as `#key=value`.
 */
export function pagesOf(example, kinds) {
  return filesOf((folder) => {
    for (const [at, kind] of kinds.entries()) {
      makePage(example, join(folder, `${kind}.html`), ...(at > 0 ? [kind] : []));
    }
  });
}

/** Has an example make a site. What is returned opens a page of it by its path without the ending. */
export function siteOf(example) {
  return filesOf((folder) => makePage(example, folder));
}

function filesOf(make) {
  const folder = mkdtempSync(join(tmpdir(), "tlslab-pages-"));
  let browser;
  before(async () => {
    make(folder);
    browser = await launch();
  });
  after(async () => {
    await browser?.close();
    rmSync(folder, { recursive: true, force: true });
  });
  return async (kind, { state = "", ...options } = {}) => {
    const page = await browser.newPage({ viewport: { width: 1200, height: 900 }, ...options });
    const wrong = [];
    page.on("pageerror", (error) => wrong.push(error.message));
    page.on("console", (message) => message.type() === "error" && wrong.push(message.text()));
    page.on("request", (request) => {
      if (!/^(file|data|blob):/.test(request.url())) wrong.push(`request: ${request.url()}`);
    });
    await page.goto(pathToFileURL(join(folder, `${kind}.html`)).href + state);
    return { page, wrong };
  };
}
