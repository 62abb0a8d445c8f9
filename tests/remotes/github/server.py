"""A server on loopback that speaks GitHub's API over a store of issues, as an Enterprise Server does (`/api/v3`).

It holds every request against GitHub's own description, and every answer of its own as well, so that it cannot be
kinder than the real one: `wrong` lists what did not fit. Faults are set by a test: `fail`, `lose`, `hang`.
"""

from __future__ import annotations

import hashlib
import json
import re
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple
from urllib.parse import parse_qsl, urlencode, urlsplit

from graphql import graphql_sync, parse, validate

from tests.remotes.github.description import Description, Operation, description, graphql_schema
from tests.remotes.memory import BODY_CHARS_MAX, Forge, StoredComment, StoredIssue

_API = "/api/v3"
_HANG_S = 4.0


class Answer(NamedTuple):
    """What is sent: `content` as JSON, or bytes as they are."""

    status: int
    content: object
    headers: Mapping[str, str] = {}


class Request(NamedTuple):
    """One that came."""

    method: str
    path: str
    query: Mapping[str, str]
    body: Any
    headers: Mapping[str, str]


class Pull(NamedTuple):
    """What makes an issue a pull request. `reviews` are (login, state, body, time), `lines` (login, path, line, body,
    time); a line is None where it is gone.
    """

    head: str
    base: str = "acme:main"
    merged_at: str | None = None
    draft: bool = False
    diff: str = ""
    reviews: tuple[tuple[str, str, str, str], ...] = ()
    lines: tuple[tuple[str, str, int | None, str, str], ...] = ()


class Fault(NamedTuple):
    """What goes wrong with requests of a method and a path. `after`: it is done before that, and the answer is lost."""

    method: str
    path: re.Pattern[str]
    answer: Answer | None
    after: bool = False
    hang_s: float = 0.0


