"""Codex, Elixir: a compaction whose open points are closed later, offers that nobody answered, a short thanks at the end."""

from benchmarks.made.record import Codex, filler

W = ["cart", "item", "voucher", "price", "stock", "order"]


def mix(n, failures=(), seed=90311):
    out = [f"Running ExUnit with seed: {seed}, max_cases: 8", "", "." * (n - len(failures))]
    for i, f in enumerate(failures, 1):
        out += ["", f"  {i}) {f}"]
    return "\n".join(
        out
        + [
            "",
            "Finished in 3.4 seconds (2.0s async, 1.4s sync)",
            f"{n} tests, {len(failures)} failure{'' if len(failures) == 1 else 's'}",
        ]
    )


def session():
    s = Codex("ex-liveview-cart", "/home/dev/oatshop", "cart-vouchers", "2026-11-17T10:10:00", "millrace/oatshop")
    s.user(
        "Vouchers for the cart: percent and fixed amount, one voucher per cart, validity dates, minimum order value. LiveView. Money is integer cents everywhere (Money struct), keep that. Ecto migration ok on dev db. German and English texts via gettext. Please no new JS hooks."
    )
    s.say("I’m reading the cart context and the LiveView first.")
    s.bash(
        "git log --oneline -3 && ls lib/oatshop lib/oatshop_web/live",
        "2d90aa1 Cart: merge equal lines\n01bc7e3 Money struct\n88f0c12 Phoenix 1.7.14\nlib/oatshop:\ncart.ex\ncatalog.ex\nmoney.ex\norders.ex\n\nlib/oatshop_web/live:\ncart_live.ex\ncart_live.html.heex\nproduct_live.ex",
    )
    s.read("lib/oatshop/cart.ex", filler("ex", W, 160, 91))
    s.read("lib/oatshop_web/live/cart_live.ex", filler("ex", W, 140, 92))
    s.read(
        "lib/oatshop/money.ex",
        "defmodule Oatshop.Money do\n  defstruct cents: 0, currency: :EUR\n\n  def add(%{cents: a} = m, %{cents: b}), do: %{m | cents: a + b}\n  def percent(%{cents: c} = m, p), do: %{m | cents: div(c * p, 100)}\nend\n",
    )
    s.bash("mix test", mix(104))
    s.update_plan(
        ("Schema and migration", "in_progress"),
        ("Voucher rules in the context", "pending"),
        ("LiveView form", "pending"),
        ("Orders keep the voucher", "pending"),
        ("gettext", "pending"),
    )
    s.write(
        "lib/oatshop/vouchers/voucher.ex",
        'defmodule Oatshop.Vouchers.Voucher do\n  use Ecto.Schema\n\n  schema "vouchers" do\n    field :code, :string\n    field :kind, Ecto.Enum, values: [:percent, :fixed]\n    field :value, :integer\n    field :min_cents, :integer, default: 0\n    field :from, :utc_datetime\n    field :until, :utc_datetime\n  end\nend\n',
    )
    s.write(
        "priv/repo/migrations/20261117_vouchers.exs",
        "defmodule Oatshop.Repo.Migrations.Vouchers do\n  use Ecto.Migration\n\n  def change do\n    create table(:vouchers) do\n      add :code, :citext, null: false\n    end\n    create unique_index(:vouchers, [:code])\n  end\nend\n",
    )
    s.bash(
        "mix ecto.migrate", '** (Postgrex.Error) ERROR 42704 (undefined_object) type "citext" does not exist', exit=1
    )
    s.say(
        "`citext` needs an extension that the dev database lacks, and creating extensions needs a superuser. I’ll store the code upper-cased in a plain `:string` instead."
    )
    s.edit(
        "priv/repo/migrations/20261117_vouchers.exs",
        "      add :code, :citext, null: false",
        "      add :code, :string, null: false",
    )
    s.bash("mix ecto.migrate && mix test", "10:22:01.009 [info] == Migrated 20261117 in 0.0s\n" + mix(104))
    s.write(
        "lib/oatshop/vouchers.ex",
        "defmodule Oatshop.Vouchers do\n  def apply_to(%Cart{} = cart, code, now) do\n    with {:ok, voucher} <- fetch(String.upcase(code)),\n         :ok <- valid_at(voucher, now),\n         :ok <- min_order(voucher, cart) do\n      {:ok, %{cart | voucher: voucher}}\n    end\n  end\nend\n",
    )
    s.bash(
        "mix test test/oatshop/vouchers_test.exs",
        mix(
            16,
            (
                "test percent never exceeds the cart (Oatshop.VouchersTest)\n     test/oatshop/vouchers_test.exs:58\n     left:  %Oatshop.Money{cents: -500}\n     right: %Oatshop.Money{cents: 0}",
            ),
        ),
        exit=2,
    )
    s.edit(
        "lib/oatshop/vouchers.ex",
        "    end\n  end\nend",
        "    end\n  end\n\n  def discount(%{kind: :fixed, value: v}, total), do: %{total | cents: min(v, total.cents)}\n  def discount(%{kind: :percent, value: p}, total), do: Money.percent(total, p)\nend",
    )
    s.bash("mix test test/oatshop/vouchers_test.exs", mix(16))
    s.compact(
        "## Progress\n- Vouchers context (`lib/oatshop/vouchers.ex`), schema and migration are done on branch cart-vouchers; 16 tests in vouchers_test.exs pass. Nothing committed.\n- `citext` isn’t available on the dev db; codes are stored upper-cased.\n\n## Constraints\n- Money as integer cents, one voucher per cart, no new JS hooks, texts via gettext (de, en).\n\n## Remaining\n- LiveView form for the code\n- Orders must keep the voucher (snapshot of the discount)\n- gettext German texts\n- Rounding of percent vouchers: `Money.percent` cuts off (div); ask the user?\n- Race: two tabs use a single-use voucher; not handled"
    )
    s.say("Going on with the LiveView form.")
    s.edit(
        "lib/oatshop_web/live/cart_live.ex",
        '  def handle_event("remove", %{"id" => id}, socket) do',
        '  def handle_event("voucher", %{"code" => code}, socket) do\n    case Vouchers.apply_to(socket.assigns.cart, code, DateTime.utc_now()) do\n      {:ok, cart} -> {:noreply, assign(socket, cart: cart, voucher_error: nil)}\n      {:error, reason} -> {:noreply, assign(socket, voucher_error: message(reason))}\n    end\n  end\n\n  def handle_event("remove", %{"id" => id}, socket) do',
    )
    s.edit(
        "lib/oatshop_web/live/cart_live.html.heex",
        "<.totals cart={@cart} />",
        '<.simple_form for={@voucher_form} phx-submit="voucher">\n  <.input field={@voucher_form[:code]} label={gettext("Voucher")} />\n</.simple_form>\n<.totals cart={@cart} />',
    )
    s.bash(
        "mix test test/oatshop_web/live/cart_live_test.exs",
        mix(
            21,
            (
                'test removing the last item removes the voucher (OatshopWeb.CartLiveTest)\n     test/oatshop_web/live/cart_live_test.exs:133\n     Expected false or nil, got true\n     code: refute has_element?(view, "#voucher")',
            ),
        ),
        exit=2,
    )
    s.say(
        "That test describes a rule nobody has set yet; I wrote it from habit. It makes sense, though: a voucher on an empty cart would fall below every minimum. `Cart.remove` now checks the minimum again and drops the voucher if it’s no longer met."
    )
    s.edit(
        "lib/oatshop/cart.ex",
        "  def remove(%Cart{} = cart, id) do",
        "  def remove(%Cart{} = cart, id) do\n    cart |> drop_line(id) |> Vouchers.recheck()",
    )
    s.bash("mix test", mix(127))
    s.bash(
        "mix gettext.extract --merge && git diff --stat priv/gettext",
        " priv/gettext/de/LC_MESSAGES/default.po | 24 ++++++\n priv/gettext/default.pot               | 24 ++++++\n 2 files changed, 48 insertions(+)",
    )
    s.edit(
        "priv/gettext/de/LC_MESSAGES/default.po", 'msgid "Voucher"\nmsgstr ""', 'msgid "Voucher"\nmsgstr "Gutschein"'
    )
    s.user(
        "looks good in the browser. percent vouchers: round half up in favour of the customer pls, accounting says so. and whats with the order, does it remember the voucher?"
    )
    s.edit(
        "lib/oatshop/money.ex",
        "  def percent(%{cents: c} = m, p), do: %{m | cents: div(c * p, 100)}",
        "  def percent(%{cents: c} = m, p), do: %{m | cents: div(c * p + 50, 100)}",
    )
    s.bash(
        "mix test",
        mix(
            127,
            (
                "test shipping percent (Oatshop.OrdersTest)\n     test/oatshop/orders_test.exs:40\n     left:  %Oatshop.Money{cents: 43}\n     right: %Oatshop.Money{cents: 42}",
            ),
        ),
        exit=2,
    )
    s.say(
        "`Money.percent` is used by shipping as well, which must not change. I’m reverting that and giving vouchers their own `Money.percent_half_up`."
    )
    s.edit(
        "lib/oatshop/money.ex",
        "  def percent(%{cents: c} = m, p), do: %{m | cents: div(c * p + 50, 100)}",
        "  def percent(%{cents: c} = m, p), do: %{m | cents: div(c * p, 100)}\n  def percent_half_up(%{cents: c} = m, p), do: %{m | cents: div(c * p + 50, 100)}",
    )
    s.edit("lib/oatshop/vouchers.ex", "do: Money.percent(total, p)", "do: Money.percent_half_up(total, p)")
    s.edit(
        "lib/oatshop/orders.ex",
        "    %Order{lines: cart.lines, total: total}",
        "    %Order{lines: cart.lines, total: total, voucher_code: code, discount_cents: discount.cents}",
    )
    s.write(
        "priv/repo/migrations/20261117_order_voucher.exs",
        "defmodule Oatshop.Repo.Migrations.OrderVoucher do\n  use Ecto.Migration\n\n  def change do\n    alter table(:orders) do\n      add :voucher_code, :string\n      add :discount_cents, :integer, null: false, default: 0\n    end\n  end\nend\n",
    )
    s.bash(
        "mix ecto.migrate && mix test",
        "** (Ecto.MigrationError) migrations can't be executed, migration version 20261117 is duplicated",
        exit=1,
    )
    s.bash(
        "git mv -f priv/repo/migrations/20261117_order_voucher.exs priv/repo/migrations/20261118_order_voucher.exs 2>/dev/null || mv priv/repo/migrations/20261117_order_voucher.exs priv/repo/migrations/20261118_order_voucher.exs; mix ecto.migrate && mix test",
        "10:58:44.120 [info] == Migrated 20261118 in 0.0s\n" + mix(131),
    )
    s.bash(
        "git add -A && git commit -m 'Cart: vouchers' && git push -u origin cart-vouchers",
        "[cart-vouchers 4be7731] Cart: vouchers\n 14 files changed, 412 insertions(+), 9 deletions(-)\nremote: Create a pull request for 'cart-vouchers' by visiting:\nTo git.example.org:millrace/oatshop.git\n * [new branch]      cart-vouchers -> cart-vouchers",
    )
    s.say(
        "The order keeps a snapshot (`voucher_code`, `discount_cents`), percent vouchers round half up through `Money.percent_half_up`, shipping is untouched. Committed and pushed as `4be7731`, 131 tests pass. No PR is opened.\n\n- The form, the order and the German texts from the list are done.\n- Still not handled: **two tabs using one single-use voucher**. There’s no `single_use` field at all yet; the rule was never asked for, I had only noted it.\n- `seeds.exs` has no vouchers, so a fresh dev database shows none.\n\nI can open the PR, or add `single_use` with a unique index on orders first. Which do you prefer?",
        end=True,
    )
    s.user("thx!")
    s.say("You’re welcome.", end=True)
    return s


