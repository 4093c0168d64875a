"""The language of a page."""

from __future__ import annotations

import pytest

from tests.fields.pages import CHINESE, ENGLISH, article_of, signals_of
from webcontent.document.parsing import Document
from webcontent.fields.language import code_of, find_languages, language_of
from webcontent.fields.lexicon import by_language
from webcontent.fields.page_signals import PageSignals
from webcontent.items import Page

GERMAN = "Die Fähre über den Sund fiel am dritten Tag aus, weil das Eis nicht weichen wollte und der Rumpf alt ist."


@pytest.mark.parametrize(
    ("text", "language"),
    [
        (CHINESE, "zh"),
        (ENGLISH, "en"),
        ("Die Fähre über den Sund fiel am dritten Tag aus, weil das Eis nicht weichen wollte und der Rumpf alt ist.", "de"),
        ("Le bac a été annulé pour la troisième journée parce que la glace ne voulait pas céder sur la rive.", "fr"),
        ("海峡の渡し船は三日続けて欠航となった。氷がまだ解けないためである。", "ja"),
        ("얼음이 아직 녹지 않아 해협을 건너는 배가 사흘째 운항하지 못했다.", "ko"),
        ("Паром через пролив отменён третий день подряд, потому что лёд не отступает.", "ru"),
        ("Пором через протоку скасовано третій день поспіль, бо крига ще не відступає від берега.", "uk"),
        ("العبارة ملغاة لليوم الثالث لأن الجليد لم يذب بعد على الشاطئ البعيد", "ar"),
        ("1 2 3", None),
        ("", None),
    ],
)
def test_the_language_is_that_of_the_text(text: str, language: str | None) -> None:
    """By script, among Latin ones by the commonest words."""
    assert language_of(text)[0] == language


@pytest.mark.parametrize(("kana", "language"), [(10, "zh"), (11, "ja")])
def test_more_than_a_tenth_of_kana_makes_a_text_japanese(kana: int, language: str) -> None:
    assert language_of("の" * kana + "氷" * (100 - kana))[0] == language


def test_a_template_s_wrong_language_is_overruled_by_the_text() -> None:
    """Chinese pages made from English templates say lang=en."""
    assert article_of(f"<html lang=en>{CHINESE}").language == "zh"


@pytest.mark.parametrize("language", by_language("languages", "common_words"))
def test_a_text_of_a_languages_common_words_is_in_it(language: str) -> None:
    """Each language that the lexicon knows is found."""
    words = " ".join(by_language("languages", "common_words")[language])
    assert language_of(f"{words} {words}")[0] == language


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Траектът през протока беше отменен за трети пореден ден заради лед, съобщиха от пристанището във Видин", "bg"),
        ("Трајект преко мореуза отказан је трећи дан заредом, јер се лед још не повлачи са обале", "sr"),
        ("کشتی برای سومین روز پیاپی لغو شد، چون یخ هنوز پشت ساحل آب نشده و گذرگاه بسته است", "fa"),
        ("فیری تیسرے دن بھی منسوخ رہی کیونکہ ساحل پر برف ابھی تک نہیں پگھلی اور راستہ بند ہے", "ur"),
        ("המעבורת בוטלה זה היום השלישי ברציפות כי הקרח עדיין לא נמס", "he"),
        ("Το πλοίο ακυρώθηκε για τρίτη ημέρα επειδή ο πάγος δεν υποχωρεί", "el"),
    ],
    ids=["bulgarian", "serbian", "persian", "urdu", "hebrew", "greek"],
)
def test_languages_that_share_a_script_are_told_apart_by_letters(text: str, language: str) -> None:
    """A script of one language alone decides."""
    assert language_of(text)[0] == language


def test_a_chinese_text_with_some_kana_is_chinese() -> None:
    """A name of a Japanese company does not make it Japanese."""
    assert language_of("渡轮公司从日本的ソニー订购了新的雷达设备，预计下个月在码头完成安装并开始试航，届时航班将恢复正常。")[0] == "zh"


@pytest.mark.parametrize(
    ("tag", "code"),
    [
        ("en", "en"),
        ("zh-Hans-CN", "zh"),
        ("nb_NO", "no"),
        ("iw", "he"),
        ("fil", "tl"),
        ("EN-us", "en"),
        ("x-default", None),
        ("", None),
        (None, None),
        ("deu", None),
    ],
)
def test_language_tags_become_codes(tag: str | None, code: str | None) -> None:
    """ISO 639-1, in lower case; older and wrong codes are translated."""
    assert code_of(tag) == code


@pytest.mark.parametrize(
    ("html", "origin"),
    [
        ("<html lang=de><p>Kurz.", "html:lang"),
        ('<meta property="og:locale" content="de_DE"><p>Kurz.', "og:locale"),
        ('<meta http-equiv="content-language" content="de"><p>Kurz.', "meta:content-language"),
        ('<script type="application/ld+json">{"@type": "Article", "inLanguage": "de"}</script><p>Kurz.', "json-ld:inLanguage"),
    ],
)
def test_a_short_text_has_the_declared_language(html: str, origin: str) -> None:
    """Where the text is too short to tell."""
    assert [(candidate.value, candidate.origin) for candidate in find_languages(signals_of(html))] == [("de", origin)]


def test_a_declaration_that_agrees_makes_the_text_surer() -> None:
    """By a fixed bonus."""
    alone, declared = (find_languages(signals_of(html))[0] for html in (f"<p>{GERMAN}", f"<html lang=de><p>{GERMAN}"))
    assert (alone.value, declared.value) == ("de", "de")
    assert alone.score < declared.score < 1


def test_an_argument_wins() -> None:
    """The caller knows better."""
    document = Document.from_page(Page(url=None, html=f"<html lang=en><p>{GERMAN}"), language="fr")
    assert find_languages(PageSignals(document))[0].value == "fr"


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("the of", None),
        ("the of and", "en"),
        ("the of and " + "xyz " * 40, "en"),
        ("the of and " + "xyz " * 70, None),
        ("渡轮停航 abcdef", "zh"),
        ("渡轮停航 abcdef abcdef abc", None),
        ("渡轮停航渡轮停航渡轮停航 のに", "ja"),
        ("渡轮停航渡轮停航渡轮停航渡轮停航渡轮停航 の", "zh"),
        ("паром отменён третий день, потому что лёд не отступает, ї", "uk"),
        ("паром отменён третий день, потому что лёд не отступает, и берег далёк, а дорога одна, и никто не едет ї", "ru"),
    ],
)
def test_a_share_of_words_and_letters_decides(text: str, language: str | None) -> None:
    """Both sides of each share."""
    assert language_of(text)[0] == language


@pytest.mark.parametrize(("words", "language"), [("og det er en på", "no"), ("blev blev blev blev", "da")], ids=["close", "clear"])
def test_of_close_languages_the_declared_one_wins(words: str, language: str) -> None:
    """Danish and Norwegian share most common words."""
    assert find_languages(signals_of(f"<html lang=no><p>{words}"))[0].value == language
