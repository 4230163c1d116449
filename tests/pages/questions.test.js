// Each page answers its questions where it says so.

import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { describe, it } from "node:test";
import { siteOf } from "./browser.js";
import { PAGES, asMarkdown, unanswered } from "./questions.js";

const opened = siteOf("site_pages");

describe("questions and answers", () => {
  for (const [name, entry] of Object.entries(PAGES).filter(([, { of }]) => of === "site")) {
    it(`the page "${name}" answers`, async () => {
      const { page } = await opened(entry.at);
      assert.deepEqual(await unanswered(page, entry), []);
    });
  }

  it("are in the documents unchanged", () => {
    const path = new URL("../../docs/pages.md", import.meta.url);
    if (process.env.UPDATE) writeFileSync(path, asMarkdown());
    assert.equal(readFileSync(path, "utf8"), asMarkdown(), "run `UPDATE=1 tests/pages/run` and look at the change");
  });
});
