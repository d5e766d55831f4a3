"""What has a name: filters, and the devices of this machine."""
from __future__ import annotations

from typing import NamedTuple, Optional

from . import _abbe


class FilterKey(NamedTuple):
    """One key of a filter. A key with neither `default` nor `follows` is required."""

    name: str
    summary: str
    type: str  # "number", "integer", "frequency", "choice", "list" or "file"
    default: Optional[str]
    follows: Optional[str]  # the key that the default is derived from
    min: float
    max: float
    unit: Optional[str]
    choices: list[str]


class FilterEntry(NamedTuple):
    """A filter that has a name."""

    name: str
    summary: str
    in_frequency: bool
    rule: Optional[str]
    keys: list[FilterKey]

    def __str__(self) -> str:
        keys = ":".join(f"{key.name}={key.default or '…'}" for key in self.keys)
        return f"{self.name}{':' if keys else ''}{keys}  {self.summary}"


class Adapter(NamedTuple):
    """Something that abbe.Device can open."""

    name: str
    kind: str
    model: str
    memory: int
    driver: str
    driver_version: str
    problem: str


def list_filters() -> list[FilterEntry]:
    """Returns the filters that have names, with their keys, ranges and defaults."""
    return [FilterEntry(name, summary, in_frequency, rule, [FilterKey(*key) for key in keys])
            for name, summary, in_frequency, rule, keys in _abbe.list_filters()]


def list_devices() -> list[Adapter]:
    """Returns the devices of this machine, the CPU first, without opening one."""
    return [Adapter(*adapter) for adapter in _abbe.list_devices()]
