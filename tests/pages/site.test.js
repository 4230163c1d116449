// A static site in a browser: its pages lead to each other, and each answers its question first.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { siteOf } from "./browser.js";
import { everyPage, findings, sideways } from "./checks.js";

const RUN = "runs/20261123-101500-k3vq";
const SCENARIO = "scenarios/handshake~1.3~ecdsa-p256~x25519~aes-128-gcm~chain+name";
const opened = siteOf("site_pages");
everyPage(opened, [
  "index",
  "questions",
  "runs/index",
  "stacks/index",
  "stacks/openssl",
  "capabilities",
  "scenarios/index",
  "comparisons/index",
  "choose",
  "search",
  "history/index",
  "history/openssl",
]);

const heading = (page) => page.locator("h1").innerText();

describe("the site", () => {
  it("has an overview that says what is wrong and leads there", async () => {
    const { page } = await opened("index");
    assert.match(await heading(page), /regression|things? to look at|failure/);
    await page.locator("#stacks").getByRole("link", { name: "openssl", exact: true }).click();
    assert.match(await heading(page), /^openssl 3\.5\.5: \d+ cells with a value/);
    await page.getByRole("link", { name: "All series" }).click();
    assert.match(page.url(), /history\/openssl\.html/);
    await page.getByRole("navigation", { name: "Breadcrumbs" }).getByRole("link", { name: "Overview" }).click();
    assert.match(page.url(), /index\.html/);
  });

  it("answers each question with one command, whose output is below it", async () => {
    const { page } = await opened("questions");
    const questions = await page.locator("h3").allInnerTexts();
    assert.ok(questions.length >= 15, `${questions.length} questions`);
    assert.equal(await page.locator(".command code").count(), questions.length);
    const answer = page.locator("#what-does-ml-kem-cost ~ p.answer").first();
    assert.match(await answer.innerText(), /^x25519mlkem768 instead of x25519 costs a server /);
    await page.locator("details summary").first().click();
    assert.ok(await page.locator("details pre").first().isVisible());
  });

  it("leads from a run to its stacks, scenarios, history and data", async () => {
    const { page, wrong } = await opened(RUN);
    const hrefs = await page.locator("main a").evaluateAll((links) => links.map((link) => link.getAttribute("href")));
    for (const part of ["../stacks/", "../scenarios/", "../history/", ".json", ".csv"]) {
      assert.ok(hrefs.some((href) => href?.includes(part)), `no link to ${part}`);
    }
    assert.deepEqual(await findings(page), []);
    assert.deepEqual(wrong, []);
  });

  it("finds stacks, scenarios and runs, and the address keeps the question", async () => {
    const { page } = await opened("search");
    await page.locator("[name=q]").fill("openssl stack");
    assert.match(await page.locator("#found li").first().innerText(), /^openssl stack/);
    const { page: again } = await opened("search", { state: "#q=20261123" });
    assert.match(await again.locator("#found li").first().innerText(), /^20261123-101500-k3vq run/);
    await again.locator("[name=q]").press("Enter");
    await again.keyboard.press("Enter");
    await again.waitForURL(/runs\//);
  });

  it("ranks stacks for a mix, says which are not ranked and why, and the address keeps the mix", async () => {
    const { page } = await opened("choose");
    const names = () => page.locator("#ranking tbody th").allInnerTexts();
    const before = await heading(page);
    await page.locator("[name=kib]").fill("0");
    await page.locator("[name=resumed]").fill("0");
    assert.notEqual(await heading(page), before);
    assert.ok((await names()).length > 0);
    assert.equal(await page.locator("[name=mix]").inputValue(), "own");
    const state = await page.evaluate(() => location.hash);
    const { page: again } = await opened("choose", { state });
    assert.equal(await heading(again), await heading(page));
    const places = await page.locator("#ranking tbody tr").count();
    const missing = await page.locator("#missing li:not(.soft)").count();
    const all = await page.evaluate(() => JSON.parse(document.getElementById("choice").textContent).candidates.length);
    assert.equal(places + missing, all, "a stack has vanished");
  });

  it("opens what a stack can do by a link, and has room for it on a narrow page in both themes", async () => {
    for (const colorScheme of ["light", "dark"]) {
      const { page, wrong } = await opened("capabilities", {
        state: "#openssl@3.5.5", colorScheme, viewport: { width: 390, height: 800 },
      });
      const part = page.locator("[id='openssl@3.5.5']");
      assert.ok(await part.isVisible(), "the link has not opened it");
      const reasons = await part.locator(".notes li").evaluateAll((items) => items.map((item) => item.firstChild.textContent));
      assert.ok(reasons.length > 0 && new Set(reasons).size === reasons.length, reasons.join("\n"));
      await page.evaluate(() => { for (const fold of document.querySelectorAll("details")) fold.open = true; });
      assert.deepEqual(await findings(page), []);
      assert.ok((await sideways(page)) <= 0, "it scrolls sideways");
      assert.deepEqual(wrong, []);
    }
  });

  it("can be read without scripts", async () => {
    for (const path of ["index", "choose", SCENARIO, "history/openssl"]) {
      const { page } = await opened(path, { javaScriptEnabled: false });
      assert.ok((await page.locator("main table tbody tr").count()) > 0, path);
      assert.equal(await page.locator("#theme, [data-do=theme]").first().isVisible(), false);
    }
  });

  it("remembers the theme that somebody has chosen", async () => {
    const { page } = await opened("index");
    const colours = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    const light = await colours();
    await page.locator("[data-do=theme]").click();
    await page.locator("[data-do=theme]").click();
    assert.equal(await page.locator("[data-do=theme]").innerText(), "Theme: dark");
    assert.notEqual(await colours(), light);
    await page.reload();
    assert.equal(await page.locator("[data-do=theme]").innerText(), "Theme: dark");
  });

  it("has a menu on a narrow page that keys open", async () => {
    const { page } = await opened("index", { viewport: { width: 390, height: 800 } });
    const menu = page.locator("#site");
    assert.equal(await menu.isVisible(), false);
    await page.getByRole("button", { name: "Menu" }).press("Enter");
    assert.equal(await menu.isVisible(), true);
    await page.keyboard.press("Escape");
    assert.equal(await menu.isVisible(), false);
  });
});
