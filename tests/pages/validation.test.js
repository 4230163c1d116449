// The page of a validation, in a browser: opened as a file, without a network.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { pagesOf } from "./browser.js";
import { everyPage } from "./checks.js";

const KINDS = ["many", "few"];
const opened = pagesOf("validation_page", KINDS);
everyPage(opened, KINDS);

describe("the page of a validation", () => {
  it("says the rate of false alarms with its bound, and the power", async () => {
    const { page } = await opened("many");
    assert.equal(
      await page.locator("h1").innerText(),
      "No false alarm in 80 jobs in which nothing had changed: the rate is at most 8.8 %",
    );
    assert.match(await page.locator(".verdict p").innerText(), /A slow-down of 1 % was found in at least 80 % of the jobs of every cell|a slow-down of 1 % was found/);
    assert.equal(await page.locator(".power circle").count(), 6);
  });

  it("says that there are too few jobs to say", async () => {
    const { page } = await opened("few");
    assert.equal(await page.locator("h1").innerText(), "2 jobs without a change are too few to bound the rate of false alarms");
    assert.match(await page.locator(".verdict p").innerText(), /1 job for each cell are too few to estimate power/);
  });
});
