"""Training NEMTF: its networks, the loss, word vectors, metrics of fields, the graph, and a whole miniature run."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from functools import partial

import numpy as np
import pytest

pytest.importorskip("torch")

import torch

from benchmarks.papers import nemtf as experiments
from tests.training.pages import files_of, news_page, write_corpus
from webcontent.extractors.nemtf.features import BODY, LABELS, NOISE, SOURCE, TITLE, Vocabulary, features
from webcontent.models import Model
from webcontent.training.common import export
from webcontent.training.common.lines import read_sample
from webcontent.training.nemtf.networks import LineNet, OnePage, learn_words, line_probabilities, tokens_of, word_vectors
from webcontent.training.nemtf.settings import PLAIN, Form, LineSchedule, Settings
from webcontent.training.nemtf.trainer import LEFT_OUT, field_metrics, line_counts, line_f1, main
from webcontent.training.nemtf.training import draw, lengths_of, line_weights, lines_of_epoch, loss_of, train

LENGTHS = {"noise": [1.5, 0.5, 2, 8], "body": [4.5, 0.8, 20, 400]}
SMALL = Form(hidden=8, filters=2, word_size=4, table_size=2, dilations=(1, 2))


@pytest.fixture(scope="module")
def samples():
    return [read_sample("zh-gold-dev", news_page(i)) for i in range(8)]


@pytest.fixture(scope="module")
def tokens(samples):
    return {sample.id: tokens_of(sample) for sample in samples}


@pytest.fixture(scope="module")
def settings():
    return Settings(form=SMALL, nets=2, schedule=LineSchedule(epochs=2, pages=4), word_sites=2)


def rows(lines: int) -> np.ndarray:
    return features("A bridge", [f"line number {i}" for i in range(lines)], Vocabulary(["line"]), LENGTHS)


@pytest.mark.parametrize(
    "form", [SMALL, PLAIN, replace(PLAIN, parts="W"), replace(PLAIN, parts="S"), replace(PLAIN, parts="L"), replace(PLAIN, kernels=(2,))]
)
def test_every_form_gives_probabilities_for_every_line(form):
    """The paper's plain form, its parts and single kernels too; one line is enough."""
    net = LineNet(10, form)
    for lines in (1, 30):
        found = line_probabilities([net], rows(lines))
        assert found.shape == (lines, len(LABELS))
        assert np.allclose(found.sum(axis=1), 1, atol=1e-5)


def test_the_plain_form_classifies_a_line_alone():
    """As the paper's; the shipped one looks around."""
    x = rows(20)
    other = x.copy()
    other[0] = 0
    for form, same in ((PLAIN, True), (SMALL, False)):
        torch.manual_seed(1)
        net = LineNet(10, form)
        assert np.allclose(line_probabilities([net], x)[1], line_probabilities([net], other)[1]) == same


def test_padding_lines_change_nothing():
    """A short page beside a long one in a batch gives what it gives alone."""
    torch.manual_seed(1)
    net = LineNet(10, SMALL).eval()
    x = torch.from_numpy(rows(12))[None]
    padded = torch.cat([x, torch.zeros(1, 9, x.shape[2])], 1)
    mask = torch.cat([torch.ones(1, 12, 1), torch.zeros(1, 9, 1)], 1)
    with torch.no_grad():
        assert torch.allclose(net(padded, mask)[:, :12], net(x), atol=1e-5)


def test_narrow_kernels_see_fewer_words():
    """A kernel of two words has a third weight that does nothing."""
    net = LineNet(10, replace(PLAIN, kernels=(1, 3)))
    assert net.narrow[:, 0].sum(axis=1).tolist() == [1] * PLAIN.filters + [3] * PLAIN.filters


