// Opens what is folded: text that a style cuts off, and <details>. With "click" also what a button loads.
const FOLD_SHARE = 0.1, MIN_CUT = 40, MAX_CLICKS = 5, MIN_DETAILS = 60;
const AROUND = "nav,header,footer,aside,menu,[role=navigation],[role=menu]";
const unfold = () => {
  const body = bodyOf(document);
  let total = -1;
  for (const root of seen.roots) for (const element of all(root, "div,section,article,p,main,span,ul,ol,table")) {
    if (fullHeightOf(element) < innerHeightOf(element) + MIN_CUT || innerHeightOf(element) < 1 || fullWidthOf(element) > innerWidthOf(element) * 1.05) continue;
    const style = getComputedStyle(element);
    if (!/hidden|clip/.test(style.overflowY) || style.position === "fixed" || matches(element, `${AROUND},:is(${AROUND}) *`)) continue;
    if (total < 0) total = letters(textOf(body)).length;
    const text = lengthOf(element);
    if (text < MIN_DETAILS * 2 || text < lengthOf(body) * FOLD_SHARE || element === body) continue;
    const changes = { "max-height": "none", height: "auto", overflow: "visible", "-webkit-line-clamp": "none", "mask-image": "none", "-webkit-mask-image": "none" };
    if (style.display === "-webkit-box" || style.display === "flow-root") changes.display = "block";
    setStyle(element, changes);
    report.folds++;
    hideVeils(element);
  }
  for (const element of all(document, "details:not([open])")) {
    if (matches(element, `:is(${AROUND}) *`) || letters(textOf(element)).length < MIN_DETAILS) continue;
    element.open = true;
    report.details++;
  }
};
const hideVeils = (fold) => { // the gradient over the end of a fold, and the button that would open it
  for (const element of [...childrenOf(fold), ...[fold, parentOf(fold)].flatMap((node) => { const next = node?.nextElementSibling; return next ? [next] : []; })]) {
    if (!(element instanceof HTMLElement) || lengthOf(element) > MIN_DETAILS * 2 || has(element, "p,img,h1,h2")) continue;
    const style = getComputedStyle(element), isGradient = style.backgroundImage.includes("gradient");
    if (isGradient || ((style.position === "absolute" || matches(element, "button,[role=button],a") || has(element, "button,a,[role=button]")) && EXPAND.test(shownTextOf(element)))) setStyle(element, { display: "none" });
  }
};
const clickMore = async () => {
  const measureNow = () => letters(textOf(bodyOf(document))).length, seen = new Set();
  for (let count = 0; count < MAX_CLICKS && rest() > 0; count++) {
    const button = buttons(EXPAND).find((element) => !seen.has(element));
    if (!button) return;
    seen.add(button);
    const before = measureNow(), height = fullHeightOf(rootOf(document));
    click(button);
    await grown(() => measureNow() + (fullHeightOf(rootOf(document)) > height ? before : 0), before, END_MS * 2);
    await pause(POLL_MS);
  }
};
