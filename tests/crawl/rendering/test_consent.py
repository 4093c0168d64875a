"""Consent is rejected where a request or a setting asks for it, and never given."""

from __future__ import annotations

import pytest

from tests.crawl import server as served
from tests.crawl.rendered import WITHOUT_PIPELINES, crawl
from tests.crawl.rendering.consent_models import COLOUR, HOME_MADE, MARK, TOOLS, UNANSWERED
from tests.crawl.server import TEXT, hostile_server, page, script
from webcontent.crawl.rendering.preparation.consent import UNKNOWN_TOOL, Button, choose, kind_of, tools
from webcontent.fields.lexicon import by_language

FIXED = "position:fixed;left:0;right:0;bottom:0;z-index:9999;background:#fff;padding:30px"
WORDS = "We and our partners use cookies to store information on your device, such as personal data."


def banner(attributes: str, buttons: str, after: str = "") -> str:
    names = {"Accept all": "accept", "Reject all": "reject", "Nur notwendige Cookies": "reject", "OK": "accept", "Agree": "accept"}
    clicks = f"document.querySelectorAll('#box button').forEach(b => b.onclick = () => {{ fetch('/' + {names}[b.textContent]); box.remove(); {after} }})"
    return page(TEXT + f"<div id=box><div {attributes} style='{FIXED}'><p>{WORDS}</p>{buttons}</div></div>" + script(clicks))


def frame(source: str, rest: str = "") -> str:
    """A page with its request for consent in a frame, which says by a message what was chosen."""
    listen = "onmessage = (event) => { fetch('/' + event.data); box.remove(); }"
    shown = f"<iframe src='{source}' title='Consent' style='width:100%;height:200px;border:0'></iframe>"
    return page(TEXT + f"<div id=box style='{FIXED}'>{shown}</div>{rest}" + script(listen))


CHOICES = {"Accept all": "11 accept", "Reject all": "13 reject"}
MESSAGE = "".join(
    f"<button class=sp_choice_type_{value.split()[0]} value={value.split()[1]}>{name}</button>" for name, value in CHOICES.items()
)
KNOWN = "<button id=onetrust-accept-btn-handler>Accept all</button><button id=onetrust-reject-all-handler>Reject all</button>"
PAGES = {
    "/consent/known": banner("id=onetrust-banner-sdk", KNOWN),
    "/consent/unknown": banner("class=css-1x", "<button>Accept all</button><button>Reject all</button>"),
    "/consent/accept-only": banner("class=css-1x", "<button>Accept all</button>"),
    "/consent/ok-only": banner("class=css-1x", "<button>OK</button>"),
    "/consent/withheld": banner(
        "class=css-1x", "<button>Agree</button><button>Reject all</button>", "document.body.append('Now you may read it.')"
    ),
    "/consent/frame": frame("/index.html?message_id=1"),
    "/consent/other-site": frame("OTHER/index.html?message_id=1"),
    "/consent/strange-frame": frame("/consent/strange"),
    "/consent/strange": page(
        "<p>Cookies</p><button>Accept all</button>"
        + script("document.querySelector('button').onclick = () => parent.postMessage('accept', '*')")
    ),
    "/index.html": page(
        f"<p>{WORDS}</p>{MESSAGE}"
        + script("document.querySelectorAll('button').forEach(b => b.onclick = () => parent.postMessage(b.value, '*'))")
    ),
    "/consent/none": page(TEXT),
}
FRAMES = {"/index.html", "/consent/strange"}
REJECT = {"webcontent": {"overlays": "reject"}}


@pytest.fixture(scope="module")
def done():
    """One crawl: the responses by path, the paths that were asked for with the page that asked, and the stats."""
    with pytest.MonkeyPatch.context() as patch, hostile_server() as server:
        other = server.url.replace("127.0.0.1", "localhost")
        patch.setattr(served, "PAGES", served.PAGES | {path: text.replace("OTHER", other) for path, text in PAGES.items()})
        requests = [{"url": server.url + path, "meta": REJECT} for path in PAGES if path not in FRAMES] + [
            {"url": server.url + "/consent/known?hide"}
        ]
        settings = {
            "ITEM_PIPELINES": WITHOUT_PIPELINES,
            "WEBCONTENT_RENDER": True,
            "WEBCONTENT_PRIVATE_HOSTS": ["localhost"],
            "DOWNLOAD_TIMEOUT": 60,
        }
        result = crawl(requests, settings=settings)
        result.check()
        clicks = {(path, headers["referer"].rpartition("/consent/")[2]) for path, headers in server.asked if path in ("/accept", "/reject")}
        yield {row["asked"].rpartition("/")[2]: row for row in result.responses}, clicks, result.stats


@pytest.mark.browser
def test_reject_is_clicked_where_it_is_asked_for_and_accept_never(done):
    assert done[1] == {
        ("/reject", "known"),
        ("/reject", "unknown"),
        ("/reject", "withheld"),
        ("/reject", "frame"),
        ("/reject", "other-site"),
    }


