"""Small pages with a request for consent: models of the interfaces that consent tools document, and home-made dialogs in eight languages.

A page of a tool with a call shows no button but one that accepts. What was chosen is asked for: /accept or /reject.
"""

from __future__ import annotations

from tests.crawl.server import TEXT, page, script

COLOUR = "#ff00ff"
"""Of all dialogs, and of nothing else."""
MARK = "Consent text"
STYLE = f"position:fixed;left:0;right:0;bottom:0;z-index:9999;background:{COLOUR};padding:60px"
WORDS = f"<p>{MARK}: we and our partners use cookies to store personal data on your device.</p>"
CHOOSE = (
    "const box = document.getElementById('box'), tell = (what) => fetch('/' + what); let close = () => box.remove();"
    "const accept = () => { tell('accept'); close(); }, refuse = () => { tell('reject'); close(); };"
    "const show = (html) => { inner.innerHTML = html; wire(); };"
    "const wire = () => inner.querySelectorAll('[data-do]').forEach((one) => one.onclick = () => { eval(one.dataset.do); return false; });"
)
ACCEPT = "<button data-do='accept()'>Accept all</button>"


def dialog(attributes: str, buttons: str = ACCEPT, code: str = "", *, root: bool = False, words: str = WORDS) -> str:
    """A page over which a box with a dialog lies; `root`: the dialog is in the shadow root of the element with the attributes."""
    content = f"<div style='{STYLE}'>{words}{buttons}</div>"
    element = f"<div {attributes}></div>" if root else f"<div {attributes}>{content}</div>"
    inner = f"box.firstChild.attachShadow({{mode: 'open'}}).innerHTML = `{content}`; const inner = box.firstChild.shadowRoot;"
    start = inner if root else "const inner = box.querySelector('[style]');"
    return page(TEXT * 3 + f"<div id=box>{element}</div>" + script(f"{CHOOSE}{start} wire(); {code}"))


def button(attributes: str, name: str, do: str = "refuse()") -> str:
    return f'<button {attributes} data-do="{do}">{name}</button>'


TOOLS = {
    "OneTrust": dialog("id=onetrust-banner-sdk role=dialog", code="window.OneTrust = {RejectAll: refuse, AllowAll: accept}; close = () => inner.remove()"),
    "Cookiebot": dialog(
        "id=CybotCookiebotDialog role=dialog",
        code="window.Cookiebot = {submitCustomConsent: (...optins) => optins.some(Boolean) || optins.length < 3 ? accept() : refuse()}",
    ),
    "Didomi": dialog("id=didomi-host", code="window.Didomi = {setUserAgreeToAll: accept, setUserDisagreeToAll: refuse}"),
    "Usercentrics 2": dialog(
        "id=usercentrics-root", root=True,
        code="window.UC_UI = {acceptAllConsents: async () => accept(), denyAllConsents: async () => tell('reject'), closeCMP: close}",
    ),
    "Usercentrics 3": dialog(
        "id=usercentrics-cmp-ui", root=True,
        code="window.__ucCmp = {acceptAllConsents: async () => accept(), denyAllConsents: async () => tell('reject'), closeCmp: async () => close()}",
    ),
    "Sourcepoint": dialog(
        "id=sp_message_container_1",
        code="window.__tcfapi = (command, version, done) => { if (command !== 'postRejectAll' || version !== 2) return accept();"
        " setTimeout(() => { refuse(); done({}, true) }, 100) }",
    ),
    "consentmanager": dialog("id=cmpbox", code="window.__cmp = (command, value) => command === 'setConsent' && value === 0 ? refuse() : accept()"),
    "Complianz": dialog(
        "class=cmplz-cookiebanner",
        code="window.cmplz_deny_all = () => tell('reject'); window.cmplz_set_banner_status = (status) => status === 'dismissed' ? close() : accept()",
    ),
    "CookieYes": dialog("class=cky-consent-container", code="window.performBannerAction = (action) => action === 'reject' ? refuse() : accept()"),
    "Osano": dialog("class=osano-cm-window", code="window.Osano = {cm: {denyAll: refuse, acceptAll: accept}}"),
    "Klaro": dialog(
        "id=klaro class=klaro",
        code="let all = true; const manager = {changeAll: (value) => { all = value }, saveAndApplyConsents: () => all ? accept() : refuse()};"
        "window.klaro = {getManager: () => manager}",
    ),
    "tarteaucitron": dialog("id=tarteaucitronRoot", code="window.tarteaucitron = {userInterface: {respondAll: (all) => all ? accept() : refuse()}}; close = () => inner.remove()"),
    "Cookie Script": dialog("id=cookiescript_injected", code="window.CookieScript = {instance: {rejectAllAction: refuse, acceptAllAction: accept}}"),
    "CookieConsent": dialog(
        "id=cc-main", code="window.CookieConsent = {acceptCategory: (list) => Array.isArray(list) && !list.length ? tell('reject') : accept(), hide: close}"
    ),
    "CookieFirst": dialog("class=cookiefirst-root", code="window.CookieFirst = {declineAllCategories: refuse, acceptAllCategories: accept}"),
    "Axeptio": dialog("id=axeptio_overlay", button("id=axeptio_btn_dismiss", "✕") + ACCEPT, root=True),
    "iubenda": dialog("id=iubenda-cs-banner", ACCEPT + button("class=iubenda-cs-reject-btn", "✕")),
    "HubSpot": dialog("id=hs-eu-cookie-confirmation", ACCEPT + button("id=hs-eu-decline-button", "✕")),
    "TrustArc": dialog("id=truste-consent-track", ACCEPT + button("id=truste-consent-required", "✕")),
    "Quantcast": dialog(
        "class=qc-cmp2-container",
        button("", "MORE OPTIONS", "show(layer)") + ACCEPT,
        "const layer = `<p>Purposes</p><button data-do='refuse()'>REJECT ALL</button><button data-do='accept()'>ACCEPT ALL</button>`",
    ),
}  # fmt: skip
"""One page a row of the table of tools, in its order."""


