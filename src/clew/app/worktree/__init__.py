"""Work trees for independent work: made, listed, merged when clean and valid, removed when nothing would be lost."""

from clew.app.worktree.make import create
from clew.app.worktree.merge import MergeResult, merge
from clew.app.worktree.place import ListedTree, TreeList, TreeRow, WorkTree, tree_of, trees
from clew.app.worktree.remove import RemoveResult, remove

__all__ = [
    "ListedTree",
    "MergeResult",
    "RemoveResult",
    "TreeList",
    "TreeRow",
    "WorkTree",
    "create",
    "merge",
    "remove",
    "tree_of",
    "trees",
]
