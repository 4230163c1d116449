// Takes a picture of the history of a site's stack with the most versions: node picture.js SITE OUT.png

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

const [site, out] = process.argv.slice(2);
const stacks = JSON.parse(readFileSync(join(site, "data/stacks.json"), "utf8"));
const { name } = stacks.reduce((most, stack) => (stack.versions > most.versions ? stack : most));
const slug = name.replaceAll("/", "~");
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: ["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"],
});
try {
  const page = await browser.newPage({ viewport: { width: 1200, height: 860 }, colorScheme: "light" });
  await page.goto(pathToFileURL(join(site, `history/${slug}.html`)).href);
  await page.locator("#plot canvas").waitFor();
  await page.screenshot({ path: out });
} finally {
  await browser.close();
}
