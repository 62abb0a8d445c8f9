"""A page as a file, which loads nothing."""

from __future__ import annotations

import time

from markupsafe import Markup

from clew.app.cost.cost import CostReport
from clew.app.cost.curve import ContextCurve
from clew.interfaces.web.pages import cost_table, curve_picture
from clew.interfaces.web.templating import FOLDER, environment


def page_of(cost: CostReport | None, curve: ContextCurve | None, limit: int) -> str:
    """The page of what sessions cost, of parts `limit`; else of the context of one session."""
    style = Markup((FOLDER / "page.css").read_text("utf-8"))
    if cost is not None:
        title, values = f"Cost of {cost.scope or 'all projects'} by {cost.by}", cost_table(cost, limit)
    else:
        assert curve is not None
        title, values = f"Context of {curve.client} {curve.session[:16]}", {"curve": curve_picture(curve)}
    made = environment(lambda: time.time_ns() // 1_000_000)
    return made.get_template("file.html").render(values, title=title, style=style, p="")
