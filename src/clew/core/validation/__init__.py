"""What a project's checks say: the first failure in a runner's output, which tests failed, and whether the checks
themselves were weakened. Pure.
"""
