"""Makes what is shipped beside the code: a manual page for each command, and JSON Schemas.

Both are made from the program itself when a wheel is built (scripts/build_data.py), so that neither can fall behind.
The pages come from the commands as click knows them. The schemas come from the types: those of settings and of sources
of stacks, and the results that `--json` prints. Needs clew and its dependencies.
"""

from __future__ import annotations

import ast
import inspect
import json
import re
import sys
import types
from collections.abc import Iterator, Mapping
from importlib import import_module
from pathlib import Path, PurePath
from typing import Any, TypeAlias, Union, get_args, get_origin, get_type_hints

MAN = "man1"
SCHEMAS = "schemas"
_DRAFT = "https://json-schema.org/draft/2020-12/schema"
Schema: TypeAlias = dict[str, Any]


def build(root: Path, target: Path) -> None:
    """Write the pages and schemas of the clew at `root` into two folders of `target`. Raises `ImportError`."""
    if str(root / "src") not in sys.path:
        sys.path.insert(0, str(root / "src"))
    made = {f"{MAN}/{name}.1": text for name, text in pages().items()}
    for name, schema in schemas().items():
        made[f"{SCHEMAS}/{name}.schema.json"] = json.dumps(schema, indent=1, ensure_ascii=False) + "\n"
    for name, text in made.items():
        path = target / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


# Manual pages.


def pages() -> dict[str, str]:
    """The page of the program and of each command, in man's language, by name: `clew`, `clew-task`."""
    import click

    from clew.interfaces.cli.main import COMMANDS, GROUPS, cli

    root = click.Context(cli, info_name="clew")
    made = {"clew": _page(root, [], GROUPS)}
    for name in COMMANDS:
        command = cli.get_command(root, name)
        assert command is not None
        ctx = click.Context(command, info_name=name, parent=root)
        made[f"clew-{name}"] = _page(ctx, list(_below(ctx)), {})
    return made


def _below(ctx: Any) -> Iterator[Any]:
    """The contexts of the commands below one."""
    import click

    if isinstance(ctx.command, click.Group):
        for name in ctx.command.list_commands(ctx):
            found = ctx.command.get_command(ctx, name)
            if found is not None and not found.hidden:
                yield click.Context(found, info_name=name, parent=ctx)


def _page(ctx: Any, below: list[Any], lists: Mapping[str, Mapping[str, str]]) -> str:
    from clew import __version__

    name = ctx.command_path.replace(" ", "-")
    short = ctx.command.get_short_help_str(limit=200).rstrip(".")
    rows = [
        f'.TH "{name.upper()}" "1" "" "clew {__version__}" "clew"',
        ".SH NAME",
        f"{_escaped(name)} \\- {_escaped(short)}",
    ]
    rows += [".SH SYNOPSIS", *(_synopsis(one) for one in below or [ctx]), ".SH DESCRIPTION", *_prose(ctx.command.help)]
    rows += _options(ctx, ".SH OPTIONS")
    for one in below:
        rows += [f'.SS "{_escaped(one.command_path)}"', *_prose(one.command.help), *_options(one, "")]
    for heading, commands in lists.items():
        rows.append(f'.SH "{_escaped(heading.upper())}"')
        for command, line in commands.items():
            rows += [".TP", f".B clew\\-{_escaped(command)}(1)", _escaped(line)]
    return "\n".join(
        [
            *rows,
            ".SH EXIT STATUS",
            "0 done; 1 it could not be done; 64 the command line is wrong; 70 a fault of clew.",
            "",
        ]
    )


def _synopsis(ctx: Any) -> str:
    words = " ".join(ctx.command.collect_usage_pieces(ctx))
    return f".B {_escaped(ctx.command_path)}\n{_escaped(words)}\n.br"


def _options(ctx: Any, heading: str) -> list[str]:
    rows = []
    for param in ctx.command.get_params(ctx):
        told = param.get_help_record(ctx)
        if told is not None:
            rows += [".TP", f".B {_escaped(told[0])}", _escaped(told[1])]
    return [heading, *rows] if rows and heading else rows


def _prose(text: str | None) -> list[str]:
    paragraphs = re.split(r"\n\s*\n", (text or "").replace("\b", "").strip())
    rows = []
    for paragraph in paragraphs:
        rows += [".PP", _escaped(" ".join(paragraph.split()))]
    return rows


def _escaped(text: str) -> str:
    text = " ".join(text.split()).replace("\\", "\\e").replace("-", "\\-").replace("`", "\\(ga")
    return f"\\&{text}" if text[:1] in (".", "'") else text


# Schemas.


def schemas() -> dict[str, Schema]:
    """Every schema by its name, without the ending."""
    made = {"settings": settings_schema(), "stack": stack_schema()}
    for name, kind in results().items():
        made[re.sub(r"(?<=[a-z])(?=[A-Z])", "-", name).lower()] = result_schema(kind)
    return made


def results() -> dict[str, Any]:
    """Every type that is a JSON document of `--json`, by its name."""
    import clew
    from clew.app.results import JsonResult

    source = Path(clew.__file__).parent
    for file in (source / "app").rglob("*.py"):
        if "JsonResult" in file.read_text("utf-8"):
            import_module(".".join(("clew", *file.relative_to(source).with_suffix("").parts)).removesuffix(".__init__"))
    found, waiting = {}, [JsonResult]
    while waiting:
        for one in waiting.pop().__subclasses__():
            found[one.__name__] = one
            waiting.append(one)
    return found


