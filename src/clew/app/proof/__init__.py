"""Proof: a draft's claims against the session's record and the disk.

    judged = gather.judge(ports, text=draft, transcript=path, reader=reader, root=top)
    [one for one in judged if one.stands]       # what may get into a payload
    [one for one in judged if not one.stands]   # what the agent is told: `claim.text`, `verdict`, `reason`

An anchored claim whose reason begins with `prove.IN_DOUBT` stands, but not as it was told: its writer should hear of
it. `judge` reads the session once and asks git a few questions; it runs nothing and reaches no network. `prove.prove`
is the pure part. Without a transcript only the disk is known; what it does not tell is anchored ("no record to check
against"). The draft may stand in the record itself (the call that hands it in, a reply): its own words prove nothing.
"""
