// Scrolls, so that lazy content loads, and returns to the top. "list" goes on while the page grows.
const STEP = 0.9, STEP_MS = 30, END_MS = 500, MAX_HEIGHT = 30000;
const scroller = () => { // the document's, or the largest pane that scrolls where the document doesn't
  const root = document.scrollingElement || rootOf(document);
  if (fullHeightOf(root) > innerHeight * 1.1) return root;
  let best = root, size = innerWidth * innerHeight * 0.3;
  for (const element of all(document, "div,main,section,ul,ol,article,aside")) {
    if (fullHeightOf(element) < innerHeightOf(element) * 1.2 || innerHeightOf(element) < 200) continue;
    const area = innerWidthOf(element) * innerHeightOf(element);
    if (area > size && /auto|scroll|overlay/.test(getComputedStyle(element).overflowY)) { best = element; size = area; }
  }
  return best;
};
const release = (pane) => { // the whole height of an inner pane, for boxes and screenshot
  for (let node = pane; node instanceof HTMLElement && node !== bodyOf(document); node = parentOf(node))
    if (node === pane || innerHeightOf(node) < fullHeightOf(node)) setStyle(node, { overflow: "visible", height: "auto", "max-height": "none" });
  setStyle(rootOf(document), { overflow: "visible", height: "auto" });
  setStyle(bodyOf(document), { overflow: "visible", height: "auto" });
};
const keyOf = (row) => textOf(row).replace(/\s+/g, " ").trim() + " " + ([...all(row, "a[href]")][0]?.href || "");
const isStory = (node) => { // a whole article that was appended
  if (!(node instanceof Element) || textOf(node).length < 500) return false;
  const paragraphs = [...all(node, "p")].filter((part) => textOf(part).trim().length > 80).length;
  return paragraphs >= 3 && (has(node, "h1,h2") || matches(node, "article") || has(node, "article"));
};
const watch = () => { // what scripts add, and the rows that they take away, while the page is scrolled
  const added = [], containers = new Map(), removals = new Map();
  const note = (records) => {
    for (const record of records) {
      for (const node of record.addedNodes) if (node instanceof Element) added.push(node);
      const rows = [...record.removedNodes].filter((node) => node instanceof HTMLElement && textOf(node).trim());
      if (options.scroll !== "list" || !rows.length || !(record.target instanceof HTMLElement) || record.target === bodyOf(document)) continue;
      const total = (removals.get(record.target) || 0) + rows.length;
      removals.set(record.target, total);
      if (!containers.has(record.target)) containers.set(record.target, new Map());
      for (const row of rows) if (!containers.get(record.target).has(keyOf(row))) containers.get(record.target).set(keyOf(row), Node.prototype.cloneNode.call(row, true));
    }
  };
  const observer = new MutationObserver(note);
  for (const root of rootsOf(document)) observer.observe(root, { subtree: true, childList: true });
  return { added, containers, removals, stop: () => { note(observer.takeRecords()); observer.disconnect(); } };
};
const keepRows = ({ containers, removals }) => { // puts back the rows that a virtual list has taken away
  for (const [container, rows] of containers) {
    if (removals.get(container) < 3 || !Node.prototype.contains.call(document, container)) continue;
    const present = new Set([...childrenOf(container)].map(keyOf));
    const missing = [...rows].filter(([key]) => !present.has(key));
    if (missing.length < 3) continue;
    for (const [, row] of missing) { Node.prototype.appendChild.call(container, row); report.kept++; }
  }
};
const dropStories = (added, path) => { // an endless article ends at its own end
  const isOther = location.pathname + location.search !== path;
  const stories = added.filter((node) => isStory(node) && Node.prototype.contains.call(document, node));
  const first = all(document, "h1")[0];
  if (isOther || (options.scroll === "page" && stories.length && first && !stories.some((node) => contains(node, first)))) {
    for (const node of stories) { Element.prototype.remove.call(node); report.dropped++; }
  }
  if (isOther) history.replaceState(history.state, "", path + location.hash);
};
const MORE = pattern(options.words.more), EXPAND = pattern(options.words.expand);
const buttons = (words) => [...all(document, "button,[role=button],a:not([href]),a[href='#'],a[href^='javascript:'],input[type=button]")].filter((element) => {
  const text = (element instanceof HTMLElement ? shownTextOf(element) : "").trim() || attributeOf(element, "value") || attributeOf(element, "aria-label") || "";
  return text.length <= 40 && words.test(text) && isShown(element) && !matches(element, "form *,nav *,footer *,[role=dialog] *,dialog *,[aria-modal=true] *,[disabled],a[href^=http] *");
});
const guard = (event) => { // no click of ours follows a link or sends a form
  const link = event.composedPath().find((node) => node instanceof HTMLAnchorElement && node.hasAttribute("href"));
  const sender = event.composedPath().find((node) => node instanceof HTMLElement && matches(node, "button,input"));
  if ((link && !/^(#|javascript:)/.test(attributeOf(link, "href"))) || (sender && sender.form && sender.type !== "button")) event.preventDefault();
};
const click = (element) => {
  report.clicked.push((shownTextOf(element).trim() || describe(element)).slice(0, 40));
  HTMLElement.prototype.click.call(element);
};
const grown = async (measureNow, before, longestMs) => { // whether a measure grows within longestMs
  const last = performance.now() + longestMs;
  while (performance.now() < last && rest() > 0) { if (measureNow() > before) return true; await pause(options.pollMs); }
  return measureNow() > before;
};
const scroll = async () => {
  const isList = options.scroll === "list", pane = scroller(), isDocument = pane === (document.scrollingElement || rootOf(document));
  const path = location.pathname + location.search, watched = watch();
  const heightOf = () => fullHeightOf(pane), screen = () => (isDocument ? innerHeight : innerHeightOf(pane));
  const go = (top) => pane.scrollTo({ top, behavior: "instant" });
  let limit = Math.min(heightOf(), isList ? MAX_HEIGHT : options.maxHeight), place = 0;
  const moved = () => location.pathname + location.search !== path;
  if (heightOf() > screen() * 1.1 || isList) {
    for (;;) {
      while (place + screen() < limit && rest() > 0 && !moved()) {
        place = Math.min(place + screen() * STEP, limit - screen());
        go(place);
        report.steps++;
        await frame();
        await pause(STEP_MS);
      }
      if (!isList || moved() || rest() <= 0 || report.rounds >= options.rounds || limit >= MAX_HEIGHT) break;
      const before = heightOf(), texts = letters(textOf(bodyOf(document))).length;
      let more = await grown(heightOf, Math.max(before, limit), buttons(MORE).length ? options.pollMs : END_MS);
      if (!more && buttons(MORE).length) {
        click(buttons(MORE)[0]);
        more = await grown(() => letters(textOf(bodyOf(document))).length, texts, END_MS * 3);
      }
      if (!more) break;
      report.rounds++;
      await pause(options.pollMs);
      limit = Math.min(heightOf(), MAX_HEIGHT);
    }
    await frame();
    go(0);
    await frame();
    await frame();
  }
  watched.stop();
  dropStories(watched.added, path);
  if (isList) keepRows(watched);
  if (!isDocument) release(pane);
};
