"""What the README shows runs as it stands there."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from tests.acceptance.serving import serve

if TYPE_CHECKING:
    from tests.acceptance.conftest import Command

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
COMMANDS = re.compile(r"^verifier (?P<words>[a-z]+(?: [a-z]+)?)", re.MULTILINE)


def block(language: str) -> str:
    found = re.search(rf"```{language}\n(?P<text>.*?)\n```\n\n", README, re.DOTALL)
    assert found is not None
    return found["text"]


def test_programs_print_as_said(command: Command) -> None:
    programs = re.findall(r"```python\n(.*?)\n```\n\n", README, re.DOTALL)
    said = re.findall(r"^It prints `([^`]+)`", README, re.MULTILINE)
    assert len(programs) == len(said) >= 2
    for program, expected in zip(programs, said, strict=True):
        ended = subprocess.run(
            [sys.executable, "-c", program],
            capture_output=True,
            text=True,
            cwd=command.folder,
            env=command.environment,
            check=False,
        )
        assert ended.returncode == 0, ended.stderr
        assert ended.stdout.strip() == expected
        most = 25 if "verifier.agents" in program else 10
        assert sum(bool(line.strip()) for line in program.splitlines()) <= most


def test_the_turn_file_is_one(command: Command) -> None:
    (command.folder / "turn.json").write_text(block("json"), encoding="utf-8")
    ended = command("verify", "turn.json", "--json")
    assert ended.code == 0, ended.err
    [report] = ended.values
    assert [verdict["code"] for verdict in report["verdicts"]] == ["supported"]


def test_every_command_that_is_shown_exists(command: Command) -> None:
    shown = {found["words"] for found in COMMANDS.finditer(README)}
    assert len(shown) >= 6
    for words in shown:
        first, _, second = words.partition(" ")
        call = [first, second] if first in {"db", "audit"} else [first]
        assert command(*call, "--help").code == 0


def test_every_script_is_listed_and_there() -> None:
    listed = (ROOT / "scripts" / "README.md").read_text(encoding="utf-8")
    named = {found.split()[0] for found in re.findall(r"^\| `([^`]+)`", listed, re.MULTILINE)}
    scripts = {
        path.name for path in (ROOT / "scripts").iterdir() if path.is_file() and not path.suffix
    }
    assert named == scripts


def test_the_requests_that_are_shown_are_answered(on_database: Command) -> None:
    section = README.split("\n## Over HTTP\n")[1].split("\n## ")[0]
    begin, requests = re.findall(r"```sh\n(.*?)\n```", section, re.DOTALL)
    add = shlex.split(begin.splitlines()[0])
    assert begin.splitlines()[1].startswith("verifier serve")
    secret = on_database(*add[1:], "--json").values[0]["secret"]
    (on_database.folder / "fees.csv").write_text("id,fee\n1,$4.00\n", encoding="utf-8")
    with serve(on_database) as server:
        ended = subprocess.run(
            ["bash", "-euc", requests.replace("http://127.0.0.1:8000", server.url)],
            capture_output=True,
            text=True,
            cwd=on_database.folder,
            env=on_database.environment | {"KEY": secret},
            check=False,
        )
    assert ended.returncode == 0, ended.stdout + ended.stderr
    decoder, answers, at = json.JSONDecoder(), [], 0
    while at < len(ended.stdout):
        value, at = decoder.raw_decode(ended.stdout, at)
        answers.append(value)
    assert len(answers) == requests.count("curl") == 6
    assert answers[1]["hits"][0]["source"] == "handbook/returns.md"
    assert answers[2]["accepted"] is False
