// Scrolls, so that lazy content loads, and returns to the top. "list" goes on while the page grows; "auto" is "list" on pages of links.
// "unclear" scrolls only where the last walk over the elements has found what waits, or where a pane scrolls.
const DELAYED = "[data-src],[data-srcset],[data-original],[data-lazy],[data-lazy-src],[data-bg],[data-background],[data-background-image],[onscroll]";
const awaitsScrolling = () =>
  Array.from(scriptsOf(document)).some((script) => !attributeOf(script, "src") && /IntersectionObserver|scroll/.test(textOf(script))) ||
  rootsOf(document).some((root) => has(root, DELAYED) || [...all(root, "img[loading=lazy],iframe[loading=lazy]")].some((element) => !element.complete));
const STEP = 0.9, STEP_MS = 30, END_MS = 500, DATA_MS = 1500, MAX_HEIGHT = 30000, MAX_ROUNDS = 5;
const scroller = () => { // the document's, or the largest pane that scrolls where the document doesn't
  const root = document.scrollingElement || rootOf(document);
  if (fullHeightOf(root) > innerHeight * 1.1) return root;
  let best = root, size = innerWidth * innerHeight * 0.3;
  for (const element of seen.roots.flatMap((inner) => [...all(inner, "div,main,section,ul,ol,article,aside")])) {
    if (fullHeightOf(element) < innerHeightOf(element) * 1.2 || innerHeightOf(element) < 200) continue;
    const area = innerWidthOf(element) * innerHeightOf(element);
    if (area > size && /auto|scroll|overlay/.test(getComputedStyle(element).overflowY)) { best = element; size = area; }
  }
  return best;
};
const MIN_LINKS = 8, MIN_HEADLINE = 14, MIN_PROSE = 120, MIN_PARAGRAPHS = 3, WIDE = /[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]/g;
const widthOf = (text) => text.length + (text.match(WIDE) || []).length; // a character of Chinese, Japanese or Korean counts twice
const isList = () => { // whether more of the text leads to other pages than is read here
  if (has(document, "meta[property='og:type'][content^=article]")) return false;
  const targets = new Set();
  let links = 0, prose = 0;
  for (const root of rootsOf(document)) {
    for (const link of all(root, "a[href]")) {
      const width = widthOf(textOf(link).replace(/\s+/g, " ").trim()), target = attributeOf(link, "href");
      if (width < MIN_HEADLINE || targets.has(target) || matches(link, `:is(${AROUND}) *`)) continue;
      targets.add(target);
      links += width;
    }
    const groups = new Map(); // long paragraphs by parent: a summary in a list has no neighbours
    for (const part of all(root, "p,blockquote,pre,dd")) {
      const width = widthOf(textOf(part).trim());
      if (width >= MIN_PROSE && !matches(part, "a *")) groups.set(parentOf(part), [...(groups.get(parentOf(part)) || []), width]);
    }
    for (const widths of groups.values()) if (widths.length >= MIN_PARAGRAPHS) prose += widths.reduce((one, other) => one + other);
    for (const part of all(root, "div,td,section,article")) { // text without paragraphs
      const width = widthOf([...nodesOf(part)].filter((node) => node instanceof Text).map(textOf).join("").trim());
      if (width >= MIN_PROSE * MIN_PARAGRAPHS) prose += width;
    }
  }
  return targets.size >= MIN_LINKS && links > prose;
};
const release = (pane) => { // the whole height of an inner pane, for boxes and screenshot
  for (let node = pane; node instanceof HTMLElement && node !== bodyOf(document); node = parentOf(node)) {
    if (/fixed|absolute/.test(getComputedStyle(node).position) && rectOf(node).height >= innerHeight * 0.9) setStyle(node, { position: "relative", inset: "auto" });
    if (node === pane || innerHeightOf(node) < fullHeightOf(node)) setStyle(node, { overflow: "visible", height: "auto", "max-height": "none" });
  }
  setStyle(rootOf(document), { overflow: "visible", height: "auto" });
  setStyle(bodyOf(document), { overflow: "visible", height: "auto" });
};
const keyOf = (row) => { // what tells rows apart: where they lead, else their text
  const link = matches(row, "a[href]") ? row : all(row, "a[href]")[0], target = link ? attributeOf(link, "href") : "";
  return /^(?:#|javascript:|$)/.test(target) ? textOf(row).replace(/\s+/g, " ").trim() : target;
};
const isStory = (node) => { // a whole article that was appended
  if (!(node instanceof Element) || textOf(node).length < 500) return false;
  const paragraphs = [...all(node, "p")].filter((part) => textOf(part).trim().length > 80).length;
  return paragraphs >= 3 && (has(node, "h1,h2") || matches(node, "article") || has(node, "article"));
};
const MIN_ROWS = 3, MAX_ROWS = 3000;
const rowOf = (node) => { // the row of a list that holds a node
  for (let row = node instanceof Element ? node : parentOf(node), parent; row && (parent = parentOf(row)) instanceof HTMLElement && parent !== bodyOf(document); row = parent)
    if ([...childrenOf(parent)].filter((other) => nameOf(other) === nameOf(row)).length > MIN_ROWS) return row;
  return null;
};
const watch = () => { // what scripts add, and the rows that they take away or write anew, while the page is scrolled
  const added = [], lists = new Map();
  const listOf = (container) => {
    if (!lists.has(container)) lists.set(container, { rows: new Map(), lost: 0, rewritten: new Set() });
    return lists.get(container);
  };
  const keep = (container, rows) => {
    const list = listOf(container);
    for (const row of rows)
      if (list.rows.size < MAX_ROWS && textOf(row).trim() && !list.rows.has(keyOf(row))) list.rows.set(keyOf(row), Node.prototype.cloneNode.call(row, true));
  };
  const note = (records) => {
    for (const record of records) {
      for (const node of record.addedNodes) if (node instanceof Element) added.push(node);
      if (options.scroll !== "list" || record.target === bodyOf(document)) continue;
      const rows = [...record.removedNodes].filter((node) => node instanceof HTMLElement && textOf(node).trim());
      if (rows.length && record.target instanceof HTMLElement) {
        keep(record.target, rows);
        listOf(record.target).lost += rows.length;
      }
      const row = record.type === "characterData" || record.removedNodes.length ? rowOf(record.target) : null;
      if (row) listOf(parentOf(row)).rewritten.add(row);
    }
  };
  const look = () => { // lists whose rows are written anew show what they show only now
    for (const [container, list] of lists) if (list.rewritten.size >= MIN_ROWS) keep(container, childrenOf(container));
  };
  const observer = new MutationObserver(note);
  for (const root of rootsOf(document)) {
    observer.observe(root, { subtree: true, childList: true, characterData: true });
    if (options.scroll !== "list") continue;
    for (const container of all(root, "ul,ol,div,section,main,tbody")) if (childrenOf(container).length > MIN_ROWS * 2 && rowOf(childrenOf(container)[0])) keep(container, childrenOf(container));
  }
  return { added, lists, look, stop: () => { note(observer.takeRecords()); observer.disconnect(); } };
};
const keepRows = ({ lists }) => { // puts back the rows that a virtual list has taken away
  for (const [container, { rows, lost, rewritten }] of lists) {
    if ((lost < MIN_ROWS && rewritten.size < MIN_ROWS) || !Node.prototype.contains.call(document, container)) continue;
    const present = new Set([...childrenOf(container)].map(keyOf));
    const missing = [...rows].filter(([key]) => !present.has(key));
    if (missing.length < MIN_ROWS) continue;
    for (const [, row] of missing) { Node.prototype.appendChild.call(container, row); report.kept++; }
  }
};
let path = ""; // of the page before it was scrolled
const dropStories = (added) => { // an endless article ends at its own end
  const isOther = location.pathname + location.search !== path;
  const stories = added.filter((node) => isStory(node) && Node.prototype.contains.call(document, node));
  const first = all(document, "h1")[0];
  if (isOther || (options.scroll !== "list" && stories.length && first && !stories.some((node) => contains(node, first)))) {
    for (const node of stories) { Element.prototype.remove.call(node); report.dropped++; }
  }
  if (isOther) history.replaceState(history.state, "", path + location.hash);
};
const MORE = pattern(options.words.more), EXPAND = pattern(options.words.expand);
const buttons = (words) => rootsOf(document).flatMap((root) => [...all(root, "button,[role=button],a:not([href]),a[href='#'],a[href^='javascript:'],input[type=button]")]).filter((element) => {
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
const grown = async (measureNow, before, longestMs) => { // whether a measure grows within longestMs, or as soon as requested data is there
  const begin = performance.now();
  const isTime = () => performance.now() < begin + longestMs || (globalThis.webcontent.waits && performance.now() < begin + longestMs + DATA_MS);
  while (isTime() && rest() > 0) { if (measureNow() > before) return true; await pause(POLL_MS); }
  return measureNow() > before;
};
const scroll = async () => {
  const isList = options.scroll === "list", pane = scroller(), isDocument = pane === (document.scrollingElement || rootOf(document));
  report.scroll = options.scroll === "unclear" ? (isDocument && !seen.isDelayed ? "none" : "page") : options.scroll;
  if (report.scroll === "none") return;
  const watched = watch();
  path = location.pathname + location.search;
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
        watched.look();
      }
      if (!isList || moved() || rest() <= 0 || report.rounds >= MAX_ROUNDS || limit >= MAX_HEIGHT) break;
      const texts = letters(textOf(bodyOf(document))).length;
      const canClick = buttons(MORE).length > 0;
      let more = await grown(heightOf, limit, canClick ? POLL_MS : END_MS);
      if (!more && canClick) {
        click(buttons(MORE)[0]);
        more = await grown(() => letters(textOf(bodyOf(document))).length, texts, END_MS * 3);
      }
      if (!more) break;
      report.rounds++;
      await pause(POLL_MS);
      limit = Math.min(heightOf(), MAX_HEIGHT);
    }
    await frame();
    go(0);
    await frame();
    await frame();
  }
  watched.stop();
  dropStories(watched.added);
  if (isList) keepRows(watched);
  if (!isDocument) release(pane);
};
