// The report's page in a browser: opened as a file, without a network.
// `TLSLAB_PAGE` names a page to look at; without it the example's page is built. `CHROMIUM` names the browser.

import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";
import { makePage, pagesOf } from "./browser.js";
import { everyPage } from "./checks.js";

const folder = mkdtempSync(join(tmpdir(), "tlslab-pages-"));
let browser;
let address;
let crossAddress;
let manyAddress;

before(async () => {
  const page = (made, name, ...args) => {
    const file = made ?? join(folder, name);
    if (!made) makePage("report_page", file, ...args);
    return pathToFileURL(file).href;
  };
  address = page(process.env.TLSLAB_PAGE, "report.html");
  crossAddress = page(process.env.TLSLAB_CROSS_PAGE, "cross.html", "cross");
  manyAddress = page(process.env.TLSLAB_MANY_PAGE, "many.html", "many");
  browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    args: [
      "--headless",
      "--no-sandbox",
      "--disable-gpu",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
    ],
  });
});

after(async () => {
  await browser?.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Opens the page, lets `look` look at it, and fails on any error or request. */
async function opened({ at = address, ...options }, look) {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, offline: true, ...options });
  const page = await context.newPage();
  const faults = [];
  page.on("console", (message) => faults.push(`console: ${message.text()}`));
  page.on("pageerror", (error) => faults.push(`error: ${error.message}`));
  page.on("request", (request) => {
    if (request.url() !== at.split("#")[0] && !/^(data|blob):/.test(request.url())) faults.push(`request: ${request.url()}`);
  });
  try {
    await page.goto(at);
    const seen = await look(page);
    assert.deepEqual(faults, []);
    return seen;
  } finally {
    await context.close();
  }
}

everyPage(pagesOf("report_page", ["run", "cross"]), ["run", "cross"]);

const visibleRows = (page) => page.locator("#cell-table tbody tr:visible");
const column = (page, n) => page.locator(`#cell-table tbody tr:visible td:nth-child(${n})`).allTextContents();

describe("the page", () => {
  it("opens offline and shows the main result first", async () => {
    await opened({}, async (page) => {
      assert.match(await page.title(), /^4 stacks compared on 12 scenarios: run /);
      const card = await page.locator(".cards .card").first().boundingBox();
      assert.ok(card.y + card.height < 900, "the first card is on the first screen");
      assert.match(await page.locator(".cards .lead").first().textContent(), /takes [\d.]+ % less time than openssl/);
      assert.match(await page.locator("h1").textContent(), /takes [\d.]+ % less time than openssl-3\.5\.4 in handshakes \(client\)/);
      const top = async (id) => (await page.locator(id).boundingBox()).y;
      assert.ok((await top("#results")) < (await top("#warnings")), "warnings come after the results");
      assert.ok((await top("#warnings")) < (await top("#plots")));
    });
  });

  for (const width of [390, 768, 1440]) {
    it(`does not scroll sideways at ${width} px`, async () => {
      await opened({ viewport: { width, height: 844 } }, async (page) => {
        await page.evaluate(() => { for (const details of document.querySelectorAll("details")) details.open = true; });
        const [content, window] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
        assert.equal(content, window);
      });
    });
  }

  it("has every figure without JavaScript", async () => {
    await opened({ javaScriptEnabled: false }, async (page) => {
      assert.ok((await visibleRows(page).count()) > 200);
      assert.equal(await page.locator("#plots").isVisible(), false);
      assert.equal(await page.locator('[data-do="theme"]').isVisible(), false);
      assert.ok(await page.locator("noscript p").isVisible());
    });
  });

  it("gives tables headers and controls names", async () => {
    await opened({}, async (page) => {
      const unnamed = await page.evaluate(() => {
        const named = (control) => control.labels?.length > 0 || control.ariaLabel || control.textContent.trim() !== "";
        const controls = [...document.querySelectorAll("button, input, select")].filter((control) => !named(control));
        const tables = [...document.querySelectorAll("table")].filter((table) => !table.querySelector("thead th[scope=col]"));
        return [...controls, ...tables].map((element) => element.outerHTML.slice(0, 120));
      });
      assert.deepEqual(unnamed, []);
    });
  });
});