def plain(refuse: str, accept: str) -> str:
    """Two buttons, of which one is no `button`."""
    return dialog("", f"<div role=button data-do='refuse()'>{refuse}</div>" + button("", accept, "accept()"))


def link(without: str, accept: str) -> str:
    """A link that goes on without consent, beside one to a page about cookies."""
    return dialog("", f"<a href='#' data-do='refuse()'>{without}</a> <a href='/accept?policy'>Cookies</a>" + button("", accept, "accept()"))


def settings(name: str, refuse: str, accept: str) -> str:
    """Settings with a button that refuses all; those of single purposes refuse and close nothing."""
    layer = "".join(f"<p>{n} <button>{refuse.split(maxsplit=1)[0]}</button></p>" for n in range(3))
    later = f"setTimeout(() => show(`{layer}{button('', accept, 'accept()')}{button('', refuse)}`), 200)"
    return dialog("", button("", name, "open_()") + button("", accept, "accept()"), f"const open_ = () => {later}")


def boxes(name: str, save: str, accept: str) -> str:
    """Settings without a refusal, whose boxes are ticked."""
    layer = "<input type=checkbox checked disabled><input type=checkbox checked><span role=switch aria-checked=true>M</span>"
    wire = (
        "const flip = inner.querySelector('[role=switch]'); flip.onclick = () => flip.setAttribute('aria-checked', 'false');"
        "const save = () => inner.querySelector('input:checked:not(:disabled),[aria-checked=true]') ? accept() : refuse();"
    )
    code = f"const open_ = () => {{ show(`{layer}{button('', accept, 'accept()')}{button('id=save', save, '')}`); {wire} inner.querySelector('#save').onclick = save }}"
    return dialog("", button("", name, "open_()") + button("", accept, "accept()"), code)


HOME_MADE = {
    "cs": plain("Odmítnout vše", "Přijmout vše"),
    "tr": plain("Tümünü reddet", "Tümünü kabul et"),
    "fr": link("Continuer sans accepter", "Accepter et fermer"),
    "pt": link("Continuar sem aceitar", "Aceitar tudo"),
    "pl": settings("Zarządzaj opcjami", "Odrzuć wszystkie", "Zaakceptuj wszystkie"),
    "ru": settings("Настроить", "Отклонить все", "Принять все"),
    "el": boxes("ΡΥΘΜΙΣΕΙΣ", "Αποθήκευση", "Αποδοχή όλων"),
    "ja": boxes("設定", "設定を保存", "すべて同意する"),
}
"""Four dialogs, each in two languages."""
RADIOS = "<input type=radio name=one checked>Yes <input type=radio name=one>No"
UNANSWERED = {
    "accept-only": dialog("", button("", "J’accepte", "accept()")),
    "close-only": dialog("", button("", "Got it", "accept()") + button("aria-label=Close", "×", "accept()")),
    "both": dialog(
        "", button("", "Accept or reject", "accept()") + button("", "Save and accept all", "accept()") + "<input type=checkbox>"
    ),
    "mislabelled": dialog("", button("aria-label='Reject all'", "Accept all", "accept()")),
    "known-but-accepts": dialog("id=hs-eu-cookie-confirmation", button("id=hs-eu-decline-button", "Accept", "accept()")),
    "ticked": dialog("", button("", "Save settings", "accept()") + "<span role=switch aria-checked=true>Marketing</span>"),
    "radios": dialog("", button("", "Save settings", "accept()") + RADIOS + "<input type=checkbox>"),
    "long": dialog("", button("", "Reject " + "what you do not want, and read on " * 4, "accept()")),
    "fails": dialog("id=didomi-host", code="window.Didomi = {setUserDisagreeToAll: () => { throw new Error('not ready') }}"),
    "stays": dialog("", button("", "Reject all", "tell('reject')")),
}
"""Dialogs that nobody can refuse, or that stay."""
