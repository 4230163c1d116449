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
  "a project": "/projects/tiny",
  comparisons: "/comparisons",
  "comparisons of a project": "/comparisons?project=tiny",
  "pull requests of a project": "/pulls?project=tiny",
  "superseded jobs": "/jobs?state=superseded",
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
  "signing in": "/sign-in",
};
const folder = mkdtempSync(join(tmpdir(), "tlslab-served-"));
let service, base, browser;

before(async () => {
  makePage("served_jobs", folder);
  const config = join(folder, "service.toml");
  for (const secret of ["token", "hook"]) writeFileSync(join(folder, secret), "hush-hush", { mode: 0o600 });
  writeFileSync(config, `listen = "127.0.0.1:0"
folder = ${JSON.stringify(folder)}
local_runner = false
[[forge]]
name = "f"
kind = "gitea"
api = "http://127.0.0.1:9/api/v1"
token = { file = "token" }
webhook_secret = { file = "hook" }
[[project]]
name = "tiny"
forge = "f"
repository = "o/tiny"
branch = "main"
stacks = ["tiny"]
`);
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
    assert.match(await page.locator("main").innerText(), /Page not found: \/nothing/);
  });
  it("say whether a pull request may be merged, while a newer measurement runs", async () => {
    const { page } = await opened("a pull request");
    const heading = await page.locator("h1").innerText();
    assert.match(heading, /^Not known yet for cccccccccc; for aaaaaaaaaa: Not safe to merge: 1 regression \(\+1\.20 %\)/);
    await page.getByRole("link", { name: "Every cell" }).click();
    assert.match(await page.locator("h1").innerText(), /^1 regression \(\+1\.20 %\)/);
  });
  it("name pull requests by title, branch and author, and by what they came to", async () => {
    for (const kind of ["pull requests", "a project"]) {
      const { page } = await opened(kind);
      const row = page.locator("tr", { hasText: "#8" });
      assert.match(await row.innerText(), /Rename the crate[^]*rename[^]*ann/);
      assert.match(await page.locator("main").innerText(), /#9 Reuse buffers <fast>/);
    }
    const { page } = await opened("comparisons of a project");
    const row = page.locator("tbody tr");
    await row.locator(".v.regression", { hasText: "1 regression" }).waitFor();
    assert.match(await row.innerText(), /#7 Parse records without a copy: aaaaaaaaaa against main 0000000000/);
  });
  it("lead from the name of a project to its jobs", async () => {
    const { page } = await opened("jobs");
    await page.locator("tbody").getByRole("link", { name: "tiny", exact: true }).first().click();
    for (const name of ["All pull requests", "All jobs", "All comparisons", "History"]) {
      assert.equal(await page.getByRole("link", { name, exact: true }).count(), name === "History" ? 2 : 1, name);
    }
  });
  it("leave superseded jobs out of the list until they are asked for", async () => {
    const { page } = await opened("jobs");
    assert.equal(await page.locator("a[href='/jobs/replaced']").count(), 0);
    await page.getByRole("link", { name: "1 superseded" }).click();
    assert.equal(await page.locator("a[href='/jobs/replaced']").count(), 1);
  });
  it("say why a job failed once, with its lines and without the runner's folders", async () => {
    const { page } = await opened("a job that failed");
    const text = await page.locator("main").innerText();
    assert.equal(text.split("error[E0433]").length - 1, 2, "once above, once in the log");
    assert.equal(await page.locator("#problems").count(), 0);
    assert.doesNotMatch(text, /\/var\/lib/);
    assert.match(await page.locator("section[aria-labelledby=last] pre").innerText(), /no crate\n {2}--> …\/failed\/src\/lib\.rs:7:5/);
  });
  it("say on the overview how long the oldest job has waited, and leave empty pages out of the menu", async () => {
    const { page } = await opened("overview");
    const card = page.locator("section[aria-label='Running and waiting']");
    assert.match(await card.innerText(), /The oldest job has waited .* for a runner with label x86\./);
    const menu = await page.locator("#site").innerText();
    assert.match(menu, /Pull requests/);
    assert.doesNotMatch(menu, /Choose|Claims/);
  });
  it("have buttons for those who are signed in, without a script", async () => {
    const page = await browser.newPage({ javaScriptEnabled: false });
    await page.goto(`${base}/pulls/tiny/10`);
    assert.equal(await page.getByRole("button", { name: "Approve" }).count(), 0);
    await page.getByRole("link", { name: "Sign in" }).click();
    await page.getByLabel("Token").fill("wrong");
    await page.getByRole("button", { name: "Sign in" }).click();
    assert.match(await page.locator("main").innerText(), /unknown, or was revoked/);
    await page.getByLabel("Token").fill("token-of-boss");
    await page.getByRole("button", { name: "Sign in" }).click();
    assert.equal(new URL(page.url()).pathname, "/pulls/tiny/10");
    assert.equal(await page.getByRole("link", { name: "Its diff on the code host" }).getAttribute("href"), "http://127.0.0.1:9/o/tiny/pulls/10/files");
    await page.getByRole("button", { name: "Approve this commit: eeeeeeeeee" }).click();
    assert.match(await page.locator("main").innerText(), /eeeeeeeeee approved by boss/);
    await page.getByRole("button", { name: "Cancel" }).click();
    assert.match(await page.locator("main").innerText(), /cancelled by boss/);
    await page.goto(`${base}/jobs/failed`);
    await page.getByRole("button", { name: "Run again" }).click();
    assert.match(await page.locator("main").innerText(), /run again by boss/);
    await page.getByRole("link", { name: "Signed in as boss" }).click();
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.goto(`${base}/jobs/failed`);
    assert.equal(await page.getByRole("button", { name: "Run again" }).count(), 0);
    await page.close();
  });
  it("show the stage, the time left and the warnings of a job that runs, and speak no round aloud", async () => {
    const { page } = await opened("a job that runs");
    assert.match(await page.locator("#progress").innerText(), /3\/8 about 42 s left/);
    assert.match(await page.locator("#problems ~ .notes").innerText(), /another program uses 40 %/);
    assert.equal(await page.locator("[aria-live], [role=log], [role=status], [role=alert]").count(), 0);
  });
});
