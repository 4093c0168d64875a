"""The language of a page: by its script, by its commonest words, by what it declares."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

from webcontent.items import Candidate

if TYPE_CHECKING:
    from webcontent.fields.page_signals import PageSignals

SAMPLE = 3_000
"""Characters of running text that are looked at."""

_SCRIPTS = {
    "kana": re.compile("[\u3040-\u30ff]"),
    "han": re.compile("[\u3400-\u9fff]"),
    "ko": re.compile("[\uac00-\ud7af]"),
    "cyrillic": re.compile("[\u0400-\u04ff]"),
    "arabic": re.compile("[\u0600-\u06ff]"),
    "he": re.compile("[\u0590-\u05ff]"),
    "el": re.compile("[\u0370-\u03ff]"),
    "th": re.compile("[\u0e00-\u0e7f]"),
    "hi": re.compile("[\u0900-\u097f]"),
    "bn": re.compile("[\u0980-\u09ff]"),
    "ta": re.compile("[\u0b80-\u0bff]"),
    "te": re.compile("[\u0c00-\u0c7f]"),
    "ka": re.compile("[\u10a0-\u10ff]"),
    "hy": re.compile("[\u0530-\u058f]"),
    "my": re.compile("[\u1000-\u109f]"),
    "km": re.compile("[\u1780-\u17ff]"),
}
_SHARED = {
    "cyrillic": ("ru", {"uk": "іїєґ", "bg": "ъщ", "sr": "ђјљњћџ", "be": "ўі", "mk": "ѓќѕј", "kk": "әғқңөұүһ", "mn": "өү"}),
    "arabic": ("ar", {"fa": "پچژگک", "ur": "ٹڈڑںےہ"}),
}
"""Scripts of several languages: the usual one, and the letters that only others have."""
_WORDS = {
    "en": "the of and to in is that for with was are this have from by not be as it on at",
    "de": "der die und das ist nicht ein eine mit für auf den dem im zu sich auch von werden wird",
    "fr": "le la les des et est une dans pour que qui sur pas avec au du ne sont cette plus",
    "es": "el la los las que del se una por con para es su como más pero sus este fue ha",
    "it": "il di che la è per una sono con non del della nel più anche gli alla dei questo come",
    "pt": "o que não uma para com os dos das em do da mais por foi são também seu sua ao",
    "nl": "de het een van en is dat niet zijn op voor met aan ook er maar om bij wordt naar",
    "sv": "och att det som är en på för med av inte till den har ett om kan från vid också",
    "da": "og at det er en på til af ikke den har der som med for et de kan blev også",
    "no": "og det er en på til av ikke den har som med for et de kan ble også fra vi",
    "fi": "ja on ei että se oli hän mutta ovat kun myös sekä jos joka tai mukaan hänen olla vain",
    "pl": "się nie na że jest do to jak po ale od przez jego oraz który być są dla był",
    "cs": "se je na že to jako ale aby jsem byl který jsou také pro bylo podle už jeho však této",
    "sk": "sa je na že to ako ale aby som bol ktorý sú tiež pre bolo podľa už jeho však ktoré",
    "hu": "és hogy nem az egy is van meg volt csak már ezt mint még pedig lesz után szerint vagy ki",
    "ro": "și în de la cu nu este pe care din să mai pentru că sunt au fost dar prin după",
    "tr": "ve bir bu için ile da de olarak çok daha gibi olan ancak kadar sonra ise en var oldu ne",
    "hr": "je i se na da su za koji od nije kao što ali bi je sam također prema nakon koje",
    "sl": "je in se na da so za ki tudi ne pa bi kot pri po ali bo še ter tem",
    "lt": "ir kad tai yra iš su bet į buvo kaip taip apie už jau ar metų tik nuo per dar",
    "lv": "un ir ka ar no par kas tas bet arī uz lai tika gan pēc vai gada ko tā pie",
    "et": "ja on ei et see oli mis ka kui aga oma või ning siis kes seda tema pole veel mida",
    "id": "yang dan di dengan untuk dari ini pada tidak itu dalam akan juga oleh ke adalah ada bisa sudah telah",
    "vi": "và của là có cho trong không được với các một những người này đã khi đến từ cũng để",
    "ca": "i el la que els les per amb una és del han dels seva però més aquest també als segons",
    "is": "og að í er á sem til við um var það en með fyrir ekki af hann því frá eru",
    "sq": "dhe të në për që një me nga është e i ka si do më nuk se janë kjo ky",
    "eu": "eta da ez du dira baina bat egin izan dute ere zuen duen baino beste hori dela zen oso dituzte",
    "sw": "na ya wa kwa ni katika za la kuwa hii huo huku pia yake kama lakini hiyo wake baada",
    "tl": "ang ng mga sa na at ay ni ito para kay hindi kung din niya naman siya mula nang may",
}
_LANGUAGES_OF: dict[str, list[str]] = {}
for _name, _words in _WORDS.items():
    for _word in _words.split():
        _LANGUAGES_OF.setdefault(_word, []).append(_name)
_TWINS = {
    "nb": "no",
    "nn": "no",
    "iw": "he",
    "in": "id",
    "cn": "zh",
    "jp": "ja",
    "kr": "ko",
    "fil": "tl",
    "gr": "el",
    "cz": "cs",
    "se": "sv",
    "dk": "da",
    "ua": "uk",
}
_ASCII = re.compile(r"[\x00-\x7f]+")
_CODE = re.compile(r"^\s*([a-zA-Z]{2,3})(?:$|[-_;,\s])")


def find_languages(signals: PageSignals) -> list[Candidate]:
    """ISO 639-1 codes, best first: the script decides, among Latin ones the words, then what the page declares."""
    declared = _declared(signals)
    found = []
    if signals.document.language:
        found.append(Candidate(signals.document.language, "argument", None, 1.0))
    name, score = language_of(_sample(signals))
    if name:
        agrees = any(candidate.value == name for candidate in declared)
        found.append(Candidate(name, "text", None, round(min(0.99, score + 0.2 * agrees), 4)))
    return sorted(found + declared, key=lambda candidate: -candidate.score)


def _declared(signals: PageSignals) -> list[Candidate]:
    document = signals.document
    places = [("html:lang", document.root.get("lang") or document.root.get("xml:lang"), 0.7)]
    for name, trust in (("og:locale", 0.6), ("content-language", 0.62), ("dc.language", 0.6), ("language", 0.5), ("inlanguage", 0.6)):
        places += [(name if ":" in name else f"meta:{name}", text, trust) for text in document.meta.get(name, ())[:1]]
    for item in signals.objects[:1]:
        text = item.get("inLanguage")
        places.append(("json-ld:inLanguage", text if isinstance(text, str) else None, 0.6))
    return [Candidate(code, origin, None, trust) for origin, text, trust in places if (code := code_of(text))]


def code_of(text: str | None) -> str | None:
    """ISO 639-1 of a language tag.

    >>> code_of("zh-Hans-CN"), code_of("nb_NO"), code_of("x-default")
    ('zh', 'no', None)
    """
    match = _CODE.match(text or "")
    if not match:
        return None
    code = match[1].lower()
    code = _TWINS.get(code, code)
    return code if len(code) == 2 else None


def _sample(signals: PageSignals) -> str:
    """Running text of the page: its body where that is known, else its longest blocks."""
    texts = signals.blocks.texts
    if signals.body is not None:
        texts = texts[signals.body[0] : signals.body[1] + 1]
    parts, size = [], 0
    for text in texts[:600]:
        parts.append(text[:1000])
        size += len(parts[-1])
        if size > SAMPLE:
            break
    return " ".join(parts)[:SAMPLE]


def language_of(text: str) -> tuple[str | None, float]:
    """The language of a text and how sure that is; (None, 0) where the text is too short to tell.

    >>> language_of("Это короткий текст на русском языке, и его достаточно.")[0]
    'ru'
    """
    letters = sum(map(str.isalpha, text))
    if letters < 20:
        return None, 0.0
    if text.isascii():
        return _by_words(text)
    foreign = _ASCII.sub("", text)  # none of the scripts has a letter in there
    counts = {name: len(pattern.findall(foreign)) for name, pattern in _SCRIPTS.items()}
    name, count = max(counts.items(), key=lambda pair: pair[1])
    east_asian = counts["kana"] + counts["han"]
    if max(count, east_asian) < 0.3 * letters:
        return _by_words(text)
    if east_asian >= count:
        return ("ja" if counts["kana"] > 0.1 * east_asian else "zh"), 0.95
    if name in _SHARED:
        return _by_letters(text, name, count), 0.9
    return name, 0.95


def _by_letters(text: str, script: str, count: int) -> str:
    usual, others = _SHARED[script]
    lowered = text.lower()
    shares = {name: sum(map(lowered.count, letters)) / count for name, letters in others.items()}
    best = max(shares, key=lambda name: shares[name])
    return best if shares[best] > 0.015 else usual


def _by_words(text: str) -> tuple[str | None, float]:
    words = re.findall(r"[^\W\d_]+", text.lower())
    total = len(words)
    hits = Counter(name for word in words if word in _LANGUAGES_OF for name in _LANGUAGES_OF[word])
    best, second = sorted(_WORDS, key=lambda name: -hits[name])[:2]
    if total < 8 or hits[best] < 3 or hits[best] < 0.05 * total:
        return None, 0.0
    margin = (hits[best] - hits[second]) / hits[best]
    return best, min(0.95, 0.55 + margin)
