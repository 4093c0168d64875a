// Hides what lies over the page: consent, newsletter, login, app and push prompts, and the veils behind them. Nothing is removed or
// clicked. What holds the story, navigation and advertising slots stay.
const LARGE = 0.25, VEIL = 0.8, LOW = 0.35, STORY_SHARE = 1 / 3, HIGH = 999;
const MAX_WORDS = 3000; // characters of an overlay that are searched for words
const pattern = (words) => new RegExp(words, "i");
const CONSENT = pattern(options.words.consent), PROMPT = pattern(options.words.prompt), CONTROLS = "button,a,input,[role=button],form,iframe";
const ADS = "ins.adsbygoogle,[id^=google_ads],[id^=div-gpt-ad],[data-ad-slot],[data-ad-client],[data-google-query-id],iframe[id^=google_ads]";
const STORY = "main,article,[role=main]";
const hidden = new Set();
let pageText = -1;
let seen = null; // what the last walk over all elements has found
const look = () => {
  seen = { roots: [], positioned: [], stickies: [], isDelayed: false };
  seen.roots = rootsOf(document, (element) => {
    if (!(element instanceof HTMLElement)) return;
    const style = getComputedStyle(element), position = style.position;
    if (position === "fixed" || (position === "absolute" && parseInt(style.zIndex) > HIGH) || (nameOf(element) === "dialog" && style.display !== "none"))
      seen.positioned.push([element, style]);
    else if (position === "sticky" && style.bottom !== "auto" && style.top === "auto") seen.stickies.push(element);
    if (style.contentVisibility === "auto") seen.isDelayed = true; // its size shows when it is near the screen
  });
};
const HOSTS = /^(?:article|aside|blockquote|div|main|p|section|span)$/;
const lengthOf = (element) => element instanceof HTMLElement ? shownTextOf(element).trim().length : 0;
const holdsStory = (element) => {
  if (element === rootOf(document) || element === bodyOf(document)) return true;
  if (pageText < 0) { // the page's text, with that of shadow roots
    pageText = lengthOf(bodyOf(document));
    for (const root of seen.roots.slice(1)) for (const child of root.children) pageText += lengthOf(child);
  }
  return lengthOf(element) > pageText * STORY_SHARE;
};
const coverOf = (rect) => {
  const width = Math.min(rect.right, innerWidth) - Math.max(rect.left, 0), height = Math.min(rect.bottom, innerHeight) - Math.max(rect.top, 0);
  return width > 0 && height > 0 ? (width * height) / (innerWidth * innerHeight) : 0;
};
const isInside = (element, other) => { // also through shadow roots
  for (let node = other; node; node = node instanceof ShadowRoot ? node.host : parentOf(node)) if (node === element) return true;
  return false;
};
const isOnTop = (element, rect) => {
  let hits = 0;
  const left = Math.max(rect.left, 0), right = Math.min(rect.right, innerWidth), top = Math.max(rect.top, 0), bottom = Math.min(rect.bottom, innerHeight);
  for (const [x, y] of [[0.5, 0.5], [0.1, 0.1], [0.9, 0.1], [0.1, 0.9], [0.9, 0.9]]) {
    let hit = Document.prototype.elementFromPoint.call(document, left + (right - left) * x, top + (bottom - top) * y);
    for (let inner; hit && shadowOf(hit) && (inner = shadowOf(hit).elementFromPoint(left + (right - left) * x, top + (bottom - top) * y)) && inner !== hit; ) hit = inner;
    if (hit && (isInside(element, hit) || [...hidden].some((other) => isInside(other, hit)) || getComputedStyle(hit).position === "fixed")) hits++;
  }
  return hits >= 3;
};
const wordsOf = (element) => {
  let text = element instanceof HTMLElement ? shownTextOf(element) : "";
  if (shadowOf(element)) text += textOf(shadowOf(element));
  return (text.slice(0, MAX_WORDS) + " " + describe(element)).toLowerCase();
};
const reasonFor = (element, style) => { // why an element is an overlay; "" if it is none
  const rect = rectOf(element), cover = coverOf(rect), position = style.position;
  if (!cover || !isShown(element) || matches(element, ADS) || has(element, ADS)) return "";
  const isFixed = position === "fixed", zIndex = parseInt(style.zIndex) || 0;
  const isDialog = matches(element, "[role=dialog],[role=alertdialog],[aria-modal=true],dialog") || has(element, "[role=dialog],[aria-modal=true]");
  if (has(element, STORY) && !isDialog) return "";
  if (has(element, "main,article h1") || holdsStory(element)) return "";
  if (isDialog) return isFixed || zIndex > HIGH || matches(element, ":modal") ? "dialog" : "";
  const isSidebar = rect.height >= innerHeight * 0.7 && rect.width <= innerWidth * 0.45 && (rect.left < 5 || rect.right > innerWidth - 5);
  const isHeader = rect.top < 5 && (matches(element, "header,nav,[role=banner],[role=navigation]") || has(element, "nav,header,[role=navigation]"));
  const words = wordsOf(element), hasControls = has(element, CONTROLS) || shadowOf(element) !== null;
  if (hasControls && CONSENT.test(words) && !isHeader && !isSidebar && isFixed) return "consent";
  if (isSidebar || isHeader) return "";
  if (cover > LARGE && isOnTop(element, rect)) {
    const text = lengthOf(element);
    if (!text && !has(element, "img,video,canvas,svg,iframe") && style.backgroundImage === "none") return cover >= VEIL ? "veil" : "";
    if (has(element, "h1") && !PROMPT.test(words)) return "";
    if (isFixed ? zIndex > 0 || PROMPT.test(words) : PROMPT.test(words)) return "covers";
  }
  if (!isFixed) return "";
  if (rect.bottom >= innerHeight - 5 && rect.top > innerHeight * LOW && rect.width > innerWidth * LOW && !matches(element, "footer") && !has(element, "footer"))
    return "bottom";
  return hasControls && zIndex > 0 && PROMPT.test(words) && cover < LARGE && !has(element, "nav") ? "prompt" : "";
};
const hide = (element, why) => {
  hidden.add(element);
  report.hidden.push([why, describe(element)]);
  setStyle(element, { display: "none" });
};
const unlock = () => { // scroll locks and blurred pages
  for (const element of [rootOf(document), bodyOf(document)]) {
    if (!(element instanceof HTMLElement)) continue;
    const style = getComputedStyle(element);
    const isLocked = /hidden|clip/.test(style.overflowY), isPinned = style.position === "fixed";
    if (isLocked) setStyle(element, { overflow: "visible", height: "auto", "max-height": "none" });
    if (isPinned) setStyle(element, { position: "static" });
    report.unlocked += isLocked || isPinned ? 1 : 0;
  }
  for (const element of [bodyOf(document), ...childrenOf(bodyOf(document))])
    if (element instanceof HTMLElement && getComputedStyle(element).filter.includes("blur")) setStyle(element, { filter: "none" });
};
const findOverlays = (use) => { // calls use(element, why) for each overlay, the outermost first
  const used = new Set();
  const take = (element, why) => { used.add(element); use(element, why); };
  pageText = -1;
  look();
  for (const element of seen.stickies) setStyle(element, { position: "relative", bottom: "auto" });
  for (const root of seen.roots) {
    for (const element of all(root, options.known))
      if (element instanceof HTMLElement && !hidden.has(element) && !has(element, "main,article h1") && element !== bodyOf(document) && getComputedStyle(element).display !== "none") {
        if (lengthOf(element) < 50 || !holdsStory(element) || lengthOf(bodyOf(document)) - lengthOf(element) > options.littleText) take(element, "known");
      }
  }
  let why;
  for (const [element, style] of seen.positioned)
    if (![...hidden, ...used].some((other) => isInside(other, element)) && (why = reasonFor(element, style))) take(element, why);
};
const hideOverlays = () => {
  const before = hidden.size;
  findOverlays(hide);
  hideClosed();
  if (hidden.size > before) unlock();
};
const hideClosed = () => { // an overlay in a closed shadow root: points show its host, whose own box is elsewhere
  const counts = new Map();
  for (const x of [0.1, 0.3, 0.5, 0.7, 0.9]) for (const y of [0.15, 0.5, 0.75, 0.97]) {
    const hit = Document.prototype.elementFromPoint.call(document, innerWidth * x, innerHeight * y);
    if (!hit || shadowOf(hit) || !(hit instanceof HTMLElement)) continue;
    const rect = rectOf(hit);
    if (rect.left > innerWidth * x || rect.right < innerWidth * x || rect.top > innerHeight * y || rect.bottom < innerHeight * y) counts.set(hit, (counts.get(hit) || 0) + 1);
  }
  for (const [element, count] of counts)
    if (count >= 3 && (HOSTS.test(nameOf(element)) || nameOf(element).includes("-")) && !has(element, STORY) && lengthOf(element) === 0 && !childrenOf(element).length && !matches(element, "html,body")) hide(element, "closed root");
};