class Server:
    """`tokens` leads from a token to a login. `came` are the requests that came, `answered` their status, in order."""

    def __init__(self, forge: Forge, described: Description) -> None:
        self.forge, self._described = forge, described
        self.tokens = {"token-of-ada": "ada", "token-of-dan": "dan"}
        self.came: list[Request] = []
        self.answered: list[int] = []
        self.wrong: list[str] = []
        self.before: Callable[[Request], object] = lambda _: None
        self.tells_edits = True
        self.pulls: dict[tuple[str, int], Pull] = {}
        self._faults: list[Fault] = []
        self._lock = threading.RLock()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._server.daemon_threads = True
        self.host = f"127.0.0.1:{self._server.server_port}"
        forge.host = self.host
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        self._thread.start()

    def close(self) -> None:
        """End it."""
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    # Faults

    def fail(self, method: str, path: str, status: int, content: object = None, times: int = 1, **headers: str) -> None:
        """Answer the next requests so, and do nothing."""
        told = content if content is not None else {"message": f"status {status}", "documentation_url": "https://x"}
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        self._faults += [Fault(method, re.compile(path), Answer(status, told, named))] * times

    def lose(self, method: str, path: str, times: int = 1) -> None:
        """Do what the next requests ask, and close the connection without an answer."""
        self._faults += [Fault(method, re.compile(path), None, after=True)] * times

    def hang(self, method: str, path: str, *, after: bool, times: int = 1) -> None:
        """Answer the next requests too late; `after`: they are done, only the answer is late."""
        self._faults += [Fault(method, re.compile(path), None, after=after, hang_s=_HANG_S)] * times

    def _fault(self, request: Request) -> Fault | None:
        for fault in self._faults:
            if fault.method == request.method and fault.path.search(request.path):
                self._faults.remove(fault)
                return fault
        return None

    @property
    def pending_faults(self) -> int:
        """How many faults did not happen yet."""
        return len(self._faults)

    # Requests

    def take(self, request: Request) -> Answer | None:
        """The answer to a request, None to close the connection without one."""
        with self._lock:
            self.came.append(request)
            self.before(request)
            fault = self._fault(request)
        if fault is not None and not fault.after:
            time.sleep(fault.hang_s)
            return fault.answer
        with self._lock:
            answer = self._answer(request)
        if fault is not None:
            time.sleep(fault.hang_s)
            return None
        return answer

    def _answer(self, request: Request) -> Answer:
        login = self.tokens.get(request.headers.get("authorization", "").rpartition(" ")[2])
        if login is None:
            return _problem(401, "Bad credentials")
        if request.path == "/api/graphql":
            return self._graphql(request)
        path = request.path.removeprefix(_API)
        by_id = re.fullmatch(r"/repositories/(\d+)(/.*)", path)  # where what was renamed or moved answers
        if by_id:
            path = f"/repos/{list(self.forge.issues)[int(by_id[1])]}{by_id[2]}"
        asked = self._described.operation(request.method, path)
        if asked is None:
            self.wrong.append(f"{request.method} {path}: there is no such operation")
            return _problem(404, "Not Found")
        self.wrong += [
            f"{request.method} {path}: {one}" for one in self._described.wrong(asked, request.query, request.body)
        ]
        answer = self._done(login, request, asked)
        # A whole pull request has hundreds of members that nobody reads: of those only the questions are held to it.
        if answer.status != 304 and not asked.told["operationId"].startswith("pulls/"):
            problems = self._described.wrong_answer(asked, answer.status, answer.content)
            self.wrong += [f"our own answer to {request.method} {path}: {one}" for one in problems]
        return answer

    def _done(self, login: str, request: Request, asked: Operation) -> Answer:
        name = f"{asked.path['owner']}/{asked.path['repo']}"
        if name in self.forge.old_names:
            return self._moved(request, name, self.forge.old_names[name], asked.path.get("issue_number"))
        if name not in self.forge.issues:
            return _problem(404, "Not Found")
        what = asked.told["operationId"]
        if what.startswith("pulls/"):
            return self._pull(request, what, name, int(asked.path["pull_number"]))
        number = asked.path.get("issue_number")
        if number is None:
            return self._list(request, name) if what == "issues/list-for-repo" else self._open(login, request, name)
        issue = self.forge.issues[name].get(int(number))
        if issue is None:
            return _problem(404, "Not Found")
        if issue.moved_to is not None:
            return self._moved(request, name, issue.moved_to[0], str(issue.moved_to[1]))
        if issue.deleted:
            return _problem(410, "This issue was deleted")
        deeds = {
            "issues/get": lambda: self._tagged(request, self._issue(name, issue)),
            "issues/update": lambda: self._update(login, request, name, issue),
            "issues/list-comments": lambda: self._comments(request, name, issue),
            "issues/create-comment": lambda: self._comment(login, request, name, issue),
            "issues/add-labels": lambda: self._label(login, request, issue),
        }
        return deeds[what]()

    def _pull(self, request: Request, what: str, name: str, number: int) -> Answer:
        pull = self.pulls.get((name, number))
        if pull is None:
            return _problem(404, "Not Found")
        if what == "pulls/list-reviews":
            rows: list[Any] = [
                {"id": n, "user": self._user(login), "state": state, "body": body, "submitted_at": at}
                for n, (login, state, body, at) in enumerate(pull.reviews)
            ]
            return self._page(request, rows)
        if what == "pulls/list-review-comments":
            rows = [
                {"id": n, "user": self._user(login), "path": path, "line": line, "original_line": 3, "body": body}
                | {"created_at": at}
                for n, (login, path, line, body, at) in enumerate(pull.lines)
            ]
            return self._page(request, rows)
        if request.headers.get("accept") == "application/vnd.github.diff":
            return Answer(200, pull.diff.encode())
        sides = {"head": {"label": pull.head, "ref": "x"}, "base": {"label": pull.base, "ref": "main"}}
        return Answer(200, {"number": number, "merged_at": pull.merged_at, "draft": pull.draft, **sides})

    def _moved(self, request: Request, name: str, to: str, number: str | None) -> Answer:
        rest = request.path.partition(f"/repos/{name}")[2]
        if number:
            rest = re.sub(r"^/issues/\d+", f"/issues/{number}", rest)
        at = list(self.forge.issues).index(to)
        url = f"http://{self.host}{_API}/repositories/{at}{rest}"
        query = f"?{urlencode(request.query)}" if request.query else ""
        status = 301 if request.method in ("GET", "PATCH") else 307
        told = {"message": "Moved Permanently", "url": url, "documentation_url": "https://docs.github.com/"}
        return Answer(status, told, {"Location": url + query})

    def _list(self, request: Request, name: str) -> Answer:
        rows = [one for one in self.forge.issues[name].values() if one.moved_to is None and not one.deleted]
        if "labels" in request.query:
            rows = [one for one in rows if request.query["labels"] in one.labels]
        if "since" in request.query:
            rows = [one for one in rows if one.updated_at >= request.query["since"]]
        if request.query.get("state", "open") == "open":
            rows = [one for one in rows if one.is_open]
        rows.sort(key=lambda one: one.number, reverse=request.query.get("direction", "desc") == "desc")
        return self._page(request, [self._issue(name, one) for one in rows])

    def _open(self, login: str, request: Request, name: str) -> Answer:
        if problem := _too_long(request.body.get("body")):
            return problem
        labels = tuple(request.body.get("labels", ()))
        made = self.forge.open(name, login, str(request.body["title"]), request.body.get("body") or "", labels)
        return Answer(201, self._issue(name, made))

    def _update(self, login: str, request: Request, name: str, issue: StoredIssue) -> Answer:
        if login in self.forge.readers and issue.author != login:
            return _problem(403, "Must have admin rights to Repository.")
        if problem := _too_long(request.body.get("body")):
            return problem
        if request.body.get("title") is not None:
            issue.title = str(request.body["title"])
            issue.updated_at = self.forge.now()
        if request.body.get("body") is not None:
            self.forge.edit(name, issue.number, login, request.body["body"])
        return Answer(200, self._issue(name, issue))

    def _comments(self, request: Request, name: str, issue: StoredIssue) -> Answer:
        return self._page(request, [self._said(name, issue, one) for one in issue.comments])

    def _comment(self, login: str, request: Request, name: str, issue: StoredIssue) -> Answer:
        if issue.locked:
            return _problem(403, "Unable to create comment because issue is locked.")
        made = self.forge.comment(name, issue.number, login, request.body["body"])
        return Answer(201, self._said(name, issue, made))

    def _label(self, login: str, request: Request, issue: StoredIssue) -> Answer:
        if login in self.forge.readers:
            return _problem(403, "Must have push access")
        issue.labels += [one for one in request.body["labels"] if one not in issue.labels]
        return Answer(200, [_label(one) for one in issue.labels])

    def _page(self, request: Request, rows: list[Any]) -> Answer:
        size, page = int(request.query.get("per_page", "30")), int(request.query.get("page", "1"))
        headers = {}
        if len(rows) > size * page:
            query = urlencode({**request.query, "page": str(page + 1)})
            headers["Link"] = f'<http://{self.host}{request.path}?{query}>; rel="next"'
        return self._tagged(request, rows[size * (page - 1) : size * page], headers)

    def _tagged(self, request: Request, content: object, headers: Mapping[str, str] = {}) -> Answer:
        tag = f'W/"{hashlib.sha256(json.dumps(content).encode()).hexdigest()}"'
        if request.headers.get("if-none-match") == tag:
            return Answer(304, None, {"ETag": tag})
        return Answer(200, content, {**headers, "ETag": tag})

    def _graphql(self, request: Request) -> Answer:
        schema = graphql_schema()
        problems = validate(schema, parse(request.body["query"]))
        self.wrong += [f"GraphQL: {one.message}" for one in problems]
        if not self.tells_edits:
            told = {
                "data": {"repository": None},
                "errors": [{"type": "FORBIDDEN", "message": "Resource not accessible"}],
            }
            return Answer(200, told)
        names = request.body["variables"]
        name = f"{names['owner']}/{names['name']}"
        name = self.forge.old_names.get(name, name)
        issue = self.forge.issues.get(name, {}).get(names["number"])
        edits = issue.versions[::-1] if issue is not None and len(issue.versions) > 1 else []
        start = int(names["after"] or 0)
        shown = edits[start : start + 50]
        nodes = [
            {"editedAt": at, "diff": body, "editor": {"__typename": account, "login": login}}
            for at, login, account, body in shown
        ]
        more = {"hasNextPage": len(edits) > start + 50, "endCursor": str(start + len(shown))}
        root = {
            "repository": lambda *_, **__: {
                "issue": lambda *_, **__: {"userContentEdits": lambda *_, **__: {"pageInfo": more, "nodes": nodes}}
            }
        }
        done = graphql_sync(schema, request.body["query"], root, variable_values=names)
        self.wrong += [f"GraphQL: {one.message}" for one in done.errors or ()]
        return Answer(200, {"data": done.data})

    # Shapes

    def _issue(self, name: str, issue: StoredIssue) -> dict[str, Any]:
        at = f"http://{self.host}{_API}/repos/{name}/issues/{issue.number}"
        return {
            "id": issue.number + 1000,
            "node_id": f"I_{issue.number}",
            "url": at,
            "repository_url": f"http://{self.host}{_API}/repos/{name}",
            "labels_url": f"{at}/labels{{/name}}",
            "comments_url": f"{at}/comments",
            "events_url": f"{at}/events",
            "html_url": f"http://{self.host}/{name}/issues/{issue.number}",
            "number": issue.number,
            "state": "open" if issue.is_open else "closed",
            "title": issue.title,
            "body": issue.body,
            "user": self._user(issue.author),
            "labels": [_label(one) for one in issue.labels],
            "assignee": None,
            "milestone": None,
            "locked": issue.locked,
            "comments": len(issue.comments),
            "closed_at": None if issue.is_open else issue.updated_at,
            "created_at": issue.versions[0][0],
            "updated_at": issue.updated_at,
            **({"pull_request": _links(at)} if (name, issue.number) in self.pulls else {}),
        }

    def _said(self, name: str, issue: StoredIssue, one: StoredComment) -> dict[str, Any]:
        at = f"http://{self.host}{_API}/repos/{name}/issues"
        return {
            "id": one.id,
            "node_id": f"IC_{one.id}",
            "url": f"{at}/comments/{one.id}",
            "issue_url": f"{at}/{issue.number}",
            "html_url": f"http://{self.host}/{name}/issues/{issue.number}#issuecomment-{one.id}",
            "user": self._user(one.login),
            "created_at": one.at,
            "updated_at": one.at,
            "body": one.body,
        }

    def _user(self, login: str) -> dict[str, Any]:
        at = f"http://{self.host}{_API}/users/{login}"
        lists = "followers following gists starred subscriptions organizations repos events received_events".split()
        return {
            "login": login,
            "id": 1 + sum(map(ord, login)),
            "node_id": f"U_{login}",
            "avatar_url": f"http://{self.host}/avatars/{login}",
            "gravatar_id": "",
            "url": at,
            "html_url": f"http://{self.host}/{login}",
            **{f"{one}_url": f"{at}/{one}" for one in lists},
            "type": "User",
            "site_admin": False,
        }


