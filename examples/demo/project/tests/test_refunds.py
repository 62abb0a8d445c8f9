import unittest

from till.refunds import split


class SplitTest(unittest.TestCase):
    def test_even(self):
        self.assertEqual([50, 50], split(100, [1, 1]))
