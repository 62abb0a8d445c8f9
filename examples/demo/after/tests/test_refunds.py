import unittest

from till.refunds import split


class SplitTest(unittest.TestCase):
    def test_even(self):
        self.assertEqual([50, 50], split(100, [1, 1]))

    def test_adds_up(self):
        self.assertEqual(100, sum(split(100, [1, 1, 1])))
