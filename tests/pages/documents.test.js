// The pages of published documents and of their claims, in a browser: opened as files, without a network.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { pagesOf } from "./browser.js";

const opened = pagesOf("document_page", ["document", "claims"]);

/** What every row of a table shows, head included. */
const rows = (page, at) =>
  page.locator("table").nth(at).locator("tr").evaluateAll((all) =>
    all.map((row) => [...row.cells].map((cell) => cell.textContent)),
  );

/** Texts of pictures that reach out of them. */
const clipped = (page) =>
  page.locator("svg text").evaluateAll((texts) =>
    texts
      .filter((text) => {
        const [inner, outer] = [text.getBoundingClientRect(), text.ownerSVGElement.getBoundingClientRect()];
        const slack = 1;
        return (
          inner.left < outer.left - slack ||
          inner.right > outer.right + slack ||
          inner.top < outer.top - slack ||
          inner.bottom > outer.bottom + slack
        );
      })
      .map((text) => text.textContent),
  );

describe("the page of a document", () => {
  it("begins with what must be known of it, and shows names as they are written", async () => {
    const { page, wrong } = await opened("document");
    assert.equal(await page.locator("h1").innerText(), "Document <one>");
    const text = await page.locator("body").innerText();
    assert.match(text, /Published by somebody & others, measured on another machine\./);
    assert.match(text, /Its keys are of unequal size\./);
    assert.deepEqual(wrong, []);
  });

  it("has each claim with its verdicts, and a picture in which nothing is cut off", async () => {
    const { page } = await opened("document");
    const claim = await rows(page, 0);
    assert.deepEqual(claim.slice(1).map((row) => row[2]), [
      "holds here",
      "does not hold here",
      "inconclusive",
      "inconclusive",
    ]);
    assert.equal(claim[4][1], "failed: it crashed");
    const colours = await page.locator("table").first().locator("td:last-child").evaluateAll((cells) =>
      cells.map((cell) => getComputedStyle(cell).color),
    );
    assert.notEqual(colours[0], colours[1]);
    assert.equal(await page.locator("svg circle").count(), 3, "what failed has no dot");
    assert.deepEqual(await clipped(page), []);
  });

  it("has published and measured figures side by side, and holes with their reasons", async () => {
    const { page } = await opened("document");
    const [head, rsa, ecdsa] = await rows(page, 1);
    assert.deepEqual(head.slice(0, 3), ["key", "One, /s: published", "here"]);
    assert.deepEqual(rsa.slice(1, 3), ["33.2", "18.00 [17.50, 18.50]"]);
    assert.deepEqual(ecdsa.slice(3, 5), ["", "unsupported: it has no such key"]);
    const numbers = await page.locator("table").nth(1).locator("tbody tr").first().locator("td").evaluateAll((cells) =>
      cells.map((cell) => getComputedStyle(cell).textAlign),
    );
    assert.deepEqual(new Set(numbers.slice(1)), new Set(["right"]));
  });

  it("leaves out what nobody published, and has words behind figures", async () => {
    const { page } = await opened("document");
    const [head, worse] = await rows(page, 2);
    assert.deepEqual(head, ["scenario", "change, %", "verdict", "what did it"]);
    assert.deepEqual(worse.slice(2), ["regression", "select<u8> +232192"]);
  });

  it("tells what works, stack by stack", async () => {
    const { page } = await opened("document");
    const told = await rows(page, 3);
    assert.deepEqual(told[2], ["two", "8 passed, 2 failed, 1 skipped", "test_ssl.a, test_ssl.b"]);
    assert.deepEqual(told[3].slice(1), ["failed: it ended with status 1", "it ended with status 1"]);
  });

  it("is no wider than a telephone; wide tables move by themselves", async () => {
    const { page } = await opened("document", { viewport: { width: 390, height: 800 } });
    assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= 390);
  });
});

describe("the page of all claims", () => {
  it("has every document's, with one picture of all", async () => {
    const { page, wrong } = await opened("claims");
    assert.deepEqual(await page.locator("h2").allInnerTexts(), ["Document <one>", "Document <two>"]);
    const text = await page.locator("body").innerText();
    assert.match(text, /2 holds here, 2 does not hold here, 4 inconclusive/);
    const picture = await page.locator("svg").first().innerText().catch(() => "");
    const words = picture || (await page.locator("svg").first().textContent());
    assert.match(words, /It is slower\./);
    assert.deepEqual(await clipped(page), []);
    assert.deepEqual(wrong, []);
  });
});
