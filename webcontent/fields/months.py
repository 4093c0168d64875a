"""Names of months in the languages of the web, from the Unicode CLDR (wide and abbreviated, formatting and stand-alone forms).

Where two languages disagree on a name (`listopad`: October in Croatian, November in Polish and Czech), the one with
more speakers holds it.
"""

from __future__ import annotations

import unicodedata

MONTH_NAMES = (
    (
        "january jan januar janvier janv enero ene gennaio gen janeiro januari tammikuuta tammi tammikuu janúar stycznia sty "
        "styczeń ledna led leden januára január siječnja siječanj јануар ianuarie ian sausio saus sausis janvāris jaanuar jaan "
        "ocak oca января янв январь січня січ січень януари јануари ιανουαρίου ιαν ιανουάριος يناير ژانویهٔ ژانویه ינואר ינו "
        "gener urtarrila xaneiro ionawr janar yanvar қаңтар იანვარი հունվարի հունվար januarie jänner jän "
    ),
    (
        "february feb februar février févr febrero febbraio fevereiro fev februari helmikuuta helmi helmikuu febrúar lutego lut "
        "luty února úno únor februára február veljače velj veljača фебруар februarie febr vasario vasaris februāris veebruar "
        "veebr şubat şub февраля февр февраль лютого лют лютий февруари φεβρουαρίου φεβ φεβρουάριος فبراير فوریهٔ فوریه פברואר "
        "פבר febrer otsaila febreiro chwefror chwef shkurt fevral ақпан თებერვალი փետրվարի փետրվար feber "
    ),
    (
        "march mar märz mär mars marzo março maart mrt marts maaliskuuta maalis maaliskuu marca marzec března bře březen marec "
        "ožujka ožujak март martie március márc kovo kovas märts mart марта мар березня бер березень μαρτίου μαρ μάρτιος μάρ مارس "
        "מרץ maret machi març martxoa mawrth наурыз მარტი մարտի մարտ mrz "
    ),
    (
        "april apr avril avr abril abr aprile huhtikuuta huhti huhtikuu apríl kwietnia kwi kwiecień dubna dub duben apríla "
        "travnja travanj април aprilie április ápr balandžio balandis aprīlis aprill nisan nis апреля апр апрель квітня квіт "
        "квітень απριλίου απρ απρίλιος أبريل آوریل אפריל אפר aprili apirila ebrill prill aprel сәуір აპრილი ապրիլի ապրիլ "
    ),
    (
        "may mai mayo maggio mag maio mei maj toukokuuta touko toukokuu maja května kvě květen mája svibnja svibanj május máj "
        "gegužės gegužė maijs mayıs мая май травня трав травень μαΐου μαΐ μάιος μάι مايو مهٔ מאי maig maiatza мамыр მაისი մայիսի "
        "մայիս "
    ),
    (
        "june jun juni juin junio giugno giu junho kesäkuuta kesä kesäkuu júní czerwca cze czerwiec června čvn červen júna junij "
        "lipnja lipanj iunie iun június jún birželio birž birželis jūnijs juuni haziran haz июня июн июнь червня черв червень "
        "јуни ιουνίου ιουν ιούνιος ιούν يونيو ژوئن יוני juny ekaina xuño mehefin qershor iyun маусым ივნისი հունիսի հունիս junie "
    ),
    (
        "july jul juli juillet juil julio luglio lug julho heinäkuuta heinä heinäkuu júlí lipca lip lipiec července čvc červenec "
        "júla julij srpnja srpanj iulie iul július júl liepos liep liepa jūlijs juuli temmuz tem июля июл июль липня лип липень "
        "јули ιουλίου ιουλ ιούλιος ιούλ يوليو ژوئیهٔ ژوئیه יולי julai juliol uztaila xullo gorffennaf gorff korrik korr iyul "
        "шілде ივლისი հուլիսի հուլիս julie "
    ),
    (
        "august aug août agosto ago augustus augusti elokuuta elo elokuu ágúst sierpnia sie sierpień srpna srp srpen augusta "
        "avgust kolovoza kolovoz август augusztus rugpjūčio rugp rugpjūtis augusts ağustos ağu августа авг серпня серп серпень "
        "αυγούστου αυγ αύγουστος αύγ أغسطس اوت אוגוסט אוג agustus agu ogos agosti agost abuztua awst gusht gush avqust тамыз "
        "აგვისტო օգոստոսի օգոստոս aout "
    ),
    (
        "september sep sept septembre septiembre settembre set setembro syyskuuta syys syyskuu września wrz wrzesień září zář "
        "septembra rujna rujan септембар septembrie szeptember szept rugsėjo rugs rugsėjis septembris eylül eyl сентября сент "
        "сентябрь вересня вер вересень септември σεπτεμβρίου σεπ σεπτέμβριος سبتمبر سپتامبر ספטמבר ספט septemba setembre iraila "
        "medi shtator sentyabr қыркүйек სექტემბერი սեպտեմբերի սեպտեմբեր setiembre "
    ),
    (
        "october oct oktober okt octobre octubre ottobre ott outubro out lokakuuta loka lokakuu október października paź "
        "październik října říj říjen októbra октобар octombrie spalio spal spalis oktobris oktoober ekim eki октября окт октябрь "
        "жовтня жовт жовтень октомври οκτωβρίου οκτ οκτώβριος أكتوبر اکتبر אוקטובר אוק oktoba urria hydref tetor oktyabr қазан "
        "ოქტომბერი հոկտեմբերի հոկտեմբեր "
    ),
    (
        "november nov novembre noviembre novembro marraskuuta marras marraskuu nóvember listopada lis listopad listopadu novembra "
        "studenoga studeni новембар noiembrie lapkričio lapkr lapkritis novembris kasım kas ноября нояб ноябрь листопада лист "
        "листопад ноември νοεμβρίου νοε νοέμβριος νοέ نوفمبر نوامبر נובמבר נוב novemba azaroa tachwedd tach nëntor noyabr қараша "
        "ნოემბერი նոյեմբերի նոյեմբեր "
    ),
    (
        "december dec dezember dez décembre déc diciembre dic dicembre dezembro desember des joulukuuta joulu joulukuu grudnia "
        "gru grudzień prosince pro prosinec decembra prosinca prosinac децембар decembrie gruodžio gruod gruodis decembris "
        "detsember dets aralık ara декабря дек декабрь грудня груд грудень декември δεκεμβρίου δεκ δεκέμβριος ديسمبر دسامبر דצמבר "
        "דצמ disember desemba desembre abendua decembro rhagfyr rhag dhjetor dekabr желтоқсан დეკემბერი դեկտեմբերի դեկտեմբեր "
    ),
)


def plain_word(word: str) -> str:
    """Lower case, without accents, dots and apostrophes.

    >>> plain_word("Févr."), plain_word("EKİM")
    ('fevr', 'ekim')
    """
    word = word.lower().strip(".'’׳")
    if word.isascii():
        return word
    return "".join(c for c in unicodedata.normalize("NFD", word) if unicodedata.category(c) != "Mn")


MONTHS: dict[str, int] = {plain_word(name): number for number, names in enumerate(MONTH_NAMES, 1) for name in names.split()}
"""Month, 1 to 12, by plain name."""