@pytest.mark.browser
@pytest.mark.parametrize(
    "name", ["known", "unknown", "accept-only", "ok-only", "withheld", "known?hide", "frame", "other-site", "strange-frame"]
)
def test_no_banner_is_left(done, name: str):
    assert not {"button", "iframe"} & {row[1] for row in done[0][name]["boxes"]}


@pytest.mark.browser
def test_text_that_was_withheld_is_there(done):
    assert "Now you may read it." in done[0]["withheld"]["content"]


@pytest.mark.browser
def test_what_was_rejected_is_reported(done):
    assert done[2]["webcontent/consent_rejected"] == 5
    assert done[0]["known"]["preparation"]["rejected"]
    assert "reject" not in done[0]["none"]["preparation"]["ms"]


REFUSED = {**TOOLS, **HOME_MADE}
MODELS = {f"/models/{name.replace(' ', '-')}": html for name, html in {**REFUSED, **UNANSWERED}.items()}
PATHS = dict(zip({**REFUSED, **UNANSWERED}, MODELS, strict=True))


@pytest.fixture(scope="module")
def models():
    """One crawl of all models: the responses by path, and the choices by path."""
    with pytest.MonkeyPatch.context() as patch, hostile_server() as server:
        patch.setattr(served, "PAGES", served.PAGES | MODELS)
        settings = {
            "ITEM_PIPELINES": WITHOUT_PIPELINES,
            "WEBCONTENT_RENDER": True,
            "WEBCONTENT_OVERLAYS": "reject",
            "WEBCONTENT_BUDGET_MS": 40_000,  # a busy machine takes longer
            "CONCURRENT_REQUESTS": 4,
            "DOWNLOAD_TIMEOUT": 60,
        }
        result = crawl([server.url + path for path in MODELS], settings=settings, timeout_s=300, consent_s=20, colour=COLOUR)
        result.check()
        choices: dict[str, set[str]] = {path: set() for path in MODELS}
        for path, headers in server.asked:
            if path.startswith(("/accept", "/reject")):
                choices["/models/" + headers["referer"].rpartition("/models/")[2]].add(path)
        yield {row["asked"].removeprefix(server.url): row for row in result.responses}, choices


@pytest.mark.browser
@pytest.mark.parametrize("name", REFUSED)
def test_consent_is_refused_and_the_dialog_gone(models, name: str):
    response, choices = models[0][PATHS[name]], models[1][PATHS[name]]
    assert choices == {"/reject"}
    assert response["preparation"]["rejected"] == (name if name in TOOLS else UNKNOWN_TOOL)
    assert MARK not in response["content"]
    assert response["colour_share"] == 0


@pytest.mark.browser
@pytest.mark.parametrize("name", UNANSWERED)
def test_what_nobody_can_refuse_is_hidden_and_said(models, name: str):
    response, choices = models[0][PATHS[name]], models[1][PATHS[name]]
    assert choices <= {"/reject"}
    assert response["preparation"]["rejected"] == ""
    assert response["preparation"]["hidden"]
    assert response["colour_share"] == 0


def test_each_tool_has_a_model_page_and_cites_its_documentation():
    assert list(TOOLS) == list(tools())
    assert all(tool["documentation"].startswith("https://") for tool in tools().values())


