"""The process that `isolation` starts: it limits itself, reads one document and tells what it read."""

from __future__ import annotations

import json
import math
import resource
import sys
from dataclasses import asdict

from verifier.errors import InputError, UnreadableDocument
from verifier.ingest.content import read_content
from verifier.ingest.formats import Format
from verifier.ingest.isolation import ReadJob
from verifier.ingest.limits import MOST_CHARACTERS, ReadLimits


def main() -> None:
    """Read standard input as the first argument tells, and write the reading or its error as JSON."""
    told = json.loads(sys.argv[1])
    limits = ReadLimits(**told.pop("limits"))
    job = ReadJob(**(told | {"format": Format(told["format"]), "limits": limits}))
    _limit(limits)
    sys.stdout.write(json.dumps(_read(sys.stdin.buffer.read(), job)))
    sys.stdout.flush()


def _limit(limits: ReadLimits) -> None:
    memory = limits.max_memory_mb * 1_000_000
    seconds = math.ceil(limits.max_seconds)
    resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _read(content: bytes, job: ReadJob) -> dict[str, str | None]:
    try:
        reading = read_content(content, job)
    except UnreadableDocument as error:
        return {"kind": "unreadable", "error": str(error)}
    except InputError as error:
        return {"kind": "input", "error": str(error)}
    except MemoryError:
        return {
            "kind": "unreadable",
            "error": f"{job.name}: reading it needs more than {job.limits.max_memory_mb:,} MB; split it,"
            " or raise max_document_memory_mb",
        }
    if len(reading.text) > MOST_CHARACTERS:
        return {
            "kind": "unreadable",
            "error": f"{job.name} has {len(reading.text):,} characters of text; split it,"
            f" {MOST_CHARACTERS:,} is the limit",
        }
    return asdict(reading)


if __name__ == "__main__":
    main()
