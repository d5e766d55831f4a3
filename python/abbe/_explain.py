"""How a plan works: the methods that the planner considered, as a table."""
from __future__ import annotations

from typing import NamedTuple

from . import _abbe


class Candidate(NamedTuple):
    """A method that the planner considered. Times are predictions, in seconds."""

    method: str
    possible: bool
    chosen: bool
    seconds: float
    bytes: int  # scratch of one run
    fft_width: int
    fft_height: int
    tile: tuple[int, int]
    passes: int
    reason: str
    even: bool
    planning: float


class Explanation(NamedTuple):
    """What Plan.explain() returns. str() of it is a table."""

    title: str
    device: str
    candidates: list[Candidate]

    @property
    def choice(self) -> Candidate:
        """The method that the plan takes."""
        return next(candidate for candidate in self.candidates if candidate.chosen)

    def __str__(self) -> str:
        rows = [("method", "time", "scratch", "transform", "")]
        for candidate in self.candidates:
            method = candidate.method + (", even" if candidate.even else "")
            if candidate.possible:
                size = f"{candidate.fft_width}×{candidate.fft_height}" if candidate.fft_width else "-"
                rows.append((method, _milliseconds(candidate.seconds), _megabytes(candidate.bytes), size,
                             "← chosen" if candidate.chosen else candidate.reason))
            else:
                rows.append((method, "-", "-", "-", candidate.reason))
        widths = [max(len(row[i]) for row in rows) for i in range(4)]
        lines = [self.title, self.device]
        for row in rows:
            cells = [row[0].ljust(widths[0])] + [row[i].rjust(widths[i]) for i in range(1, 4)]
            lines.append("  ".join([*cells, row[4]]).rstrip())
        return "\n".join(lines)


def _milliseconds(seconds: float) -> str:
    return f"{1e3 * seconds:.3g} ms"


def _megabytes(count: int) -> str:
    return f"{count / 1e6:.3g} MB"


def explain_plan(title: str, plan: _abbe.Plan) -> Explanation:
    """Reads the explanation of a plan of the extension."""
    kind, detail, reason = plan.place()
    device = f"{kind} ({detail})" + (f": {reason}" if reason else "")
    return Explanation(title, device, [Candidate(*candidate) for candidate in plan.candidates()])
