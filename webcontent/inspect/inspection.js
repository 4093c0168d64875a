// What moves in an inspection: views, labels, the block under the pointer, the place of a field. Page text is only ever set as text.
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
  const main = find("#main"), tip = find("#tip"), page = find("#page"), drawing = page && find("svg", page), lines = find("#lines");
  const panels = all("[role=tabpanel]"), tabs = all("[role=tab]");
  const rows = new Map(all("tbody tr", lines || main).filter((row) => row.dataset.b).map((row) => [Number(row.dataset.b), row]));
  const shapes = page ? all(".box, .area", drawing) : [];
  const shapesOf = new Map();
  const blocksOf = (node) => (node.dataset.b || "").split(" ").filter(Boolean).map(Number);
  for (const shape of shapes)
    for (const block of blocksOf(shape)) shapesOf.set(block, [...(shapesOf.get(block) || []), shape]);
  let answer = data.answers[0], current = -1, pinned = -1;

  // Theme: what the system has, until the button says otherwise.
  const themes = ["auto", "light", "dark"], remembered = "webcontent-theme";
  const showTheme = (theme) => {
    if (theme === "auto") delete root.dataset.theme; else root.dataset.theme = theme;
    find("#theme").textContent = "Theme: " + theme;
  };
  const stored = () => { try { return localStorage.getItem(remembered); } catch { return null; } };
  let theme = themes.includes(stored()) ? stored() : "auto";
  showTheme(theme);
  const nextTheme = () => {
    theme = themes[(themes.indexOf(theme) + 1) % themes.length];
    showTheme(theme);
    try { localStorage.setItem(remembered, theme); } catch { /* a file may have no store */ }
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
  tabs.forEach((tab, place) => {
    tab.addEventListener("click", () => showView(tab.id.slice(4)));
    tab.addEventListener("keydown", (event) => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (step) showView(tabs[(place + step + tabs.length) % tabs.length].id.slice(4), true);
    });
  });
  root.classList.add("live");
  showView(page ? "picture" : "blocks");

  // Labels: whose, and which are shown
  const labelOf = (block) => data.labels[answer.labels.charCodeAt(block) - 97];
  const labelOfAll = (blocks) => blocks.map(labelOf).find((label) => label !== "noise") || "noise";
  const showAnswer = () => {
    for (const shape of shapes) if (shape.dataset.b) shape.dataset.label = shape.classList.contains("area") ? most(blocksOf(shape)) : labelOfAll(blocksOf(shape));
    for (const [block, row] of rows) {
      row.dataset.label = labelOf(block);
      find(".chip", row).textContent = labelOf(block);
      const score = answer.scores[block], cell = find(".score", row);
      cell.textContent = score === null ? "" : score.toFixed(2);
    }
    for (const one of all(".switch")) {
      const many = [...answer.labels].filter((letter) => data.labels[letter.charCodeAt(0) - 97] === one.dataset.label).length;
      find(".count", one).textContent = many;
    }
    if (pinned >= 0) pin(pinned);
  };
  const most = (blocks) => { // what most of a visual block's text is; noise counts half
    const sums = {};
    for (const block of blocks) sums[labelOf(block)] = (sums[labelOf(block)] || 0) + (textOf(block).length || 1) * (labelOf(block) === "noise" ? 1 : 2);
    return Object.keys(sums).sort((one, other) => sums[other] - sums[one])[0] || "noise";
  };
  find("#answer")?.addEventListener("change", (event) => { answer = data.answers[event.target.value]; showAnswer(); });
  for (const input of all("#switches input"))
    input.addEventListener("change", () => main.classList.toggle("off-" + input.value, !input.checked));
  find("#level")?.addEventListener("change", (event) => showLevel(event.target.value));
  const showLevel = (level) => {
    page.classList.toggle("by-level", level !== "0");
    for (const group of all(".level", drawing)) group.classList.toggle("shown", group.dataset.level === level);
  };

  // Finding
  const search = find("#find");
  search?.addEventListener("input", () => {
    const wanted = search.value.trim().toLowerCase();
    for (const [block, row] of rows)
      row.classList.toggle("unfound", Boolean(wanted) && !(find(".text", row).textContent.toLowerCase().includes(wanted) || data.paths[block].includes(wanted)));
  });

  // Features: those by which a block stands out on its page first
  const means = new Float64Array(names.length), spreads = new Float64Array(names.length);
  for (let row = 0; row < count; row++) for (let i = 0; i < names.length; i++) means[i] += values[row * names.length + i] / count;
  for (let row = 0; row < count; row++) for (let i = 0; i < names.length; i++) spreads[i] += (values[row * names.length + i] - means[i]) ** 2 / count;
  const featuresOf = (block) => {
    if (block >= count) return [];
    return names
      .map((name, i) => {
        const value = values[block * names.length + i], spread = Math.sqrt(spreads[i]);
        return { name, value, mean: means[i], apart: spread > 1e-9 ? (value - means[i]) / spread : 0 };
      })
      .sort((one, other) => Math.abs(other.apart) - Math.abs(one.apart));
  };
  const shown = (number) => (Number.isInteger(number) ? String(number) : String(Number(number.toPrecision(3))));
  const tableOf = (features) => {
    const table = make("table", "features"), head = table.createTHead().insertRow(), body = table.createTBody();
    for (const name of ["feature", "here", "mean"]) head.append(make("th", "", name));
    for (const { name, value, mean, apart } of features) {
      const row = body.insertRow();
      row.dataset.name = name;
      row.append(make("td", "", name), make("td", apart > 0.5 ? "more" : apart < -0.5 ? "less" : "", shown(value)), make("td", "", shown(mean)));
    }
    return table;
  };

  // A block: under the pointer, and pinned
  const textOf = (block) => find(".text", rows.get(block) || document.createElement("p"))?.textContent || "";
  const headOf = (block) => {
    const head = make("p", "head"), chip = make("span", "chip", labelOf(block)), score = answer.scores[block];
    chip.dataset.label = labelOf(block);
    head.append(chip, make("span", "", "block " + block + (score === null || score === undefined ? "" : " · score " + score.toFixed(2))));
    return head;
  };
  const showTip = (block, x, y) => {
    tip.replaceChildren(headOf(block), make("p", "excerpt", textOf(block).slice(0, 160)), tableOf(featuresOf(block).slice(0, 8)), make("p", "note", "what stands out on this page; click for all"));
    placeTip(x, y);
  };
  const showArea = (area, x, y) => {
    const blocks = blocksOf(area), head = make("p", "head"), chip = make("span", "chip", area.dataset.label);
    chip.dataset.label = area.dataset.label;
    head.append(chip, make("span", "", "visual block · degree of coherence " + area.dataset.doc));
    const told = blocks.length === 1 ? "1 block of text" : blocks.length + " blocks of text; click to light them";
    tip.replaceChildren(head, make("p", "excerpt", blocks.map(textOf).join(" ").slice(0, 160)), make("p", "note", told));
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
    const others = make("p", "note");
    if (data.answers.length > 1) others.textContent = data.answers.map((one) => one.name + ": " + data.labels[one.labels.charCodeAt(block) - 97]).join(" · ");
    find("#pinned").replaceChildren(headOf(block), make("p", "excerpt", textOf(block).slice(0, 400)), make("p", "where"), others, filter, holder);
    find("#pinned .where").append(path);
    find("#block").hidden = false;
    tip.hidden = true;
    light([block]);
  };
  const unpin = () => {
    const panel = find("#block");
    if (panel.contains(document.activeElement)) document.activeElement.blur(); // what is hidden keeps the keys for a while
    pinned = -1;
    panel.hidden = true;
    tip.hidden = true;
    light([]);
  };
  find("#unpin").addEventListener("click", unpin);

  // Places: what is lit in picture and lines
  const light = (blocks, at) => {
    for (const node of all(".lit")) node.classList.remove("lit");
    const places = page && find(".lit-places", drawing);
    places?.replaceChildren();
    for (const block of blocks) {
      rows.get(block)?.classList.add("lit");
      for (const shape of shapesOf.get(block) || []) if (shape.classList.contains("box")) shape.classList.add("lit");
    }
    if (at && places) {
      const [x, y, width, height] = at.split(" ").map(Number), rect = document.createElementNS("http://www.w3.org/2000/svg", "rect");
      for (const [name, value] of Object.entries({ x: x - 4, y: y - 4, width: width + 8, height: height + 8 })) rect.setAttribute(name, value);
      rect.classList.add("lit");
      places.append(rect);
    }
    page?.classList.toggle("has-lit", blocks.length > 0 || Boolean(at));
  };
  const reveal = (blocks) => {
    const first = view() === "picture" ? drawing && find(".lit-places .lit, .box.lit", drawing) : rows.get(blocks[0]);
    const box = first?.getBoundingClientRect();
    if (box && (box.top < 60 || box.bottom > innerHeight - 20)) first.scrollIntoView({ block: box.height > innerHeight * 0.6 ? "start" : "center" });
  };
  const say = (text) => { find("#said").textContent = text; };
  const showPlace = (node, name) => {
    const blocks = blocksOf(node), at = node.dataset.at;
    if (view() === "compare") showView(page ? "picture" : "blocks");
    light(blocks, at);
    reveal(blocks);
    say(name + (blocks.length ? ": " + blocks.length + " blocks lit" : at ? " lit in the picture" : ": nothing that the page shows"));
  };
  for (const field of all("details.field"))
    field.addEventListener("toggle", () => {
      if (field.open) {
        for (const other of all("details.field[open]")) if (other !== field) other.open = false;
        showPlace(field, field.dataset.field);
      } else if (!find("details.field[open]")) light(pinned >= 0 ? [pinned] : []);
    });
  for (const button of all("button.seen")) button.addEventListener("click", () => showPlace(button, button.textContent));

  // The pointer
  const blockAt = (target) => {
    const node = target.closest?.(".box, .area, tbody tr[data-b]");
    return node && main.contains(node) && node.dataset.b ? blocksOf(node)[0] : -1;
  };
  for (const holder of [drawing, lines].filter(Boolean)) {
    holder.addEventListener("pointermove", (event) => {
      const area = event.target.closest(".area");
      if (area) { showArea(area, event.clientX, event.clientY); return; }
      const block = blockAt(event.target);
      if (block < 0 || block === pinned || (holder === lines && !event.target.closest(".chip, .score, .number"))) { tip.hidden = true; return; }
      showTip(block, event.clientX, event.clientY);
    });
    holder.addEventListener("pointerleave", () => { tip.hidden = true; });
    holder.addEventListener("click", (event) => {
      const area = event.target.closest(".area"), block = blockAt(event.target);
      if (area) light(blocksOf(area));
      else if (block >= 0 && !String(getSelection())) { current = block; pin(block); }
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
    const place = blocks.indexOf(current);
    const next = place >= 0 ? place + by : by > 0 ? blocks.findIndex((block) => block > current) : blocks.length - 1;
    current = blocks[Math.max(0, Math.min(blocks.length - 1, next))];
    light([current]);
    reveal([current]);
    say(labelOf(current) + ": " + textOf(current).slice(0, 120));
    const first = view() === "picture" ? (shapesOf.get(current) || [])[0] : rows.get(current), box = first?.getBoundingClientRect();
    if (box) showTip(current, box.left, box.bottom - 12);
  };
  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Escape") { if (document.activeElement === search) search.blur(); unpin(); current = -1; return; }
    if (event.target.matches("input[type=search], select")) return;
    const inView = event.target === page || event.target === lines;
    if (view() !== "compare" && (event.key === "j" || (inView && event.key === "ArrowDown"))) step(1);
    else if (view() !== "compare" && (event.key === "k" || (inView && event.key === "ArrowUp"))) step(-1);
    else if (inView && event.key === "Enter" && current >= 0) pin(current);
    else if (event.key === "/" && search) { showView("blocks"); search.focus(); }
    else if (event.key === "t") nextTheme();
    else if (tabs[Number(event.key) - 1]) showView(tabs[Number(event.key) - 1].id.slice(4), true);
    else return;
    event.preventDefault();
  });

  // The comparison
  find("#only")?.addEventListener("change", (event) => find("#compared").classList.toggle("only", event.target.checked));
  for (const input of all("input.column"))
    input.addEventListener("change", () => {
      for (const cell of all('[data-column="' + Number(input.value) + '"]', find("#compared"))) cell.hidden = !input.checked;
      for (const row of all("tr.same, tr.differs", find("#compared"))) { // among the columns that are left
        const cells = all("td", row).filter((cell) => !cell.hidden), missing = cells.filter((cell) => cell.classList.contains("none")).length;
        const differs = (missing > 0 && missing < cells.length) || cells.some((cell) => cell.classList.contains("other"));
        row.classList.toggle("differs", differs);
        row.classList.toggle("same", !differs);
        row.hidden = cells.length > 0 && missing === cells.length;
      }
    });
  if (find("#level")?.value > 0) showLevel(find("#level").value);
})();
