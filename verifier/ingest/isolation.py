"""Reading what may be hostile or broken in a process of its own, with limits on time and memory."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Final

from verifier.errors import InputError, UnreadableDocument
from verifier.ingest.reading import Reading

if TYPE_CHECKING:
    from verifier.ingest.formats import Format
    from verifier.ingest.limits import ReadLimits

READER: Final = "verifier.ingest.isolated"
ENDS: Final = {"unreadable": UnreadableDocument, "input": InputError}
_GRACE_S: Final = 5.0
_CHATTER: Final = 300


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadJob:
    """What the process is told besides the bytes: the format, the name for errors, and its limits."""

    format: Format
    name: str
    limits: ReadLimits
    declared: str | None = None


def read_isolated(content: bytes, job: ReadJob) -> Reading:
    """Return what a process of its own reads of `content`.

    It inherits no setting, neither passwords nor addresses. Raises UnreadableDocument where the document is
    refused, takes longer or more memory than its limits, or brings the reader down; InputError where a
    package is missing.
    """
    command = [sys.executable, "-P", "-m", READER, json.dumps(asdict(job))]
    with subprocess.Popen(  # noqa: S603 -- this very interpreter, and no shell
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=_environment(),
    ) as reader:
        try:
            told, chatter = reader.communicate(content, timeout=job.limits.max_seconds + _GRACE_S)
        except subprocess.TimeoutExpired:
            reader.kill()
            raise UnreadableDocument(_too_slow(job)) from None
        except BaseException:
            reader.kill()
            raise
    if reader.returncode != 0:
        raise UnreadableDocument(_explain_end(job, reader.returncode, chatter))
    return _take(json.loads(told))


def _environment() -> dict[str, str]:
    return {"PYTHONPATH": os.pathsep.join(path for path in sys.path if path), "LC_ALL": "C.UTF-8"}


def _take(told: dict[str, Any]) -> Reading:
    if "error" in told:
        raise ENDS[told["kind"]](told["error"])
    return Reading(**told)


def _too_slow(job: ReadJob) -> str:
    return (
        f"{job.name}: reading it takes longer than {job.limits.max_seconds:g} s; split it, or raise"
        " max_document_seconds"
    )


def _explain_end(job: ReadJob, code: int, chatter: bytes) -> str:
    if code == -signal.SIGXCPU:
        return _too_slow(job)
    if code < 0:
        cause = f"the reader broke down on it ({signal.Signals(-code).name})"
    else:
        last = chatter.decode("utf-8", "replace").strip().rsplit("\n", 1)[-1]
        cause = f"the reader failed on it: {last[:_CHATTER] or code}"
    return (
        f"{job.name}: {cause}; it may be damaged, or need more than {job.limits.max_memory_mb:,} MB"
        " (max_document_memory_mb)"
    )
