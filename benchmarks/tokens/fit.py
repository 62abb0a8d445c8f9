"""Fit the constants of `clew.core.text.tokens`: `python -m benchmarks.tokens.fit FOLDER`, which prints them.

FOLDER holds unpacked source distributions (which ones were used: docs/reference/tokens.md). Two steps:

1. Weights of pairs of letters, by least squares on the exact counts of single words.
2. Base and slope of each kind of piece, by a linear program over whole texts: the least mean over-count such that an
   under-count costs a hundred times as much. Every kind of text weighs the same, or English alone would decide.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from itertools import pairwise
from pathlib import Path
from typing import Any, get_args

import numpy as np
from rs_bpe.bpe import openai
from scipy.optimize import linprog, minimize  # type: ignore[import-untyped]
from scipy.sparse import coo_matrix, csr_matrix, hstack, identity  # type: ignore[import-untyped]

from benchmarks.tokens.corpus import Corpus, adversarial_corpus, folder_corpus
from clew.core.text import tokens

Array = Any

COUNT = openai.o200k_base().count
TEXTS_MAX = 400
RIDGE = 1e-5
SHARPNESS = 5.0
UNDER_COSTS = 100.0
# Translations that count: more languages would make English, of which nearly all payloads are, dearer.
LANGUAGES = frozenset("de fr es it pt_BR nl pl sv cs tr ru uk el he ar hi zh_Hans ja ko vi".split())
LEFT_OUT = frozenset({"hostile emoji", "hostile symbols"})
NAMES = [before + after for before in tokens.STARTS + tokens.LETTERS for after in tokens.LETTERS + tokens.END]
WORDS_OF = ("word", "accents", "cyrillic", "script")


def _is_minor(kind: str) -> bool:
    return kind.startswith("language ") and kind.removeprefix("language ") not in LANGUAGES


def fit_pairs(corpus: Corpus) -> dict[str, int]:
    """Weight of each pair in thousandths, so that they sum up to the tokens of a word."""
    counts: Counter[str] = Counter()
    for texts in corpus.values():
        own: Counter[str] = Counter()
        for text in texts:
            own.update(piece for piece in tokens.pieces(text) if tokens.measure(piece)[0] in WORDS_OF)
        # A word that one kind of text is full of must not decide alone.
        counts.update({piece: min(number, 50) for piece, number in own.items()})
    pieces = sorted(counts)
    column = {name: number for number, name in enumerate(NAMES)}
    rows, columns = [], []
    for row, piece in enumerate(pieces):
        spelling = tokens.spell(piece)
        pairs = [column[before + after] for before, after in pairwise(spelling)]
        rows += [row] * len(pairs)
        columns += pairs
    matrix = coo_matrix((np.ones(len(rows)), (rows, columns)), shape=(len(pieces), len(NAMES))).tocsr()
    exact = np.array([COUNT(piece) for piece in pieces], float)
    weight = np.sqrt(np.array([counts[piece] for piece in pieces], float))
    found = _least_squares(matrix, exact - 1, weight / weight.sum())
    return {name: round(1000 * found[number]) for name, number in column.items()}


def _least_squares(matrix: Any, target: Array, weight: Array) -> Array:
    """x such that max(0, matrix · x) meets the target; the corner is rounded so that it has a slope everywhere."""

    def loss(x: Array) -> tuple[float, Array]:
        inner = SHARPNESS * (matrix @ x)
        error = np.logaddexp(0, inner) / SHARPNESS - target
        slope = matrix.T @ (2 * weight * error / (1 + np.exp(-inner)))
        return float((weight * error**2).sum() + RIDGE * (x @ x)), slope + 2 * RIDGE * x

    return minimize(loss, np.full(matrix.shape[1], 0.1), jac=True, method="L-BFGS-B", options={"maxiter": 500}).x


def rows_of(weights: dict[str, int]) -> list[str]:
    """The table as `clew.core.text.tokens` holds it."""
    highest = len(tokens.DIGITS) - 1

    def digit(weight: int) -> str:
        step = round((weight - tokens.WEIGHT_LEAST) / tokens.WEIGHT_STEP)
        return tokens.DIGITS[min(max(step, 0), highest)]

    return [
        "".join(digit(weights[before + after]) for after in tokens.LETTERS + tokens.END)
        for before in tokens.STARTS + tokens.LETTERS
    ]


def weights_of(rows: list[str]) -> dict[str, int]:
    """The weights that a table stands for."""
    digits = "".join(rows)
    return {
        name: tokens.WEIGHT_LEAST + tokens.WEIGHT_STEP * tokens.DIGITS.index(digit)
        for name, digit in zip(NAMES, digits, strict=True)
    }


def fit_costs(corpus: Corpus) -> dict[str, tuple[int, float]]:
    """Base and slope of each kind but "plain"."""
    kinds = [kind for kind in get_args(tokens.Kind) if kind != "plain"]
    texts = [(text, _importance(kind) / len(group)) for kind, group in corpus.items() for text in group]
    features = np.zeros((len(texts), 2 * len(kinds)))
    target = np.zeros(len(texts))
    importance = np.array([share for _, share in texts])
    for row, (text, _) in enumerate(texts):
        exact = COUNT(text)
        for piece, number in Counter(tokens.pieces(text)).items():
            kind, size = tokens.measure(piece)
            if kind == "plain":
                target[row] -= number * (1000 + size) / 1000 / exact
            else:
                features[row, kinds.index(kind)] += number / exact
                features[row, len(kinds) + kinds.index(kind)] += number * size / 1000 / exact
        target[row] += 1
    # Translated messages are plainer than what people write: the little CJK there is must not make it look cheap.
    slopes = [(0.87 if kind == "cjk" else 0.3, 2.0) for kind in kinds]
    found = _least_over_count(csr_matrix(features), target, importance, slopes)
    return {
        kind: (int(np.ceil(1000 * found[number])), round(float(np.ceil(100 * found[len(kinds) + number])) / 100, 2))
        for number, kind in enumerate(kinds)
    }


def _importance(kind: str) -> float:
    """Payloads are mostly English with names from code."""
    return 10.0 if kind in ("payload", "docs", "code") else 1.0


def _least_over_count(features: Any, target: Array, importance: Array, slopes: list[tuple[float, float]]) -> Array:
    """Minimise Σ importance · (over + UNDER_COSTS · under) with features · x − over + under = target."""
    count, kinds = len(target), len(slopes)
    equal = hstack([features, -identity(count), identity(count)]).tocsr()
    cost = np.concatenate([np.zeros(2 * kinds), importance, UNDER_COSTS * importance])
    # A piece is at least one token, and no base may become the margin for what other kinds lack.
    bounds = [(1.0, 1.25)] * kinds + slopes + [(0, None)] * (2 * count)
    result = linprog(cost, A_eq=equal, b_eq=target, bounds=bounds, method="highs")
    if not result.success:
        raise RuntimeError(result.message)
    return result.x[: 2 * kinds]


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.tokens.fit", description="Print the constants.")
    parser.add_argument("folder", type=Path, help="folder of unpacked source distributions")
    arguments = parser.parse_args(argv)
    corpus = folder_corpus(arguments.folder, limit=TEXTS_MAX, seed=7) | adversarial_corpus(count=20, seed=7)
    corpus = {kind: texts for kind, texts in corpus.items() if kind not in LEFT_OUT and not _is_minor(kind)}
    print({kind: len(texts) for kind, texts in corpus.items()}, file=sys.stderr)
    tokens.PAIRS.update(dict.fromkeys(NAMES, 0))
    weights = fit_pairs(corpus)
    rows = rows_of(weights)
    # Sizes depend on the pairs: the second step must measure with what will be printed, rounding included.
    tokens.PAIRS.update(weights_of(rows))
    costs = fit_costs(corpus)
    print("COSTS: Final[dict[Kind, PieceCost]] = {")
    print('    "plain": PieceCost(1000, 1.0),')
    for kind, (base, slope) in costs.items():
        print(f'    "{kind}": PieceCost({base}, {slope}),')
    print("}\nROWS: Final = (")
    for row in rows:
        print(f'    "{row}",')
    print(")")
    return 0


if __name__ == "__main__":
    sys.exit(main())
