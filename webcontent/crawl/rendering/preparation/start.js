// The beginning of the script that prepares a page. The parts are joined and run in an isolated world: start, readiness, overlays,
// scrolling, folds, run. The page's scripts can't see them. Properties are read through prototypes, as in capture.js.
const getter = (type, name) => {
  const get = Object.getOwnPropertyDescriptor(type.prototype, name).get;
  return (node) => get.call(node);
};
const rootOf = getter(Document, "documentElement"), bodyOf = getter(Document, "body"), scriptsOf = getter(Document, "scripts"), stateOf = getter(Document, "readyState");
const shadowOf = getter(Element, "shadowRoot"), nameOf = getter(Element, "localName"), childrenOf = getter(Element, "children");
const textOf = getter(Node, "textContent"), parentOf = getter(Node, "parentNode"), nodesOf = getter(Node, "childNodes"), shownTextOf = getter(HTMLElement, "innerText");
const styleOf = getter(HTMLElement, "style"), fullHeightOf = getter(Element, "scrollHeight"), innerHeightOf = getter(Element, "clientHeight");
const fullWidthOf = getter(Element, "scrollWidth"), innerWidthOf = getter(Element, "clientWidth");
const attributeOf = (element, name) => Element.prototype.getAttribute.call(element, name);
const contains = (element, other) => Node.prototype.contains.call(element, other);
const matches = (element, selector) => Element.prototype.matches.call(element, selector);
const rectOf = (element) => Element.prototype.getBoundingClientRect.call(element);
const isShown = (element) => Element.prototype.checkVisibility.call(element, { opacityProperty: true, visibilityProperty: true });
const all = (root, selector) => (root instanceof Document ? Document : root instanceof DocumentFragment ? DocumentFragment : Element).prototype.querySelectorAll.call(root, selector);
const has = (element, selector) => all(element, selector).length > 0;
const POLL_MS = 50, FRAME_MS = 100, BUSY_FRAME_MS = 1000; // between two looks; the longest waits for a frame of a browser that has drawn none yet, and one
const pause = (ms) => new Promise((done) => setTimeout(done, ms));
let draws = false; // a browser that has drawn a frame draws the next one, too, however busy it is: the page's observers wait for it
const frame = async () => {
  const drawn = new Promise((done) => requestAnimationFrame(() => { draws = true; done(); }));
  await Promise.race([drawn, pause(draws ? BUSY_FRAME_MS : FRAME_MS)]);
};
const SCRIPT = /^$|javascript|ecmascript|^module$/i; // types of scripts that run; JSON-LD does not
const hasScripts = Array.from(scriptsOf(document)).some((script) => SCRIPT.test(attributeOf(script, "type") || ""));
let end = Infinity; // set when the steps begin
const rest = () => end - performance.now();
const report = { scroll: "none", hidden: [], unlocked: 0, steps: 0, rounds: 0, kept: 0, dropped: 0, folds: 0, details: 0, clicked: [], ms: {} };

const rootsOf = (root, use = () => {}) => { // the document, and all open shadow roots in it; calls use(element) for each element
  const found = [root];
  for (const next of found) for (const element of all(next, "*")) { // grows while it is read
    const inner = shadowOf(element);
    if (inner) found.push(inner);
    use(element);
  }
  return found;
};
const setStyle = (element, properties) => {
  for (const name in properties) CSSStyleDeclaration.prototype.setProperty.call(styleOf(element), name, properties[name], "important");
};
const describe = (element) => {
  const name = attributeOf(element, "class");
  return nameOf(element) + (attributeOf(element, "id") ? "#" + attributeOf(element, "id") : "") + (name ? "." + name.trim().split(/\s+/).slice(0, 2).join(".") : "");
};
const letters = (text) => text.replace(/[\d\s]+/g, "");
