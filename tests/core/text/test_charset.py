"""Bytes of files in whichever encoding."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.core.text.charset import decode

TEXTS = [
    ("cp1252", "Latin-1", "Das Boot fährt über die Brücke"),
    ("cp1252", "Latin-1", "café – déjà vu à Noël, 12 €"),
    ("cp1252", "Latin-1", "# ancla: mañana el año que viene ¿no?"),
    ("cp1252", "Latin-1", "water at 25 °C, waves of 3 µm ± 1"),
    ("cp1250", "Windows-1250", "Łódka płynie, żeby złapać wiatr"),
    ("cp1251", "Windows-1251", "Лодка идёт к маяку, ветер с моря"),
    ("koi8_r", "KOI8-R", "Лодка идёт к маяку, ветер с моря"),
    ("cp932", "Shift-JIS", "船は灯台へ向かう"),
    ("cp932", "Shift-JIS", "name = 'x'  # 波の高さを計算する\n"),
    ("euc_jp", "EUC-JP", "船は灯台へ向かう。風は海から。"),
    ("gbk", "GBK", "// 计算浪高，然后更新灯塔的状态\nint x = 1;"),
    ("gbk", "GBK", "船向灯塔驶去"),
    ("gbk", "GBK", "测试文件"),
    ("big5", "Big5", "中文測試"),
    ("big5", "Big5", "計算浪高，然後更新燈塔的狀態"),
    ("euc_kr", "EUC-KR", "배는 등대로 간다. 바람은 바다에서 분다"),
    ("utf-16", "UTF-16", "the boat, über alles"),
    ("utf-16-le", "UTF-16", "the boat goes to the lighthouse"),
    ("utf-16-be", "UTF-16", "the boat goes to the lighthouse"),
    ("utf-32", "UTF-32", "the boat 船"),
    ("utf-8-sig", "UTF-8", "船 über"),
    ("utf-8", "UTF-8", "船 über"),
]


@pytest.mark.parametrize(("codec", "name", "text"), TEXTS)
def test_the_encoding_is_told_by_what_it_makes_of_the_bytes(codec: str, name: str, text: str) -> None:
    """Also of a few words in a long text of ASCII."""
    for whole in (text, "let x = 1;\n" * 20_000 + text + "\nend\n"):
        assert decode(whole.encode(codec)) == (whole, name, 0)


def test_a_broken_place_does_not_change_the_encoding() -> None:
    """UTF-8 that was cut in the middle of a character stays UTF-8, and says how much is lost."""
    data = "船は灯台へ向かう".encode()
    assert decode(data[:-1] + b"\n") == ("船は灯台へ向か\ufffd\n", "UTF-8", 1)


def test_what_is_no_text_has_replaced_signs() -> None:
    found = decode(bytes(range(0x80, 0xA0)) * 3 + b"\xff\xfe\xfd")
    assert found.replaced > 0 and found.encoding == "UTF-8"


@given(st.binary(max_size=200))
def test_no_bytes_fail(data: bytes) -> None:
    found = decode(data)
    assert found.text.count("\ufffd") >= found.replaced
