"""The trainer on a dozen made-up pictures: it learns, resumes, and writes a folder that the package opens."""

from __future__ import annotations

import json
import lzma
from typing import TYPE_CHECKING

import numpy as np
import pytest
import torch
from PIL import Image

from webcontent.document.parsing import Document
from webcontent.items import Page
from webcontent.models import SHIPPED
from webcontent.pagetype.classify import classify_document, logit
from webcontent.pagetype.layout_raster import COLUMNS, ROWS
from webcontent.pagetype.screenshot import TOP_COLUMNS, TOP_ROWS, TOP_STEP_ROWS, TOP_WHITE_ROWS
from webcontent.training import export
from webcontent.training.nets import (
    LayoutNet,
    LayoutNets,
    LayoutReader,
    LeNet5,
    PixelNet,
    Schedule,
    ShortPixelNet,
    fit,
    probabilities,
    ramp_rate,
)
from webcontent.training.pagetype import best_combination, folder_samples, main, screen_samples
from webcontent.training.pagetype_backbones import EfficientNet, ResNet101, efficientnet, pooling, resnet101
from webcontent.training.pagetype_pictures import draw_wrong_pages, surest_mistakes
from webcontent.training.pagetype_sites import PAGES, STORED, load_sites
from webcontent.training.pagetype_variation import vary_strip
from webcontent.training.pagetype_weights import combiner_graph
from webcontent.training.samples import Samples, calibration_error, calibration_table, fit_weights

if TYPE_CHECKING:
    from pathlib import Path


def draw_pages(folder: Path, count: int = 6) -> Path:
    """Articles are a grey block, lists are stripes; each in a folder of a made-up site."""
    generator = np.random.default_rng(0)
    for name in ("article", "list"):
        for i in range(count):
            page = np.full((300, 128), 255, np.uint8)
            top = int(generator.integers(10, 40))
            page[top : 250 : 1 if name == "article" else 12, 10:110] = 90
            path = folder / name / f"site{i}" / "page.png"
            path.parent.mkdir(parents=True)
            Image.fromarray(page).save(path)
    return folder


def test_two_epochs_on_own_pictures_make_a_model(tmp_path: Path):
    """The command writes graph, config, reference, card and curves; the graph gives its reference outputs."""
    data = draw_pages(tmp_path / "data")
    arguments = ["--arch", "lenet5", "--data", str(data), "--epochs", "2", "--folds", "3", "--out", str(tmp_path / "out")]
    main([*arguments, "--work", str(tmp_path / "work")])
    folder = tmp_path / "out" / "pagetype_lenet5_v1"
    inputs, outputs = export.read_reference(folder)
    model = SHIPPED.load(str(folder))
    assert np.abs(model.run(**inputs)[0] - outputs["probabilities"]).max() < 1e-4
    assert model.config["figures"]["pages"] == 12
    assert model.config["weights"] == 5_610_114  # section 1.2: 60 + 880 + 5,598,840 + 10,164 + 170
    assert (folder / "model.onnx").stat().st_size < 10e6
    assert b"nets.py" not in (folder / "model.onnx").read_bytes()  # the exporter's stack traces name the machine's paths
    card = (folder / "CARD.md").read_text(encoding="utf-8")
    assert f"{model.config['figures']['accuracy']:.3f}" in card
    assert "own pictures" in card
    assert [len(epochs) for epochs in model.config["history"].values()] == [2, 2, 2, 2]  # three folds, and all pages
    assert "tested_accuracy" in model.config["history"]["fold 1"][0]
    for name in ("curves.png", "calibration.png"):
        with Image.open(folder / name) as drawn:
            assert drawn.width > 400


def test_own_pictures_must_be_there(tmp_path: Path):
    """The message names the folder that lacks pictures."""
    with pytest.raises(ValueError, match="article has no pictures"):
        main(["--arch", "lenet5", "--data", str(tmp_path), "--work", str(tmp_path / "work")])


def random_weights(net: torch.nn.Module, file: Path) -> Path:
    """A state dict as torchvision stores it, with a top layer that is not used."""
    torch.manual_seed(0)
    torch.save({**net.state_dict(), "fc.weight": torch.zeros(1), "classifier.1.weight": torch.zeros(1)}, file)
    return file


