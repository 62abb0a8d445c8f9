"""Work trees for independent work: made, listed, merged when clean and valid, removed when nothing would be lost."""

from clew.app.worktree.make import create
from clew.app.worktree.merge import Conflict, Invalid, Merged, NotClean, merge
from clew.app.worktree.place import Listed, WorkTree, tree_of, trees
from clew.app.worktree.remove import Kept, Removed, remove

__all__ = [
    "Conflict",
    "Invalid",
    "Kept",
    "Listed",
    "Merged",
    "NotClean",
    "Removed",
    "WorkTree",
    "create",
    "merge",
    "remove",
    "tree_of",
    "trees",
]