def _links(at: str) -> dict[str, Any]:
    """What an issue says that is a pull request as well."""
    url = at.replace("/issues/", "/pulls/")
    return {"url": url, "html_url": url, "diff_url": f"{url}.diff", "patch_url": f"{url}.patch", "merged_at": None}


def _label(name: str) -> dict[str, Any]:
    return {
        "id": sum(map(ord, name)), "node_id": f"LA_{name}", "url": f"https://x/labels/{name}", "name": name,
        "description": None, "color": "ededed", "default": False,
    }  # fmt: skip


def _problem(status: int, message: str) -> Answer:
    return Answer(status, {"message": message, "documentation_url": "https://docs.github.com/", "status": str(status)})


def _too_long(body: str | None) -> Answer | None:
    if len(body or "") <= BODY_CHARS_MAX:
        return None
    told = {
        "message": "Validation Failed",
        "errors": [{"resource": "Issue", "code": "custom", "field": "body", "message": "body is too long"}],
        "documentation_url": "https://docs.github.com/",
    }
    return Answer(422, told)


def _encoded(content: object) -> bytes:
    return content if isinstance(content, bytes) else json.dumps(content).encode()


def _handler(server: Server) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def _serve(self) -> None:
            parts = urlsplit(self.path)
            length = int(self.headers.get("Content-Length") or 0)
            content = self.rfile.read(length) if length else b""
            body = json.loads(content) if content else None
            headers = {name.lower(): value for name, value in self.headers.items()}
            answer = server.take(Request(self.command, parts.path, dict(parse_qsl(parts.query)), body, headers))
            if answer is None:
                self.close_connection = True
                return
            server.answered.append(answer.status)
            sent = b"" if answer.status == 304 else _encoded(answer.content)
            self.send_response(answer.status)
            self.send_header("Content-Type", "application/json; charset=utf-8")
            self.send_header("Content-Length", str(len(sent)))
            for name, value in answer.headers.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(sent)

        do_GET = do_POST = do_PATCH = do_DELETE = do_PUT = _serve

        def log_message(self, *_: object) -> None:
            pass

        def handle(self) -> None:
            try:
                super().handle()
            except (ConnectionError, TimeoutError):  # whoever asked gave up
                self.close_connection = True

    return Handler


@contextmanager
def serving(forge: Forge | None = None) -> Iterator[Server]:
    """A server for one test. Every request must have been as GitHub's description has it."""
    server = Server(forge or Forge(), description())
    try:
        yield server
    finally:
        server.close()
    assert server.wrong == []
