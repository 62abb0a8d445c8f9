"""The token estimator against exact counts: `python -m benchmarks.tokens.check [FOLDER ...] [--payloads DIR]`.

Texts: the hostile ones that are made by seed, and what the folders hold; without a folder, the standard library of
the running Python, which was not used for fitting. `--payloads` names a folder of real payloads or hand-off notes in
Markdown. Exits 1 when the bound of SPEC C2 is broken on payloads: under-counted on 1 % of them and more, or one by
more than 3 %. On other kinds of text the figures are for information.
"""

from __future__ import annotations

import argparse
import sys
import sysconfig
from pathlib import Path
from statistics import fmean, median, quantiles
from time import perf_counter
from typing import NamedTuple

from benchmarks.lib.tables import markdown
from benchmarks.tokens.corpus import DOCS, Corpus, adversarial_corpus, cut, files_of, folder_corpus
from clew.core.text.tokens import estimate

UNDER_SHARE_MAX = 0.01
UNDER_MAX = 0.03
TEXTS_MAX = 400


class Accuracy(NamedTuple):
    """How far estimates of one kind of text are off; shares of the exact count, over-counts positive."""

    texts: int
    under_share: float
    worst_under: float
    mean: float
    median: float
    p90: float


def accuracy(errors: list[float]) -> Accuracy:
    """Summary of relative errors, estimate / exact - 1."""
    return Accuracy(
        texts=len(errors),
        under_share=sum(error < 0 for error in errors) / len(errors),
        worst_under=-min(0.0, *errors),
        mean=fmean(errors),
        median=median(errors),
        p90=quantiles(errors, n=10)[-1] if len(errors) > 1 else errors[0],
    )


def errors_of(texts: list[str]) -> list[float]:
    """Relative error of the estimate of each text."""
    from rs_bpe.bpe import openai

    count = openai.o200k_base().count
    return [estimate(text) / count(text) - 1 for text in texts]


def is_bound(kind: str) -> bool:
    """Whether the bound must hold on a kind of text: on payloads, made ones and given ones."""
    return kind.startswith("payload")


def broken(by_kind: dict[str, Accuracy]) -> list[str]:
    """Where the bound is broken, in words."""
    return [
        f"{kind}: under-counted {found.under_share:.2%} of {found.texts} texts, at worst by {found.worst_under:.2%}"
        for kind, found in by_kind.items()
        if is_bound(kind) and (found.under_share >= UNDER_SHARE_MAX or found.worst_under > UNDER_MAX)
    ]


def megabytes_per_second(texts: list[str]) -> float:
    """Speed over these texts, the cache of pieces as warm as it gets within them."""
    size = sum(len(text.encode()) for text in texts)
    start = perf_counter()
    for text in texts:
        estimate(text)
    return size / (perf_counter() - start) / 1e6


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.tokens.check", description="Accuracy and speed.")
    parser.add_argument("folders", type=Path, nargs="*", help="folders of texts (default: the standard library)")
    parser.add_argument("--limit", type=int, default=TEXTS_MAX, help="texts of a kind and folder")
    parser.add_argument("--payloads", type=Path, help="folder of payloads or hand-off notes in Markdown")
    arguments = parser.parse_args(argv)
    corpus: Corpus = {}
    if arguments.payloads:
        corpus["payload, given"] = [part for text in files_of(arguments.payloads, DOCS) for part in cut(text)]
    for folder in arguments.folders or [Path(sysconfig.get_path("stdlib"))]:
        for kind, texts in folder_corpus(folder, limit=arguments.limit).items():
            corpus.setdefault(kind, []).extend(texts)
    corpus |= adversarial_corpus(count=min(20, arguments.limit))
    speed = megabytes_per_second([text for texts in corpus.values() for text in texts])
    by_kind = {kind: accuracy(errors_of(texts)) for kind, texts in corpus.items()}
    head = ("kind of text", "texts", "under-counted", "worst under", "mean over", "median", "p90")
    print(
        markdown(
            head,
            [(kind, str(found.texts), *(f"{value:.1%}" for value in found[1:])) for kind, found in by_kind.items()],
        )
    )
    print(f"\n{speed:.1f} MB/s")
    failures = broken(by_kind)
    for line in failures:
        print(f"missed: {line}", file=sys.stderr)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
