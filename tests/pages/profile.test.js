// The pages of a profile and of what changed in it, in a browser: opened as files, without a network.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { pagesOf } from "./browser.js";

const opened = pagesOf("profile_page", ["profile", "diff"]);

const boxes = (page, side) =>
  page.locator("section").nth(side === "client" ? 0 : 1).locator(".flame button");

describe("the page of a profile", () => {
  it("shows the functions, the parts and the stacks of both sides", async () => {
    const { page, wrong } = await opened("profile");
    assert.deepEqual(await page.locator("h2").allTextContents(), ["client", "server"]);
    const text = await page.locator("main").innerText();
    assert.match(text, /130 instructions per iteration/);
    assert.match(text, /61\.54 %\s+80\s+seal src\/record\.c/);
    assert.match(text, /15 from seal/, "who calls memcpy");
    assert.match(text, /memory operations\s+20\s+15\.38 %/);
    assert.deepEqual(await boxes(page, "client").allTextContents(), ["client", 'write<a, "b">', "memcpy", "seal", "memcpy"]);
    assert.deepEqual(wrong, []);
  });

  it("has boxes as wide as what they took, and a click makes one as wide as the page", async () => {
    const { page } = await opened("profile");
    const width = async (name) => (await boxes(page, "client").filter({ hasText: name }).first().boundingBox()).width;
    const whole = await width("client");
    assert.ok(Math.abs((await width("seal")) / whole - 95 / 130) < 0.01);
    await boxes(page, "client").filter({ hasText: "seal" }).first().click();
    assert.ok((await width("seal")) / whole > 0.99);
    assert.equal(await boxes(page, "client").count(), 4, "what is beside it is gone");
    await page.getByRole("button", { name: "whole graph" }).first().click();
    assert.equal(await boxes(page, "client").count(), 5);
  });

  it("finds functions, and tells a box that has the focus", async () => {
    const { page } = await opened("profile");
    await page.getByLabel("find a function of the client").fill("MEMCPY");
    assert.equal(await page.locator(".found").count(), 2);
    await boxes(page, "client").filter({ hasText: "seal" }).first().focus();
    assert.match(await page.locator(".told").first().textContent(), /^seal: 95 \(73\.08 %\) instructions/);
  });

  it("is no wider than a telephone", async () => {
    const { page } = await opened("profile", { viewport: { width: 390, height: 800 } });
    assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= 390);
  });
});

describe("the page of what changed", () => {
  it("shows the change first, and only what changed", async () => {
    const { page, wrong } = await opened("diff");
    const text = await page.locator("main").innerText();
    assert.match(text, /against old: transfer/);
    assert.match(text, /100 → 130 instructions per iteration \(\+30, \+30\.0 %\)/);
    const rows = await page.locator("table").nth(1).locator("tbody tr").allInnerTexts();
    assert.equal(rows.length, 1);
    assert.match(rows[0], /\+30\s+\+60\.0 %\s+50\s+80\s+seal/);
    assert.deepEqual(wrong, []);
  });

  it("colours what takes more, and leaves the rest grey", async () => {
    const { page } = await opened("diff");
    const colour = (name) =>
      boxes(page, "client").filter({ hasText: name }).first().evaluate((box) => getComputedStyle(box).backgroundColor);
    assert.notEqual(await colour("seal"), await colour("memcpy"));
    assert.equal(await colour("seal"), await colour("client"), "the whole change is there");
    await page.getByLabel("what the widths are").first().selectOption("before");
    const box = (name) => boxes(page, "client").filter({ hasText: name }).first().boundingBox();
    assert.ok(Math.abs((await box("seal")).width / (await box("client")).width - 65 / 100) < 0.01);
  });
});
