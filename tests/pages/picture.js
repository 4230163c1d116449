// Takes a picture of the history of a site's stack with the most versions, and writes down beside it what the page says:
// node picture.js SITE OUT.png

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { launch } from "./browser.js";

/** The page of the picture, open in a browser. */
export async function pictured(browser, site) {
  const stacks = JSON.parse(readFileSync(join(site, "data/stacks.json"), "utf8"));
  const { name } = stacks.reduce((most, stack) => (stack.versions > most.versions ? stack : most));
  const page = await browser.newPage({ viewport: { width: 1200, height: 860 }, colorScheme: "light" });
  await page.goto(pathToFileURL(join(site, `history/${name.replaceAll("/", "~")}.html`)).href);
  await page.locator("#plot canvas").waitFor();
  return page;
}

/** What the page says, as far as the picture shows it. */
export const words = async (page) => `${await page.locator(".verdict").innerText()}\n\n${await page.locator("#plots").innerText()}\n`;

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [site, out] = process.argv.slice(2);
  const browser = await launch();
  try {
    const page = await pictured(browser, site);
    await page.screenshot({ path: out });
    writeFileSync(out.replace(/\.png$/, ".txt"), await words(page));
  } finally {
    await browser.close();
  }
}
