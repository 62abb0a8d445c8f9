"""Shell lines, walked by one walker.

`reader` cuts a line into words and operators; `walker` is the one walk over its commands. `programs`, `words` and
`runners` are the tables. On them stand `purposes` (what each command is for), `outcomes` (how it went), `effects` (what
the line would do, for a hook) and `git_output`. Pure.
"""
