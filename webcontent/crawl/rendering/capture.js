// Reads a page in one pass: its HTML and the table of its boxes from the same moment, as a JSON string.
// The script runs in an isolated world, where the page's scripts can't have changed the built-in objects. A page can still
// hide properties of forms and of the document behind elements with such names, so all are read through their prototypes.
(limits) => {
  const getter = (type, name) => {
    const get = Object.getOwnPropertyDescriptor(type.prototype, name).get;
    return (node) => get.call(node);
  };
  const rootOf = getter(Document, "documentElement"), bodyOf = getter(Document, "body"), stateOf = getter(Document, "readyState");
  const typeOf = getter(Node, "nodeType"), partsOf = getter(Node, "childNodes"), rawParentOf = getter(Node, "parentNode");
  let firstOf = getter(Node, "firstChild"), nextOf = getter(Node, "nextSibling"), parentOf = rawParentOf;
  const dataOf = getter(CharacterData, "data");
  const shadowOf = getter(Element, "shadowRoot"), nameOf = getter(Element, "localName"), htmlOf = getter(Element, "outerHTML");
  const getAttribute = (element, name) => Element.prototype.getAttribute.call(element, name) || "";
  const hasAttribute = (element, name) => Element.prototype.hasAttribute.call(element, name);
  const rectOf = (element) => Element.prototype.getBoundingClientRect.call(element);
  const isVisible = (element) => Element.prototype.checkVisibility.call(element, { opacityProperty: true, visibilityProperty: true });
  const ELEMENT = 1, TEXT = 3, FRAGMENT = 11;
  const MAX_ROWS = 2500, MAX_NODES = 60_000; // boxes, and nodes that are visited for them
  const MIN_UNSEEN = 60; // characters of a text that no reader sees: less is a label for screen readers
  const SKIPPED = new Set(["script", "style", "noscript", "template", "head"]);
  const IMAGES = new Set(["img", "picture", "svg", "canvas", "video", "iframe", "object", "embed"]);
  const CONTROLS = new Set(["input", "button", "select", "textarea"]);
  const LEAVES = new Set(["svg", "select", "textarea", "iframe", "object", "canvas"]);

  const childrenOf = (root) => Array.from((typeOf(root) === FRAGMENT ? DocumentFragment : Document).prototype.querySelectorAll.call(root, "*"));
  const root = rootOf(document), hidden = globalThis.webcontent?.finish() || [];
  if (!root) return JSON.stringify({ html: "", boxes: [], width: innerWidth, visible: innerHeight, height: 0, ratio: 1, url: location.href, text: 0, images: 0, lacks: false, hidden, truncated: false, loading: stateOf(document) === "loading" });

  // The tree that a reader sees, where it is not the document's own: shadow roots instead of their hosts' children, what is assigned
  // instead of slots, and the body of a frame in a div behind the frame. Only pages that have such parts are read so.
  const UNCOMPOSED = new Set(["style", "link", "script", "template"]), parts = new Map(), mixed = new Set();
  const compose = () => {
    const frames = new Map((limits.frames || []).map((part) => [globalThis.webcontentFrames[part.index], part]));
    if (!frames.size && !childrenOf(document).some(shadowOf)) return;
    const first = new Map(), next = new Map(), parent = new Map();
    const expand = (nodes, inShadow) => Array.from(nodes).flatMap((node) => {
      if (typeOf(node) !== ELEMENT) return [node];
      if (inShadow && UNCOMPOSED.has(nameOf(node))) return [];
      if (node instanceof HTMLSlotElement && inShadow) return HTMLSlotElement.prototype.assignedNodes.call(node, { flatten: true });
      return [node];
    });
    const stack = [[root, false]];
    while (stack.length) {
      const [element, inShadow] = stack.pop(), inner = shadowOf(element), children = [];
      for (const node of expand(partsOf(inner || element), inner || inShadow)) {
        children.push(node);
        if (!frames.has(node)) continue;
        const div = document.createElement("div");
        parts.set(div, frames.get(node));
        children.push(div);
      }
      const isMixed = inner || children.length !== partsOf(element).length || children.some((node) => rawParentOf(node) !== element);
      children.forEach((node, place) => {
        parent.set(node, element);
        if (place) next.set(children[place - 1], node);
        if (typeOf(node) === ELEMENT && !parts.has(node)) stack.push([node, inner || (inShadow && node.getRootNode() !== document)]);
      });
      if (children.length) first.set(element, children[0]);
      if (isMixed) for (let node = element; node && !mixed.has(node); node = parent.get(node)) mixed.add(node);
    }
    firstOf = (node) => first.get(node) || null;
    nextOf = (node) => next.get(node) || null;
    parentOf = (node) => parent.get(node) || null;
  };
  const escape = (text, pattern) => text.replace(pattern, (sign) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[sign]);
  const write = (node) => {
    if (typeOf(node) === TEXT) return escape(dataOf(node), /[&<>]/g);
    if (typeOf(node) !== ELEMENT) return "";
    const part = parts.get(node);
    if (part) return `<div data-webcontent-frame="${escape(part.url, /[&"]/g)}">${part.html}</div>`;
    if (!mixed.has(node)) return htmlOf(node);
    let html = "<" + nameOf(node);
    for (const { name, value } of getter(Element, "attributes")(node)) html += ` ${name}="${escape(value, /[&"]/g)}"`;
    html += ">";
    for (let child = firstOf(node); child; child = nextOf(child)) if (typeOf(child) !== TEXT || !unseen.has(node)) html += write(child);
    return html + "</" + nameOf(node) + ">";
  };
  if (limits.composed) compose();

  // The length of text with blanks collapsed, of parts put together: [characters, blank before, blank after].
  const BLANK = /\s+/g;
  const measure = (text) => {
    const flat = text.replace(BLANK, " "), bare = flat.trim().length;
    return [bare, flat[0] === " ", flat[flat.length - 1] === " "];
  };
  const append = (sum, part) => {
    if (!part[0]) { if (part[1]) { if (sum[0]) sum[2] = true; else sum[1] = true; } return; }
    if (sum[0]) { sum[0] += part[0] + (sum[2] || part[1] ? 1 : 0); } else { sum[0] = part[0]; sum[1] ||= part[1]; }
    sum[2] = part[2];
  };

  const paths = new Map([[root, "/" + nameOf(root)]]), steps = new Map();
  const number = (parent) => { // the path step of every child: its name, and its index where the name comes again
    const counts = new Map(), seen = new Map();
    for (let node = firstOf(parent); node; node = nextOf(node))
      if (typeOf(node) === ELEMENT) counts.set(nameOf(node), (counts.get(nameOf(node)) || 0) + 1);
    for (let node = firstOf(parent); node; node = nextOf(node)) {
      if (typeOf(node) !== ELEMENT) continue;
      const name = nameOf(node), place = (seen.get(name) || 0) + 1;
      seen.set(name, place);
      steps.set(node, "/" + name + (counts.get(name) > 1 ? "[" + place + "]" : ""));
    }
  };
  const pathOf = (element) => {
    const missing = [];
    let node = element;
    for (; node && !paths.has(node); node = parentOf(node)) missing.push(node);
    let path = node ? paths.get(node) : "";
    while (missing.length) {
      const next = missing.pop();
      if (!steps.has(next)) number(parentOf(next));
      paths.set(next, (path += steps.get(next)));
    }
    return path;
  };

  const hexes = new Map();
  const hexOf = (color) => { // "" for a transparent colour
    let hex = hexes.get(color);
    if (hex === undefined) {
      const parts = (color.match(/[\d.]+/g) || []).map(Number);
      hex = !color.startsWith("rgb") || parts[3] === 0 ? "" : "#" + parts.slice(0, 3).map((part) => Math.round(part).toString(16).padStart(2, "0")).join("");
      hexes.set(color, hex);
    }
    return hex;
  };
  const backgrounds = new Map();
  const backgroundOf = (element) => {
    const above = [];
    let color = "#ffffff";
    for (let node = element; node && typeOf(node) === ELEMENT; node = parentOf(node)) {
      if (backgrounds.has(node)) { color = backgrounds.get(node); break; }
      above.push(node);
      const own = hexOf(getComputedStyle(node).backgroundColor);
      if (own) { color = own; break; }
    }
    for (const node of above) backgrounds.set(node, color);
    return color;
  };

  const left = window.scrollX, top = window.scrollY;
  // Elements whose own text no reader sees, by styles. What a reader can open stays: tabs, folds, slides, and all that is not displayed.
  const unseen = new Set(), covers = new Map();
  let unseenCharacters = 0, longestUnseen = 0;
  const OPENED = /tab|acc?ord|collaps|faq|expand|toggle|swap|spoiler|slide|carousel|panel|more|answer/i;
  const opens = (element) => { // whether it, or one of three around it, is named as what opens
    for (let node = element, count = 0; node && typeOf(node) === ELEMENT && count < 4; node = parentOf(node), count++)
      if (OPENED.test(`${getAttribute(node, "class")} ${getAttribute(node, "id")} ${getAttribute(node, "role")}`)) return true;
    return false;
  };
  const hidesAll = bodyOf(document) && getComputedStyle(bodyOf(document)).visibility !== "visible";
  const isRightToLeft = getComputedStyle(root).direction === "rtl";
  const isClipped = (style, rect) => {
    const [above, right, below, before] = (style.clip.match(/-?[\d.]+/g) || []).map(Number), inset = /^inset\(([\d.]+)%/.exec(style.clipPath);
    if (style.clip !== "auto" && style.position === "absolute" && (right - before <= 1 || below - above <= 1)) return true;
    if ((inset && inset[1] >= 50) || /^circle\(0|^polygon\((?:0px 0px,? ?)+\)/.test(style.clipPath)) return true;
    return rect.width <= 1 && rect.height <= 1 && (/hidden|clip/.test(style.overflow) || style.transform !== "none");
  };
  // What fades in, or lies below what was scrolled to, would be shown to a reader who goes there.
  const appears = (style, rect) => rect.top + top >= limits.maxHeight || style.transitionDuration !== "0s" || style.animationName !== "none";
  const isCovered = (node) => { // whether an element, or one around it, takes what it holds out of sight
    if (!node || typeOf(node) !== ELEMENT || node === root || nameOf(node) === "body") return false; // some pages show all at once, late
    if (!covers.has(node)) {
      const style = getComputedStyle(node), rect = rectOf(node), isShown = style.display !== "none" && style.display !== "contents";
      const isAway = rect.width && (rect.bottom + top <= 0 || rect.right + left <= (isRightToLeft ? -5000 : 0));
      const own = isShown && (isAway || isClipped(style, rect) || (parseFloat(style.opacity) < 0.02 && !appears(style, rect)));
      covers.set(node, (own && !opens(node)) || isCovered(parentOf(node)));
    }
    return covers.get(node);
  };
  const channelsOf = (hex) => [1, 3, 5].map((place) => parseInt(hex.slice(place, place + 2), 16));
  const hasOwnGround = (element) => { // something is drawn beneath the text that is no background of what is around it
    const rect = rectOf(element), overlaps = (other) => other.left < rect.right && other.right > rect.left && other.top < rect.bottom && other.bottom > rect.top;
    for (let node = element, last = null, count = 0; node && count < 5; last = node, node = parentOf(node), count++) {
      if (typeOf(node) !== ELEMENT) return false;
      const style = getComputedStyle(node);
      if (style.backgroundImage !== "none" || getComputedStyle(node, "::before").content !== "none") return true;
      for (let child = firstOf(node); child; child = nextOf(child))
        if (child !== last && typeOf(child) === ELEMENT && (IMAGES.has(nameOf(child)) || /absolute|fixed/.test(getComputedStyle(child).position)) && overlaps(rectOf(child))) return true;
    }
    return false;
  };
  const isStyled = childrenOf(document).every((node) => !(node instanceof HTMLLinkElement) || !/\bstylesheet\b/i.test(getAttribute(node, "rel")) || node.sheet || node.disabled);
  const isPale = (element, style) => { // the text has the colour of what is behind it
    const fill = style.webkitTextFillColor || style.color, color = hexOf(fill);
    if (!isStyled || style.textShadow !== "none" || style.backgroundClip === "text") return false;
    if (!color) return true;
    const behind = channelsOf(backgroundOf(element));
    return channelsOf(color).every((part, place) => Math.abs(part - behind[place]) <= 4) && !hasOwnGround(element);
  };
  const isUnseen = (element) => {
    const style = getComputedStyle(element);
    if (style.display === "none" || !limits.composed || !element.checkVisibility()) return false;
    return parseFloat(style.fontSize) < 2 || parseFloat(style.textIndent) < -500 || (style.visibility !== "visible" && !hidesAll && !appears(style, rectOf(element)) && !opens(element)) || isPale(element, style) || isCovered(element);
  };

  const bordersOf = (style) => // widths of top, right, bottom, left; "" for none
    /[1-9]/.test(style.borderWidth) ? ["Top", "Right", "Bottom", "Left"].map((side) => parseFloat(style["border" + side + "Width"])).join(" ") : "";
  const rows = [], round = Math.round;
  const addRow = (element, at) => {
    const rect = rectOf(element);
    if (rect.width < 1 || rect.height < 1 || rect.top + top >= limits.maxHeight || !isVisible(element)) return;
    const style = getComputedStyle(element), position = style.position, place = nameOf(element);
    const isOut = position === "absolute" || position === "fixed";
    const isImage = IMAGES.has(place), isControl = CONTROLS.has(place);
    rows.push([at.order, [
      pathOf(element), place, round(rect.left + left), round(rect.top + top), round(rect.width), round(rect.height),
      round(parseFloat(style.fontSize) * 10) / 10, parseInt(style.fontWeight) || 400, hexOf(style.color), backgroundOf(element),
      at.own[0], at.whole[0], at.inLink ? at.whole[0] : at.linkText, at.links + (at.inLink && !at.isLink ? 1 : 0),
      style.backgroundImage === "none" ? 0 : 1, style.display, isOut ? position : style.float === "none" ? "" : "float",
      bordersOf(style), isImage ? 1 : isControl ? 2 : 0, 1,
    ]]);
  };
  const isDrawn = (element, at, name) =>
    at.own[0] || IMAGES.has(name) || (CONTROLS.has(name) && !at.whole[0]) || (!at.whole[0] && getComputedStyle(element).backgroundImage !== "none");

  const enter = (element, above) => {
    const isLink = nameOf(element) === "a" && hasAttribute(element, "href");
    return { element, above, order: visited, own: [0, false, false], whole: [0, false, false], linkText: 0, links: isLink ? 1 : 0, isLink, inLink: isLink || above?.inLink };
  };
  const leave = (at) => {
    const name = nameOf(at.element), above = at.above;
    if (at.own[0] && isUnseen(at.element)) {
      unseen.add(at.element);
      unseenCharacters += at.own[0];
      longestUnseen = Math.max(longestUnseen, at.own[0]);
    } else if (rows.length < MAX_ROWS && isDrawn(at.element, at, name)) addRow(at.element, at);
    if (!above) return;
    append(above.whole, at.whole);
    above.linkText += at.isLink ? at.whole[0] : at.linkText;
    above.links += at.links;
  };
  let visited = 0, images = 0, at = enter(root, null), node = firstOf(root);
  for (;;) {
    if (!node || visited >= MAX_NODES) { // back up
      leave(at);
      if (!at.above) break;
      node = nextOf(at.element);
      at = at.above;
      continue;
    }
    visited++;
    const type = typeOf(node);
    if (type === TEXT) {
      const part = measure(dataOf(node));
      append(at.own, part);
      append(at.whole, part);
    } else if (type === ELEMENT && !SKIPPED.has(nameOf(node))) {
      if (IMAGES.has(nameOf(node))) images++;
      const inner = enter(node, at);
      const child = LEAVES.has(nameOf(node)) ? null : firstOf(node);
      if (child) { at = inner; node = child; continue; }
      const part = parts.get(node);
      if (part) {
        inner.whole = [part.text, false, false];
        const rect = rectOf(globalThis.webcontentFrames[part.index]), place = pathOf(node);
        for (const [path, tag, x, y, ...more] of part.boxes)
          if (path.startsWith("/html/body/") && rows.length < MAX_ROWS) rows.push([visited, [place + path.slice(10), tag, x + round(rect.left + left), y + round(rect.top + top), ...more]]);
      }
      leave(inner);
    }
    node = nextOf(node);
  }
  if (at.whole[0] - unseenCharacters < limits.littleText) { unseen.clear(); longestUnseen = 0; } // a page that does not show itself is read whole
  for (const element of unseen) for (let node = element; node && !mixed.has(node); node = parentOf(node)) mixed.add(node);
  rows.sort((one, other) => one[0] - other[0]);

  const html = !limits.isFrame ? write(root) : bodyOf(document) ? Array.from(partsOf(bodyOf(document)), write).join("") : "";
  return JSON.stringify({
    html: html.length > limits.maxCharacters ? html.slice(0, limits.maxCharacters) : html,
    boxes: rows.map((row) => row[1]),
    width: innerWidth,
    visible: innerHeight,
    ratio: devicePixelRatio,
    height: Math.max(root.scrollHeight, bodyOf(document)?.scrollHeight || 0),
    url: location.href,
    text: at.whole[0],
    images,
    lacks: longestUnseen >= MIN_UNSEEN,
    hidden,
    truncated: html.length > limits.maxCharacters,
    loading: stateOf(document) === "loading",
  });
}