def test_efficientnet_learns_from_a_dozen_pictures(tmp_path: Path):
    """With weights from a local file the command trains the last layers over colours, and writes a model that the package runs."""
    data = draw_pages(tmp_path / "data")
    weights = random_weights(EfficientNet(), tmp_path / "efficientnet_b0.pth")
    arguments = ["--arch", "efficientnet", "--weights", str(weights), "--input", "64", "--data", str(data), "--epochs", "2", "--folds", "2"]
    main([*arguments, "--rounds", "1", "--out", str(tmp_path / "out"), "--work", str(tmp_path / "work")])
    model = SHIPPED.load(str(tmp_path / "out" / "pagetype_efficientnet-64_v1"))
    assert model.config["schedule"]["course"] == "ramp"
    assert model.config["channels"] == ["red", "green", "blue"]
    assert 0 < model.config["figures"]["pages"] < 12  # one fold of two was judged
    page = next((data / "list").rglob("*.png")).read_bytes()
    found = classify_document(Document(Page(screenshot=page)), model=str(tmp_path / "out" / "pagetype_efficientnet-64_v1"))
    assert "pagetype_efficientnet-64_v1" in found.evidence


def test_resnet_trains_its_top_alone(tmp_path: Path):
    """The body's weights do not move, and 2048 x places -> 1024 -> 2 stands in the place of pooling and top."""
    file = random_weights(ResNet101(), tmp_path / "resnet101.pth")
    body, head = resnet101(file, 64)
    before = {name: value.clone() for name, value in body.state_dict().items()}
    assert sum(part.numel() for part in body.parameters()) == 42_500_160  # ResNet-101 without its top
    assert [tuple(part.shape) for part in head.parameters()] == [(1024, 2048 * 4), (1024,), (2, 1024), (2,)]
    pictures = torch.rand(4, 3, 64, 64)
    with torch.no_grad():
        said = body(pictures).numpy()
    schedule = Schedule(epochs=2, batch=2, rate=2e-4, decay=0.0, smoothing=0.0, course="constant")
    first = head[1].weight.detach().clone()
    fit(head, lambda rows, _: said[rows], np.array([0, 1, 0, 1]), np.arange(4), schedule, seed=0, fresh=False)
    assert not torch.equal(first, head[1].weight)
    assert all(torch.equal(value, before[name]) for name, value in body.state_dict().items())


@pytest.mark.parametrize(("size", "places", "grid"), [(64, 2, 2), (224, 7, 7), (448, 14, 7), (1366, 43, 7)])
def test_resnet_keeps_seven_places_a_side_for_any_input(size: int, places: int, grid: int):
    """224 px give the 7 x 7 places that the paper's dense layer sees; larger inputs are averaged to as many."""
    assert -(-size // 32) == places
    pool, left = pooling(places)
    assert left == grid
    averaged = pool(torch.arange(float(places))[None, None, :, None].expand(1, 1, places, places))
    assert averaged.shape == (1, 1, grid, grid)
    assert averaged.mean() == pytest.approx((places - 1) / 2, abs=1e-4)  # no place is left out at an edge


def test_only_the_last_ten_layers_of_efficientnet_are_trained(tmp_path: Path):
    """Squeeze and excitation, projection and top convolution of B0, then two nodes: 895,794 of 4,010,110 weights."""
    body, head = efficientnet(random_weights(EfficientNet(), tmp_path / "w.pth"), 224)
    assert sum(part.numel() for part in head.parameters()) == 895_794
    assert sum(part.numel() for part in [*body.parameters(), *head.parameters()]) == 4_010_110
    assert not any(part.requires_grad for part in body.parameters())
    assert all(part.requires_grad for part in head.parameters())


@pytest.mark.parametrize(
    ("epoch", "rate"), [(0, 1e-5), (1, 3.6e-5), (14, 3.74e-4), (15, 4e-4), (16, 3.22e-4), (20, 1.377952e-4), (29, 2.715238e-5)]
)
def test_the_learning_rate_follows_equations_2_and_3(epoch: int, rate: float):
    """It rises from 1e-5 by 2.6e-5 an epoch to 4e-4 at epoch 15, then falls by 0.8 an epoch towards 1e-5."""
    assert ramp_rate(epoch) == pytest.approx(rate, rel=1e-6)


def test_training_takes_the_rates_of_its_course():
    """The optimizer sees the rate of each epoch, not of each step."""
    seen: list[float] = []
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
        fit(net, lambda rows, _: x[rows], labels, np.arange(4), schedule, seed=0, on_epoch=lambda epoch, loss: seen.append(loss))
    assert len(seen) == 3
    assert rates == pytest.approx([ramp_rate(epoch) for epoch in (0, 0, 1, 1, 2, 2)])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--arch", "resnet101"], "--arch resnet101 needs --weights FILE"),
        (["--arch", "efficientnet", "--weights", "nowhere.pth"], "--weights nowhere.pth is no file"),
        (["--arch", "lenet5", "--input", "9000"], "it takes 32 to 1366 px"),
        (["--arch", "dom", "--input", "448"], "only these take a square picture"),
        (["--arch", "dom", "--data", "."], "--arch dom with --data needs --judge-only"),
        (["--arch", "dom", "--judge-only"], "or dom with --data"),
        (["--arch", "layout", "--data", "."], "--arch layout needs boxes"),
    ],
)
def test_wrong_arguments_are_named(arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]):
    """The command ends before it reads a page, and says what it takes."""
    with pytest.raises(SystemExit):
        main(arguments)
    assert message in capsys.readouterr().err


