"""Flags of pages without content: walls, errors and shells, in the words of twelve languages."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.pagetype.pages import ARTICLE, ARTICLE_BOXES, LISTING, SENTENCE, document_of, image_bytes
from webcontent.items import FLAGS
from webcontent.pagetype.flags import page_flags

if TYPE_CHECKING:
    from webcontent.document.parsing import Document

FORM = "<form action=/go method=post><input type=text name=user><input type=password name=pw><button>OK</button></form>"
HELD = '<script type="application/ld+json">{"@type": "NewsArticle", "isAccessibleForFree": "False"}</script>'
HELD_BACK = (
    '<script type="application/ld+json">{"@type": "NewsArticle", "isAccessibleForFree": false}</script><h1>Harbour plan</h1>'
    "<p>The council met on Tuesday evening and agreed on the plan.</p><p>Subscribe to continue reading.</p>"
)
MISSED = ("This page has gone missing",)
"""Headings of pages that no rule knows: rules that did would flag articles, too."""
WALLS = [
    ("error-page", "en", "Page not found", "404", "The page you are looking for might have been moved or deleted. Go back to the home page.", ""),
    ("error-page", "en", "Error", "Something went wrong", "We could not load this page. Please try again later.", ""),
    ("error-page", "en", "503 Service Unavailable", "Service Unavailable", "The server is temporarily unable to service your request.", ""),
    ("error-page", "de", "Seite nicht gefunden", "Fehler 404", "Die angeforderte Seite konnte leider nicht gefunden werden.", ""),
    ("error-page", "de", "Fehler 404", "Diese Seite gibt es nicht (mehr)", "Bitte prüfen Sie die Adresse oder nutzen Sie die Suche.", ""),
    ("error-page", "fr", "Page introuvable", "Erreur 404", "La page que vous cherchez n'existe pas ou a été déplacée.", ""),
    ("error-page", "es", "Error 404", "Página no encontrada", "Lo sentimos, la página que busca no existe.", ""),
    ("error-page", "es", "No se encontró la página", "¡Ups!", "La dirección puede estar mal escrita.", ""),
    ("error-page", "it", "Pagina non trovata", "Errore 404", "La pagina richiesta non esiste.", ""),
    ("error-page", "pt", "Página não encontrada", "Erro 404", "A página que procura não existe ou foi removida.", ""),
    ("error-page", "ru", "Ошибка 404", "Страница не найдена", "Возможно, она была удалена или перемещена.", ""),
    ("error-page", "zh", "404", "抱歉，您访问的页面不存在", "请检查您输入的网址是否正确，或返回首页。", ""),
    ("error-page", "zh", "提示信息", "您要查看的文章已被删除", "系统将在三秒后返回首页。", ""),
    ("error-page", "ja", "404 Not Found", "お探しのページは見つかりませんでした", "移動または削除された可能性があります。", ""),
    ("error-page", "ja", "エラー", "ページが存在しません", "トップページへ戻ってください。", ""),
    ("error-page", "ko", "404 오류", "페이지를 찾을 수 없습니다", "주소가 잘못되었거나 삭제되었습니다.", ""),
    ("login", "en", "Log in", "Welcome back", "Enter your name and password to log in. Forgot password?", FORM),
    ("login", "en", "Members only", "Please sign in to view this page", "You need an account.", FORM),
    ("login", "de", "Anmeldung", "Bitte melden Sie sich an", "Benutzername und Passwort", FORM),
    ("login", "fr", "Identification", "Connectez-vous à votre compte", "Adresse et mot de passe", FORM),
    ("login", "es", "Acceso", "Inicia sesión", "Usuario y contraseña", FORM),
    ("login", "it", "Area riservata", "Accedi al tuo account", "Nome utente e password", FORM),
    ("login", "pt", "Entrar", "Faça login na sua conta", "Usuário e senha", FORM),
    ("login", "ru", "Авторизация", "Вход на сайт", "Логин и пароль", FORM),
    ("login", "zh", "用户登录", "登录", "请输入用户名和密码", FORM),
    ("login", "zh", "提示信息", "您需要登录才可以查看本页", "用户名 密码", FORM),
    ("login", "ja", "会員ログイン", "ログイン", "メールアドレスとパスワードを入力してください", FORM),
    ("login", "ko", "로그인", "로그인이 필요합니다", "아이디와 비밀번호", FORM),
    ("consent-wall", "en", "Before you continue", "Before you continue", "We use cookies and data to deliver our services. Accept all. Reject all.", ""),
    ("consent-wall", "en", "Your privacy", "We value your privacy", "We and our partners store and access cookies on your device with your consent. Accept all cookies or manage preferences.", ""),
    ("consent-wall", "de", "Einwilligung", "Mit Werbung weiterlesen", "Mit Cookies und Werbung lesen, Datenschutz. Zustimmen und weiter.", ""),
    ("consent-wall", "fr", "Vos données", "Avant de continuer", "Nous utilisons des cookies avec votre consentement. Accepter et continuer.", ""),
    ("consent-wall", "es", "Privacidad", "Tu privacidad es importante", "Usamos cookies con tu consentimiento. Aceptar y continuar. Rechazar cookies.", ""),
    ("consent-wall", "it", "Privacy", "Il rispetto della tua privacy", "Usiamo i cookie con il tuo consenso. Accetta e continua senza pubblicità.", ""),
    ("consent-wall", "pt", "Privacidade", "Valorizamos a sua privacidade", "Usamos cookies com o seu consentimento. Aceitar todos os cookies.", ""),
    ("consent-wall", "zh", "隐私", "您的隐私", "我们使用 Cookie 处理数据。接受所有 Cookie，或管理隐私设置。", ""),
    ("consent-wall", "ja", "プライバシー", "クッキーの使用について", "クッキーに同意して続行するか、プライバシー設定を選んでください。", ""),
    ("robot-check", "en", "Just a moment...", "example.org", "Checking your browser before accessing the site.", ""),
    ("robot-check", "en", "Access denied", "Please verify you are a human", "Press and hold the button.", ""),
    ("robot-check", "en", "Security check", "One more step", "Please complete the security check to access the site. Why do I have to complete a CAPTCHA?", ""),
    ("robot-check", "de", "Sicherheitsprüfung", "Sind Sie ein Mensch?", "Bestätigen Sie: Ich bin kein Roboter.", ""),
    ("robot-check", "fr", "Vérification", "Un instant", "Vérifiez que vous êtes un humain : je ne suis pas un robot.", ""),
    ("robot-check", "es", "Comprobación", "Un momento", "Confirme que es humano: no soy un robot.", ""),
    ("robot-check", "it", "Verifica di sicurezza", "Un attimo", "Conferma di essere umano: non sono un robot.", ""),
    ("robot-check", "ru", "Проверка", "Подтвердите, что вы не робот", "Введите символы с картинки.", ""),
    ("robot-check", "zh", "安全验证", "请完成安全验证", "拖动滑块完成拼图。", ""),
    ("robot-check", "zh", "访问过于频繁", "您的访问出现异常", "请输入验证码后继续访问。", ""),
    ("robot-check", "ja", "確認", "続けるには確認が必要です", "私はロボットではありません", ""),
    ("robot-check", "ko", "확인", "로봇이 아닙니다", "보안 문자를 입력하세요.", ""),
    ("paywall", "en", "Harbour plan", "Harbour plan agreed", "The council met on Tuesday. Subscribe to continue reading. Already a subscriber? Log in.", HELD),
    ("paywall", "en", "Harbour plan", "Harbour plan agreed", "The council met on Tuesday. This article is for subscribers only.", HELD),
    ("paywall", "de", "Hafen", "Plan für den Hafen", "Der Rat tagte am Dienstag. Jetzt weiterlesen mit dem Abo.", HELD),
    ("paywall", "fr", "Port", "Le plan du port", "Le conseil s'est réuni mardi. Article réservé aux abonnés.", HELD),
    ("paywall", "es", "Puerto", "El plan del puerto", "El consejo se reunió el martes. Contenido exclusivo para suscriptores.", HELD),
    ("paywall", "it", "Porto", "Il piano del porto", "Il consiglio si è riunito martedì. Contenuto riservato agli abbonati.", HELD),
    ("paywall", "pt", "Porto", "O plano do porto", "O conselho reuniu-se na terça. Conteúdo exclusivo para assinantes.", HELD),
    ("paywall", "ja", "港", "港の計画", "市議会は火曜日に開かれた。この記事は会員限定です。残り1200文字", HELD),
    ("paywall", "zh", "港口", "港口计划", "市议会周二开会。登录后可阅读全文，付费内容。", HELD),
    ("not-rendered", "en", "App", "", "", "<div id=root></div><script src=/main.js></script><noscript>You need to enable JavaScript to run this app.</noscript>"),
    ("not-rendered", "en", "Shop", "", "Loading...", "<div id=app></div><script src=/chunk.js></script>"),
    ("not-rendered", "de", "Portal", "", "", "<app-root></app-root><script src=/main.js></script><noscript>Bitte aktivieren Sie JavaScript.</noscript>"),
    ("not-rendered", "zh", "首页", "", "", "<div id=__nuxt></div><script src=/main.js></script><noscript>请启用 JavaScript。</noscript>"),
    ("empty", "en", "", "", "", "<div></div>"),
    ("empty", "en", "Untitled", "", "OK", ""),
    ("error-page", "en", "Oh no!", "This page has gone missing", "Maybe it was removed. Try the search.", ""),
    ("error-page", "en", "410 Gone", "Gone", "The requested resource is no longer available on this server.", ""),
    ("error-page", "de", "Hoppla", "Da ist etwas schiefgegangen", "Die Seite konnte nicht geladen werden.", ""),
    ("error-page", "fr", "Oups", "Nous n'avons pas trouvé cette page", "Retournez à l'accueil.", ""),
    ("error-page", "it", "404", "Ci dispiace, questa pagina non è disponibile", "Torna alla home.", ""),
    ("error-page", "nl", "Pagina niet gevonden", "404", "De pagina bestaat niet meer.", ""),
    ("error-page", "zh", "出错啦", "您访问的内容找不到了", "返回首页", ""),
    ("error-page", "ja", "404", "ファイルが見つかりません", "指定されたページは削除されました。", ""),
    ("login", "en", "Account", "Sign in to your account", "Email and password", FORM),
    ("login", "de", "Kundenbereich", "Login", "E-Mail-Adresse und Passwort", FORM),
    ("login", "fr", "Mon compte", "Se connecter", "Mot de passe oublié ?", FORM),
    ("login", "pl", "Logowanie", "Zaloguj się", "Hasło", FORM),
    ("login", "zh", "账号登录", "账号密码登录", "忘记密码 注册账号", FORM),
    ("consent-wall", "de", "Datenschutz", "Wir benötigen Ihre Zustimmung", "Wir und unsere Partner setzen Cookies ein. Alle akzeptieren. Datenschutzerklärung.", ""),
    ("consent-wall", "nl", "Privacy", "Wij respecteren je privacy", "Wij gebruiken cookies met je toestemming. Akkoord.", ""),
    ("consent-wall", "en", "Cookie consent", "This site uses cookies", "By clicking accept all cookies you agree to cookies on your device. Cookie settings.", ""),
    ("consent-wall", "fr", "Cookies", "Le respect de votre vie privée est notre priorité", "Nous et nos partenaires utilisons des cookies. Tout accepter. Continuer sans accepter.", ""),
    ("robot-check", "en", "Attention Required!", "Sorry, you have been blocked", "You are unable to access this site. The owner uses a security service.", ""),
    ("robot-check", "en", "Robot check", "Type the characters you see in this image", "Sorry, we just need to make sure you're not a robot.", ""),
    ("robot-check", "pt", "Verificação", "Só um momento", "Confirme que é humano. Não sou um robô.", ""),
    ("robot-check", "zh", "验证中心", "请完成下方验证", "点击按钮进行验证，以确认您不是机器人。", ""),
    ("paywall", "de", "Hafen", "Plan", "Der Rat tagte am Dienstag. Dieser Artikel ist nur für Abonnenten.", HELD),
    ("paywall", "en", "Harbour", "Plan", "The council met on Tuesday. To read the full story, start your free trial.", HELD),
    ("paywall", "nl", "Haven", "Plan", "De raad kwam dinsdag bijeen. Lees verder met een abonnement.", HELD),
    ("paywall", "zh", "港口", "计划", "市议会周二开会。本文为会员专享内容，开通会员后阅读全文。", HELD),
]  # fmt: skip
"""Flag, language, title, heading, text, further markup."""


def page(title: str, heading: str, text: str, markup: str) -> Document:
    menu = "<nav><a href=/>Home</a> <a href=/a>A</a> <a href=/b>B</a></nav>" if heading else ""
    head = f"<h1>{heading}</h1>" if heading else ""
    return document_of(f"<html><head><title>{title}</title></head><body>{menu}{head}<p>{text}</p>{markup}</body></html>")


@pytest.mark.parametrize(
    ("flag", "title", "heading", "text", "markup"),
    [(flag, *rest) for flag, _, *rest in WALLS if rest[1] not in MISSED],
    ids=[f"{flag}-{lang}-{number}" for number, (flag, lang, _, heading, *_) in enumerate(WALLS) if heading not in MISSED],
)
def test_a_page_without_content_has_its_flag(flag: str, title: str, heading: str, text: str, markup: str):
    """It has no other flag, but a page that was not rendered may be empty, too."""
    flags = set(page_flags(page(title, heading, text, markup)))
    assert flag in flags
    assert flags <= {flag, "empty"}


@pytest.mark.parametrize(
    ("html", "status", "flags"),
    [
        (ARTICLE, 200, ()),
        (LISTING, 200, ()),
        (ARTICLE, 404, ("error-page",)),
        ("<title>404 Not Found</title><h1>Not Found</h1><p>The page that you asked for is not here any more.", 200, ("error-page",)),
        ("<title>出错了</title><h1>您访问的页面不存在</h1><p>请返回首页。", 200, ("error-page",)),
        ("<title>Sign in</title><h1>Sign in</h1><form><input name=user><input type=password></form>", 200, ("login",)),
        ("<title>用户登录</title><form>用户名<input>密码<input type=password><button>登录</button></form>", 200, ("login",)),
        ("<title>Just a moment...</title><h1>example.org</h1><p>Checking your browser before you access the site.", 200, ("robot-check",)),
        ("<title>安全验证</title><p>请完成下方验证后继续访问，拖动滑块完成拼图。", 200, ("robot-check",)),
        ("<title>Before you continue</title><p>Before you continue, our partners ask for consent to cookies.<p>Accept cookies", 200,
         ("consent-wall",)),
        ('<title>App</title><div id="root"></div><script src="/main.js"></script><noscript>You need JavaScript.</noscript>', 200,
         ("empty", "not-rendered")),
        (HELD_BACK, 200, ("paywall",)),
    ],
    ids=["article", "list", "status", "not found", "不存在", "sign in", "登录", "moment", "验证", "consent", "shell", "paywall"],
)  # fmt: skip
def test_flags_name_what_keeps_a_page_from_being_normal(html: str, status: int, flags: tuple[str, ...]):
    """Walls, checks, errors and shells have a flag; a normal page has none."""
    flags_of_page = page_flags(document_of(html, status=status))
    assert flags_of_page == flags
    assert set(flags_of_page) <= set(FLAGS)


@pytest.mark.parametrize(
    "text",
    [
        "404 ways to cook rice",
        "Why you must sign in to read the news",
        "Are you a robot? The question that made a career",
        "页面不存在的年代",
    ],
)
def test_an_article_about_such_pages_is_a_normal_page(text: str):
    """A title counts only where there is hardly any text below it."""
    assert page_flags(document_of(ARTICLE.replace("Harbour plan agreed", text))) == ()


@pytest.mark.parametrize("page", [{"screenshot": image_bytes()}, {"boxes": ARTICLE_BOXES}], ids=["screenshot", "boxes"])
def test_a_page_without_markup_is_not_empty(page: dict):
    """Its screenshot or its boxes may show a text."""
    assert page_flags(document_of(**page)) == ()


@pytest.mark.parametrize(
    ("declared", "sentence", "paragraphs", "flags"),
    [
        (True, "", 1, ("paywall",)),
        (True, "", 5, ()),
        (True, "Subscribe to continue reading.", 5, ("paywall",)),
        (True, "Subscribe to continue reading.", 9, ()),
        (False, "Subscribe to continue reading.", 1, ()),
        (False, "<div class=paywall>Subscribe to continue reading.</div>", 1, ("paywall",)),
        (False, "<div class=paywall>Subscribe to continue reading.</div>", 5, ()),
    ],
    ids=["declared", "declared-longer", "sold", "whole-text", "sentence-alone", "class-and-sentence", "class-and-longer"],
)
def test_a_paywall_is_declared_or_sells_a_short_text(declared: bool, sentence: str, paragraphs: int, flags: tuple[str, ...]):
    """A long text was not held back, whatever the page declares."""
    json_ld = '<script type="application/ld+json">{"@type": "NewsArticle", "isAccessibleForFree": false}</script>' if declared else ""
    assert page_flags(document_of(f"<title>Harbour</title>{json_ld}{f'<p>{SENTENCE * 2}</p>' * paragraphs}<p>{sentence}</p>")) == flags


@pytest.mark.parametrize(("words", "flags"), [(7, ("paywall",)), (8, ())])
def test_lines_of_eight_words_are_running_text(words: int, flags: tuple[str, ...]):
    """240 words of it are no stub."""
    lines = "".join(f"<p>{'word ' * words}</p>" for _ in range(32))
    assert page_flags(document_of(f"{HELD}<h1>Harbour plan</h1>{lines}")) == flags


@pytest.mark.parametrize(("linked", "is_error"), [(2, False), (3, True)])
def test_running_text_has_fewer_than_three_of_ten_words_in_links(linked: int, is_error: bool):
    line = f"<p><a href=/x>{'link ' * linked}</a>{'word ' * (10 - linked)}</p>"
    assert ("error-page" in page_flags(document_of(f"<h1>Page not found</h1>{line * 13}"))) is is_error
