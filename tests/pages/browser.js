// A browser, and the pages that a crate's example makes for it: opened as files, without a network.

import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, before } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

const root = join(dirname(fileURLToPath(import.meta.url)), "..", "..");

/**
 * Has `sample_page` of a crate make a page for each kind, the first without an argument, the others with their name.
 * What is returned opens one, with what went wrong in it.
 */
export function pagesOf(crate, kinds) {
  const folder = mkdtempSync(join(tmpdir(), "tlslab-pages-"));
  const file = (kind) => join(folder, `${kind}.html`);
  let browser;
  before(async () => {
    for (const [at, kind] of kinds.entries()) {
      const example = ["run", "--quiet", "--release", "-p", crate, "--example", "sample_page", "--", file(kind)];
      execFileSync("cargo", at > 0 ? [...example, kind] : example, { cwd: root, stdio: "inherit" });
    }
    browser = await chromium.launch({
      executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
      args: ["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"],
    });
  });
  after(async () => {
    await browser?.close();
    rmSync(folder, { recursive: true, force: true });
  });
  return async (kind, options = {}) => {
    const page = await browser.newPage({ viewport: { width: 1200, height: 900 }, ...options });
    const wrong = [];
    page.on("pageerror", (error) => wrong.push(error.message));
    page.on("console", (message) => message.type() === "error" && wrong.push(message.text()));
    await page.goto(pathToFileURL(file(kind)).href);
    return { page, wrong };
  };
}