KEY = {
    "end_state": "Vouchers done, committed and pushed (4be7731), 131 tests pass, no PR. Two offers are unanswered; the user only said thanks.",
    "goal": (
        "Vouchers for the cart in LiveView (percent, fixed, validity, minimum)",
        "Vouchers for the cart",
        [["voucher"]],
    ),
    "decisions": [
        (
            "Codes are stored upper-cased in a string, no citext",
            "store the code upper-cased",
            [["upper-case"], ["uppercase"], ["upcase"], ["citext"]],
        ),
        (
            "Vouchers round half up through their own Money.percent_half_up, shipping stays",
            "giving vouchers their own",
            [["percent_half_up"]],
        ),
        (
            "The order keeps a snapshot: voucher_code and discount_cents",
            "keeps a snapshot",
            [["discount_cents"], ["voucher_code"], ["snapshot"]],
        ),
        (
            "Removing lines checks the minimum again and drops the voucher",
            "checks the minimum again",
            [["recheck"], ["minimum again"], ["cart.remove"]],
        ),
    ],
    "failed": [
        ("citext isn't on the dev database and needs a superuser", 'type "citext" does not exist', [["citext"]]),
        ("Changing Money.percent broke shipping percent; reverted", "used by shipping as well", [["shipping"]]),
        (
            "Two migrations with the same version 20261117; the second is 20261118",
            "is duplicated",
            [["20261118"], ["duplicated"], ["same version"]],
        ),
    ],
    "constraints": [
        ("Money as integer cents everywhere", "integer cents everywhere", [["integer cents"], ["money struct"]]),
        ("No new JS hooks", "no new JS hooks", [["js hook"]]),
        ("Percent vouchers round half up, accounting says so", "accounting says so", [["half up"], ["half_up"]]),
    ],
    "open": [
        (
            "Two tabs, one single-use voucher: not handled, no single_use field",
            "two tabs using one",
            [["two tabs"], ["single_use"], ["single-use"]],
        ),
        ("seeds.exs has no vouchers", "has no vouchers", [["seeds"]]),
    ],
    "next": (
        "Answer: open the PR, or add single_use with a unique index first",
        "Which do you prefer",
        [["pr", "single_use"], ["open the pr"], ["pull request"]],
    ),
    "needed": [
        (
            "Committed and pushed as 4be7731 on cart-vouchers; no PR is open",
            "No PR is opened",
            [["4be7731"], ["no pr is"]],
            {"weight": 3},
        ),
        ("131 tests pass", "131 tests pass", [["131 tests"]], {"weight": 1}),
    ],
    "checks": [("mix ecto.migrate && mix test", "131 tests, 0 failures", "pass")],
    "traps": [
        (
            "The LiveView form remains to be done (done)",
            None,
            [["- liveview form for the code"], ["remaining: liveview form"], ["remaining\n- liveview form"]],
        ),
        ("Orders must still keep the voucher (done)", None, [["orders must keep the voucher"]]),
        ("German texts are missing (done)", None, [["- gettext german texts"]]),
        (
            "Rounding is cut off / to be asked (settled)",
            None,
            [["`money.percent` cuts off (div); ask"], ["rounding of percent vouchers: `money.percent` cuts"]],
        ),
        ("Nothing is committed", None, [["nothing committed"], ["nothing is committed"]]),
        (
            "The remark is the goal",
            None,
            [["goal: thx"], ["goal\n- thx"], ["goal\nthx"], ["request: thx"], ["task: thx"]],
        ),
        ("A PR is open", None, [["pr is open"], ["opened a pr"], ["opened the pr"]]),
    ],
}
NEXT = {
    "goal": {
        "text": "Vouchers in the cart: done and pushed as 4be7731; PR and single-use rule are open offers.",
        "match": [["voucher"]],
    },
    "next": {
        "text": "Ask the user: open the PR now, or add single_use with a unique index on orders first.",
        "match": [["open the pr"], ["single_use"], ["pull request"]],
    },
}
