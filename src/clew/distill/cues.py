"""Words that tell what a sentence is: a decision, a reason, a doubt, something taken back. Data, and one way to look.

Sets of words instead of regular expressions: they cost nothing to load, and a sentence is taken apart once for all.
"""

from functools import lru_cache

from clew.core.tuples import NamedTuple

_MARKS = dict.fromkeys('`*_.,:;!?()[]{}<>"“”‘/\\|=+–—→#@~\n\t', " ")
_SPOKEN = str.maketrans({**_MARKS, "’": "'"})
# The same for bytes, which is several times as fast: most texts are ASCII.
_SPOKEN_ASCII = bytes(range(128)).decode().translate(_SPOKEN).encode().ljust(256)


class Spoken(NamedTuple):
    """A text taken apart: its lower-case words, and the same in order between single spaces (one at each end)."""

    words: frozenset[str]
    line: str


@lru_cache(maxsize=1024)  # several modules ask for the same text one after the other
def spoken(text: str) -> Spoken:
    """Take a text apart. Hyphens and apostrophes stay in their words; a word has a letter or a digit."""
    if text.isascii():
        words = text.lower().encode().translate(_SPOKEN_ASCII).decode().split()
    else:
        words = text.lower().translate(_SPOKEN).split()
        words = [word for word in words if word[0].isalnum() or word[-1].isalnum()]
    return Spoken(frozenset(words), f" {' '.join(words)} ")


class Cues(NamedTuple):
    """Words, and phrases as they stand in `Spoken.line`, each by its longest word: without that it is not there.
    `telling` are the words of both sorts.
    """

    telling: frozenset[str]
    words: frozenset[str]
    phrases: dict[str, tuple[str, ...]]

    def within(self, text: Spoken) -> bool:
        """Whether any cue is in the text."""
        said, line = text
        if self.telling.isdisjoint(said):  # the usual case
            return False
        for word in self.telling & said:
            if word in self.words:
                return True
            for phrase in self.phrases[word]:
                if phrase in line:
                    return True
        return False


_ENDINGS = ("", "s", "d", "ed", "es", "ing", "ly", "ion", "ions", "ation", "ations", "le", "ility", "ure", "ures")


def cues(listed: str) -> Cues:
    """Cues from a list separated by commas. `word*` stands for a word with its usual endings."""
    words: set[str] = set()
    phrases: dict[str, tuple[str, ...]] = {}
    for entry in (entry.strip() for entry in listed.split(",")):
        if " " in entry:
            phrase = f" {entry.removesuffix('*')}" + ("" if entry.endswith("*") else " ")
            whole = phrase.split() if phrase.endswith(" ") else phrase.split()[:-1]
            longest = max(whole, key=len)
            phrases[longest] = (*phrases.get(longest, ()), phrase)
        elif entry.endswith("*"):
            words.update(entry[:-1] + ending for ending in _ENDINGS)
        else:
            words.add(entry)
    return Cues(frozenset([*words, *phrases]), frozenset(words), phrases)


