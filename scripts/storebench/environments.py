"""The environments of the peers: each its own, since they need other versions of pgvector than we do."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Final

CACHE: Final = (
    Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache"))
    / "grounding-verifier"
    / "bench-store"
)
PACKAGES: Final = {
    "langchain": (
        "langchain-postgres==0.0.19",
        "langchain-classic==1.0.8",
        "psycopg[binary]==3.3.9",
    ),
    "llamaindex": (
        "llama-index-core==0.14.25",
        "llama-index-vector-stores-postgres==0.9.0",
        "psycopg2-binary==2.9.13",
    ),
}
OWN: Final = "verifier"
PROGRAMS: Final = {
    OWN: "own_store.py",
    "langchain": "langchain_peer.py",
    "llamaindex": "llamaindex_peer.py",
}


def prepare(name: str, cache: Path) -> Path:
    """Return the interpreter for a store; a peer's environment is made in `cache` where it is missing."""
    packages = PACKAGES.get(name)
    if packages is None:
        return Path(sys.executable)
    folder = cache / name
    python, ready, wanted = folder / "bin" / "python", folder / "ready", "\n".join(packages)
    if not ready.exists() or ready.read_text(encoding="utf-8") != wanted:
        print(f"making the environment of {name} in {folder} (once)", file=sys.stderr, flush=True)
        subprocess.run([sys.executable, "-m", "venv", "--clear", str(folder)], check=True)
        subprocess.run([str(python), "-m", "pip", "install", "--quiet", *packages], check=True)
        ready.write_text(wanted, encoding="utf-8")
    return python


def program(name: str) -> Path:
    """Return the program that serves a store."""
    return Path(__file__).with_name(PROGRAMS[name])
