"""Reading text and Markdown files. What can't be read is an error that names it and says what to do."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from verifier.core.documents import Document, SourceKey
from verifier.core.titles import find_title
from verifier.errors import UnreadableDocument

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

MAX_BYTES: Final = 50_000_000
MEDIA_TYPES: Final[Mapping[str, str]] = MappingProxyType(
    {
        ".txt": "text/plain",
        ".text": "text/plain",
        ".md": "text/markdown",
        ".markdown": "text/markdown",
    }
)
MARKDOWN: Final = "text/markdown"

_MARKS: Final = (
    (b"\xff\xfe\x00\x00", "utf-32"),
    (b"\x00\x00\xfe\xff", "utf-32"),
    (b"\xff\xfe", "utf-16"),
    (b"\xfe\xff", "utf-16"),
)
_SAMPLED_BYTES: Final = 20_000
_CONTROL_SHARE_LIMIT: Final = 0.02
_CONTROLS: Final = frozenset(range(32)) - frozenset(b"\t\n\r\f\v\x1b")
_TITLE_WITHIN: Final = 20_000


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundDocuments:
    """The files below a folder, in the order of their paths, and those that are of no known type.

    `unlistable` are folders that can't be looked into, each with the reason.
    """

    files: tuple[Path, ...]
    passed_over: tuple[Path, ...]
    unlistable: tuple[tuple[Path, str], ...] = ()


def find_documents(path: Path) -> FoundDocuments:
    """Return the text and Markdown files at or below `path`; hidden ones are left out.

    Links to folders are not followed, so a loop of links ends. Raises UnreadableDocument where `path`
    does not exist or can't be listed.
    """
    if path.is_file():
        return FoundDocuments(files=(path,), passed_over=())
    if not path.is_dir():
        raise UnreadableDocument(f"{path}: no such file or folder")
    refused: list[tuple[Path, str]] = []
    found = sorted(_walk(path, refused))
    if refused and refused[0][0] == path:
        raise UnreadableDocument(f"{path}: {refused[0][1]}")
    known = tuple(file for file in found if file.suffix.lower() in MEDIA_TYPES)
    return FoundDocuments(
        files=known,
        passed_over=tuple(file for file in found if file.suffix.lower() not in MEDIA_TYPES),
        unlistable=tuple(refused),
    )


def read_document(
    path: Path, *, key: str | None = None, root: Path | None = None, max_bytes: int = MAX_BYTES
) -> Document:
    """Return the text of a file. Its key is its path below `root` with slashes, else its name.

    Raises UnreadableDocument where the file is missing, too large, empty, binary or no text.
    """
    try:
        size = path.stat().st_size
        if size > max_bytes:
            raise UnreadableDocument(
                f"{path}: {size:,} bytes, more than the limit of {max_bytes:,}; split it, or raise"
                " max_document_bytes"
            )
        if not path.is_file():
            raise UnreadableDocument(f"{path}: not a regular file")
        content = path.read_bytes()
    except OSError as error:
        raise UnreadableDocument(f"{path}: {error.strerror or error}") from error
    if key is None:
        key = path.name if root is None else _key_below(path, root)
    media_type = MEDIA_TYPES.get(path.suffix.lower(), "text/plain")
    return _document(content, key=key, name=str(path), media_type=media_type)


def read_stream(content: bytes, *, key: str, max_bytes: int = MAX_BYTES) -> Document:
    """Return the text of bytes that came from no file, read as Markdown. Raises UnreadableDocument."""
    if len(content) > max_bytes:
        raise UnreadableDocument(f"{key}: more than {max_bytes:,} bytes; split it")
    return _document(content, key=key, name=key, media_type=MARKDOWN)


def _key_below(path: Path, root: Path) -> str:
    try:
        return path.relative_to(root).as_posix()
    except ValueError:
        raise UnreadableDocument(
            f"{path} is not below {root}, so it has no key there; name one"
        ) from None


def _walk(folder: Path, refused: list[tuple[Path, str]]) -> Iterator[Path]:
    def refuse(error: OSError) -> None:
        refused.append((Path(error.filename), error.strerror or str(error)))

    for above, folders, files in os.walk(folder, onerror=refuse):
        folders[:] = [name for name in folders if not name.startswith(".")]
        yield from (Path(above) / name for name in files if not name.startswith("."))


def _document(content: bytes, *, key: str, name: str, media_type: str) -> Document:
    text = _decode(content, name)
    if not text.strip():
        raise UnreadableDocument(f"{name}: holds no text")
    title = find_title(text[:_TITLE_WITHIN]) if media_type == MARKDOWN else None
    return Document(
        key=SourceKey(key), text=text, title=title or Path(key).stem, media_type=media_type
    )


def _decode(content: bytes, name: str) -> str:
    """Decode UTF-8, or UTF-16 and UTF-32 with their mark.

    An encoding is never guessed: a wrong guess would alter what is later quoted as exact.
    """
    encoding = next(
        (encoding for mark, encoding in _MARKS if content.startswith(mark)), "utf-8-sig"
    )
    try:
        text = content.decode(encoding)
    except UnicodeDecodeError as error:
        raise UnreadableDocument(
            f"{name}: byte {error.start} is no {encoding.removesuffix('-sig')}; {_likely(content)}"
        ) from None
    if "\x00" in text:
        raise UnreadableDocument(f"{name}: holds NUL characters, so it is no text; remove them")
    return text


def _likely(content: bytes) -> str:
    from charset_normalizer import from_bytes

    sample = content[:_SAMPLED_BYTES]
    controls = sum(byte in _CONTROLS for byte in sample)
    best = None if controls > len(sample) * _CONTROL_SHARE_LIMIT else from_bytes(sample).best()
    if best is None:
        return "it looks binary; convert it to text first"
    return f"if it is {best.encoding}, convert it with: iconv -f {best.encoding} -t utf-8"