# Decisions, reasons, surprises, limits and steps to come: such sentences outlive their session.
LASTING = cues(
    """because, since, so that, instead, rather than, decided, chose, root cause, the problem is, the problem was,
    the issue is, the issue was, the reason, the fix is, the fix was, the bug is, the bug was, turns out, must, never,
    always, only, however, caveat, note that, important, careful, risk, limitation, trade-off, tradeoff, not yet,
    not pushed, not committed, not done, not needed, next step, next steps, remaining, unverified, recommend*, won't,
    can't, cannot, doesn't, does not, deliberately, by design, intentional*, so there's no, so there is no, so it*,
    so we*, so i*"""
)
OPEN = cues(
    """next step, next steps, not pushed, not committed, recommend, recommended, recommendation, unverified, remaining,
    still need, still needs, still open, still missing, still to do"""
)
OPEN_HEADING = cues(
    "open, remaining, not done, next, todo, to-do, to do, follow-up*, follow up*, outstanding, pending, left"
)
# Of the parts of a plan that tell how things were.
BEFORE_HEADING = cues(
    """context, problem, background, motivation, findings, prerequisite, prerequisites, current state, current behavior,
    current behaviour, root cause, previously, analysis"""
)
# With these even an announcement says something.
SUBSTANCE = cues("because, but, not, instead, fail*, since, however, so that, turns out, unless, cannot, can't, must")
REASON = cues(
    """because, since, so that, otherwise, must, never, avoid, instead of, rather than, in case, to keep, to avoid,
    workaround, backward*, compatib*, intentional*, deliberate*, cycle, shadow*"""
)
TAKEN_BACK = cues(
    """actually, i was wrong, my mistake, correction, incorrect*, revert, reverted, reverting, no longer, remove,
    removed, undo, undone, rolled back, dropped, not needed after all, turns out, instead of, replaced"""
)
RETRACTION = cues(
    """actually, turns out, was wrong, my mistake, are in fact needed, is still needed, are still needed,
    needed after all, reverted, doesn't work, didn't work, doesn't compile, didn't compile, broke"""
)
# What was done stays so.
DEEDS = frozenset(
    """added bumped changed committed converted corrected created deleted dropped extracted fixed implemented introduced
    made merged moved refactored removed renamed replaced reverted rewrote rewritten switched updated wrote""".split()
)
# The speaker takes an own statement back.
MISTAKE = cues(
    """i was wrong, my mistake, i misread, i misunderstood, i apologize, i incorrectly, incorrectly stated,
    incorrectly said, incorrectly claimed, my original review, i stand corrected"""
)
ADVICE = cues(
    """safe, safely, can be deleted, can be removed, can be dropped, can be simplified, can just, you can,
    should be able, unnecessary, redundant, dead code, not needed, no longer needed, unused, simply"""
)
FAILING = cues("fail, fails, failing, failed, broken, error, errors, errored")
CHECKS = cues("test, tests, build, lint, ci, check, checks")
DEFERRED = cues(
    """out of scope, follow-up, followup, follow-ups, deferred, later pr, later commit, later change,
    not in this pr, not in this change, not in this commit, next release, for later"""
)
DEAD_END = cues(
    """did not work, didn't work, does not work, doesn't work, won't work, tried to, tried using, tried with, tried and,
    failed because, approach fails, approach failed, dead end, abandoned"""
)
# An approach given up: the agent says so as it takes it back.
GIVEN_UP = cues("""let me revert, i'll revert, i need to revert, reverting, revert this, revert that, revert all""")
RISK = cues(
    """risk, risks, risky, caveat, caveats, beware, unverified, untested, limitation, limitations, might break,
    could break, edge case, edge cases, not covered, known issue, known issues"""
)
DECIDED = cues(
    """decided, decision, chose, choice, so that, rather than, instead of, by design, deliberate*, on purpose, we use,
    we now use, approach, strategy, intentional*, prefer, preferred"""
)
NEXT = cues(
    """next step, next steps, remaining, still need, still needs, still to do, still missing, still open, to do next,
    left to do, ready to be committed, ready to be staged, ready to be merged, ready to be pushed, ready to commit,
    ready to merge, ready to push, not pushed, not yet pushed, not committed, not yet committed"""
)
# Said to hand over what is done; of what works now only beside what the user is to do.
HANDING_OVER = cues("you can re-run, you can rerun, you can now run, for you to review")
WORKING = cues("should work now, should pass now")
RUNNING = cues("push, run, re-run, rerun")
# Said of what is done, until it is edited again.
READY = cues("is ready, are ready, is now ready, are now ready")
OFFER = cues(
    """would you like, do you want, want me to, shall i, should i, let me know, i can also, if you want,
    if you like"""
)
# A way that the agent takes, as it takes it; with a reason that is a decision.
CHOOSING = cues("i'll use, i'll keep, i'll go with, i'll leave, i'll skip, i'll stick, i will use, i will keep")
# What is about to be done: told by the report at the end of the turn.
INTENT = cues("i'll, i will, i'm going to, i am going to, i want to, i plan to, my plan")
# The same of what is being written, and of who is about to write it.
FORETELLING = cues(
    """the draft will, the document will, the summary will, the page will, the report will, the new version will,
    the rewrite will, the fix will, the patch will, the change will, the update will, i'm ready to, i am ready to"""
)
# What the speaker would do: until the turn that follows shows what was done.
WOULD = cues(
    """i'd, i would, my plan would, my plan is, i suggest, i propose, i recommend, my recommendation is,
    my suggestion is, we could, i could, i can patch, i can add"""
)
# What somebody thinks should be otherwise.
SUGGESTION = cues("suggest*, suggestion*, recommend*, recommendation*, consider, better, issue, issues, should")
# A lead to what somebody puts forward.
PUTTING_FORWARD = cues(
    """you could, we could, i could, i'd, i would, propose*, proposal*, suggest, suggestion*, recommend,
    recommendation*, my plan, alternatives"""
)
# What a user forbids or demands beyond the request at hand.
RULE = cues(
    """don't, dont, do not, never, always, must, mustn't, must not, should not, shouldn't, without, avoid, no need,
    no more, stick to, make sure, be sure, ensure, leave, simplest"""
)
# What a user wants or does not want, in plain words: it holds until they say something else.
WISH = cues(
    """don't want, do not want, didn't want, don't need, not what i, i'd rather, i would rather, i prefer, whole point,
    the point is, the point of, no good, must not, mustn't, not allowed, no one else, nobody else,
    too broad, too much, too complex, has to stay, have to stay, not supposed to, stop doing"""
)
CORRECTION = cues(
    """instead, revert, undo, roll back, wrong, not what i, i meant, i said, that's not, this is not, why did,
    why are"""
)
# A state of things as the agent found it, or a need it saw: overtaken when the work that follows settles it.
PROBLEM = cues(
    """no tests, never called, not called, currently, right now, untracked, conflict, conflicts, not yet, to fix,
    diagnostic, diagnostics, lsp, has no, have no, missing, unused, stale, i need to, i also need, we need to,
    needs fixing, need to become, don't have, doesn't have, no existing, still need,
    still needs, still has, the better approach, can't easily, cannot easily, i'll need"""
)
# What somebody found to be wrong, in the present: the edit that follows mends it.
DIAGNOSIS = cues(
    """the issue is, the problem is, the bug is, the cause is, root cause, see the issue, see the problem, see the bug,
    found the issue, found the problem, found the bug, found it, be causing, is causing, was causing"""
)
# The same between calls: how the code was before the edit that follows.
FOUND = cues("already, exists, at the moment, for now, there's a, there is a")
# What a later `git add` or commit settles.
NOT_COMMITTED = cues(
    """untracked, uncommitted, not committed, not yet committed, not staged, unstaged, to be staged, to be committed,
    before committing, before pushing"""
)
DIAGNOSTICS = cues("diagnostic, diagnostics, lsp")
# With these nothing is still to be done.
DONE = cues("applied, completed, successfully, resolved, removed, cleanly")
# What is to happen in which case.
CASE = cues(
    "if, when, unless, otherwise, treated as, falls back, in case, counts as, higher, lower, missing, corrupted"
)
