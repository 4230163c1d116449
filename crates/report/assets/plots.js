// The plots' controls: one state, drawn anew whenever it changes.

{
  const state = {
    visible: new Set(results.stacks.map((stack) => stack.name)),
    quantity: "time",
    scale: "own",
    scenario: distributions[0]?.scenario ?? results.scenarios[0]?.name,
    side: "client",
    axis: "shared",
  };
  const toggles = document.getElementById("stack-toggles");
  for (const stack of results.stacks) {
    const toggle = () => {
      if (box.checked) state.visible.add(stack.name);
      else state.visible.delete(stack.name);
      render();
    };
    const box = make("input", { type: "checkbox", name: "stack", value: stack.name, onchange: toggle });
    box.checked = true;
    toggles.append(make("label", {}, box, make("span", { class: `dot ${colourOf(stack.name)}` }), stack.name));
  }
  for (const name of ["quantity", "scale", "side", "axis"]) {
    for (const input of document.querySelectorAll(`#plots input[name="${name}"]`)) {
      input.addEventListener("change", () => { state[name] = input.value; render(); });
    }
  }
  const choice = document.getElementById("scenario");
  if (choice) {
    const measured = new Set(distributions.map((distribution) => distribution.scenario));
    for (const { name } of results.scenarios) {
      if (measured.has(name)) choice.append(make("option", { value: name }, name));
    }
    choice.value = state.scenario;
    choice.addEventListener("change", () => { state.scenario = choice.value; renderDetail(); });
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
