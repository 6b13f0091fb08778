"""Matches on a GPU: the same rules, compiled by numba-cuda (the extra ``gpu``). See ``docs/library/gpu.md``.

``device`` finds the GPU. ``translate`` makes device functions of rules, with ``memory`` and ``shares`` for what only a GPU has.
``kernels`` are loops for a GPU alone, ``launch`` starts loops as kernels, and ``playouts`` plays at random.
``storage`` and ``arrays`` are for batches, ``compile`` is for machines without a GPU. Apart from ``device``, nothing here is
imported before a program asks for a GPU.
"""
