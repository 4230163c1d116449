// The page of a comparison, in a browser: opened as a file, without a network.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { pagesOf } from "./browser.js";
import { everyPage } from "./checks.js";

const KINDS = ["versions", "libraries", "quiet"];
const opened = pagesOf("comparison_page", KINDS);

const heading = (page) => page.locator("h1").innerText();

/** Texts of the first cells of a group's rows. */
const rows = (page, group) => page.locator(`#${group} tbody th`).allInnerTexts();

/** Whether an element lies within the window's width. */
const isWithin = (page, selector) =>
  page.locator(selector).evaluateAll((all) =>
    all.every((one) => {
      const { left, right } = one.getBoundingClientRect();
      return left >= 0 && right <= innerWidth + 1;
    }),
  );

everyPage(opened, KINDS);

describe("the page of a comparison", () => {
  it("answers first, without a path, and counts what regressed and what did not", async () => {
    const { page } = await opened("versions");
    assert.equal(await heading(page), "2 regressions (up to +42.0 %), 2 improvements (up to −4.12 %), 1 negligible change, 1 inconclusive, 2 unchanged, 2 cells without a result");
    const tally = await page.locator(".tally li").allInnerTexts();
    assert.deepEqual(tally, ["1 failed", "2 regressions", "2 improvements", "1 inconclusive", "1 not compared", "2 unchanged", "1 negligible"]);
    const order = await page.locator("section[id], details[id]").evaluateAll((all) => all.map((one) => one.id));
    assert.deepEqual(order, ["failed", "worse", "better", "inconclusive", "missing", "unchanged", "tiny", "warnings", "method", "repeat"]);
  });

  it("speaks of faster and slower between libraries", async () => {
    const { page } = await opened("libraries");
    assert.equal(await heading(page), "rustls/aws-lc-rs is faster than openssl in 5 of 7 cells and slower in 1");
    assert.doesNotMatch(await page.locator("main").innerText(), /regression/);
    assert.equal(await page.locator("#worse .past").count(), 0, "alone in its table it sets the axis");
  });

  it("has the largest regression first, with its functions", async () => {
    const { page } = await opened("versions");
    const [first, second] = await rows(page, "worse");
    assert.match(first, /client-sends\/16KiB\/warm\s+server, time/);
    assert.match(second, /ecdsa-p256/);
    assert.match(await page.locator("#worse tr.more").first().innerText(), /encrypt_outgoing<Vec<u8>> \+1,212, malloc \+262/);
  });

  it("shows all columns at every width", async () => {
    for (const width of [1400, 390]) {
      const { page } = await opened("versions", { viewport: { width, height: 900 } });
      assert.ok(await isWithin(page, "#worse :is(td, th)"), `${width} px`);
      assert.match(await page.locator("#worse tbody").innerText(), /338\.1 µs/);
    }
  });

  it("has one axis for all rows of a table", async () => {
    const { page } = await opened("versions");
    assert.deepEqual(await page.locator("#worse thead .scale span").allInnerTexts(), ["−33.3 %", "0", "+50.0 %"]);
    const places = await page.locator("#worse .mark .rule").evaluateAll((all) => all.map((line) => line.getAttribute("x1")));
    assert.deepEqual(new Set(places), new Set(["50%"]));
  });

  it("folds what did not change, and opens it if there is nothing else", async () => {
    const { page } = await opened("versions");
    assert.equal(await page.locator("#unchanged tbody tr").first().isVisible(), false);
    await page.locator("#unchanged summary").focus();
    await page.keyboard.press("Enter");
    assert.equal(await page.locator("#unchanged tbody tr").first().isVisible(), true);
    const quiet = await opened("quiet");
    assert.equal(await heading(quiet.page), "No significant change in 8 cells");
    assert.equal(await quiet.page.locator("#unchanged tbody tr").first().isVisible(), true);
  });

  it("groups warnings of one kind after the results, and has the command to repeat", async () => {
    const { page } = await opened("versions");
    assert.equal(await page.locator("#warnings .notes > li").count(), 2);
    const command = await page.locator("#repeat code").innerText();
    assert.match(command, /^tlslab compare rustls\/ring@0\.23\.45 'rustls\/ring@path:\/home\/someone\/a checkout of it' --scenario /);
    assert.equal(await page.locator("#repeat button").innerText(), "Copy");
  });
});