def test_noise_may_have_a_label_that_the_gold_does_not_state():
    """A network that labels a noise line `source` has a lower loss where the gold states no source."""

    logits = torch.zeros(1, 3, len(LABELS))
    logits[:, :, SOURCE] = 5
    targets = torch.zeros(1, 3, len(LABELS))
    targets[:, :, NOISE] = 1
    known, unknown = torch.full((1, len(LABELS)), 1e-9), torch.full((1, len(LABELS)), 1e-9)
    known[0, NOISE] = unknown[0, NOISE] = 1
    unknown[0, SOURCE] = 0.1
    strict, lax = (loss_of(logits, targets, torch.ones(1, 3), noise.log(), 3.0).item() for noise in (known, unknown))
    assert strict == pytest.approx(5, abs=0.1)
    assert lax == pytest.approx(2.3, abs=0.1)


def test_words_of_few_sites_are_not_learned(samples, tokens, settings):
    """The words of most sites come first; what takes no room is no word."""
    tokens = {**tokens, samples[0].id: tokens[samples[0].id] | {"onlyhere", "\u200b"}, samples[1].id: tokens[samples[1].id] | {"\u200b"}}
    words = learn_words(samples, tokens, settings)
    assert "0000" in words
    assert "onlyhere" not in words
    assert "\u200b" not in words
    assert len(Vocabulary(words)) == len(words) + Vocabulary.UNKNOWN


def test_words_that_stand_in_the_same_company_have_like_vectors():
    """Word vectors are made from which words stand near which."""
    random = np.random.default_rng(1)
    texts = []
    for _ in range(300):
        texts.append(f"the {random.choice(['cat', 'dog'])} eats meat at home number {random.integers(10**6)}")
        texts.append(f"a {random.choice(['red', 'blue'])} paint for walls inside number {random.integers(10**6)}")
    sample = read_sample("test", news_page(1))
    sample.texts = texts
    words = "cat dog red blue the a eats meat paint walls".split()
    vectors = word_vectors([sample], Vocabulary(words), 4, seed=1)[Vocabulary.UNKNOWN :]
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    like = unit @ unit.T
    assert like[0, 1] > like[0, 2]
    assert like[2, 3] > like[1, 3]


def test_networks_are_different_and_their_answers_are_averaged(samples, tokens, settings):
    """Each begins elsewhere and sees the pages in another order."""
    trained = train(samples, tokens, settings)
    x = rows(12)
    one, other = (line_probabilities([net], x) for net in trained.nets)
    assert not np.allclose(one, other)
    assert np.allclose(trained.run(x)[0], (one + other) / 2, atol=1e-6)


def test_pages_are_drawn_as_often_as_the_settings_state():
    """On average; in all always as many, so that the rate's course is known beforehand."""
    wanted = np.array([0.3] * 50 + [1.0] * 10 + [1.5] * 10)
    counts = np.zeros(len(wanted))
    for seed in range(200):
        found = draw(wanted, np.random.default_rng(seed))
        assert len(found) == 40
        counts += np.bincount(found, minlength=len(wanted))
    assert np.allclose(counts / 200, wanted, atol=0.15)


def test_of_a_long_page_a_part_is_learned_from(samples):
    """As many lines as were asked for, in order; what is wanted falls away only where the part ends."""
    schedule = LineSchedule(lines=4)
    sample = samples[0]
    seen = set()
    for seed in range(300):
        rows_taken = lines_of_epoch(sample, schedule, np.random.default_rng(seed))
        assert 0 < len(rows_taken) <= 4
        assert (np.diff(rows_taken) > 0).all()
        seen.update(rows_taken.tolist())
    assert seen == set(range(len(sample)))
    wanted = set(np.flatnonzero(sample.targets[:, NOISE] < 0.5).tolist())
    for seed in range(50):
        assert wanted <= set(lines_of_epoch(sample, LineSchedule(), np.random.default_rng(seed)).tolist())


def test_long_lines_count_more(samples):
    """Lines whose label the gold does not state do not count."""
    sample = replace(samples[0], weights=samples[0].weights.copy())
    longest = int(np.argmax([len(text) for text in sample.texts]))
    before = line_weights(sample)
    assert before.argmax() == longest
    sample.weights[longest] = 0
    assert line_weights(sample)[longest] == 0


