"""Kernels that take views of arrays do not count references to them."""

from __future__ import annotations

import pytest
from numba.core.dispatcher import Dispatcher

from wordatoms.kernels import atomupdate, memory, pursuit


@pytest.mark.parametrize("module", [pursuit, atomupdate, memory])
def test_counting_references_took_more_time_than_the_pursuit(module: object) -> None:
    kernels = [kernel for kernel in vars(module).values() if isinstance(kernel, Dispatcher)]
    assert kernels
    for kernel in kernels:
        assert kernel.targetoptions.get("_nrt") is False or kernel.targetoptions.get("fastmath"), kernel
