"""What the test pages share: their type, running text, and the boilerplate of sites."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class TestPage:
    """A page with its checks."""

    __test__ = False

    name: str
    html: str
    has: tuple[str, ...] = ()
    """What the Markdown must hold, character by character."""
    lacks: tuple[str, ...] = ()
    """What it must not hold."""
    videos: tuple[str, ...] | None = None
    """The addresses of `videos`; None: not compared."""
    audios: tuple[str, ...] | None = None


ENGLISH = (
    (
        "The scheduler keeps a queue of jobs for each worker, and a worker that runs out of jobs takes some from the end of another queue, "
        "so that no core is idle while there is still something left to do."
    ),
    (
        "Most installations never need to change the defaults. They were chosen after measurements on small and on large machines, and the "
        "difference between the best and the worst value is rarely more than a few percent of the total time."
    ),
    (
        "When the limit is reached, new jobs wait until an earlier one has finished. Nothing is lost, but the order in which results arrive "
        "may differ from the order in which the jobs were handed over."
    ),
    (
        "A configuration file is read once, at the start. Changes take effect after the service has been restarted, and a file that cannot "
        "be read stops the service with a message that names the line."
    ),
    (
        "The harbour was closed for two days after the storm, and the ferries to the islands resumed on Thursday morning with a timetable "
        "that leaves out the two smallest piers until the divers have looked at them."
    ),
    (
        "Residents of the old town had asked for the crossing for eleven years. The council agreed on Tuesday after a debate of four hours, "
        "and work on the bridge is expected to begin in the spring of next year."
    ),
    (
        "In the first weeks the library lent out more tools than books, which nobody at the town hall had expected. The drills are booked "
        "until the end of the month, and a second set of ladders is on its way."
    ),
    (
        "The measurements were repeated three times with fresh samples, and the mean of the three runs is reported. Samples that had been "
        "stored for more than a week were left out, because their mass had changed."
    ),
    (
        "We compared the new method with the two that are in common use. It needs fewer observations for the same error, and its cost grows "
        "linearly with the number of sites, while that of the others grows with the square."
    ),
    (
        "The valley was settled in the ninth century by farmers from the coast, who kept goats and grew barley on the terraces. Their walls "
        "can still be seen above the road to the pass, although the last farm was given up in 1931."
    ),
)
CHINESE = (
    "调度器为每个工作线程保存一个任务队列，空闲的线程会从别的队列末尾取走任务，因此只要还有事情可做，就不会有处理器核心闲着。",
    "大多数安装都不需要修改默认值。这些数值是在大小不同的机器上测量之后选定的，最好和最差之间的差别通常只有总时间的百分之几。",
    "台风过后港口关闭了两天，开往各岛的渡轮周四早上恢复运行，两个最小的码头要等潜水员检查之后才会重新开放。",
    "老城的居民为这座人行桥呼吁了十一年。周二，市议会经过四个小时的辩论终于通过了方案，工程预计明年春天开工。",
    "最初几个星期，图书馆借出的工具比书还多，这是市政厅没有人想到的。电钻已经预约到月底，第二批梯子正在路上。",
    "测量用新的样品重复了三次，报告的是三次的平均值。存放超过一个星期的样品没有采用，因为它们的质量已经发生变化。",
)


def paragraphs(*numbers: int, texts: tuple[str, ...] = ENGLISH) -> str:
    """Some of the texts as paragraphs."""
    return "".join(f"<p>{texts[number]}</p>" for number in numbers)


def chinese(*numbers: int) -> str:
    return paragraphs(*numbers, texts=CHINESE)


def document(title: str, body: str, *, head: str = "", language: str = "en") -> str:
    """A whole page."""
    return (
        f'<!DOCTYPE html><html lang="{language}"><head><meta charset="utf-8"><title>{title}</title>{head}</head><body>{body}</body></html>'
    )


SITE_NAV = (
    '<header class="site-header"><a class="logo" href="/">Quarry</a><nav><ul><li><a href="/news">News</a></li><li><a href="/docs">Docs</a>'
    '</li><li><a href="/about">About us</a></li><li><a href="/login">Sign in</a></li></ul></nav></header>'
)
SITE_FOOTER = (
    '<footer class="site-footer"><ul><li><a href="/privacy">Privacy policy</a></li><li><a href="/imprint">Imprint</a></li><li>'
    '<a href="/jobs">Careers</a></li></ul><p>© 2026 Quarry Media. All rights reserved. Subscribe to our newsletter.</p></footer>'
)
SITE_LACKS = ("Sign in", "Privacy policy", "Careers", "All rights reserved")
