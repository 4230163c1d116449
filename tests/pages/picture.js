// Takes a picture of what threads of OpenSSL's releases contend for, as a site shows it, and writes the page's text next to it:
// node picture.js SITE OUT.png

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { launch } from "./browser.js";

const STACK = "openssl";
const SCENARIO = "handshake 1.3 · ecdsa-p256 · x25519 · aes-128-gcm · none";
const METRIC = "contended atomics";

/** The page of the picture, open in a browser: both sides, logarithmic. */
export async function pictured(browser, site) {
  const page = await browser.newPage({ viewport: { width: 1200, height: 860 }, colorScheme: "light" });
  await page.goto(`${pathToFileURL(join(site, `history/${STACK}.html`)).href}#log=1&find=${encodeURIComponent(METRIC)}&series=none`);
  for (const side of ["client", "server"]) {
    const one = page.locator("li", { hasText: SCENARIO }).filter({ hasText: `${side} · ${METRIC}` });
    await one.locator("input").check();
  }
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
