"""Inputs of the comparisons: made once under one folder, checked complete, kept for the next run.

    python -m inputs [NAME...] [--folder FOLDER] [--remake NAME...]     (from bench/rivals)
"""

from .footage import FOOTAGE
from .stored_input import Input, ensure_inputs, record_of
from .tables import TABLES

INPUTS: dict[str, Input] = {one.name: one for one in (*FOOTAGE, *TABLES)}

__all__ = ["INPUTS", "Input", "ensure_inputs", "record_of"]
