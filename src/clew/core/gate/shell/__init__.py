"""Shell lines, read by one reader.

`reader` cuts a line into words and operators, `words` has the tables. On them stand two readings: `effects` (hooks:
which commands a line would run, which files it would write), and `cut`, `purposes`, `outcomes` (which commands a
session ran, what each is for, how it went). Pure; the first three import nothing but themselves and `core.gate`.
"""
