"""The OpenAPI description: what FastAPI tells of requests, with answers, problems and examples put in."""

import json
from collections.abc import Iterator, Mapping
from importlib.metadata import version
from importlib.resources import files
from types import MappingProxyType
from typing import Any, Final

from verifier.interfaces.web.examples import EXAMPLES
from verifier.interfaces.web.problems import MEDIA_TYPE
from verifier.interfaces.web.result_schemas import PLACE, ResultSchemas
from verifier.interfaces.web.results import RESULTS

Schema = dict[str, Any]
_METHODS: Final = ("get", "post", "put", "patch", "delete")
_PROBLEMS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "400": "The request is malformed: no JSON, no such host, …",
        "401": "There is no key, or it is unknown, expired or revoked.",
        "403": "The key lacks a scope or a right, which the detail names.",
        "404": "There is no such thing, or it is another tenant's.",
        "408": "The body came too slowly.",
        "409": "Another version is current, or the same request runs already.",
        "413": "The body is larger than the server takes.",
        "415": "The body is not of a type that is read.",
        "422": "The request can't be used; the detail and `errors` say why.",
        "429": "Too many requests; `Retry-After` says when to come again.",
        "500": "The server failed.",
        "503": "The database, a model or a free place is missing now; come again later.",
    }
)
_DESCRIPTION: Final = """\
Grounding for agents: search current, approved sources, and verify answers against tool results, canonical
tables and cited documents. Every answer is the JSON that `verifier … --json` prints for the same request.

The tenant is the key's. Keys of sources may hold any character: in a query they are percent-encoded
(`?source=a%2Fb%3Fc`), in a body they stand as they are."""


def describe(begun: Schema) -> Schema:
    """Return the description that FastAPI began, with what its routes answer."""
    schemas = ResultSchemas()
    components = begun.setdefault("components", {}).setdefault("schemas", {})
    for operation in _operations(begun):
        _describe_operation(operation, schemas)
    components |= schemas.components
    components |= _published("GroundingReport", "report.v1.json")
    turn = _published("Turn", "turn.v1.json")
    components |= turn
    if "VerifyBody" in components:
        components["VerifyBody"] = _verify_body(components["VerifyBody"], turn["Turn"])
    if "TurnBody" in components:
        components["TurnBody"] = _begun_body(components["TurnBody"], turn["Turn"])
        components["CallBody"] = turn["Turn_call"]
    components["Problem"] = _PROBLEM
    for unused in ("HTTPValidationError", "ValidationError"):
        components.pop(unused, None)
    begun["components"]["responses"] = {
        f"Problem{status}": {
            "description": told,
            "content": {MEDIA_TYPE: {"schema": {"$ref": f"{PLACE}Problem"}}},
        }
        for status, told in _PROBLEMS.items()
    }
    begun["info"] |= {"version": version("grounding-verifier"), "description": _DESCRIPTION}
    return begun


def _operations(described: Schema) -> Iterator[Schema]:
    for path in described["paths"].values():
        yield from (path[method] for method in _METHODS if method in path)


def _describe_operation(operation: Schema, schemas: ResultSchemas) -> None:
    name = operation["operationId"]
    if name in RESULTS:
        answer = {"schema": schemas.of(RESULTS[name])}
        operation["responses"]["200"] = {
            "description": "The same JSON as the command prints.",
            "content": {"application/json": answer},
        }
    operation["responses"] |= {
        status: {"$ref": f"#/components/responses/Problem{status}"}
        for status in _PROBLEMS
        if status not in operation["responses"] or status == "422"
    }
    if name in EXAMPLES:
        _put_example(operation, EXAMPLES[name])


def _put_example(operation: Schema, example: Mapping[str, object]) -> None:
    """Put an example into the body, and into each parameter that it names."""
    for content in operation.get("requestBody", {}).get("content", {}).values():
        content["example"] = example.get("body")
    for parameter in operation.get("parameters", ()):
        if parameter["name"] in example:
            parameter["example"] = example[parameter["name"]]


def _published(name: str, file: str) -> dict[str, Schema]:
    """Return a published schema as a component, and each of its definitions as another one."""
    text = files("verifier").joinpath(f"schemas/{file}").read_text(encoding="utf-8")
    loaded = json.loads(text.replace('"#/$defs/', f'"{PLACE}{name}_'))
    definitions = loaded.pop("$defs", {})
    for key in ("$schema", "$id"):
        loaded.pop(key, None)
    return {name: loaded} | {f"{name}_{part}": made for part, made in definitions.items()}


def _verify_body(begun: Schema, turn: Schema) -> Schema:
    """Return the body of a verification: the fields of a turn file and those of the policy."""
    return turn | {
        "title": "VerifyBody",
        "description": begun.get("description", ""),
        "properties": turn["properties"] | begun["properties"],
        "required": ["answer"],
        "additionalProperties": False,
    }


def _begun_body(begun: Schema, turn: Schema) -> Schema:
    """Return the body that begins a turn: the fields of a turn file but the answer, and whose it is."""
    told = {name: field for name, field in turn["properties"].items() if name != "answer"}
    properties = told | begun["properties"]
    return turn | {"title": "TurnBody", "properties": properties, "required": []}


_PROBLEM: Final[Schema] = {
    "type": "object",
    "description": "Problem details, as RFC 9457 has them.",
    "properties": {
        "type": {"type": "string"},
        "title": {"type": "string"},
        "status": {"type": "integer"},
        "detail": {"type": "string"},
        "instance": {"type": "string"},
        "errors": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "field": {
                        "type": "string",
                        "description": "JSON pointer into the body, or a parameter's name.",
                    },
                    "detail": {"type": "string"},
                },
                "required": ["field", "detail"],
            },
        },
    },
    "required": ["type", "title", "status", "detail", "instance"],
}