def result_schema(result: Any) -> Schema:
    """The schema of a document of `--json`. Fields are added in later versions, so that unknown ones are allowed."""
    import msgspec

    (schema,), parts = msgspec.json.schema_components([plain(result)], schema_hook=_hook, ref_template="#/$defs/{name}")
    body = parts.pop(schema["$ref"].rpartition("/")[2])
    head = {"$schema": _DRAFT, "title": result.__name__, "description": _about(result)}
    return {
        **head,
        **body,
        "title": result.__name__,
        "description": _about(result),
        **({"$defs": parts} if parts else {}),
    }


def _about(kind: Any) -> str:
    return " ".join((kind.__doc__ or "").split())


def printed_by() -> dict[str, list[str]]:
    """By the name of a result the commands that print it: their module calls a use case that gives it back."""
    from clew.interfaces.cli.main import COMMANDS, HOMES

    known, found = results(), {}
    for command in COMMANDS:
        home = HOMES.get(command, f"{command}_" if command == "import" else command)
        for function in _use_cases(import_module(f"clew.interfaces.cli.{home}")):
            for name in re.findall(r"\w+", str(getattr(function, "__annotations__", {}).get("return", ""))):
                if name in known and command not in found.setdefault(name, []):
                    found[name].append(command)
    return found


def _use_cases(module: types.ModuleType) -> Iterator[Any]:
    """What a command's module imports from `clew.app`, be it in a function; and what a module of commands does that it
    imports whole.
    """
    for node in ast.walk(ast.parse(inspect.getsource(module))):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("clew.app"):
            home = import_module(node.module or "")
            yield from (one for name in node.names if callable(one := getattr(home, name.name, None)))
        elif isinstance(node, ast.ImportFrom) and node.module == "clew.interfaces.cli":
            yield from (one for name in node.names for one in _use_cases(import_module(f"{node.module}.{name.name}")))


def plain(kind: Any, made: dict[Any, Any] | None = None) -> Any:
    """The type as JSON has it: named tuples are objects as structs are, paths are texts."""
    import msgspec

    made = {} if made is None else made
    if get_origin(kind) is not None:
        arguments = [plain(one, made) if one is not Ellipsis else one for one in get_args(kind)]
        if get_origin(kind) in (types.UnionType, Union):
            return Union[tuple(arguments)]  # noqa: UP007
        return kind if list(get_args(kind)) == arguments else get_origin(kind)[tuple(arguments)]
    if isinstance(kind, type) and issubclass(kind, PurePath):
        return str
    is_struct = isinstance(kind, type) and issubclass(kind, msgspec.Struct)
    if not is_struct and not hasattr(kind, "_fields"):
        return kind
    if kind not in made:
        made[kind] = kind  # a type that holds itself stays as it is there
        try:
            hints = get_type_hints(kind)
        except NameError:
            hints = get_type_hints(kind, localns=_named())
        fields = [(name, plain(hints[name], made)) for name in (kind.__struct_fields__ if is_struct else kind._fields)]
        made[kind] = msgspec.defstruct(kind.__name__, fields, namespace={"__doc__": _about(kind)})
    return made[kind]


def _named() -> dict[str, Any]:
    """The types of clew by name: a module may import one for the checker of types alone."""
    modules = [module for name, module in sys.modules.items() if name.startswith("clew.")]
    return {name: one for module in modules for name, one in vars(module).items() if isinstance(one, type)}


def _hook(kind: Any) -> Schema:
    """What msgspec does not know is left open."""
    return {"description": f"a {kind.__name__}"}


def settings_schema() -> Schema:
    """The schema of a file of settings, a user's or a project's."""
    from clew.core.settings import FAMILIES, SETTINGS

    top: Schema = {"$schema": _DRAFT, "title": "Settings of clew", "type": "object", "properties": {}}
    for setting in SETTINGS:
        table, name = setting.keys
        rows = top["properties"].setdefault(table, {"type": "object", "properties": {}})
        rows["properties"][name] = _value(setting)
    for family in FAMILIES:
        words = family.name.split(".")
        at = top["properties"].setdefault(words[0], {"type": "object"})
        if words[-1] == "*":
            for _ in words[1:-1]:
                at = at.setdefault("additionalProperties", {"type": "object"})
            at["additionalProperties"] = _value(family)
        else:
            below = at.setdefault("additionalProperties", {"type": "object", "properties": {}})
            below["properties"][words[-1]] = _value(family)
    return top


def _value(setting: Any) -> Schema:
    from clew.core.settings.setting import GATE

    shapes: dict[str, Schema] = {
        "number": {"type": "integer", "minimum": setting.least, "maximum": setting.most},
        "switch": {"type": "boolean"},
        "gate": {"enum": list(GATE)},
        "choice": {"enum": list(setting.choices)},
        "words": {"type": ["string", "array"], "items": {"type": "string"}},
    }
    shape = shapes.get(setting.kind, {"type": "string"})
    return {"description": setting.meaning, **shape, **({} if "*" in setting.name else {"default": setting.default})}


def stack_schema() -> Schema:
    """The schema of a stack's file: a table for each kind of source."""
    import msgspec

    from clew.sources.registry import KINDS, source

    specs = {kind: source(kind).spec for kind in KINDS}
    _, parts = msgspec.json.schema_components(specs.values(), schema_hook=_hook, ref_template="#/$defs/{name}")
    for kind, spec in specs.items():
        body = parts[spec.__name__]
        body.pop("description", None)
        body["properties"]["kind"] = {"const": kind}
        body["additionalProperties"] = False
    one = {"oneOf": [{"$ref": f"#/$defs/{spec.__name__}"} for spec in specs.values()]}
    properties = {
        "title": {"type": "string"},
        "budget": {"type": "integer", "minimum": 0},
        "source": {"type": "array", "items": one},
    }
    head = {"$schema": _DRAFT, "title": "A stack of clew", "type": "object"}
    return {**head, "properties": properties, "additionalProperties": False, "$defs": parts}
