"""The networks of NEMTF over the lines of a page."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import torch
from torch import nn
from torch.nn import functional

from webcontent.extractors.nemtf import FIRST, LABELS, LAST, LENGTHS, POSITIONS, TEXT_FEATURES, WRITING

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from webcontent.training.nemtf.settings import Form

WORDS = FIRST + LAST
"""Columns of words; those of writing, position and text features follow."""
POSITION = WORDS + len(WRITING)
_WRITING = slice(WORDS, POSITION)


class LineNet(nn.Module):
    """Features of lines, float32 [pages, lines, len(FEATURES)] -> logits [pages, lines, len(LABELS)].

    en = [ew; ep; es] of the paper (equations 1 and 2), a dense layer, then the residual convolutions over the lines that the form has.
    Between these, features of the whole page are added.
    """

    def __init__(self, words: int, form: Form) -> None:
        super().__init__()
        self.form = form
        widest, size = max(form.kernels), 0
        if "S" in form.parts:
            self.word_table = nn.Embedding(words, form.word_size, padding_idx=0)
            self.over_words = nn.Conv1d(form.word_size, form.filters * len(form.kernels), widest, padding=widest // 2)
            narrow = torch.zeros(len(form.kernels), widest)
            for place, kernel in enumerate(form.kernels):
                narrow[place, (widest - kernel + 1) // 2 :][:kernel] = 1
            self.register_buffer("narrow", narrow.repeat_interleave(form.filters, 0)[:, None], persistent=False)
            size += form.filters * len(form.kernels)
        if "W" in form.parts:
            self.length_tables = nn.ModuleList([nn.Embedding(LENGTHS, form.table_size) for _ in WRITING])
            size += len(WRITING) * form.table_size
        if "L" in form.parts:
            self.position_table = nn.Embedding(POSITIONS, form.table_size)
            size += form.table_size
        self.dense = nn.Linear(size + len(TEXT_FEATURES) * form.text_features, form.hidden)
        self.dropout = nn.Dropout(form.dropout)
        self.over_lines = nn.ModuleList([nn.Conv1d(form.hidden, form.hidden, 3, padding=step, dilation=step) for step in form.dilations])
        self.over_page = nn.Linear(2 * form.hidden, form.hidden) if form.dilations else None
        self.last = nn.Linear(form.hidden, len(LABELS))

    def forward(self, x: torch.Tensor, mask: torch.Tensor | None = None) -> torch.Tensor:
        """`mask`: float32 [pages, lines, 1], 0 for padding lines."""
        line = self.dropout(torch.relu(self.dense(torch.cat(self._parts(x), 2))))
        for place, layer in enumerate(self.over_lines):
            if place == len(self.over_lines) // 2:
                line = line + self._page(line, mask)
            line = line if mask is None else line * mask
            line = line + self.dropout(torch.relu(layer(line.transpose(1, 2)).transpose(1, 2)))
        logits: torch.Tensor = self.last(line)
        return logits

    def _page(self, line: torch.Tensor, mask: torch.Tensor | None) -> torch.Tensor:
        """Features of the whole page, from mean and maximum over its lines: float32 [pages, 1, hidden]."""
        assert self.over_page is not None
        mask = torch.ones_like(line[:, :, :1]) if mask is None else mask
        mean = (line * mask).sum(1, keepdim=True) / mask.sum(1, keepdim=True)
        largest = (line * mask).amax(1, keepdim=True)  # the values are not negative
        return torch.relu(self.over_page(torch.cat((mean, largest), 2)))

    def _parts(self, x: torch.Tensor) -> list[torch.Tensor]:
        parts = []
        if "W" in self.form.parts:
            rows = x[:, :, _WRITING].long()
            parts += [table(rows[:, :, i]) for i, table in enumerate(self.length_tables)]
        if "L" in self.form.parts:
            parts.append(self.position_table(x[:, :, POSITION].long()))
        if "S" in self.form.parts:
            pages, lines = x.shape[0], x.shape[1]
            words = self.word_table(x[:, :, :WORDS].long().reshape(pages * lines, WORDS))
            narrow = cast("torch.Tensor", self.narrow)
            weight = self.over_words.weight * narrow  # a kernel of k words is the widest one with zeros at its ends
            folded = functional.conv1d(words.transpose(1, 2), weight, self.over_words.bias, padding=weight.shape[2] // 2)
            parts.append(torch.relu(folded.amax(2)).reshape(pages, lines, -1))
        if self.form.text_features:
            parts.append(x[:, :, POSITION + 1 :])
        return parts


class OnePage(nn.Module):
    """What is exported: the lines of one page -> probabilities, float32 [lines, len(LABELS)], the mean over several networks."""

    def __init__(self, nets: Sequence[LineNet]) -> None:
        super().__init__()
        self.nets = nn.ModuleList(nets)

    def forward(self, features: torch.Tensor) -> torch.Tensor:
        outputs = [torch.softmax(net(features[None])[0], dim=1) for net in self.nets]
        return torch.stack(outputs).mean(dim=0)


@torch.no_grad()
def line_probabilities(nets: Sequence[LineNet], x: NDArray[np.float32]) -> NDArray[np.float32]:
    """Probabilities of the lines of a page: float32 [lines, len(LABELS)]."""
    probabilities: NDArray[np.float32] = OnePage(nets).eval()(torch.from_numpy(x)).numpy()
    return probabilities
