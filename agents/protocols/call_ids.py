"""The ids of calls: our own inside (`c<step>.<index>`), and what each looks like on the wire."""

import hashlib
import re

_OWN = re.compile(r"c(\d{1,5})\.(\d{1,3})\Z", re.ASCII)


def own_id(step: int, index: int) -> str:
    """The id of the call number `index` in the reply of step `step`."""
    return f"c{step}.{index}"


def wire_id(own: str) -> str:
    """The id that a server sees: nine letters and digits, which is all that the strictest of them accept.

    Ids of our own form are written out (`c7.2` → `c00007002`) and so stay unique; any other id is hashed.
    """
    match = _OWN.match(own)
    if match and own == own_id(int(match[1]), int(match[2])):
        return f"c{int(match[1]):05d}{int(match[2]):03d}"
    return "x" + hashlib.blake2s(own.encode("utf-8", "surrogatepass"), digest_size=4).hexdigest()