LISTS = ("consent", "accept", "refuse", "settings", "save")
BUTTONS = {
    "en": "Accept all|Reject all|Manage preferences|Save settings",
    "de": "Alle akzeptieren|Nur notwendige Cookies akzeptieren|Einstellungen|Auswahl speichern",
    "fr": "Tout accepter|Continuer sans accepter|Paramétrer les cookies|Enregistrer mes choix",
    "es": "Aceptar todas|Rechazar todo|Configurar cookies|Guardar preferencias",
    "ca": "Acceptar-ho tot|Rebutja-les totes|Configuració|Desa les preferències",
    "gl": "Aceptar todo|Rexeitar todo|Configurar|Gardar preferencias",
    "it": "Accetta tutti|Continua senza accettare|Personalizza|Salva preferenze",
    "pt": "Aceitar tudo|Não aceito|Definições de cookies|Guardar preferências",
    "nl": "Alles accepteren|Alleen noodzakelijke cookies accepteren|Cookie-instellingen|Keuze opslaan",
    "sv": "Godkänn alla|Avvisa alla|Hantera inställningar|Spara val",
    "da": "Accepter alle|Kun nødvendige|Tilpas|Gem valg",
    "nb": "Godta alle|Avvis alle|Innstillinger|Lagre valg",
    "fi": "Hyväksy kaikki|Hylkää kaikki|Muokkaa asetuksia|Tallenna valinnat",
    "is": "Samþykkja allt|Hafna öllu|Stillingar|Staðfesta val",
    "pl": "Zaakceptuj wszystkie|Nie zgadzam się|Ustawienia plików cookie|Zapisz ustawienia",
    "cs": "Přijmout vše|Nesouhlasím|Nastavení souhlasu|Uložit výběr",
    "sk": "Prijať všetko|Odmietnuť všetko|Nastavenia|Uložiť výber",
    "hu": "Összes elfogadása|Nem fogadom el|Beállítások kezelése|Beállítások mentése",
    "ro": "Acceptă toate|Refuz|Setări cookie|Salvează preferințele",
    "bg": "Приемам всички|Само необходимите|Настройки|Запази настройките",
    "hr": "Prihvati sve|Odbij sve|Prilagodi postavke|Spremi postavke",
    "sl": "Sprejmi vse|Zavrni vse|Nastavitve|Shrani nastavitve",
    "sr": "Прихвати све|Одбиј све|Подешавања|Сачувај избор",
    "uk": "Прийняти всі|Не погоджуюсь|Налаштування|Зберегти налаштування",
    "ru": "Принять все|Только необходимые|Настроить|Сохранить настройки",
    "el": "ΑΠΟΔΟΧΗ ΟΛΩΝ|ΑΠΟΡΡΙΨΗ ΟΛΩΝ|Ρυθμίσεις|Αποθήκευση επιλογών",
    "tr": "Tümünü kabul et|Kabul etmiyorum|Tercihleri yönet|Seçimi kaydet",
    "et": "Nõustu kõigiga|Keeldu kõigist|Seaded|Salvesta valikud",
    "lv": "Piekrītu visām|Nepiekrītu|Iestatījumi|Saglabāt izvēli",
    "lt": "Sutinku su visais|Nesutinku|Nustatymai|Išsaugoti pasirinkimą",
    "he": "אישור הכל|דחיית הכל|הגדרות|שמירת העדפות",
    "ar": "قبول الكل|رفض الكل|إعدادات ملفات تعريف الارتباط|حفظ الإعدادات",
    "fa": "پذیرش همه|رد همه|تنظیمات|ذخیره تنظیمات",
    "hi": "सभी स्वीकार करें|सभी अस्वीकार करें|सेटिंग|सेटिंग सहेजें",
    "th": "ยอมรับทั้งหมด|ปฏิเสธทั้งหมด|ตั้งค่าคุกกี้|บันทึกการตั้งค่า",
    "vi": "Chấp nhận tất cả|Từ chối tất cả|Cài đặt cookie|Lưu lựa chọn",
    "id": "Terima semua|Tolak semua|Kelola preferensi|Simpan pilihan",
    "zh": "全部同意|拒绝所有非必要的|管理设置|保存设置",
    "ja": "すべて同意する|同意しない|設定を管理|設定を保存",
    "ko": "모두 동의|모두 거부|설정 관리|설정 저장",
}
"""What accepts, refuses, leads to settings and saves, by language."""


@pytest.mark.parametrize("language", BUTTONS)
def test_buttons_are_known_in_each_language(language: str):
    names = BUTTONS[language].split("|")
    kinds = ["accept", "refuse", "settings", "save"]
    assert [kind_of([name]) for name in names] == kinds
    assert [kind_of([name.upper()]) for name in names] == kinds


def test_each_list_of_buttons_has_the_same_languages():
    assert all(set(BUTTONS) <= set(by_language("overlays", name)) | {"gl"} for name in LISTS)
    assert len(BUTTONS) >= 30


@pytest.mark.parametrize(
    ("texts", "kind"),
    [
        (["Accept only necessary cookies"], "refuse"),
        (["Accept essential cookies"], "refuse"),
        (["Accept all cookies, also those that are not essential"], "accept"),
        (["Do not consent"], "refuse"),
        (["Consent"], "accept"),
        (["Manage consent"], "settings"),
        (["Consent preferences"], "settings"),
        (["Withdraw my consent"], "refuse"),
        (["Accept or reject"], "accept"),
        (["Save and accept"], "accept"),
        (["Allow selection"], "save"),
        (["Confirm my choices"], "save"),
        (["Reject all", "Accept all"], "accept"),
        (["Ablehnen oder zustimmen"], "accept"),
        (["Einwilligung verweigern"], "refuse"),
        (["Close"], None),
        (["Excelente"], None),
        (["Reset"], None),
        (["Learn more"], None),
        (["Subscribe"], None),
        ([], None),
        (["x" * 81], None),
    ],
)
def test_a_button_that_may_accept_is_none_that_refuses(texts: list[str], kind: str | None):
    assert kind_of(texts) == kind


def test_a_refusal_goes_before_a_choice_and_a_choice_before_settings():
    settings, save, refuse = (Button((name,), has_boxes=True) for name in ("Settings", "Save settings", "Reject all"))
    assert choose([settings, save, refuse]) == (2, "refuse")
    assert choose([settings, save]) == (1, "save")
    assert choose([settings, Button(("Save settings",))]) == (0, "settings")
    assert choose([Button(("Accept",)), Button(("Close",))]) is None


def test_the_refusal_of_all_goes_before_those_of_single_purposes():
    assert choose([Button(("Reject",)), Button(("Reject",)), Button(("Reject all",))]) == (2, "refuse")
