// The pages of a profile and of what changed in it, in a browser: opened as files, without a network.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { pagesOf } from "./browser.js";
import { everyPage } from "./checks.js";

const opened = pagesOf("profile_page", ["profile", "diff"]);

everyPage(opened, ["profile", "diff"]);

const boxes = (page, side) => page.locator(`#${side} .flame .box:not([hidden])`);
const named = (page, side, name) => page.locator(`#${side} .flame .box[data-name='${name}']:not([hidden])`).first();
const names = (page, side) => boxes(page, side).evaluateAll((all) => all.map((box) => box.dataset.name));
const width = async (page, side, name) => (await named(page, side, name).boundingBox()).width;
const cells = (row) => row.locator("th, td").allInnerTexts();
const plain = (texts) => texts.map((text) => text.replace(/\s+/g, " ").trim());

describe("the page of a profile", () => {
  it("shows the functions, the parts and the stacks of both sides", async () => {
    const { page, wrong } = await opened("profile");
    assert.match(await page.locator("h1").textContent(), /^seal takes 61\.5 % of the instructions of the client and 61\.5 % of those of the server$/);
    assert.deepEqual(await page.locator("h2").allTextContents(), ["Totals", "client", "server"]);
    assert.deepEqual(plain(await cells(page.locator("#totals tbody tr").first())), ["client", "130"]);
    const functions = page.locator("#client .list tbody tr");
    assert.deepEqual(plain(await cells(functions.first())), ["seal src/record.c cryptography 80 from write<a, \"b\">", "61.5 %", "80"]);
    assert.match(await functions.filter({ hasText: "memcpy" }).innerText(), /15 from seal/, "who calls memcpy");
    const part = page.locator("#client .parts-of tbody tr", { hasText: "memory operations" });
    assert.deepEqual(plain(await cells(part)), ["memory operations", "15.4 %", "20"]);
    assert.deepEqual(await names(page, "client"), ["client", 'write<a, "b">', "memcpy", "seal", "memcpy"]);
    assert.deepEqual(wrong, []);
  });

  it("has boxes as wide as what they took, and a click makes one as wide as the graph", async () => {
    const { page } = await opened("profile");
    const whole = await width(page, "client", "client");
    assert.ok(Math.abs((await width(page, "client", "seal")) / whole - 95 / 130) < 0.01);
    await named(page, "client", "seal").click();
    assert.ok((await width(page, "client", "seal")) / whole > 0.99);
    assert.equal(await boxes(page, "client").count(), 4, "boxes next to it are gone");
    await page.getByRole("button", { name: "Whole graph" }).first().click();
    assert.equal(await boxes(page, "client").count(), 5);
  });

  it("has the graph without JavaScript", async () => {
    const { page } = await opened("profile", { javaScriptEnabled: false });
    const whole = await width(page, "client", "client");
    assert.ok(Math.abs((await width(page, "client", "seal")) / whole - 95 / 130) < 0.01);
    assert.equal(await page.locator(".flame form").first().isVisible(), false);
  });

  it("finds functions, and shows the figures of a box that has the focus", async () => {
    const { page } = await opened("profile");
    await page.getByLabel("find a function of the client").fill("MEMCPY");
    assert.equal(await page.locator(".found").count(), 2);
    await named(page, "client", "seal").focus();
    assert.match(await page.locator("[data-told]").first().textContent(), /^seal: 95 instructions \(73\.1 %\)/);
  });

  it("is walked and zoomed by keyboard", async () => {
    const { page } = await opened("profile");
    const focused = () => page.evaluate(() => document.activeElement.dataset.name);
    await named(page, "client", "client").focus();
    await page.keyboard.press("ArrowDown");
    assert.equal(await focused(), 'write<a, "b">');
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowRight");
    assert.equal(await focused(), "seal");
    await page.keyboard.press("Enter");
    assert.equal(await boxes(page, "client").count(), 4);
    await page.keyboard.press("ArrowUp");
    assert.equal(await focused(), 'write<a, "b">');
    await page.keyboard.press("Escape");
    assert.equal(await boxes(page, "client").count(), 5);
  });

  it("keeps the view in the address", async () => {
    const { page } = await opened("profile");
    await named(page, "client", "seal").click();
    await page.getByLabel("find a function of the client").fill("mem");
    const state = await page.evaluate(() => location.hash);
    assert.match(state, /client\.zoom=[0-9a-f]{10}/);
    const again = await opened("profile", { state });
    assert.equal(await boxes(again.page, "client").count(), 4);
    assert.equal(await again.page.locator(".found").count(), 1 + 1, "the one within, and the hidden one next to it");
    assert.equal(await boxes(again.page, "server").count(), 5, "the other side is as it was");
  });

  for (const colorScheme of ["light", "dark"]) {
    it(`has text that can be read on every box in ${colorScheme}`, async () => {
      for (const kind of ["profile", "diff"]) {
        const { page } = await opened(kind, { colorScheme });
        const contrasts = await page.evaluate(() => {
          const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
          const luminance = (colour) => {
            canvas.fillStyle = colour;
            canvas.fillRect(0, 0, 1, 1);
            const linear = (part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
            const [red, green, blue] = [...canvas.getImageData(0, 0, 1, 1).data].map((part) => linear(part / 255));
            return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
          };
          const fill = (element) => getComputedStyle(element).fill;
          const text = luminance(fill(document.querySelector(".flame text")));
          const box = document.querySelector(".flame .box");
          const classes = ["plain-0", "plain-1", "plain-2", "same", "up-1", "up-2", "up-3", "down-1", "down-2", "down-3"];
          return classes.map((name) => {
            box.setAttribute("class", `box ${name}`);
            const [dark, light] = [luminance(fill(box)), text].sort((a, b) => a - b);
            return [name, (light + 0.05) / (dark + 0.05)];
          });
        });
        for (const [name, contrast] of contrasts) assert.ok(contrast >= 4.5, `${name}: ${contrast}`);
      }
    });
  }
});

describe("the page of what changed", () => {
  it("shows the change first, and only what changed", async () => {
    const { page, wrong } = await opened("diff");
    assert.equal(await page.locator("h1").textContent(), "30.0 % more instructions on the client, 30.0 % more instructions on the server");
    const verdict = await page.locator(".verdict").innerText();
    assert.match(verdict, /new: transfer, the candidate, against old: transfer, the baseline/);
    assert.match(verdict, /Largest change on the client: seal \+30 of \+30/);
    assert.deepEqual(plain(await cells(page.locator("#totals tbody tr").first())), ["client", "100", "130", "+30.0 % +30"]);
    const rows = page.locator("#client .list tbody tr");
    assert.equal(await rows.count(), 1);
    assert.deepEqual(plain(await cells(rows)), ["seal src/record.c cryptography", "+30 +60.0 %", "50", "80"]);
    assert.deepEqual(wrong, []);
  });

  it("colours the function with a higher self cost, and leaves its callers grey", async () => {
    const { page } = await opened("diff");
    const colour = (name) => named(page, "client", name).evaluate((box) => getComputedStyle(box).fill);
    assert.notEqual(await colour("seal"), await colour("memcpy"));
    assert.equal(await colour("client"), await colour("memcpy"), "a caller's self cost is unchanged");
    assert.match(await named(page, "client", "seal").getAttribute("aria-label"), /self 50 → 80 instructions \(\+60\.0 %\)/);
    await page.getByLabel("Widths of the client").selectOption("before");
    assert.ok(Math.abs((await width(page, "client", "seal")) / (await width(page, "client", "client")) - 65 / 100) < 0.01);
    const again = await opened("diff", { state: await page.evaluate(() => location.hash) });
    assert.equal(await again.page.getByLabel("Widths of the client").inputValue(), "before");
  });
});
