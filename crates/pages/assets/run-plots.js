// The plots' controls: one state, which the address keeps, drawn again whenever it changes.
"use strict";
{
  const kept = State.read();
  const hidden = new Set(kept.getAll("hide").flatMap((names) => names.split(",")));
  const defaults = { quantity: "time", scale: "own", "plot-side": "client", axis: "shared" };
  const first = distributions[0]?.scenario ?? results.scenarios[0]?.name;
  const state = {
    visible: new Set(results.stacks.map((stack) => stack.name).filter((name) => !hidden.has(name))),
    scenario: results.scenarios.some(({ name }) => name === kept.get("scenario")) ? kept.get("scenario") : first,
  };
  const toggles = document.getElementById("stack-toggles");
  for (const stack of results.stacks) {
    const toggle = () => {
      if (box.checked) state.visible.add(stack.name);
      else state.visible.delete(stack.name);
      const gone = results.stacks.map(({ name }) => name).filter((name) => !state.visible.has(name));
      State.write({ hide: gone.join(",") });
      render();
    };
    const box = make("input", { type: "checkbox", name: "stack", value: stack.name, onchange: toggle });
    box.checked = state.visible.has(stack.name);
    toggles.append(make("label", {}, box, make("span", { class: `dot ${colourOf(stack.name)}` }), stack.name));
  }
  for (const [name, usual] of Object.entries(defaults)) {
    const inputs = [...document.querySelectorAll(`#plots input[name="${name}"]`)];
    const chosen = inputs.find((input) => input.value === kept.get(name))?.value ?? usual;
    const keep = (value) => { state[name === "plot-side" ? "side" : name] = value; };
    keep(chosen);
    for (const input of inputs) {
      input.checked = input.value === chosen;
      input.addEventListener("change", () => {
        keep(input.value);
        State.write({ [name]: input.value === usual ? "" : input.value });
        render();
      });
    }
  }
  const choice = document.getElementById("scenario");
  if (choice) {
    const measured = new Set(distributions.map((distribution) => distribution.scenario));
    for (const { name } of results.scenarios) {
      if (measured.has(name)) choice.append(make("option", { value: name }, name));
    }
    choice.value = state.scenario;
    const choose = () => {
      state.scenario = choice.value;
      State.write({ scenario: choice.value === first ? "" : choice.value });
      renderDetail();
    };
    choice.addEventListener("change", choose);
    /* A figure's link to its samples: the scenario is chosen, and the address says so. */
    for (const link of document.querySelectorAll("a[data-scenario]")) {
      link.addEventListener("click", (event) => {
        event.preventDefault();
        choice.value = link.dataset.scenario;
        choose();
        document.getElementById("detail").scrollIntoView();
        choice.focus({ preventScroll: true });
      });
    }
  }

  function render() {
    const bars = document.getElementById("bars");
    bars.replaceChildren(...barsOf(state));
    walkable(bars);
    renderDetail();
  }
  function renderDetail() {
    if (!choice) return;
    const plot = document.getElementById("distribution");
    drawDistribution(document.getElementById("distribution-svg"), state);
    walkable(plot);
    const latencies = document.getElementById("latencies");
    const drawn = drawLatencies(document.getElementById("latency-svg"), state);
    document.getElementById("no-latencies").hidden = drawn > 0;
    walkable(latencies);
    const stacked = document.getElementById("phases");
    stacked.replaceChildren(...phasesOf(state));
    walkable(stacked);
  }
  render();
  let width = innerWidth;
  addEventListener("resize", () => {
    if (innerWidth === width) return;
    width = innerWidth;
    renderDetail();
  });
}
