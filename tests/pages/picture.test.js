// The picture in README.md shows what the page of the recorded results shows today.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { it } from "node:test";
import { fileURLToPath } from "node:url";
import { launch, program } from "./browser.js";
import { pictured, words } from "./picture.js";

const docs = fileURLToPath(new URL("../../docs", import.meta.url));

it("the picture says what the page says", async () => {
  const site = mkdtempSync(join(tmpdir(), "tlslab-picture-"));
  const browser = await launch();
  try {
    const recorded = ["runs", "times", "wire"].flatMap((name) => ["--recorded", join(docs, `recorded/${name}.sqlite.zst`)]);
    execFileSync(program("tlslab"), ["site", site, ...recorded]);
    const page = await pictured(browser, site);
    assert.equal(await words(page), readFileSync(join(docs, "picture.txt"), "utf8"), "run `make picture` and look at the change");
  } finally {
    await browser.close();
    rmSync(site, { recursive: true, force: true });
  }
});
