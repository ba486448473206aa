"""How the final answers of an agent are verified: what the adapters of all frameworks share."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from verifier.agents.answers import HELD_TEXT, ReleasedAnswer
from verifier.agents.kept_results import KeptResults
from verifier.agents.records import as_record
from verifier.agents.structured_answers import read_structured
from verifier.core.conversations import read_conversation
from verifier.core.policy import Policy, read_policy
from verifier.core.turn_recorder import TurnRecorder
from verifier.core.turns import Level, Scope
from verifier.core.verdicts import Reason
from verifier.errors import DatabaseTimeout, InputError, StoreError, VerifierError
from verifier.service import Verifier
from verifier.verify.unchecked import report_unchecked

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from verifier.agents.retrieval import AnyVerifier
    from verifier.core.report import GroundingReport
    from verifier.core.turns import ToolCall, Turn

_LOGGER: Final = logging.getLogger(__name__)
_AWAITED: Final = (
    "this verifier is asked by await alone; use the asynchronous client or run of the framework, or give"
    " one of open_blocking_verifier"
)
_NOT_CHECKED: Final = "the verifier failed, so nothing of this answer was checked"


class Grounding:
    """The verifier of an agent's final answers, and what the application says of their turns.

    `turn_fields` are fields of `Turn` that the application knows: principal, now, scope, system. `fields`
    returns further ones when an answer is there, such as the principal of the request that is being
    served. None comes from the model. A system prompt counts as text that the operator vouches for, unless
    `system` says otherwise. `is_complete` says of a call whether its result was neither truncated nor one
    page of several. `policy` is a mode or a `Policy`, by default that of the settings. `on_answer` is told
    each answer with its report. An awaited verification that takes longer than `timeout_s` failed; what
    fails is released marked `unverifiable`, or held by a policy that holds.
    """

    def __init__(
        self,
        verifier: AnyVerifier,
        *,
        policy: Policy | str | None = None,
        held_text: str = HELD_TEXT,
        is_complete: Callable[[ToolCall], bool] | None = None,
        on_answer: Callable[[ReleasedAnswer], None] | None = None,
        fields: Callable[[], Mapping[str, object]] | None = None,
        timeout_s: float = 30.0,
        **turn_fields: object,
    ) -> None:
        if not held_text.strip():
            raise InputError("held_text is empty; say something where an answer is held")
        self.verifier = verifier
        self.results = KeptResults()
        named = read_policy(policy, ("rejected",)) if isinstance(policy, str) else policy
        self._policy = verifier.policy if named is None else named
        self._held_text = held_text
        self._is_complete = is_complete
        self._on_answer = on_answer
        self._fields = fields
        self._timeout_s = timeout_s
        self._turn_fields = _read_names(turn_fields)
        TurnRecorder(**self._turn_fields)  # names a wrong field before an answer is at stake

    def require_blocking(self) -> None:
        """Raise InputError for a verifier that has to be awaited."""
        if isinstance(self.verifier, Verifier):
            raise InputError(_AWAITED)

    def turn(self, messages: Iterable[object], *, system: str | None = None) -> TurnRecorder:
        """Return the turn that messages tell, in a form of `core.messages`; `system` stands beside them.

        Messages that an application has stored give the turn that they gave the running agent.
        """
        told = read_conversation([as_record(message) for message in messages])
        noted = told.turn_fields | {"system": system or told.system}
        if self._is_complete is not None:
            noted["calls"] = tuple(map(self._weigh, told.calls))
        given = {} if self._fields is None else _read_names(self._fields())
        return self.verifier.turn(**(noted | self._turn_fields | given))

    def release(
        self, answer: str, messages: Iterable[object], *, system: str | None = None
    ) -> ReleasedAnswer:
        """Return what becomes of the final answer to messages; whatever fails, an answer comes of it."""
        turn: TurnRecorder | None = None
        try:
            turn = self.turn(messages, system=system)
            report = self._verify(_judged(answer), turn)
        except Exception as error:  # no fault of the verifier may cost the answer
            return self._tell(self._unchecked(answer, turn, error))
        return self._tell(self._released(answer, report))

    async def release_awaiting(
        self, answer: str, messages: Iterable[object], *, system: str | None = None
    ) -> ReleasedAnswer:
        """Return what `release` returns; a verifier that blocks is asked in a thread."""
        turn: TurnRecorder | None = None
        try:
            turn = self.turn(messages, system=system)
            async with asyncio.timeout(self._timeout_s):
                if isinstance(self.verifier, Verifier):
                    report = await self.verifier.verify(_judged(answer), turn, policy=self._policy)
                else:
                    report = await asyncio.to_thread(self._verify, _judged(answer), turn)
        except Exception as error:  # no fault of the verifier may cost the answer
            return self._tell(self._unchecked(answer, turn, error))
        return self._tell(self._released(answer, report))

    def _verify(self, answer: str, turn: TurnRecorder) -> GroundingReport:
        if isinstance(self.verifier, Verifier):
            raise InputError(_AWAITED)
        return self.verifier.verify(answer, turn, policy=self._policy)

    def _weigh(self, call: ToolCall) -> ToolCall:
        told = self._is_complete is None or self._is_complete(call)
        return call if told else replace(call, complete=False)

    def _released(self, answer: str, report: GroundingReport) -> ReleasedAnswer:
        release = report.release
        if release is not None and release.text is None:
            return ReleasedAnswer(text=self._held_text, written=answer, held=True, report=report)
        text = answer if release is None or release.text is None else release.text
        structured = read_structured(answer)
        if structured is not None:
            edits = () if release is None else release.edits
            text = structured.edit(edits) if edits else answer
        return ReleasedAnswer(text=text, written=answer, held=False, report=report)

    def _unchecked(
        self, answer: str, turn: TurnRecorder | None, error: Exception
    ) -> ReleasedAnswer:
        """Return the answer as one that nobody verified; what went wrong is no text for a customer."""
        told = str(error) if isinstance(error, VerifierError) else ""
        _LOGGER.warning("an answer was not verified: %s %s", type(error).__name__, told)
        begun = (turn or self.verifier.turn()).freeze()
        try:
            report = self._report_unchecked(answer, begun, error)
        except Exception:  # where the turn's own fields are what can't be used
            report = self._report_unchecked(answer, self.verifier.turn().freeze(), error)
        return replace(self._released(answer, report), failure=type(error).__name__)

    def _report_unchecked(self, answer: str, turn: Turn, error: Exception) -> GroundingReport:
        return report_unchecked(
            _judged(answer), turn, self._policy, reason=_reason(error), detail=_NOT_CHECKED
        )

    def _tell(self, answer: ReleasedAnswer) -> ReleasedAnswer:
        if self._on_answer is not None:
            try:
                self._on_answer(answer)
            except Exception as error:  # nor may the application's listener cost it
                _LOGGER.warning("on_answer failed: %s", type(error).__name__)
        return answer


def _judged(answer: str) -> str:
    """Return what is verified of an answer: of JSON, what its values say."""
    structured = read_structured(answer)
    return answer if structured is None else structured.text


def _reason(error: Exception) -> Reason:
    if isinstance(error, (TimeoutError, DatabaseTimeout)):
        return Reason.TIMEOUT
    return Reason.DATABASE_UNAVAILABLE if isinstance(error, StoreError) else Reason.NOT_CHECKED


def _read_names(fields: Mapping[str, object]) -> dict[str, object]:
    """Return the fields of a turn, with what they choose by its name. Raises InputError."""
    told = dict(fields)
    choices: Mapping[str, type[Scope | Level]] = {"scope": Scope, "level": Level}
    for name, kind in choices.items():
        if name in told:
            try:
                told[name] = kind(str(told[name]))
            except ValueError as problem:
                raise InputError(f"{name}: {problem}; it is one of {', '.join(kind)}") from None
    return told
