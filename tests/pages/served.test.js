// The pages of a service, in a browser: it is started on a free port of this machine, with a database of a few jobs.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { after, before, describe, it } from "node:test";
import { launch, makePage, program } from "./browser.js";
import { everyPage } from "./checks.js";
import { PAGES, unanswered } from "./questions.js";

const paths = {
  overview: "/",
  "pull requests": "/pulls",
  "a pull request": "/pulls/tiny/7",
  jobs: "/jobs",
  "failed jobs": "/jobs?project=tiny&state=failed",
  "a job that was compared": "/jobs/compared",
  "a job that failed": "/jobs/failed",
  "a job that runs": "/jobs/measuring",
  "a job that is queued": "/jobs/queued",
  runners: "/runners",
  comparison: "/comparisons/compared",
  runs: "/runs",
  stacks: "/stacks",
  scenarios: "/scenarios",
  search: "/search",
};
const folder = mkdtempSync(join(tmpdir(), "tlslab-served-"));
let service, base, browser;

before(async () => {
  makePage("served_jobs", folder);
  const config = join(folder, "service.toml");
  writeFileSync(config, `listen = "127.0.0.1:0"\nfolder = ${JSON.stringify(folder)}\nlocal_runner = false\n`);
  const own = program("tlslab-service");
  // It has no runner of its own, so the program that such a runner starts is never needed.
  service = spawn(own, ["--config", config, "--lab", own], { stdio: ["ignore", "inherit", "pipe"] });
  base = await new Promise((resolve, reject) => {
    service.on("exit", (code) => reject(new Error(`the service ended with ${code}`)));
    createInterface({ input: service.stderr }).on("line", (line) => {
      const address = /listens at (http:\S+)/.exec(line);
      if (address) resolve(address[1]);
    });
  });
  browser = await launch();
});

after(async () => {
  await browser?.close();
  if (service && service.exitCode === null) {
    const ended = new Promise((resolve) => service.once("exit", resolve));
    service.kill("SIGTERM");
    await ended;
  }
  rmSync(folder, { recursive: true, force: true });
});

async function opened(kind, options = {}) {
  const page = await browser.newPage({ viewport: { width: 1200, height: 900 }, ...options });
  const wrong = [];
  page.on("pageerror", (error) => wrong.push(error.message));
  page.on("console", (message) => message.type() === "error" && wrong.push(message.text()));
  page.on("request", (request) => {
    if (!request.url().startsWith(`${base}/`) && !request.url().startsWith("data:")) wrong.push(`request: ${request.url()}`);
  });
  const answer = await page.goto(base + (paths[kind] ?? kind));
  return { page, wrong, answer };
}

everyPage(opened, Object.keys(paths));

describe("the service's pages", () => {
  for (const [name, entry] of Object.entries(PAGES).filter(([, { of }]) => of === "service")) {
    it(`the page "${name}" answers its questions`, async () => {
      const { page } = await opened(entry.at);
      assert.deepEqual(await unanswered(page, entry), []);
    });
  }

  it("have their policy as a header", async () => {
    for (const kind of Object.keys(paths)) {
      const policy = (await fetch(base + paths[kind])).headers.get("content-security-policy");
      assert.match(policy, /default-src 'none'.*frame-ancestors 'none'/);
      assert.doesNotMatch(policy, /unsafe/);
    }
  });
  it("lead to pages that are there", async () => {
    const seen = new Set();
    const left = Object.values(paths);
    while (left.length > 0) {
      const path = left.pop();
      if (seen.has(path)) continue;
      seen.add(path);
      const answer = await fetch(base + path);
      assert.equal(answer.status, 200, path);
      if (!answer.headers.get("content-type").startsWith("text/html")) continue;
      const text = await answer.text();
      const links = [...text.matchAll(/ (?:href|src)="(\/[^"#]*)/g)].map(([, link]) => link.replaceAll("&#38;", "&"));
      left.push(...links);
    }
    assert.ok(seen.size > 20);
  });
  it("answer what is at no address with a page", async () => {
    const { page, answer } = await opened("/nothing");
    assert.equal(answer.status(), 404);
    assert.match(await page.locator("main").innerText(), /There is nothing at \/nothing/);
  });
  it("say whether a pull request may be merged, while a newer measurement runs", async () => {
    const { page } = await opened("a pull request");
    const heading = await page.locator("h1").innerText();
    assert.match(heading, /^Not known yet for cccccccccc; for aaaaaaaaaa: Not safe to merge: 1 regression \(\+1\.20 %\)/);
    await page.getByRole("link", { name: "Every cell" }).click();
    assert.match(await page.locator("h1").innerText(), /^1 regression \(\+1\.20 %\)/);
  });
  it("show the stage, the time left and the warnings of a job that runs, and speak no round aloud", async () => {
    const { page } = await opened("a job that runs");
    assert.match(await page.locator("#progress").innerText(), /3\/8 about 42 s left/);
    assert.match(await page.locator("#problems ~ .notes").innerText(), /another program uses 40 %/);
    assert.equal(await page.locator("[aria-live], [role=log], [role=status], [role=alert]").count(), 0);
  });
});