describe("colours", () => {
  const paper = (page) => page.evaluate(() => getComputedStyle(document.body).backgroundColor);

  it("follow the system until the reader chooses", async () => {
    await opened({ colorScheme: "dark" }, async (page) => {
      const dark = await paper(page);
      const bar = () => page.locator("#bars .fill").first().evaluate((fill) => getComputedStyle(fill).fill);
      const darkBar = await bar();
      const button = page.locator('[data-do="theme"]');
      await button.click();
      assert.match(await button.textContent(), /light/);
      assert.notEqual(await paper(page), dark);
      assert.notEqual(await bar(), darkBar, "plots follow");
      await button.click();
      assert.equal(await paper(page), dark);
    });
  });

  for (const colorScheme of ["light", "dark"]) {
    it(`have contrast in ${colorScheme}`, async () => {
      await opened({ colorScheme }, async (page) => {
        const contrasts = await page.evaluate(() => {
          const probe = document.body.appendChild(document.createElement("i"));
          const colour = (name) => {
            probe.style.color = `var(${name})`;
            return getComputedStyle(probe).color;
          };
          const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
          const luminance = (name) => {
            canvas.fillStyle = colour(name);
            canvas.fillRect(0, 0, 1, 1);
            const linear = (part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
            const [red, green, blue] = [...canvas.getImageData(0, 0, 1, 1).data].map((part) => linear(part / 255));
            return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
          };
          const against = (paper) => (name) => {
            const [dark, light] = [luminance(name), luminance(paper)].sort((a, b) => a - b);
            return [`${name} on ${paper}`, (light + 0.05) / (dark + 0.05)];
          };
          const text = ["--ink", "--soft", "--accent", "--improvement", "--regression", "--inconclusive", "--failed", "--warning"];
          const numbered = (name, count) => Array.from({ length: count }, (_, at) => `${name}-${at}`);
          const graphics = [...numbered("--stack", 8), ...numbered("--phase", 4)];
          return {
            text: [...text.map(against("--paper")), ...["--ink", "--soft"].map(against("--raised")), against("--sunken")("--ink")],
            graphics: graphics.map(against("--paper")),
          };
        });
        for (const [what, contrast] of contrasts.text) assert.ok(contrast >= 4.5, `${what}: ${contrast}`);
        for (const [what, contrast] of contrasts.graphics) assert.ok(contrast >= 3, `${what}: ${contrast}`);
      });
    });
  }
});

describe("the table of cells", () => {
  it("sorts numbers as numbers, and back", async () => {
    await opened({}, async (page) => {
      const numbers = async () => {
        const texts = await column(page, 5);
        return texts.filter((text) => text !== "–").map((text) => Number(text.replaceAll(",", "")));
      };
      const header = page.locator("#cell-table thead th").nth(4);
      await header.locator("button").click();
      assert.equal(await header.getAttribute("aria-sort"), "ascending");
      const rising = await numbers();
      assert.ok(rising.length > 100);
      assert.ok(rising.every((number, at) => at === 0 || number >= rising[at - 1] * 0.99));
      await header.locator("button").press("Enter");
      assert.equal(await header.getAttribute("aria-sort"), "descending");
      const falling = await numbers();
      assert.deepEqual(falling[0], rising.at(-1));
      const last = await visibleRows(page).last().textContent();
      assert.match(last, /failed|unsupported/, "rows without a value come last");
    });
  });

  it("filters by words and by choice, and says how many are left", async () => {
    await opened({}, async (page) => {
      const all = await visibleRows(page).count();
      await page.locator("#find").fill("rsa-2048 rustls");
      const found = await visibleRows(page).allTextContents();
      assert.ok(found.length > 0 && found.length < all);
      assert.ok(found.every((row) => row.includes("rsa-2048") && row.includes("rustls")));
      await page.locator('[data-filter="side"]').selectOption("server");
      await page.locator('[data-filter="metric"]').selectOption("time");
      assert.equal(await visibleRows(page).count(), 2);
      assert.equal(await page.locator("#shown").textContent(), `2 of ${all} cells`);
      await page.locator("#find").fill("nothing is called so");
      assert.equal(await visibleRows(page).count(), 0);
    });
  });

  it("makes the rows when they are too many to stand on the page", async () => {
    await opened({ at: manyAddress }, async (page) => {
      const shown = () => page.locator("#shown").textContent();
      assert.equal(await visibleRows(page).count(), 500);
      assert.match(await shown(), /^\d{5} cells, the first 500 shown$/);
      await page.locator("#more").click();
      assert.equal(await visibleRows(page).count(), 1000);
      await page.locator("#cell-table thead th").nth(4).locator("button").click();
      const texts = await column(page, 5);
      const numbers = texts.filter((text) => text !== "–").map((text) => Number(text.replaceAll(",", "")));
      assert.ok(numbers.length > 100);
      assert.ok(numbers.every((number, at) => at === 0 || number >= numbers[at - 1] * 0.99));
      await page.locator("#find").fill("failed");
      assert.match(await visibleRows(page).first().textContent(), /failed/);
      await page.locator("#find").fill("rsa-2048 rustls");
      await page.locator('[data-filter="metric"]').selectOption("time");
      const found = await visibleRows(page).allTextContents();
      assert.ok(found.length > 0 && found.every((row) => row.includes("rsa-2048") && row.includes("rustls")));
    });
  });

  it("says the same of a cell whether it stands on the page or is made", async () => {
    const first = (at) => opened({ at }, async (page) => {
      const rows = await visibleRows(page).allTextContents();
      return rows.slice(0, 400).map((row) => row.replace(/\s+/g, ""));
    });
    const text = await first(address);
    assert.equal(text.length, 400);
    assert.deepEqual(await first(manyAddress), text);
  });

  it("can be downloaded unchanged", async () => {
    await opened({}, async (page) => {
      const [download] = await Promise.all([page.waitForEvent("download"), page.locator("#download").click()]);
      assert.match(download.suggestedFilename(), /\.results\.json$/);
      const results = JSON.parse(readFileSync(await download.path(), "utf8"));
      assert.equal(results.cells.length, await visibleRows(page).count());
    });
  });
});

describe("the plots", () => {
  it("tell value and interval where one points", async () => {
    await opened({}, async (page) => {
      const tip = page.locator("#tip");
      await page.locator("#bars .bar").first().hover();
      assert.match(await tip.textContent(), /openssl-3\.5\.4, client.*\n[\d.,]+ (± [\d.,]+|\[[\d.,]+, [\d.,]+\]) µs\n[\d.,]+ to [\d.,]+ at 99/);
      await page.locator("#distribution circle").first().hover({ force: true });
      assert.match(await tip.textContent(), /round \d+: [\d.]+ µs/);
      await page.locator("#phases .point").nth(1).hover();
      assert.match(await tip.textContent(), /% of the time/);
      await page.locator("h1").hover();
      assert.equal(await tip.isVisible(), false);
    });
  });

  it("can be walked by keyboard", async () => {
    await opened({}, async (page) => {
      assert.equal(await page.locator('#bars .point[tabindex="0"]').count(), 1, "one stop of the tab key");
      await page.locator("#bars .point").first().focus();
      await page.keyboard.press("ArrowDown");
      const label = await page.evaluate(() => document.activeElement.getAttribute("aria-label"));
      assert.match(label, /^rustls/);
      assert.equal(await page.locator("#tip").textContent(), label);
    });
  });

  it("hide and show stacks, everywhere", async () => {
    await opened({}, async (page) => {
      const before = await page.locator("#bars .bar").count();
      await page.locator('#stack-toggles input[value="bertie-0.1.0-pre.2"]').uncheck();
      assert.equal(await page.locator("#bars .bar").count(), (before * 3) / 4);
      assert.equal(await page.locator("#distribution g.stack-2").count(), 0);
      assert.equal((await page.locator("#phases").textContent()).includes("bertie"), false);
      await page.locator('#stack-toggles input[value="bertie-0.1.0-pre.2"]').check();
      assert.equal(await page.locator("#bars .bar").count(), before);
    });
  });

  it("switch between time and speed, and between scales", async () => {
    await opened({}, async (page) => {
      const heading = page.locator("#bars h3").first();
      assert.equal(await heading.textContent(), "Full handshake, µs");
      await page.locator('input[name="quantity"][value="speed"]').check();
      assert.equal(await heading.textContent(), "Full handshake, handshakes/s");
      assert.match(await page.locator("#bars h3").nth(1).textContent(), /MB\/s/);
      const width = () => page.locator("#bars .bar-group").nth(5).locator(".fill").first().getAttribute("width");
      const own = await width();
      await page.locator('input[name="scale"][value="shared"]').check();
      assert.notEqual(await width(), own);
    });
  });

  it("draw the scenario, side and axis that are chosen", async () => {
    await opened({}, async (page) => {
      const label = () => page.locator("#distribution-svg").getAttribute("aria-label");
      assert.match(await label(), /^Samples of handshake\/1\.3\/ecdsa-p256\/x25519\/aes-128-gcm\/none, client/);
      await page.locator("#scenario").selectOption("transfer/1.3/aes-128-gcm/client-sends/1MiB/warm");
      await page.locator('input[name="plot-side"][value="server"]').check();
      assert.match(await label(), /^Samples of transfer.*1MiB\/warm, server/);
      assert.match(await page.locator("#phases .legend").textContent(), /send.*receive/);
      const axes = () => page.locator("#distribution text", { hasText: "µs per iteration" }).count();
      assert.equal(await axes(), 1);
      await page.locator('input[name="axis"][value="own"]').check();
      assert.equal(await axes(), 3);
    });
  });

  it("stay within their boxes on a phone", async () => {
    await opened({ viewport: { width: 390, height: 844 } }, async (page) => {
      const outside = await page.evaluate(() =>
        [...document.querySelectorAll("#bars *, #phases *, #distribution-svg *")]
          .filter((element) => {
            const { left, right, width } = element.getBoundingClientRect();
            return width > 0 && (left < -1 || right > innerWidth + 1);
          })
          .map((element) => element.outerHTML.slice(0, 100)),
      );
      assert.deepEqual(outside, []);
    });
  });
});

describe("the view", () => {
  it("is kept in the address and comes back from it", async () => {
    const state = await opened({}, async (page) => {
      await page.locator("#find").fill("rsa-2048 rustls");
      await page.locator('[data-filter="metric"]').selectOption("time");
      await page.locator("#cell-table thead th").nth(4).locator("button").click();
      await page.locator("#cell-table thead th").nth(4).locator("button").click();
      await page.locator("#scenario").selectOption("transfer/1.3/aes-128-gcm/client-sends/1MiB/warm");
      await page.locator('input[name="plot-side"][value="server"]').check();
      await page.locator('#stack-toggles input[value="bertie-0.1.0-pre.2"]').uncheck();
      return [await page.evaluate(() => location.hash), await visibleRows(page).allTextContents()];
    });
    await opened({ at: address + state[0] }, async (page) => {
      assert.deepEqual(await visibleRows(page).allTextContents(), state[1]);
      assert.equal(await page.locator("#cell-table thead th").nth(4).getAttribute("aria-sort"), "descending");
      assert.match(await page.locator("#distribution-svg").getAttribute("aria-label"), /^Samples of transfer.*1MiB\/warm, server/);
      assert.equal(await page.locator("#distribution g.stack-2").count(), 0);
    });
  });

  it("leads from a figure to its samples, its proof and its commands", async () => {
    await opened({}, async (page) => {
      const group = page.locator("#results tr.group", { hasText: "1MiB/warm" }).first();
      await group.getByRole("link", { name: "samples" }).click();
      assert.match(await page.locator("#distribution-svg").getAttribute("aria-label"), /^Samples of transfer.*1MiB\/warm/);
      const proof = (await group.getByRole("link", { name: "proof" }).getAttribute("href")).slice(1);
      assert.match(await page.locator(`details:has([id="${proof}"]) summary`).first().textContent(), /1MiB\/warm/);
      const commands = (await group.getByRole("link", { name: "commands" }).getAttribute("href")).slice(1);
      assert.match(await page.locator(`[id="${commands}"] code`).first().textContent(), /^tlslab run --stack .*1MiB\/warm/);
    });
  });
});

describe("the map of clients by servers", () => {
  const clients = (page) => page.locator(".heat tbody th").allTextContents();
  const servers = (page) => page.locator(".heat thead th span").allTextContents();
  const field = (page, client, server) =>
    page.locator(`.heat td[aria-label^="${client} → ${server}\\a "]`).first();

  it("is there without JavaScript, with every pair and every failure", async () => {
    await opened({ at: crossAddress, javaScriptEnabled: false }, async (page) => {
      const count = (await clients(page)).length;
      assert.equal(count, 4);
      assert.equal(await page.locator(".heat td").count(), count * count);
      assert.equal(await page.locator(".heat td.failed").count(), 2);
      assert.ok((await page.locator(".heat td.unsupported").count()) > 0);
      const failures = await page.locator(".failures tbody").textContent();
      assert.match(failures, /fatal decrypt_error \(51\)/);
      assert.match(failures, /bad <signature>/);
    });
  });

  it("shows the time that is chosen, in the order that is chosen", async () => {
    await opened({ at: crossAddress }, async (page) => {
      const names = await clients(page);
      const own = field(page, names[0], names[0]);
      const sum = Number(await own.textContent());
      await page.locator('input[name="shown-1"][value="client"]').check();
      const client = Number(await own.textContent());
      await page.locator('input[name="shown-1"][value="server"]').check();
      const server = Number(await own.textContent());
      assert.ok(Math.abs(client + server - sum) < 3, `${client} + ${server} = ${sum}`);
      const sorted = [...names].sort();
      assert.deepEqual(await clients(page), sorted);
      await page.locator('input[name="order-1"][value="speed"]').check();
      const bySpeed = await servers(page);
      assert.deepEqual([...bySpeed].sort(), sorted);
      // The row's fields have moved with their columns.
      const labels = await page.locator(".heat tbody tr").first().locator("td").evaluateAll((fields) =>
        fields.map((each) => each.getAttribute("aria-label").split("\n")[0].split(" → ")[1]));
      assert.deepEqual(labels, bySpeed);
    });
  });

  it("tells the figures and the reasons at a field that is pointed at", async () => {
    await opened({ at: crossAddress }, async (page) => {
      await page.locator(".heat td.heat-0").first().hover();
      assert.match(await page.locator("#tip").textContent(), /client .* µs\nserver .* µs\nsum .* µs\n\d+ connections/);
      await page.locator(".heat td.failed").first().hover();
      assert.match(await page.locator("#tip").textContent(), /failed: /);
    });
  });

  for (const width of [390, 1440]) {
    it(`scrolls within its box at ${width} px`, async () => {
      await opened({ at: crossAddress, viewport: { width, height: 844 } }, async (page) => {
        const [content, window] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
        assert.equal(content, window);
      });
    });
  }
});
