"""Stop words of all languages in one set: articles, pronouns, prepositions, particles, auxiliary verbs.

Only the collapsed DOM of Web2Text counts them, without knowing the language of the page. Chinese ones are single characters, because
words are there (`extractors.lines`). The parts that an apostrophe cuts off ("don't") are words of their own.

Why not a library: `web2text_v1` was trained on exactly these 801 words. The lists of stopwordsiso 0.7.1 for the same languages have
15,001 words and lack 33 of these; those of stop-words 2025.11.4 have 11,553 and lack 94. Joined into one set, lists of that length
hold many content words of other languages. A model that is trained anew may well take one of them.
"""

from __future__ import annotations

STOP_WORDS = frozenset(
    # English
    "a about above after again against all also am an and any are as at be because been before being "
    "below between both but by can cannot could d did didn do does doesn doing don down during each few "
    "for from further had hadn has hasn have haven having he her here hers herself him himself his how i "
    "if in into is isn it its itself just ll m may me might more most must my myself no nor not now of "
    "off on once only or other ought our ours ourselves out over own re s same shall she should shouldn "
    "so some such t than that the their theirs them themselves then there these they this those through "
    "to too under until up upon us ve very was wasn we were weren what when where which while who whom "
    "whose why will with within without won would wouldn yet you your yours yourself "
    # German, Dutch, Scandinavian languages
    "aber als auch auf aus bei bis das dass dem den denn der des die dies diese dieser durch ein eine "
    "einem einen einer es für hat haben ich ihr im ist kann man mehr mit nach nicht noch nur oder sich "
    "sie sind über um und uns unter vom von vor war wenn werden wie wir wird zu zum zur aan bij dat deze "
    "een en er het hij hun ik je maar meer met naar niet nog ook op te tot uit van voor wat wel werd "
    "wordt zijn ze att av de den det din du eller ett fra från för han hon har hun inte jeg kan med men "
    "mer og om på sig sin som till til var vi "
    # French, Spanish, Portuguese, Italian, Romanian
    "au aux avec ce ces cette comme dans des du elle est et été il ils je l la le les leur lui mais mes "
    "moi mon même n ne nous ou où par pas plus pour qu que qui sa sans se ses son sont sur tu un une "
    "vous y al como con cuando del desde donde el ella ellos era esta este esto fue ha hasta hay las lo "
    "los muy más ni nos o para pero por porque quien sea ser si sin sobre son su sus también tiene todo "
    "una uno unos ya yo ao aos às com da das dos ela ele em entre era esse essa foi isso já mais mas meu "
    "na nas nem no nos não num numa os pela pelo pode quando quem são seu sua só também tem uma você à "
    "agli ai alla alle anche che chi ci come cui dal dalla degli dei della delle di dove è gli hanno ho "
    "ma nel nella noi non più questo questa quello sono sulla tra un ați care cu din după este fi fost în "
    "la mai nu pe pentru prin sau se sunt și un unei unui "
    # Slavic languages, Greek, Turkish, Hungarian, Finnish
    "ale bo by być był była było co czy dla do gdy go ich jak jako jest jeszcze już każdy który która "
    "które lub na nie od po przez przy są się ten tego to tym w we więc z za ze že až být jsem jsou "
    "který kde nebo pro při však v s u k i a je su što za kao koji в во и на не что он она они я с со "
    "как а то все это так его но да к у же за бы по из от для о при до или был была было были мы вы "
    "також та що як від це є до про які який із і й або για δεν είναι η και με να ο οι που σε στη στην "
    "στο στον τα τη της την το τον του των bir bu da de daha gibi ile için mi ne o olarak ve veya ya çok "
    "az egy és hogy is már meg nem vagy ja on ei että se kun mutta oli "
    # Arabic, Hebrew, Persian, Hindi, Indonesian, Vietnamese
    "في من على إلى عن أن التي الذي هذا هذه كان ما لا مع או את של על הוא היא לא עם זה כי گر از به در که را "
    "این با است برای के का की में है और से को पर यह di dan yang untuk dengan pada ini itu dari ke tidak "
    "akan adalah oleh của và là các được cho có không trong một những với "
    # Chinese, Japanese, Korean: particles, pronouns, conjunctions, prepositions
    "的 了 是 在 和 与 與 及 或 而 但 也 都 就 又 还 還 不 没 沒 有 这 這 那 其 之 以 于 於 为 為 被 把 对 對 从 "
    "從 向 到 由 由 等 着 著 过 過 吗 嗎 呢 吧 "
    "啊 我 你 他 她 它 们 們 个 個 所 将 將 会 會 能 可 要 让 讓 并 並 则 則 因 如 若 很 更 最 "
    "已 再 只 才 每 各 某 此 の に は を た が で て と し れ さ "
    "も な ら い こ そ 이 가 은 는 을 를 의 에 도 로 와 과 고".split()
)
"""In lower case."""
