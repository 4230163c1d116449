// How soon a browser shows the pages of a site, over loopback and with an empty cache: node paint.js SITE
//
// Of each folder the largest page, and the pages at the top: first contentful paint, the median of five, and the page's bytes with and
// without the data that its scripts read.

import { readFileSync, readdirSync, statSync } from "node:fs";
import { createServer } from "node:http";
import { extname, join, relative } from "node:path";
import { loadavg } from "node:os";
import { launch } from "./browser.js";

const LOADS = 5;
const TYPES = { ".html": "text/html", ".css": "text/css", ".js": "text/javascript", ".json": "application/json", ".svg": "image/svg+xml" };

const site = process.argv[2];
const files = readdirSync(site, { recursive: true }).map(String).filter((path) => path.endsWith(".html"));
const bytes = (path) => statSync(join(site, path)).size;
const largest = new Map();
for (const path of files) {
  const group = path.split("/").length > 1 ? path.split("/").slice(0, -1).join("/").replace(/^runs\/.*/, "runs/*") : path;
  if (!largest.has(group) || bytes(largest.get(group)) < bytes(path)) largest.set(group, path);
}

const server = createServer((request, response) => {
  const path = join(site, decodeURIComponent(new URL(request.url, "http://site").pathname));
  const inside = !relative(site, path).startsWith("..");
  try {
    const text = readFileSync(inside ? path : "");
    response.setHeader("content-type", TYPES[extname(path)] ?? "text/plain").end(text);
  } catch {
    response.writeHead(404).end();
  }
});
server.listen(0, "127.0.0.1");
await new Promise((resolve) => server.once("listening", resolve));
const base = `http://127.0.0.1:${server.address().port}/`;
const browser = await launch();
console.log(`load of the machine: ${loadavg()[0].toFixed(2)}`);
console.log("first paint, ms    page, KB   before data, KB   page");
try {
  for (const path of [...largest.values()].sort()) {
    const paints = [];
    for (let load = 0; load < LOADS; load += 1) {
      const context = await browser.newContext({ viewport: { width: 1400, height: 900 } });
      const page = await context.newPage();
      await page.goto(base + path.split("/").map(encodeURIComponent).join("/"));
      const paint = () => performance.getEntriesByName("first-contentful-paint")[0]?.startTime;
      paints.push(await page.waitForFunction(paint).then((found) => found.jsonValue()));
      await context.close();
    }
    paints.sort((one, other) => one - other);
    const text = readFileSync(join(site, path), "utf8");
    const data = [...text.matchAll(/<script type="application\/json"[^>]*>[^<]*<\/script>/g)];
    const before = Buffer.byteLength(text) - data.reduce((sum, [found]) => sum + Buffer.byteLength(found), 0);
    const columns = [paints[2].toFixed(0).padStart(15), (bytes(path) / 1e3).toFixed(0).padStart(11), (before / 1e3).toFixed(0).padStart(17)];
    console.log(`${columns.join(" ")}   ${path}`);
  }
} finally {
  await browser.close();
  server.close();
}
