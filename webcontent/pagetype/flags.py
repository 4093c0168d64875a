"""What keeps a page from being a normal one. Rules, precision first: a page with a text of some length is none of these, whatever it says.

What walls, checks and errors call themselves is looked for in short pages only, in the languages of the corpora. Of a page that a wall cut
off the start may be there: `paywall` asks for the page's own word (schema.org's isAccessibleForFree, or a sentence that sells the rest).

Measured on the 3,440 pages of wcxb-dev, zh-gold-dev, zh-silver, fundus-dev, traf-dev, fixtures-dev and screens/dev: 19 flagged, all looked
at: 17 whose markup has no text (empty, not-rendered) and two texts held back (paywall); no normal page.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np

from webcontent.document.blocks import TAG_CODES

if TYPE_CHECKING:
    from webcontent.document.blocks import Blocks
    from webcontent.document.parsing import Document

EMPTY_WORDS = 5
SHELL_WORDS = 40
SHORT_WORDS = 250
"""A page with more visible words is no wall, no check and no error. A Chinese, Japanese or Korean character is a word."""
RUNNING_WORDS = 120
"""Nor is one with so many words in blocks of running text."""
STUB_WORDS = 400
"""A text behind a paywall that goes on for more running words than this was not held back."""
PLAIN_WORDS = 8
TEXT_LIMIT = 4000
"""Characters of a short page that are looked at."""

ERROR_TITLE = re.compile(
    r"^\W*(?:error\W*)?(?:40[0134]|410|50[0234])\b(?!\s*(?:ways|things|best|tips))"
    r"|\b(?:page|file|content|site|url)\b.{0,20}\b(?:not found|does ?n[o']t exist|can ?no?t be found|no longer (?:exists|available))"
    r"|^not found$|^\W*(?:oops|oups|ups|hoppla)\b|^\W*(?:something went wrong|etwas ist schiefgelaufen|algo salió mal)\b"
    r"|^\W*(?:fehler|erreur|errore|erro|ошибка|błąd|hata|エラー|错误|錯誤|오류)\W{1,3}(?:40[0134]|410|50[0234])\b"
    r"|\b(?:internal server error|bad gateway|service unavailable|gateway time-?out|404 error|error 404|403 forbidden)\b"
    r"|页面(?:不存在|没有找到|未找到|找不到|出错)|找不到(?:页面|网页|文件|該頁|您)|(?:网页|頁面|内容|文章)(?:不存在|已删除|已被删除|走丢了)"
    r"|出错[了啦]|該頁面不存在"
    r"|seite (?:wurde )?nicht gefunden|(?:diese|die) seite (?:gibt es nicht|existiert nicht)"
    r"|página no encontrada|no se (?:encontró|encuentra|ha encontrado) la página"
    r"|página não encontrada|page (?:introuvable|non trouvée)|cette page n['’]existe|pagina non trovata"
    r"|ページ[がは](?:見つかりません|存在しません)|お探しのページ|페이지를 찾을 수 없|страница не найдена|sayfa bulunamadı"
    r"|nie znaleziono strony|pagina niet gevonden",
    re.IGNORECASE,
)
LOGIN_TITLE = re.compile(
    r"\b(?:log ?in|sign ?in|log ?on|anmeld(?:en|ung)|einloggen|inicia(?:r)? sesión|se connecter|connectez-vous|connexion|accedi|entrar"
    r"|inloggen|logowanie|zaloguj)\b"
    r"|登录|登錄|登入|ログイン|로그인|вход|войти|giriş yap",
    re.IGNORECASE,
)
CONSENT = re.compile(
    r"before you continue|we (?:value|respect|care about) your privacy|valorizamos (?:a )?sua privacidade|aceitar (?:todos|e continuar)"
    r"|wir (?:respektieren|schätzen) (?:ihre|deine) privatsphäre|benötigen (?:ihre|deine) (?:zustimmung|einwilligung)"
    r"|respect(?:ons)? (?:de )?votre vie privée|valoramos (?:su|tu) privacidad|respecteren (?:je|uw) privacy"
    r"|your privacy (?:choices|matters)|manage (?:your )?(?:consent"
    r"|cookies|cookie preferences)"
    r"|accept (?:all )?(?:and continue|cookies)|consent to (?:the use of )?cookies|bevor (?:sie|du) fortf[aä]hr|cookies (?:akzeptieren"
    r"|zustimmen)"
    r"|zustimmen und weiter|mit werbung weiterlesen|antes de continuar|aceptar (?:todas las |y continuar)|avant de continuer"
    r"|accepter et continuer"
    r"|continuer sans accepter|prima di continuare|accetta e continua|接受(?:所有|全部)?\s?cookie|同意并继续|同意並繼續"
    r"|クッキーに同意|同意して続行",
    re.IGNORECASE,
)
ROBOT = re.compile(
    r"(?:verify|prove|confirm|checking (?:if|that)|make sure)\b.{0,30}\b(?:you are|you're|you are not"
    r"|site connection)\b.{0,20}\b(?:human|robot|secure)"
    r"|are you (?:a )?(?:human|robot)|i'?m not a robot|checking your browser|just a moment\W{0,3}$|attention required!|unusual traffic"
    r"|ddos protection by"
    r"|pardon our interruption|access (?:to this page )?(?:has been )?denied|complete the (?:security check|captcha)"
    r"|enable javascript and cookies to continue"
    r"|请(?:完成|进行|拖动|点击).{0,12}(?:验证|滑块)|人机验证|安全验证|滑动验证|访问(?:过于频繁|验证)|请输入验证码|異常流量|您的访问.{0,10}异常"
    r"|ich bin kein roboter|überprüfe[n]? (?:ihren|deinen) browser|no soy un robot|je ne suis pas un robot|non sono un robot"
    r"|não sou um robô|(?:вы|я) не робот|nie jestem robotem|로봇이 아닙니다|보안문자를 입력"
    r"|私はロボットではありません|アクセスが拒否",
    re.IGNORECASE,
)
PAYWALL = re.compile(
    r"(?:subscribe|sign up|register|log in|become a (?:member|subscriber))\b.{0,40}\b(?:to (?:continue|keep|read)|for full access"
    r"|to unlock)"
    r"|(?:to|and) (?:continue|keep) reading\b.{0,40}\b(?:subscri|register|sign|log ?in)|this (?:article|story|content|post) is (?:for"
    r"|only|exclusive|reserved|available)"
    r".{0,30}(?:subscriber|member)|you have reached your (?:article |free )?limit|(?:article|stor)\w* remaining|already a subscriber\?"
    r"|weiterlesen mit|jetzt (?:abonnieren|weiterlesen|testen)|dieser artikel ist .{0,30}(?:abonnent|plus)|lesen sie .{0,40}mit .{0,20}\+"
    r"|réservé aux abonnés|il vous reste .{0,20}à lire|pour lire la suite|suscríbete para|contenido exclusivo"
    r"|exclusivo para assinantes|riservato agli abbonati"
    r"|(?:订阅|開通|开通|购买|付费|登录|登入|加入会员).{0,12}(?:阅读全文|閱讀全文|继续阅读|繼續閱讀|查看全文|解锁)|付费(?:内容|文章|阅读)|剩余\d+%|此文章.{0,6}(?:會員|会员)"
    r"|有料(?:会員|記事)|続きを読むには|会員限定|残り\d+文字",
    re.IGNORECASE,
)
MOUNT_POINTS = frozenset({"root", "app", "__next", "__nuxt", "___gatsby", "main-app", "q-app", "svelte", "react-root", "app-root", "mount"})
CONSENT_TOPIC = re.compile(
    r"cookie|privacy|consent|datenschutz|einwillig|zustimm|privacidad|vie privée|confidentialité|toestemming|riservatezza|consenso"
    r"|隐私|隱私|同意|プライバシー",
    re.IGNORECASE,
)
CHALLENGES = (
    "challenge-form",
    "challenge-running",
    "cf-challenge",
    "px-captcha",
    "captcha-container",
    "sec-if-container",
    "nc_1_wrapper",
    "tcaptcha",
)


def page_flags(document: Document) -> tuple[str, ...]:
    """Of items.FLAGS those that this module knows, sorted: consent-wall, empty, error-page, login, not-rendered, paywall, robot-check."""
    blocks = document.blocks
    visible = ~blocks.hidden & ~blocks.noscript
    total = int(blocks.words[visible].sum())
    running = int(blocks.words[visible & (blocks.words >= PLAIN_WORDS) & (blocks.link_words < 0.3 * blocks.words)].sum())
    flags = {"error-page"} if document.page.status >= 400 else set()
    if total < SHORT_WORDS and running < RUNNING_WORDS:
        flags |= _wall_flags(document, [blocks.texts[i] for i in np.flatnonzero(visible).tolist()])
    everything = int(blocks.words.sum())
    if everything < EMPTY_WORDS and not flags and not _is_picture_only(document):
        flags.add("empty")
    if everything < SHELL_WORDS and _is_script_shell(document):
        flags.add("not-rendered")
    if running < STUB_WORDS and _is_held_back(document, running):
        flags.add("paywall")
    return tuple(sorted(flags))


def _is_picture_only(document: Document) -> bool:
    """A screenshot or boxes that came without markup: no empty page."""
    return not document.text.strip() and bool(document.screenshot or document.boxes)


def _wall_flags(document: Document, texts: list[str]) -> set[str]:
    """Of a short page: what it calls itself."""
    text = "\n".join(texts)[:TEXT_LIMIT]
    heads = [document.title or "", *_headings(document.blocks)]
    inputs = {(node.get("type") or "").strip().lower() for node in document.root.iter("input")}
    flags = set()
    if any(ERROR_TITLE.search(head) for head in heads):
        flags.add("error-page")
    if "password" in inputs and any(LOGIN_TITLE.search(head) for head in (*heads, text)):
        flags.add("login")
    if ROBOT.search(text) or any(ROBOT.search(head) for head in heads) or _has_challenge(document):
        flags.add("robot-check")
    elif CONSENT.search(text) and 2 * sum(len(one) for one in texts if CONSENT_TOPIC.search(one)) > sum(map(len, texts)):
        flags.add("consent-wall")  # more than half of the text is about that; a banner over a short page is not
    return flags


def _headings(blocks: Blocks) -> list[str]:
    """The first level one and level two headings, cut."""
    wanted = (TAG_CODES["h1"], TAG_CODES["h2"])
    return [blocks.texts[i][:200] for i, tag in enumerate(blocks.tag.tolist()) if tag in wanted][:2]


def _has_challenge(document: Document) -> bool:
    return any(mark in name for name in document.blocks.elements.ids if name for mark in CHALLENGES)


def _is_script_shell(document: Document) -> bool:
    """Scripts that draw the page, and the place where they would draw it or the page's own word that it needs them."""
    if not any(node.get("src") or len(node.text or "") > 200 for node in document.root.iter("script")):
        return False
    blocks, elements = document.blocks, document.blocks.elements
    hollow = any(name.lower() in MOUNT_POINTS for name in elements.ids if name) or any(
        "-" in str(node.tag) for node in elements.nodes[:200]
    )
    asks = any("javascript" in blocks.texts[i].lower() for i in range(len(blocks)) if blocks.noscript[i])
    return hollow or asks


def _is_held_back(document: Document, running: int) -> bool:
    """The page says that its text is not free, or offers the rest for sale."""
    declared = any(
        str(entry.get("isAccessibleForFree", "")).strip().lower() in ("false", "http://schema.org/false", "no")
        for entry in document.json_ld
    )
    if declared and running < STUB_WORDS // 2:
        return True
    offered = PAYWALL.search("\n".join(document.blocks.texts)[:TEXT_LIMIT]) is not None if declared or running < RUNNING_WORDS else False
    return offered and (declared or any("paywall" in name.lower() for name in document.blocks.elements.classes if name))