def test_weights_of_another_network_are_refused(tmp_path: Path):
    """The message names the file and the first layer that is missing; a file that is no state dict is named too."""
    file = random_weights(torch.nn.Linear(2, 2), tmp_path / "other.pth")
    with pytest.raises(ValueError, match=r"other\.pth does not fit ResNet101: 'conv1\.weight' is missing"):
        resnet101(file, 224)
    (tmp_path / "text.pth").write_text("no weights")
    with pytest.raises(ValueError, match=r"text\.pth can't be read"):
        efficientnet(tmp_path / "text.pth", 224)


def test_the_reader_learns_from_a_page_and_its_layout_moved_alike():
    """Cut, moved sideways and recoloured: a mark of the page stands where the layout says that it does."""
    whole = np.full((TOP_ROWS, TOP_COLUMNS, 3), 255, np.uint8)
    layout = np.zeros((5, ROWS, COLUMNS), np.float32)
    for row, column in ((5, 9), (60, 40), (120, 21), (180, 50)):
        whole[row * 8 : row * 8 + 8, column * 8 : column * 8 + 8] = 0
        layout[0, row, column] = 1
    generator = np.random.default_rng(0)
    for _ in range(20):
        colours, wanted = vary_strip(whole, layout, generator)
        assert colours.shape == (512, 512, 3)
        cells = colours.reshape(64, 8, 64, 8, 3).mean(axis=(1, 3, 4))
        background = np.median(cells)
        assert ((np.abs(cells - background) > 0.2) == (wanted[0] > 0)).all()


def test_the_judge_of_pixels_sees_what_the_reader_read():
    """One picture in, two logits out; the reader's channels are scaled back to those of true layouts before they are judged."""
    net = PixelNet(LayoutReader(), LayoutNet(), np.arange(1, 6, dtype=np.float32)).eval()
    strips = np.random.default_rng(0).integers(0, 255, (1, TOP_ROWS, TOP_COLUMNS, 3)).astype(np.uint8)
    with torch.no_grad():
        read = net.reader(torch.from_numpy(strips).permute(0, 3, 1, 2).float() / 255)
        assert read.shape == (1, 5, ROWS, COLUMNS)
        scaled = read * torch.arange(1, 6)[None, :, None, None]
        assert torch.allclose(net(torch.from_numpy(strips)), net.judge(scaled), atol=1e-5)


