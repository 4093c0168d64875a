// Waits until the page, or a page with little text, has had no new text for so long. Digits are left out, so a clock is no change.
const QUIET_MS = 300, EMPTY_QUIET_MS = 500;
const UNREAD = new Set(["script", "style", "noscript", "template"]);
const readText = (nodes) => {
  let text = "";
  for (const node of nodes) {
    if (node instanceof Element && UNREAD.has(nameOf(node))) continue;
    text += node instanceof Element || node instanceof Text ? textOf(node) : "";
    if (node instanceof Element && shadowOf(node)) text += textOf(shadowOf(node));
  }
  return letters(text);
};
const isNews = (record) => {
  if (record.target instanceof Element && UNREAD.has(nameOf(record.target))) return false;
  if (record.type === "characterData") return letters(record.oldValue || "") !== letters(textOf(record.target));
  return readText(record.addedNodes) !== readText(record.removedNodes);
};
const waitForQuiet = (longestMs) => new Promise((done) => {
  let changed = performance.now();
  const begin = changed;
  const quiet = letters(textOf(bodyOf(document) || rootOf(document))).length < options.littleText ? EMPTY_QUIET_MS : QUIET_MS;
  const stop = () => { observer.disconnect(); clearInterval(timer); done(); };
  const observer = new MutationObserver((records) => { if (records.some(isNews)) changed = performance.now(); });
  const timer = setInterval(() => {
    const now = performance.now();
    const loaded = performance.getEntriesByType("resource").findLast((entry) => entry.initiatorType === "script")?.responseEnd || 0;
    if (now - Math.max(changed, loaded) >= quiet || now - begin >= longestMs) stop();
  }, POLL_MS);
  for (const root of rootsOf(document)) observer.observe(root, { subtree: true, childList: true, characterData: true, characterDataOldValue: true });
});
// How the page is scrolled: "list", "page", "none"; "unclear" where nothing in the page shows that something waits for it.
const ready = async (longestMs) => {
  if (hasScripts) await waitForQuiet(longestMs);
  if (options.scroll === "none" || !hasScripts || !(bodyOf(document) instanceof HTMLElement)) return "none";
  if (options.scroll === "list" || (options.scroll === "auto" && isList())) return "list";
  return awaitsScrolling() ? "page" : "unclear";
};
