"""The loop that trains the networks: learning rate and loss."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("torch")

import torch

from webcontent.training.common.nets import Schedule, ramp_rate, train_classifier


@pytest.mark.parametrize(
    ("epoch", "rate"), [(0, 1e-5), (1, 3.6e-5), (14, 3.74e-4), (15, 4e-4), (16, 3.22e-4), (20, 1.377952e-4), (29, 2.715238e-5)]
)
def test_the_learning_rate_follows_equations_2_and_3(epoch: int, rate: float):
    """It rises from 1e-5 by 2.6e-5 an epoch to 4e-4 at epoch 15, then falls by 0.8 an epoch towards 1e-5."""
    assert ramp_rate(epoch) == pytest.approx(rate, rel=1e-6)


def test_training_takes_the_rates_of_its_course():
    """The optimizer sees the rate of each epoch, not of each step."""
    net = torch.nn.Linear(3, 2)
    rates = []
    step = torch.optim.AdamW.step

    class Watched(torch.optim.AdamW):
        def step(self, *arguments, **options):
            rates.append(self.param_groups[0]["lr"])
            return step(self, *arguments, **options)

    x, labels = np.zeros((4, 3), np.float32), np.array([0, 1, 0, 1])
    schedule = Schedule(epochs=3, batch=2, rate=4e-4, decay=0.0, course="ramp")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(torch.optim, "AdamW", Watched)
        losses = train_classifier(net, lambda rows, _: x[rows], labels, np.arange(4), schedule, seed=0)
    assert len(losses) == 3
    assert rates == pytest.approx([ramp_rate(epoch) for epoch in (0, 0, 1, 1, 2, 2)])


def test_a_loss_that_is_not_finite_ends_the_run():
    """The message names the epoch."""
    x, labels = np.full((4, 3), np.nan, np.float32), np.array([0, 1, 0, 1])
    with pytest.raises(FloatingPointError, match="epoch 1"):
        train_classifier(
            torch.nn.Linear(3, 2), lambda rows, _: x[rows], labels, np.arange(4), Schedule(1, batch=2, rate=1e-3, decay=0.0), seed=0
        )


def test_an_unknown_course_of_the_learning_rate_is_named():
    """The message lists those that there are."""
    schedule = Schedule(1, batch=2, rate=1e-3, decay=0.0, course="steps")
    with pytest.raises(ValueError, match="no course 'steps'; there are: constant, cycle, ramp"):
        train_classifier(torch.nn.Linear(3, 2), lambda rows, _: None, np.zeros(4, int), np.arange(4), schedule, seed=0)