def test_lines_are_counted_by_label():
    """Right, predicted and gold lines; either label of a line with two is right; fields that the gold does not state do not count."""
    page = news_page(1)
    page["html"] = re.sub("<ul>.*</ul>", "", page["html"])  # words of the menu are words of the text, too
    del page["gold"]["source"]
    sample = read_sample("test", page)
    probabilities = np.zeros((len(sample), len(LABELS)), np.float32)
    probabilities[:, BODY] = 1
    counts = line_counts([sample], [probabilities])
    paragraphs = len(page["gold"]["body"].split("\n"))
    assert counts[BODY].tolist() == [paragraphs, len(sample), paragraphs]
    assert counts[TITLE].tolist() == [0, 0, 1]
    sample.unknown = (TITLE,)
    assert line_counts([sample], [probabilities])[TITLE].tolist() == [0, 0, 0]
    assert np.isnan(line_f1(counts)[SOURCE - 1])


def test_fields_are_evaluated_with_and_without_those_of_other_finders():
    gold = {"title": "A Bridge!", "body": "one two"}
    row = {"title": "a bridge", "body": "one two", "url": "https://s.example/", "gold": gold, "alone": {"body": "one"}}
    metrics = field_metrics([row])
    assert [metrics[which][name] for which in ("item", "alone") for name in ("f1", "title")] == [1, 1, pytest.approx(2 / 3), 0]
    assert np.isnan(metrics["item"]["source"])


def test_the_graph_equals_torch():
    """To 1e-4, for any number of lines."""
    torch.manual_seed(3)
    net = LineNet(10, replace(SMALL, dilations=(1, 4))).eval()
    nets = [net, LineNet(10, SMALL).eval()]
    graph = export.onnx_of_network(OnePage(nets), {"features": rows(30)}, ["probabilities"])
    model = export.open_graph(graph)
    for lines in (1, 30, 5000):
        x = rows(lines)
        assert np.abs(model.run(features=x)[0] - line_probabilities(nets, x)).max() < 1e-4
    assert b"/work" not in graph.SerializeToString()


def test_a_run_makes_a_model_folder_and_continues_where_it_stopped(tmp_path, monkeypatch):
    """Folds, predictions, card; a second run makes the same model. The card has the paper's experiments where they were run."""
    monkeypatch.setattr("webcontent.training.nemtf.trainer.Settings", partial(Settings, form=SMALL, folds=3))
    for place, name in enumerate(Settings().corpora):
        write_corpus(tmp_path, name, [news_page(100 * place + i) for i in range(8)])
    monkeypatch.setenv("WEBCONTENT_CORPORA", str(tmp_path))
    arguments = ["--cache", str(tmp_path / "cache"), "--out", str(tmp_path / "nemtf_v1"), "--epochs", "1"]
    main(arguments)
    first = files_of(tmp_path / "nemtf_v1")
    assert set(first) == {"model.onnx", "config.json", "reference.json", "CARD.md"}
    predictions = next((tmp_path / "cache").glob("*/zh-gold-dev.jsonl"))
    assert sorted(json.loads(line)["id"] for line in predictions.read_text().splitlines()) == [f"p{i}" for i in range(8)]
    assert LEFT_OUT in first["CARD.md"].decode()
    monkeypatch.setattr(experiments, "KERNELS", (2,))
    monkeypatch.setattr(experiments, "NEW_PAGES", (0, 1))
    experiments.main(["--cache", str(tmp_path / "cache"), "--epochs", "1"])
    main(arguments)
    assert "| NEMTF-W: writing only |" in (tmp_path / "nemtf_v1" / "CARD.md").read_text()
    Model(tmp_path / "nemtf_v1")


def test_lengths_are_learned_by_label():
    """Labels without lines are left out."""
    found = lengths_of(np.array([10, 20, 30]), np.array([0, 1, 1]))
    assert set(found) == {"noise", "body"}
    assert found["noise"][2:] == [10, 10]
