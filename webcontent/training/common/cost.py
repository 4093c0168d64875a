"""CPU time of models, for the cards."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from webcontent.training.common.export import open_graph

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import onnx
    from numpy.typing import NDArray


def graph_cost(graph: onnx.ModelProto, inputs: Mapping[str, NDArray[Any]], runs: int = 50) -> dict[str, float]:
    """Size of a graph in megabytes (`megabytes`) and mean CPU time of one run in milliseconds (`ms`)."""
    model = open_graph(graph)
    return {"megabytes": len(graph.SerializeToString()) / 1e6, "ms": mean_ms(lambda: model.run(**inputs), runs)}


def mean_ms(call: Callable[[], object], runs: int) -> float:
    """Mean CPU time of a call in milliseconds, after one call that is not measured."""
    call()
    started = time.process_time()
    for _ in range(runs):
        call()
    return (time.process_time() - started) / runs * 1e3
