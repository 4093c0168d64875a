"""How soon a nightly crawl notices that a site has changed: 30 nights of 10 sites, simulated, beside the simplest alarm.

Sites have from 3 to 60 new articles a night, fewer at weekends, and differ from night to night by more than chance (gamma-Poisson
counts, beta-binomial shares). In each round five sites change in some night from the eighth on, each in one way, and stay so. One more
site is added late. An alarm is right if its site has changed; a change is noticed if there is an alarm within seven nights.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass, field
from statistics import mean, median

import numpy as np

from webcontent.inspect.items.nights import MIN_NIGHTS, changes

NIGHTS, SITES, WITHIN = 30, 10, 7
FIELDS = {"title": 0.99, "time": 0.95, "source": 0.6, "body": 0.99}
WEEKEND = 0.55
"""Articles of a night at a weekend, beside those of a weekday."""
CHANGES = {
    "dead": {"reach": 0.0},
    "slow": {"reach": 0.5},
    "walled": {"walls": 0.7},
    "redesigned, fewer links": {"volume": 0.25},
    "redesigned, no times": {"time": 0.05},
    "redesigned, half of the text": {"length": 0.5, "score": 0.6},
}
"""What a change makes of a site."""


@dataclass(slots=True)
class Site:
    """A site whose nights are drawn."""

    volume: float
    since: int = 0
    change: str = ""
    begins: int = 0
    fields: dict[str, float] = field(default_factory=dict)

    def night(self, number: int, draw: np.random.Generator) -> dict[str, float]:
        how = CHANGES[self.change] if self.change and number >= self.since else {}
        volume = self.volume * (WEEKEND if number % 7 >= 5 else 1) * how.get("volume", 1)
        wanted = 3 + int(draw.poisson(draw.gamma(20, volume / 20)))
        reached = int(draw.binomial(wanted, how.get("reach", 0.98)))
        broken = int(draw.binomial(reached, how.get("walls", 0.01)))
        articles = max(0, reached - broken - int(draw.binomial(3, 0.8)))
        night: dict[str, float] = {"asked": wanted, "failed": wanted - reached, "broken": broken, "articles": articles}
        for name, usual in self.fields.items():
            share = how.get(name, usual)
            night[name] = int(draw.binomial(articles, draw.beta(40 * share, 40 * (1 - share))))
        texts = draw.gamma(4, 3000 * how.get("length", 1) / 4, articles)
        return night | {"length": float(texts.sum()), "score": float(draw.beta(8, 2, articles).sum()) * how.get("score", 1)}


def sites(draw: np.random.Generator) -> list[Site]:
    """Five sites that change in different ways, four that do not, and one that is added."""
    kinds = draw.permutation([*CHANGES])[:5]
    made = [Site(float(volume)) for volume in np.exp(draw.uniform(np.log(3), np.log(60), SITES))]
    for site, kind in zip(made, kinds, strict=False):
        site.change, site.since = str(kind), int(draw.integers(MIN_NIGHTS, NIGHTS - WITHIN))
    made[-1].begins = int(draw.integers(5, 20))
    for site in made:
        site.fields = {name: float(np.clip(draw.normal(usual, 0.02), 0.02, 0.99)) for name, usual in FIELDS.items()}
    return made


def simplest(nights: list[dict[str, float]]) -> bool:
    """Articles fell below half of the median of the nights before."""
    return len(nights) > MIN_NIGHTS and nights[-1]["articles"] < median(night["articles"] for night in nights[:-1]) / 2


ALARMS = {"curves": lambda nights: bool(changes(nights)), "half": simplest}


@dataclass(slots=True)
class Result:
    alarms: int = 0
    right: int = 0
    quiet_nights: int = 0
    delays: dict[str, list[int | None]] = field(default_factory=dict)

    def add(self, site: Site, alarms: list[int], nights: int) -> None:
        changed = [number for number in alarms if site.change and number >= site.since]
        self.alarms, self.right = self.alarms + len(alarms), self.right + len(changed)
        self.quiet_nights += (site.since if site.change else nights) - site.begins - MIN_NIGHTS
        if site.change:
            first = min((number - site.since + 1 for number in changed), default=None)
            self.delays.setdefault(site.change, []).append(first if first is not None and first <= WITHIN else None)


def simulate(rounds: int, seed: int) -> dict[str, Result]:
    draw, results = np.random.default_rng(seed), {name: Result() for name in ALARMS}
    for _ in range(rounds):
        for site in sites(draw):
            nights = [site.night(number, draw) for number in range(site.begins, NIGHTS)]
            for name, alarm in ALARMS.items():
                results[name].add(site, [site.begins + n - 1 for n in range(1, len(nights) + 1) if alarm(nights[:n])], NIGHTS)
    return results


def lines(results: dict[str, Result]) -> list[str]:
    table = [
        "| alarm | precision | recall | nights until noticed | false alarms in 1,000 nights of sites as before |",
        "|---|---|---|---|---|",
    ]
    for name, result in results.items():
        delays = [delay for kind in result.delays.values() for delay in kind]
        noticed = [delay for delay in delays if delay is not None]
        false = 1000 * (result.alarms - result.right) / result.quiet_nights
        precision = result.right / max(1, result.alarms)
        table.append(f"| {name} | {precision:.3f} | {len(noticed) / len(delays):.3f} | {mean(noticed):.2f} | {false:.1f} |")
    table += ["", f"| recall by change | {' | '.join(results)} |", f"|---|{'---|' * len(results)}"]
    for kind in CHANGES:
        shares = (mean(delay is not None for delay in result.delays[kind]) for result in results.values())
        table.append(f"| {kind} | {' | '.join(f'{share:.2f}' for share in shares)} |")
    return table


def main(words: list[str]) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks nights", description=__doc__)
    parser.add_argument("--rounds", type=int, default=50, help="simulations of 30 nights of 10 sites (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args(words)
    print(*lines(simulate(options.rounds, options.seed)), sep="\n")
