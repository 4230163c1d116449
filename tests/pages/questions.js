// What each page must answer, and where: the element is looked for in a browser, and the table in docs/pages.md is made from here.

/** Pages by name: where they are, and each question with the element that answers it, or why the page has no answer. */
export const PAGES = {
  Overview: {
    of: "service", at: "/",
    questions: [
      ["Is anything red?", "h1"],
      ["What runs, and what waits?", "section[aria-label='Running and waiting']"],
      ["Which pull requests were measured?", "section[aria-label='Pull requests']"],
      ["How long has the oldest job waited, and for which runner?", "section[aria-label='Running and waiting'] > p"],
      ["Are runners alive?", "section[aria-label='Runners']"],
    ],
  },
  "Overview of results": {
    of: "site", at: "index",
    questions: [
      ["Which stack needs a look?", "#stacks tbody tr:first-child .v"],
      ["Which version is the newest?", "#stacks tbody th .under"],
      ["When was it measured last?", "#stacks td[data-label='Newest result']"],
      ["What is its trend?", "#stacks td[data-label='Trend']"],
      ["What did the newest version change most?", "#stacks td[data-label^='Largest change']"],
      ["What changed most over all stacks?", "#changes tbody tr:first-child .v"],
      ["Was it acknowledged?", "#changes thead th:has-text('Noted')"],
      ["What has no value, and why?", "#gaps"],
    ],
  },
  "Pull request": {
    of: "service", at: "/pulls/tiny/7",
    questions: [
      ["Which pull request is it?", ".title p"],
      ["Is it safe to merge?", "h1"],
      ["What became worse?", "section[aria-labelledby='regressions'] tbody th"],
      ["By how much, with which bounds?", "section[aria-labelledby='regressions'] td[data-label='Change'] .under"],
      ["Was it confirmed?", "section[aria-labelledby='regressions'] td[data-label='Verdict'] .under"],
      ["In which function?", "section[aria-labelledby='regressions'] td[data-label='Functions']"],
      ["What is inconclusive?", "section[aria-labelledby='others'] summary"],
      ["Which commits?", "section[aria-labelledby='measurements'] td[data-label='Against']"],
      ["Was the runner quiet?", "section[aria-labelledby='quiet']"],
      ["Does a measurement still run?", "section[aria-labelledby='measurements'] td[data-label='State']"],
      ["How is it repeated?", "section[aria-labelledby='again'] .command"],
    ],
  },
  Project: {
    of: "service", at: "/projects/tiny",
    questions: [
      ["Do its pull requests have regressions?", "h1"],
      ["Where are all its jobs?", ".actions a[href='/jobs?project=tiny']"],
      ["Which pull requests were measured last?", "section[aria-labelledby='pulls'] tbody th"],
      ["What runs, and what waits?", "section[aria-labelledby='jobs'] tbody tr"],
      ["What was compared last?", "section[aria-labelledby='comparisons']"],
      ["Which stacks does it build, and where is their history?", "section[aria-labelledby='stacks'] li"],
      ["Where is it, and what fails a pull request?", "dl.facts"],
    ],
  },
  Comparison: {
    of: "site", at: "comparisons/20261121-220058-c525",
    questions: [
      ["What changed, by how much?", "h1"],
      ["How many cells of each verdict?", ".tally"],
      ["Which sides, which metric?", "table.compared tbody th .under"],
      ["With which interval?", "table.compared .range"],
      ["Confirmed?", "table.compared td[data-label='verdict']"],
      ["In which functions?", "table.compared tr.more code"],
      ["What was compared?", "dl.facts"],
      ["Was the machine quiet?", "dl.facts dt:text-is('Noise')"],
      ["How was it decided?", "#method"],
      ["How is it repeated?", "#repeat .command"],
      ["Where is it as data?", ".actions a[href$='.json']"],
    ],
  },
  History: {
    of: "site", at: "history/openssl",
    questions: [
      ["What changed last, in which version?", "h1"],
      ["Which steps are there, newest first?", "#steps tbody tr"],
      ["Step or drift?", "#plot canvas"],
      ["Code, or another environment?", ".legend li:has-text('another environment')"],
      ["What is significant?", ".legend li:has-text('significance threshold')"],
      ["Was it noted?", ".legend li:has-text('note')"],
      ["By version or by time?", "[name=x]"],
      ["Nearer?", "[data-zoom=in]"],
      ["Several series at once?", "#series-list"],
      ["Which values exactly?", "#values-of table"],
    ],
  },
  Chooser: {
    of: "site", at: "choose",
    questions: [
      ["Which is the fastest for my work?", "h1"],
      ["By how much?", "#ranking tbody tr:first-child"],
      ["For my key?", "[name=key]"],
      ["With my share of resumption?", "[name=resumed]"],
      ["With my amount of data?", "[name=kib]"],
      ["As a client or as a server?", "[name=side]"],
      ["By which metric?", "#ranking-title"],
      ["What is missing?", "#missing"],
      ["How reliable is it?", "section[aria-labelledby='trust-title']"],
      ["Where do the costs come from?", "section[aria-labelledby='trust-title'] dd:first-of-type"],
    ],
  },
  Run: {
    of: "site", at: "runs/20261123-101500-k3vq",
    questions: [
      ["Who is the fastest, by how much?", "h1"],
      ["Where not?", "#results tbody"],
      ["Client or server?", "#results thead"],
      ["Was it the same work?", "#proof"],
      ["What disturbed it?", "#warnings"],
      ["Which cells are missing, and why?", "#results .hole, #cell-table .v.unsupported, #results .v.unsupported"],
      ["Where are the samples?", "#results a[data-scenario]"],
      ["Which percentiles?", "#latency-svg, #no-latencies"],
      ["How was each stack built?", "#stacks"],
      ["How is it repeated?", "#repeat .command"],
      ["Where is it as data?", ".actions a[href$='.csv']"],
    ],
  },
  "Job, while it runs": {
    of: "service", at: "/jobs/measuring",
    questions: [
      ["At which stage is it?", "#state"],
      ["How far, and how long yet?", "#progress"],
      ["What failed, or warns?", "section[aria-labelledby='problems'], #log .warning"],
      ["What is the last message?", "#log"],
      ["Who asked for it, and for what?", "section[aria-labelledby='facts']"],
      ["When did it get into which state?", "section[aria-labelledby='steps'] tbody tr"],
      ["How is it repeated?", "section[aria-labelledby='again'] .command"],
      ["Where is it as data?", "a[href='/api/v1/jobs/measuring']"],
    ],
  },
  Jobs: {
    of: "service", at: "/jobs",
    questions: [
      ["How many wait, run and failed?", "h1"],
      ["Why does it wait?", "section[aria-labelledby='open'] td[data-label='Why']"],
      ["When will it start?", "section[aria-labelledby='open'] td[data-label='Starts']"],
      ["Who asked?", "section[aria-labelledby='open'] td[data-label='Asked by']"],
      ["With which priority?", "section[aria-labelledby='open'] td[data-label='Priority']"],
      ["On which runner?", "section[aria-labelledby='ended'] td[data-label='Runner']"],
      ["How did it end, and why?", "section[aria-labelledby='ended'] td[data-label='Outcome']"],
      ["How long did it take?", "section[aria-labelledby='ended'] td[data-label='Took']"],
      ["Which were superseded?", "section[aria-labelledby='ended'] a[href^='/jobs?state=superseded']"],
      ["Only those that failed?", "nav .choices a, .choices a"],
    ],
  },
  Runners: {
    of: "service", at: "/runners",
    questions: [
      ["Are all alive?", "h1"],
      ["What does it do now?", ".card dt:text-is('Now')"],
      ["When did it call last?", ".card dt:text-is('Last call')"],
      ["Which jobs does it take?", ".card dt:text-is('Labels')"],
      ["How did its last jobs end?", ".card dt:text-is('Last jobs')"],
      ["Which machine, which program?", ".card dl"],
      ["Has its machine changed?", ".card dt:text-is('Canary')"],
    ],
  },
  Stack: {
    of: "site", at: "stacks/openssl",
    questions: [
      ["Which version to skip, which to move to?", ".verdict .advice"],
      ["What works, what fails?", "h1"],
      ["What does each scenario take?", "#results tbody tr"],
      ["What can it do?", "#capabilities dd"],
      ["What is missing, and why?", "#capabilities .notes li, #capabilities dd"],
      ["Which versions were measured?", "#history details:last-of-type"],
      ["What did versions make worse?", "#history summary:has-text('regression')"],
      ["What did versions improve?", "#history summary:has-text('improvement')"],
      ["Where are all series?", "#history a.end"],
      ["How was it built?", "#build dl"],
      ["How is it measured here?", "#repeat .command"],
      ["Where is it as data?", ".actions a[href$='.json']"],
    ],
  },
  Questions: {
    of: "site", at: "questions",
    questions: [
      ["What can be asked?", "h3"],
      ["Which command answers it?", ".command code"],
      ["What is the answer?", ".answer"],
      ["From which figures?", "details pre"],
      ["How long does it take?", "h3 + p"],
    ],
  },
  "Capabilities of each stack": {
    of: "site", at: "capabilities",
    questions: [
      ["How many stacks are there?", ".title p"],
      ["What can this one do?", "[id='bertie'] dd"],
      ["What is missing, and why?", "[id='bertie'] .notes li"],
      ["Of which version is that?", "summary .soft"],
      ["What does it take?", "[id='openssl@3.5.5'] a[href^='stacks/']"],
      ["Where is it as data?", "a[href$='capabilities.json']"],
    ],
  },
  Scenario: {
    of: "site", at: "scenarios/handshake~1.3~ecdsa-p256~x25519~aes-128-gcm~chain+name",
    questions: [
      ["Which stack costs least?", "h1"],
      ["What does each stack need, with which interval?", "#results td[data-label='Value'] .under"],
      ["In which run, on which machine?", "#results td[data-label='Machine']"],
      ["What is asked for?", "#parameters dl"],
      ["How is it measured here?", "#repeat .command"],
      ["Where is it as data?", ".actions a[href$='.json']"],
    ],
  },
};

/** The table of the pages of one kind. */
export function asMarkdown() {
  const rows = Object.entries(PAGES).flatMap(([name, { questions }]) => [
    "", `## ${name}`, "", "| question | where the answer is |", "|---|---|",
    ...questions.map(([question, selector]) => `| ${question} | \`${selector.replaceAll("|", "\\|")}\` |`),
  ]);
  return [
    "# What each page answers", "",
    "Each question with the element that answers it, as a selector. `tests/pages/questions.test.js` looks for all of them in a browser,",
    "on pages of made-up results. `UPDATE=1 tests/pages/run` updates this page.", ...rows, "",
  ].join("\n");
}

/** Whether every element is there with something in it; the questions without an answer. */
export async function unanswered(page, { questions }) {
  const missing = [];
  for (const [question, selector] of questions) {
    const says = await page.locator(selector).evaluateAll((elements) => elements.some((element) =>
      element.textContent.trim() !== "" || element.matches("input, select, canvas, svg")));
    if (!says) missing.push(`${question} ${selector}`);
  }
  return missing;
}
