// The interactive parts of an inspection: views, labels, the block under the pointer, the place of a field.
// Text of the page is only set as textContent, never as HTML.
"use strict";
(() => {
  const find = (selector, from = document) => from.querySelector(selector);
  const all = (selector, from = document) => [...from.querySelectorAll(selector)];
  const make = (name, className, text) => {
    const node = document.createElement(name);
    if (className) node.className = className;
    if (text !== undefined) node.textContent = text;
    return node;
  };
  const root = document.documentElement;
  const data = JSON.parse(find("#data").textContent);
  const names = data.features;
  const values = new Float32Array(Uint8Array.from(atob(data.values), (char) => char.charCodeAt(0)).buffer);
  const count = names.length ? values.length / names.length : 0;
  const main = find("#main"), tip = find("#tip"), page = find("#page"), drawing = page && find("svg", page), blockList = find("#block-list");
  const panels = all("[role=tabpanel]"), tabs = all("[role=tab]:not([hidden])");
  const rows = new Map(all("tbody tr", blockList || main).filter((row) => row.dataset.blocks).map((row) => [Number(row.dataset.blocks), row]));
  const shapes = page ? all(".box", drawing) : [];
  const shapesOf = new Map();
  const blocksOf = (node) => (node.dataset.blocks || "").split(" ").filter(Boolean).map(Number);
  for (const shape of shapes)
    for (const block of blocksOf(shape)) shapesOf.set(block, [...(shapesOf.get(block) || []), shape]);
  let result = data.results[0], current = -1, pinned = -1;

  // Theme: that of the system, unless the button selects another.
  const themes = ["auto", "light", "dark"], themeKey = "webcontent-theme";
  const showTheme = (theme) => {
    if (theme === "auto") delete root.dataset.theme; else root.dataset.theme = theme;
    find("#theme").textContent = "Theme: " + theme;
  };
  const stored = () => { try { return localStorage.getItem(themeKey); } catch { return null; } };
  let theme = themes.includes(stored()) ? stored() : "auto";
  showTheme(theme);
  const nextTheme = () => {
    theme = themes[(themes.indexOf(theme) + 1) % themes.length];
    showTheme(theme);
    try { localStorage.setItem(themeKey, theme); } catch { /* browsers may deny storage to files */ }
  };
  find("#theme").addEventListener("click", nextTheme);

  // Views
  const showView = (name, focus) => {
    for (const tab of tabs) {
      const is = tab.id === "tab-" + name;
      tab.setAttribute("aria-selected", is);
      tab.tabIndex = is ? 0 : -1;
      if (is && focus) tab.focus();
    }
    for (const panel of panels) panel.hidden = panel.id !== "view-" + name;
    main.dataset.view = name;
    tip.hidden = true;
  };
  const view = () => main.dataset.view;
  tabs.forEach((tab, index) => {
    tab.addEventListener("click", () => showView(tab.id.slice(4)));
    tab.addEventListener("keydown", (event) => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (step) showView(tabs[(index + step + tabs.length) % tabs.length].id.slice(4), true);
    });
  });
  root.classList.add("scripted");
  showView(page ? "screenshot" : "blocks");

  // Labels: of the selected extractor; each can be hidden
  const labelOf = (block) => result.labels[block];
  const labelOfAll = (blocks) => blocks.map(labelOf).find((label) => label !== "noise") || "noise";
  const showLabels = () => {
    for (const shape of shapes) {
      shape.classList.toggle("plain", blocksOf(shape).every(isPlainNoise));
      shape.dataset.label = labelOfAll(blocksOf(shape));
    }
    for (const [block, row] of rows) {
      row.dataset.label = labelOf(block);
      row.classList.toggle("plain", isPlainNoise(block));
      find(".chip", row).textContent = labelOf(block);
      const score = result.scores[block], meter = make("meter");
      meter.value = score;
      find(".score", row).replaceChildren(...(score === null ? [] : [meter, score.toFixed(2)]));
    }
    for (const one of all(".switch")) {
      const blocks = result.labels.filter((label) => label === one.dataset.label);
      find(".count", one).textContent = blocks.length;
      one.hidden = !data.results.some((other) => other.labels.includes(one.dataset.label));
    }
    find("#plain-count").textContent = result.labels.filter((_, block) => isPlainNoise(block)).length;
    if (pinned >= 0) pin(pinned);
  };
  const isPlainNoise = (block) => labelOf(block) === "noise" && result.scores[block] !== null && result.scores[block] < 0.005;
  find("#plain-noise").addEventListener("change", (event) => main.classList.toggle("with-plain-noise", event.target.checked));
  find("#extractor")?.addEventListener("change", (event) => { result = data.results[event.target.value]; showLabels(); });
  for (const input of all("#switches input"))
    input.addEventListener("change", () => main.classList.toggle("hide-" + input.value, !input.checked));

  // Search
  const search = find("#search");
  search?.addEventListener("input", () => {
    const query = search.value.trim().toLowerCase();
    for (const [block, row] of rows) {
      const matches = find(".text", row).textContent.toLowerCase().includes(query) || data.paths[block].includes(query);
      row.classList.toggle("not-matching", Boolean(query) && !matches);
      row.classList.toggle("matching", Boolean(query) && matches); // noise of 0.00 too: what was cut is what one searches for
    }
  });

  // Features of a block: first those that differ most from the page's mean, in standard deviations
  const means = new Float64Array(names.length), variances = new Float64Array(names.length);
  for (let row = 0; row < count; row++) for (let i = 0; i < names.length; i++) means[i] += values[row * names.length + i] / count;
  for (let row = 0; row < count; row++) for (let i = 0; i < names.length; i++) variances[i] += (values[row * names.length + i] - means[i]) ** 2 / count;
  const featuresOf = (block) => {
    if (block >= count) return [];
    return names
      .map((name, i) => {
        const value = values[block * names.length + i], deviation = Math.sqrt(variances[i]);
        return { name, value, mean: means[i], zScore: deviation > 1e-9 ? (value - means[i]) / deviation : 0 };
      })
      .sort((one, other) => Math.abs(other.zScore) - Math.abs(one.zScore));
  };
  const numberText = (number) => (Number.isInteger(number) ? String(number) : String(Number(number.toPrecision(3))));
  const tableOf = (features) => {
    const table = make("table", "features"), head = table.createTHead().insertRow(), body = table.createTBody();
    for (const name of ["feature", "value", "mean"]) head.append(make("th", "", name));
    for (const { name, value, mean, zScore } of features) {
      const row = body.insertRow();
      row.dataset.name = name;
      row.append(make("td", "", name), make("td", zScore > 0.5 ? "more" : zScore < -0.5 ? "less" : "", numberText(value)), make("td", "", numberText(mean)));
    }
    return table;
  };

  // A block: in the tip under the pointer, and pinned in the panel
  const textOf = (block) => find(".text", rows.get(block) || document.createElement("p"))?.textContent || "";
  const headOf = (block) => {
    const head = make("p", "head"), chip = make("span", "chip", labelOf(block)), score = result.scores[block];
    chip.dataset.label = labelOf(block);
    head.append(chip, make("span", "", "block " + block + (score === null || score === undefined ? "" : " · score " + score.toFixed(2))));
    return head;
  };
  const showTip = (block, x, y) => {
    tip.replaceChildren(headOf(block), make("p", "excerpt", textOf(block).slice(0, 160)), tableOf(featuresOf(block).slice(0, 8)), make("p", "note", "its most unusual features; click for all"));
    placeTip(x, y);
  };
  const placeTip = (x, y) => {
    tip.hidden = false;
    const { width, height } = tip.getBoundingClientRect();
    tip.style.left = Math.max(8, Math.min(x + 16, innerWidth - width - 8)) + "px";
    tip.style.top = Math.max(8, y + 16 + height > innerHeight ? y - height - 12 : y + 16) + "px";
  };
  const pin = (block) => {
    pinned = block;
    const filter = make("input"), table = tableOf(featuresOf(block)), path = make("code", "", data.paths[block]);
    filter.type = "search";
    filter.placeholder = "feature name";
    filter.setAttribute("aria-label", "Filter the features by name");
    filter.addEventListener("input", () => {
      for (const row of all("tbody tr", table)) row.hidden = !row.dataset.name.includes(filter.value.trim().toLowerCase());
    });
    const holder = make("div", "scroll");
    holder.append(table);
    holder.tabIndex = 0;
    const otherLabels = make("p", "note");
    if (data.results.length > 1) otherLabels.textContent = data.results.map((one) => one.name + ": " + one.labels[block]).join(" · ");
    find("#pinned").replaceChildren(headOf(block), make("p", "excerpt", textOf(block).slice(0, 400)), make("p", "path"), otherLabels, filter, holder);
    find("#pinned .path").append(path);
    find("#block").hidden = false;
    tip.hidden = true;
    highlight([block]);
  };
  const unpin = () => {
    const panel = find("#block");
    if (panel.contains(document.activeElement)) document.activeElement.blur(); // hidden elements keep the focus for a while
    pinned = -1;
    panel.hidden = true;
    tip.hidden = true;
    highlight([]);
  };
  find("#unpin").addEventListener("click", unpin);

  // Places: highlighted on the screenshot and in the list of blocks
  const highlight = (blocks) => {
    for (const node of all(".highlighted")) node.classList.remove("highlighted");
    for (const block of blocks) {
      rows.get(block)?.classList.add("highlighted");
      for (const shape of shapesOf.get(block) || []) shape.classList.add("highlighted");
    }
    page?.classList.toggle("has-highlight", blocks.length > 0);
  };
  const reveal = (blocks) => {
    const first = view() === "screenshot" ? drawing && find(".box.highlighted", drawing) : rows.get(blocks[0]);
    const box = first?.getBoundingClientRect();
    if (box && (box.top < 60 || box.bottom > innerHeight - 20)) first.scrollIntoView({ block: box.height > innerHeight * 0.6 ? "start" : "center" });
  };
  const announce = (text) => { find("#status").textContent = text; };
  const showPlace = (node, name) => {
    const blocks = blocksOf(node);
    highlight(blocks);
    reveal(blocks);
    announce(name + (blocks.length ? ": " + blocks.length + " blocks highlighted" : ": no text of the page"));
  };
  for (const field of all("details.field"))
    field.addEventListener("toggle", () => {
      if (field.open) {
        for (const other of all("details.field[open]")) if (other !== field) other.open = false;
        showPlace(field, field.dataset.field);
      } else if (!find("details.field[open]")) highlight(pinned >= 0 ? [pinned] : []);
    });
  for (const button of all("button.place")) button.addEventListener("click", () => showPlace(button, button.textContent));

  // The pointer
  const blockAt = (target) => {
    const node = target.closest?.(".box, tbody tr[data-blocks]");
    return node && main.contains(node) && node.dataset.blocks ? blocksOf(node)[0] : -1;
  };
  for (const holder of [drawing, blockList].filter(Boolean)) {
    holder.addEventListener("pointermove", (event) => {
      const block = blockAt(event.target);
      if (block < 0 || block === pinned || (holder === blockList && !event.target.closest(".chip, .score, .number"))) { tip.hidden = true; return; }
      showTip(block, event.clientX, event.clientY);
    });
    holder.addEventListener("pointerleave", () => { tip.hidden = true; });
    holder.addEventListener("click", (event) => {
      const block = blockAt(event.target);
      if (block >= 0 && !String(getSelection())) { current = block; pin(block); }
    });
  }

  // Keys
  const visible = () => {
    if (view() === "blocks") return [...rows.keys()].filter((block) => rows.get(block).offsetParent);
    return [...new Set(shapes.filter((shape) => shape.checkVisibility()).flatMap(blocksOf))].sort((a, b) => a - b);
  };
  const step = (by) => {
    const blocks = visible();
    if (!blocks.length) return;
    const position = blocks.indexOf(current);
    const next = position >= 0 ? position + by : by > 0 ? blocks.findIndex((block) => block > current) : blocks.length - 1;
    current = blocks[Math.max(0, Math.min(blocks.length - 1, next))];
    highlight([current]);
    reveal([current]);
    announce(labelOf(current) + ": " + textOf(current).slice(0, 120));
    const first = view() === "screenshot" ? (shapesOf.get(current) || [])[0] : rows.get(current), box = first?.getBoundingClientRect();
    if (box) showTip(current, box.left, box.bottom - 12);
  };
  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Escape") { if (document.activeElement === search) search.blur(); unpin(); current = -1; return; }
    if (event.target.matches("input[type=search], select")) return;
    const inView = event.target === page || event.target === blockList;
    if (event.key === "j" || (inView && event.key === "ArrowDown")) step(1);
    else if (event.key === "k" || (inView && event.key === "ArrowUp")) step(-1);
    else if (inView && event.key === "Enter" && current >= 0) pin(current);
    else if (event.key === "/" && search) { showView("blocks"); search.focus(); }
    else if (event.key === "t") nextTheme();
    else if (tabs[Number(event.key) - 1]) showView(tabs[Number(event.key) - 1].id.slice(4), true);
    else return;
    event.preventDefault();
  });

  showLabels();
})();
