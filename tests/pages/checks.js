// What holds for every page of the lab, whatever it shows.

import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import axe from "axe-core";

/**
 * What axe-core finds that is serious or critical: rule, element and what is wrong with it. It must not load style sheets again, which a
 * page in a file cannot do. `rules` are the only ones that are tried, if any are named.
 */
export async function findings(page, rules = []) {
  if (!(await page.evaluate(() => "axe" in globalThis))) await page.evaluate(axe.source);
  const options = { resultTypes: ["violations"], preload: false, ...(rules.length > 0 && { runOnly: rules }) };
  const { violations } = await page.evaluate((options) => globalThis.axe.run(document, options), options);
  const heavy = violations.filter(({ impact }) => impact === "serious" || impact === "critical");
  return heavy.flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.target.join(" ")}: ${node.failureSummary}`));
}

/** How much wider the document is than the window, px. */
export const sideways = (page) => page.evaluate(() => document.documentElement.scrollWidth - innerWidth);

/** The content security policy of the page. */
export const policyOf = (page) => page.locator('meta[http-equiv="Content-Security-Policy"]').getAttribute("content");

/** Elements with a style attribute or an inline handler in the page's text. */
export const inlined = (page) =>
  page.evaluate(() => {
    const handled = (element) => [...element.attributes].some(({ name }) => name === "style" || name.startsWith("on"));
    return [...document.querySelectorAll("*")].filter(handled).map((element) => element.outerHTML.slice(0, 120));
  });

/** Controls that are shown, can be used and are reached neither by the tab key nor, within a plot, by arrow keys. */
export async function unreached(page) {
  const wanted = await page.evaluate(() => {
    const isShown = (element) => element.checkVisibility({ visibilityProperty: true });
    const controls = [...document.querySelectorAll("a[href], button, input, select, textarea, summary")].filter(isShown);
    const groups = new Set();
    const stops = controls.filter((control) => {
      if (control.disabled || control.tabIndex < 0) return false;
      // The tab key stops once in a group of radio buttons.
      if (control.type !== "radio") return true;
      if (groups.has(control.name)) return false;
      return groups.add(control.name);
    });
    globalThis.wantedStops = new Set(stops);
    return stops.length;
  });
  await page.evaluate(() => { document.activeElement?.blur?.(); scrollTo(0, 0); });
  for (let press = 0; press < 4 * wanted + 60; press += 1) {
    await page.keyboard.press("Tab");
    const left = await page.evaluate(() => {
      const active = document.activeElement;
      for (const stop of globalThis.wantedStops) {
        if (stop === active || (active.type === "radio" && stop.name === active.name)) globalThis.wantedStops.delete(stop);
      }
      return globalThis.wantedStops.size;
    });
    if (left === 0) return [];
  }
  return page.evaluate(() => [...globalThis.wantedStops].map((stop) => stop.outerHTML.slice(0, 120)));
}

/** Tests of pages that `pagesOf` opens: each kind at two widths in both themes. */
export function everyPage(opened, kinds) {
  for (const kind of kinds) {
    describe(`the page "${kind}", as every page`, () => {
      for (const width of [1200, 390]) {
        // One page for both themes, which differ in colours alone.
        let shared;
        after(() => shared?.page.context().close());
        for (const [colorScheme, rules] of [["light", []], ["dark", ["color-contrast"]]]) {
          it(`has no serious finding, error or sideways scroll in ${colorScheme} at ${width} px`, async () => {
            shared ??= await opened(kind, { viewport: { width, height: 900 } });
            const { page, wrong } = shared;
            await page.emulateMedia({ colorScheme });
            assert.deepEqual(await findings(page, rules), []);
            assert.ok((await sideways(page)) <= 0, "it scrolls sideways");
            assert.deepEqual(wrong, []);
          });
        }
      }
      it("is reached by keyboard", async () => {
        const { page } = await opened(kind);
        assert.deepEqual(await unreached(page), []);
        await page.context().close();
      });
      it("has a policy without inline styles and scripts, and needs none", async () => {
        const { page } = await opened(kind, { javaScriptEnabled: false });
        const policy = await policyOf(page);
        assert.match(policy, /default-src 'none'/);
        assert.doesNotMatch(policy, /unsafe/);
        assert.deepEqual(await inlined(page), []);
        await page.context().close();
      });
    });
  }
}
