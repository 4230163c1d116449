// The pages of published documents and of their claims, in a browser: opened as files, without a network.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { pagesOf } from "./browser.js";
import { everyPage } from "./checks.js";

const KINDS = ["document", "claims"];
const opened = pagesOf("document_page", KINDS);
everyPage(opened, KINDS);

/** What every row of a table shows, head included. */
const rows = (page, at) =>
  page.locator("table").nth(at).locator("tr").evaluateAll((all) =>
    all.map((row) => [...row.cells].map((cell) => cell.textContent)),
  );

describe("the page of a document", () => {
  it("begins with how many claims hold, and shows names unchanged", async () => {
    const { page, wrong } = await opened("document");
    assert.equal(await page.locator("h1").innerText(), "The sentence holds here in some of its cells");
    const text = await page.locator("body").innerText();
    assert.match(text, /Preliminary, measured on 1 January 2026 in a tenth of the time; intervals exclude the variance between runs; 1 cell failed\./);
    assert.match(text, /Document <one>, published by somebody & others, measured on another machine\./);
    assert.match(text, /Its keys are of unequal size\./);
    assert.deepEqual(wrong, []);
  });

  it("has each claim with its verdicts, and marks next to the published range", async () => {
    const { page } = await opened("document");
    const claim = await rows(page, 0);
    assert.deepEqual(claim.slice(1).map((row) => row[1]), [
      "holds",
      "does not hold",
      "direction holds, size differs: 38 % more here; published: between 3.0 % and 5.0 % more",
      "inconclusive: ±260 % measured, ±240 % needed (--budget 82s)",
      "not measured: it crashed",
      "so in this row",
    ]);
    const extension = await rows(page, 1);
    assert.deepEqual(extension.slice(1).map((row) => row[1]), [
      "holds",
      "not applicable: it has no such suite",
    ]);
    const colours = await page.locator("table").first().locator(".v").evaluateAll((all) =>
      all.map((one) => getComputedStyle(one).color),
    );
    assert.notEqual(colours[0], colours[1]);
    assert.equal(await page.locator("#claims .at").count(), 6, "what failed has no mark");
    assert.equal(await page.locator("#claims .band").count(), 5);
  });

  it("has contents that lead to claims and tables, and headings in order", async () => {
    const { page } = await opened("document");
    await page.getByRole("navigation", { name: "Contents" }).getByRole("link", { name: "Rates" }).click();
    assert.match(page.url(), /#table-0$/);
    const levels = await page.locator("h1, h2, h3, h4").evaluateAll((all) => all.map((one) => Number(one.tagName[1])));
    assert.ok(levels.every((level, at) => at === 0 ? level === 1 : level <= levels[at - 1] + 1), levels.join(" "));
  });

  it("has published and measured figures side by side, and holes with their reasons", async () => {
    const { page } = await opened("document");
    const [head, rsa, ecdsa] = await rows(page, 3);
    assert.deepEqual(head.slice(0, 3), ["key", "One, /s: published", "here"]);
    assert.deepEqual(rsa.slice(1, 3), ["33.2", "18.00 [17.50, 18.50]"]);
    assert.deepEqual(ecdsa.slice(3, 5), ["", "unsupported: it has no such key"]);
    const numbers = await page.locator("table").nth(3).locator("tbody tr").first().locator("td").evaluateAll((cells) =>
      cells.map((cell) => getComputedStyle(cell).textAlign),
    );
    assert.deepEqual(new Set(numbers.slice(1)), new Set(["right"]));
  });

  it("omits columns that nobody published, and has words after figures", async () => {
    const { page } = await opened("document");
    const [head, worse] = await rows(page, 4);
    assert.deepEqual(head, ["scenario", "change, %", "verdict", "what did it"]);
    assert.deepEqual(worse.slice(2), ["regression", "select<u8> +232192"]);
  });

  it("tells what works, stack by stack", async () => {
    const { page } = await opened("document");
    const told = await rows(page, 5);
    assert.deepEqual(told[2], ["two", "8 passed, 2 failed, 1 skipped", "test_ssl.a, test_ssl.b"]);
    assert.deepEqual(told[3].slice(1), ["failed: it ended with status 1", "it ended with status 1"]);
  });
});

describe("the page of all claims", () => {
  it("has every document's, with a summary of all", async () => {
    const { page, wrong } = await opened("claims");
    assert.equal(await page.locator("h1").innerText(), "0 of 2 sentences hold here in all their cells, 2 in some");
    assert.deepEqual(await page.locator("h2").allInnerTexts(), ["Documents", "Document <one>", "Document <two>"]);
    assert.deepEqual(await page.locator(".tally li").allInnerTexts(), [
      "2 hold",
      "2 hold in direction, not in size",
      "2 do not hold",
      "2 inconclusive",
      "2 not measured",
    ]);
    await page.getByRole("link", { name: "Document <two>" }).first().click();
    assert.match(page.url(), /#two$/);
    const own = await rows(page, 0);
    assert.equal(own[1][0], "It is slower.");
    assert.deepEqual(own.slice(1).map((row) => row[0]).slice(1), ["", "", "", "", ""], "a claim is named once");
    assert.equal(await page.locator("details.group").count(), 2, "extensions are counted apart");
    assert.deepEqual(wrong, []);
  });
});
