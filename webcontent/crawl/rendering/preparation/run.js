// The steps in their order. Each is timed.
const timed = async (name, step) => {
  const begin = performance.now();
  try { await step(); } catch (error) { report.error = String(error).slice(0, 200); }
  report.ms[name] = Math.round((report.ms[name] || 0) + performance.now() - begin);
};
const late = new Set(); // elements that scripts add between the preparation and the reading
let isChanged = false, hides = false;
const note = (records) => {
  isChanged ||= records.length > 0;
  for (const record of records) for (const node of record.addedNodes) if (node instanceof Element) late.add(node);
};
const observer = new MutationObserver(note);
const watchOn = () => {
  for (const root of seen.roots) observer.observe(root, { subtree: true, childList: true, attributeFilter: ["class", "hidden", "open", "style"] });
};
const settle = () => {
  if (hides) hideOverlays();
  if (path) dropStories([...late]);
  observer.takeRecords();
  late.clear();
  isChanged = false;
};
const MIN_ASKING = [200, 60], MAX_ASKING = 2; // frames with a request for consent
const MIN_FRAME = [300, 200], MAX_FRAMES = 5;
const isLarge = (element, [width, height]) => { const rect = rectOf(element); return rect.width >= width && rect.height >= height && isShown(element); };
const findParts = () => { // large frames
  globalThis.webcontentFrames = !options.frames ? [] : seen.roots.flatMap((root) => [...all(root, "iframe,frame")])
    .filter((element) => isLarge(element, MIN_FRAME) && !matches(element, ADS) && !matches(element, "[aria-hidden=true]")).slice(0, MAX_FRAMES);
  report.frames = globalThis.webcontentFrames.length;
};
const framesIn = (element) => [element, ...all(element, "iframe")].filter((node) => matches(node, "iframe") && isLarge(node, MIN_ASKING));
const isAnswerable = (element) => framesIn(element).length > 0 || inside(element, BUTTONS).some((button) => isShown(button) && coverOf(rectOf(button)) > 0);
const TOOLS = Object.values(options.tools).join(",");
const asked = new Set(); // what asked once asks as long as it is there: settings may hold none of the words
const asking = () => { // what lies over the page and asks for consent
  if (bodyOf(document) instanceof HTMLElement) findOverlays((element, why) => {
    const words = [wordsOf(element), ...framesIn(element).map((node) => attributeOf(node, "title") || "")].join(" ");
    if (CONSENT.test(words) || (why === "known" && matches(element, TOOLS))) asked.add(element);
  });
  return [...asked].filter((element) => isShown(element) && isAnswerable(element));
};
globalThis.webcontent = {
  ready,
  asks: () => { // how much over the page asks for consent, the names of known tools in it, and how many frames are in it
    const found = asking();
    const frames = new Set(found.flatMap((element) => framesIn(element)));
    const isIn = (element) => found.some((other) => isInside(other, element) || isInside(element, other));
    const tools = Object.keys(options.tools).filter((name) => rootsOf(document).some((root) => [...all(root, options.tools[name])].some((element) => isShown(element) && isIn(element))));
    globalThis.webcontentAsking = [...frames].slice(0, MAX_ASKING);
    return { asks: found.length, tools, frames: globalThis.webcontentAsking.length };
  },
  waits: false, // whether data is under way, as far as the network knows
  prepare: async (scrolling, budgetMs) => {
    end = performance.now() + budgetMs;
    options.scroll = scrolling;
    hides = options.overlays !== "keep" && bodyOf(document) instanceof HTMLElement;
    const clicks = options.scroll === "list" || options.expand === "click";
    if (!(bodyOf(document) instanceof HTMLElement)) return JSON.stringify(report);
    await timed("hide", hides ? hideOverlays : look);
    if (clicks) addEventListener("click", guard, true);
    if (options.scroll !== "none") await timed("scroll", scroll);
    if (options.expand !== "none") await timed("unfold", unfold);
    if (options.expand === "click" && hasScripts) await timed("click", clickMore);
    if (clicks) removeEventListener("click", guard, true);
    if (report.steps || report.clicked.length) await timed("hide", hides ? hideOverlays : look);
    await timed("parts", findParts);
    watchOn();
    return JSON.stringify(report);
  },
  finish: () => { // called in the moment of reading and before the screenshot, for overlays and stories that have come since; gives all overlays that were hidden
    note(observer.takeRecords());
    if (isChanged) timed("hide", settle);
    return report.hidden;
  },
};