def test_a_short_strip_is_judged_like_the_whole_page():
    """The graph that ships takes a strip that ends in the white below its page, and reads what the network reads of the whole strip."""
    torch.manual_seed(0)
    net = PixelNet(LayoutReader(), torch.nn.Identity(), np.arange(1, 6, dtype=np.float32)).eval()
    strips = np.full((1, TOP_ROWS, TOP_COLUMNS, 3), 255, np.uint8)
    strips[:, :500] = np.random.default_rng(0).integers(0, 255, (1, 500, TOP_COLUMNS, 3))
    short = ShortPixelNet(net, ROWS, TOP_COLUMNS)
    rows = -(-(500 + TOP_WHITE_ROWS) // TOP_STEP_ROWS) * TOP_STEP_ROWS
    with torch.no_grad():
        wanted = net(torch.from_numpy(strips))
        assert torch.allclose(short(torch.from_numpy(strips)), wanted, atol=1e-4)
        assert torch.allclose(short(torch.from_numpy(strips[:, :rows])), wanted, atol=1e-4)
        assert not torch.allclose(short(torch.from_numpy(strips[:, :448])), wanted, atol=1e-4)  # no white: the page goes on


def test_layout_networks_are_averaged_each_over_its_channels():
    """What a member does not see changes nothing that it says."""
    nets = LayoutNets([[0, 1], [2]]).eval()
    layout = torch.rand(2, 3, ROWS, COLUMNS)
    with torch.no_grad():
        first, second = nets.members[0](layout[:, [0, 1]]), nets.members[1](layout[:, [2]])
        assert torch.allclose(nets(layout), (first + second) / 2, atol=1e-6)


def test_a_loss_that_is_no_number_ends_the_run():
    """Better no network than one of no use."""
    x, labels = np.full((4, 3), np.nan, np.float32), np.array([0, 1, 0, 1])
    with pytest.raises(FloatingPointError, match="epoch 1"):
        fit(torch.nn.Linear(3, 2), lambda rows, _: x[rows], labels, np.arange(4), Schedule(1, batch=2, rate=1e-3, decay=0.0), seed=0)


def test_rendered_sites_are_read_like_the_screens(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """A page gets the address that its site expects, its site as family, and the path of its picture."""
    (tmp_path / "small.json").write_text('{"base": "https://example.org/"}')
    monkeypatch.setattr("webcontent.training.pagetype_sites.snapshots_folder", lambda: tmp_path)
    folder = tmp_path / "rendered" / "small"
    folder.mkdir(parents=True)
    record = {"id": "small-000", "url": "http://127.0.0.1:5/a/b?c=1", "site": "small", "type": "list", "shot": "small-000.jpg", "boxes": []}
    with lzma.open(folder / PAGES, "wt") as stream:
        stream.write(json.dumps(record) + "\n")
    (page,) = load_sites(tmp_path / "rendered")
    assert (page["url"], page["family"], page["kind"]) == ("https://example.org/a/b?c=1", "small", STORED)
    assert page["shot"] == folder / "small-000.jpg"
    with pytest.raises(FileNotFoundError, match="has no rendered site"):
        list(load_sites(tmp_path / "nowhere"))


def test_the_sheet_shows_the_surest_mistakes(tmp_path: Path):
    """Wrong pages only, the surest first; a list at 0.9 comes before an article at 0.4."""
    samples, paths = folder_samples(draw_pages(tmp_path / "data", 2))
    article = np.array([0.4, 0.8, 0.9, 0.2])  # two articles, two lists
    assert surest_mistakes(samples, article, 9) == [(2, pytest.approx(0.9)), (0, pytest.approx(0.6))]
    assert draw_wrong_pages(samples, article, paths, tmp_path / "wrong.png") == 2
    with Image.open(tmp_path / "wrong.png") as sheet:
        assert sheet.width > 500
    assert draw_wrong_pages(samples, np.array([0.9, 0.9, 0.1, 0.1]), paths, tmp_path / "none.png") == 0
    assert not (tmp_path / "none.png").exists()


def test_a_large_site_is_learned_from_no_more_than_a_design():
    """Of 400 pages of a stored site 40 are learned from, spread evenly; all are judged. By page each is its own group."""
    pages = [{"id": str(i), "type": "article", "family": "large", "kind": STORED} for i in range(400)]
    samples = screen_samples(pages)
    assert np.flatnonzero(samples.learned).tolist() == list(range(0, 400, 10))
    assert len(set(samples.group)) == 1
    by_page = screen_samples(pages, "page")
    assert all(by_page.learned)
    assert len(set(by_page.group)) == 400


def test_an_interrupted_run_ends_like_an_unbroken_one(tmp_path: Path):
    """A run that stops after an epoch and goes on from its checkpoint gives the same weights."""
    x = np.random.default_rng(1).random((12, 5, 192, 64), dtype=np.float32)
    labels = np.array([0, 1] * 6)
    rows = np.arange(12)
    schedule = Schedule(epochs=2, batch=4, rate=1e-3, decay=0.01)

    def stop(epoch: int, loss: float) -> None:
        raise KeyboardInterrupt

    unbroken = fit(LayoutNet(), lambda chosen, _: x[chosen], labels, rows, schedule, seed=3)
    with pytest.raises(KeyboardInterrupt):
        fit(LayoutNet(), lambda chosen, _: x[chosen], labels, rows, schedule, seed=3, checkpoint=tmp_path / "a.pt", on_epoch=stop)
    resumed = fit(LayoutNet(), lambda chosen, _: x[chosen], labels, rows, schedule, seed=3, checkpoint=tmp_path / "a.pt")
    for name, weights in unbroken.state_dict().items():
        assert torch.equal(weights, resumed.state_dict()[name]), name


def test_lenet_has_the_layers_of_the_paper():
    """60 + 880 + 5,598,840 (and 120 constants in it) + 10,164 + 170 weights."""
    sizes = [sum(part.numel() for part in layer.parameters()) for layer in LeNet5().children()]
    assert sizes == [60, 880, 46_656 * 120 + 120, 10_164, 170]


def test_rounding_the_weights_hardly_moves_the_answers():
    """Bytes instead of floats in the large matrix: probabilities move by less than a hundredth."""
    torch.manual_seed(0)
    net = LeNet5()
    x = np.random.default_rng(2).random((3, 1, 224, 224), dtype=np.float32)
    before = probabilities(net, lambda rows, _: x[rows], np.arange(3))
    export.quantize_weights(net)
    after = probabilities(net, lambda rows, _: x[rows], np.arange(3))
    assert 0 < np.abs(before - after).max() < 0.01


def test_the_combiner_picks_the_weights_of_what_is_present():
    """Row 1 for the first part, row 2 for the second, row 3 for both."""
    weights = np.array([[0, 0, 0], [1, 0, 0.5], [0, 2, 0], [1, 1, -1]], np.float32)
    graph = export.open_graph(combiner_graph(weights))
    logits = np.array([[3, 9], [9, 1], [1, 2]], np.float32)
    present = np.array([[1, 0], [0, 1], [1, 1]], np.float32)
    logits_used = np.array([3.5, 2.0, 2.0])
    assert np.allclose(graph.run(logits=logits, present=present)[0], 1 / (1 + np.exp(-logits_used)), atol=1e-6)


def test_a_part_that_adds_nothing_is_not_believed_beside_another():
    """Of two parts and both together the surest on unseen pages counts; alone each counts for itself."""
    labels = np.array([1, 0, 1, 0])
    article = np.array([[np.nan] * 4, [0.9, 0.1, 0.9, 0.1], [0.6, 0.4, 0.4, 0.6], [0.8, 0.2, 0.7, 0.3]])
    assert [best_combination(mask, article, labels) for mask in range(4)] == [0, 1, 2, 1]


def test_a_graph_that_differs_from_its_model_is_not_written(tmp_path: Path):
    """Export compares with the training framework's outputs first."""
    given = {"logits": np.zeros((1, 2), np.float32), "present": np.ones((1, 2), np.float32)}
    graph = combiner_graph(np.ones((4, 3), np.float32))
    with pytest.raises(export.ExportError, match="differs"):
        export.save_model(tmp_path / "m", graph, config={}, inputs=given, expected=[np.array([0.1])], card="")
    assert not (tmp_path / "m").exists()


def test_weights_of_a_part_that_errs_are_not_negative():
    """A part that says the opposite of the truth gets no weight."""
    labels = np.array([0, 1] * 50)
    said = np.stack([labels * 4.0 - 2, 2 - labels * 4.0], axis=1) + np.random.default_rng(0).normal(0, 1, (100, 2))
    weights = fit_weights(said, labels)
    assert weights[0] > 0
    assert weights[1] == 0


def test_folds_keep_groups_together():
    """No family stands on both sides."""
    samples = Samples()
    for i in range(60):
        samples.add({"id": str(i), "type": "article"}, "own", f"family{i % 12}", "own")
    for _, rows, tested in samples.splits(4):
        assert not {samples.group[i] for i in rows} & {samples.group[i] for i in tested}
        assert len(rows) + len(tested) == 60


def test_calibration_compares_scores_with_what_is_right():
    """Scores of 0.95 that are right half the time are off by 0.45."""
    score, right = np.full(10, 0.94), np.array([True, False] * 5)
    assert calibration_table(score, right) == [[0.9, 0.95, 10, pytest.approx(0.94), 0.5]]
    assert calibration_error(score, right) == pytest.approx(0.44)


def test_log_odds_are_bounded():
    """No model is believed without limit."""
    assert logit(1.0) == pytest.approx(8, abs=0.01)
    assert logit(0.0) == pytest.approx(-8, abs=0.01)
    assert logit(0.5) == 0
