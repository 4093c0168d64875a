"""Videos and recordings of an article: the players in its text, and those that it declares for itself."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

import numpy as np

from webcontent.document.rich_text.players import AUDIO, VIDEO, player_of_address
from webcontent.fields.media.images import MAX_TITLE_BLOCKS
from webcontent.fields.page_signals import collapse, ranked
from webcontent.items import Audio, Candidate, Video

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from webcontent.document.rich_text.players import Player
    from webcontent.fields.page_signals import PageSignals

MAX_MEDIA = 30


def find_media(signals: PageSignals, players: Sequence[tuple[int, Player]]) -> tuple[list[Candidate], list[Candidate]]:
    """Candidates of videos and of recordings, one a player, in page order; those of JSON-LD that no player shows come last.

    `players`: all players of the page, with the number of text pieces before them.
    """
    declared = list(_iter_declared(signals))
    titles = {player.url: player.title for player in declared if player.title}
    found = {VIDEO: dict[str, Candidate](), AUDIO: dict[str, Candidate]()}
    for origin, group in (("player", _near_text(signals, players)), ("json-ld", declared)):
        for player in group:
            if player.kind in found and not (origin == "json-ld" and found[player.kind]):
                value = (Video if player.kind == VIDEO else Audio)(player.url, player.title or titles.get(player.url))
                found[player.kind].setdefault(player.url, Candidate(value, origin))
    return ranked(islice(found[VIDEO].values(), MAX_MEDIA)), ranked(islice(found[AUDIO].values(), MAX_MEDIA))


def _near_text(signals: PageSignals, players: Sequence[tuple[int, Player]]) -> list[Player]:
    """The players in or beside the text; all of a page without text."""
    if signals.body is None:
        return [player for _, player in players]
    first, last = signals.body[0] - MAX_TITLE_BLOCKS, signals.body[1] + MAX_TITLE_BLOCKS
    starts = signals.blocks.piece_start
    blocks = [int(np.searchsorted(starts, piece, side="right")) - 1 for piece, _ in players]
    return [player for block, (_, player) in zip(blocks, players, strict=True) if first <= block <= last]


def _iter_declared(signals: PageSignals) -> Iterator[Player]:
    """The videos and recordings that the page's main JSON-LD object names as its own."""
    for field, kind in (("video", VIDEO), ("audio", AUDIO)):
        for row in signals.declared.rows(field):
            if row.object == 0 and row.data and (url := signals.document.absolute(row.value)):
                player = player_of_address(url, collapse(str(row.data.get("name") or "")) or None, default=kind)
                if player is not None:
                    yield player
