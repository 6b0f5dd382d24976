"""Finds keys, tokens, private keys and passwords in a text."""

import re
from collections.abc import Iterator

Span = tuple[int, int]

_BEFORE, _AFTER = r"(?<![A-Za-z0-9_])", r"(?![A-Za-z0-9])"
_TOKENS = re.compile(
    rf"{_BEFORE}(?:"
    + "|".join(
        (
            r"(?:AKIA|ASIA|ABIA|ACCA)[0-9A-Z]{16}",
            r"gh[pousr]_[A-Za-z0-9]{36,255}|github_pat_[A-Za-z0-9_]{50,255}|glpat-[\w-]{20,64}",
            r"xox[abeoprs]-[A-Za-z0-9-]{10,255}|xapp-[A-Za-z0-9-]{20,255}",
            r"sk-(?=[\w-]{0,255}\d)[\w-]{20,255}|(?:sk|rk)_(?:live|test)_[A-Za-z0-9]{16,255}|whsec_[A-Za-z0-9+/=]{24,255}",
            r"AIza[\w-]{35}|ya29\.[\w-]{20,255}|GOCSPX-[\w-]{20,64}",
            r"npm_[A-Za-z0-9]{36}|pypi-AgE[\w-]{50,255}|hf_[A-Za-z0-9]{30,64}|dckr_pat_[\w-]{20,64}",
            r"dop_v1_[a-f0-9]{64}|shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}|SG\.[\w-]{16,32}\.[\w-]{32,64}|hvs\.[\w-]{24,255}",
            r"AGE-SECRET-KEY-1[0-9A-Z]{58}|lin_api_[A-Za-z0-9]{32,64}|sq0(?:atp|csp)-[\w-]{22,43}",
            r"eyJ[\w-]{8,4000}\.eyJ[\w-]{8,4000}\.[\w-]{8,1000}",
        )
    )
    + rf"){_AFTER}"
)
_PRIVATE_KEY = re.compile(
    r"-----BEGIN (?:[A-Z0-9]{1,20} ){0,3}PRIVATE KEY(?: BLOCK)?-----.{0,20000}?"
    r"(?:-----END (?:[A-Z0-9]{1,20} ){0,3}PRIVATE KEY(?: BLOCK)?-----|\Z)",
    re.DOTALL,
)
_HOOK = re.compile(r"https://hooks\.slack\.com/services/(?P<secret>T\w{6,12}/B\w{6,12}/\w{20,32})")
_IN_ADDRESS = re.compile(r"(?<![a-z0-9+.-])[a-z][a-z0-9+.-]{1,20}://[^\s:/@]{0,100}:(?P<secret>[^\s@/]{3,200})@")
_BEARER = re.compile(
    r"(?i:\b(?:bearer|authorization\W{1,5}(?:basic|token))\s{1,3})(?P<secret>(?=[^\s]{0,200}\d)[\w.~+/=-]{16,2000})"
)
_WORD = r"(?:pass(?:word|wd|phrase|code)|pwd|passwort|kennwort|mot de passe|contraseña|senha|密码|口令|密碼)"
_KEY = (
    r"(?:(?:api|access|secret|private|encryption|signing|account|shared|master)[ _-]?key|apikey|secret|密钥"
    r"|(?:(?:auth|access|refresh|bearer|session|id|api)[ _-]?)?token|client[ _-]?secret|credentials?)"
)
_ASSIGNED = re.compile(
    rf"(?<![\w.-])[\w.-]{{0,40}}?(?:(?P<password>{_WORD})|(?P<key>{_KEY}))[\"'`*]{{0,3}}"
    r"(?P<gap>\s{0,3}(?::=|=>|[:=：])\s{0,3}|\s(?i:is|lautet|est)\s)"
    r"(?:\"(?P<double>[^\"\n]{1,400})\"|'(?P<single>[^'\n]{1,400})'|`(?P<tick>[^`\n]{1,400})`"
    r"|(?P<bare>[^\s\"'`,;|<>(){}\[\]]{1,400})(?![(\[]))",
    re.IGNORECASE,
)
_PLACEHOLDER = re.compile(
    r"[*•.x▒-]+|…|<.*>|(?-i:\$\{.*|\$[A-Z_][A-Z0-9_]*)|%\w+%|\{.*|none|null|true|false|undefined|required|redacted|withheld"
    r"|hidden|change.?me|example|unknown|missing|invalid|expired|optional|your[-_ ].*|sha\d+:.*|md5:.*|https?://.*",
    re.IGNORECASE,
)
_EXPRESSION = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+")
"""`os.environ` behind an equals sign is code."""
_SHORTEST_PASSWORD, _SHORTEST_KEY = 6, 12
_ENDINGS = ".,;:。，；"


def secrets(text: str) -> Iterator[Span]:
    """Where secrets stand; of an assignment or an address only the secret itself."""
    for pattern in (_TOKENS, _PRIVATE_KEY):
        yield from (match.span() for match in pattern.finditer(text))
    for pattern in (_HOOK, _IN_ADDRESS, _BEARER):
        for match in pattern.finditer(text):
            if not _PLACEHOLDER.fullmatch(match["secret"]):
                yield match.span("secret")
    for match in _ASSIGNED.finditer(text):
        if span := _assigned(match):
            yield span


def _assigned(match: re.Match[str]) -> Span | None:
    name = next(name for name in ("double", "single", "tick", "bare") if match[name] is not None)
    value = match[name] if name != "bare" else match[name].rstrip(_ENDINGS)
    if _PLACEHOLDER.fullmatch(value) or (name == "bare" and _EXPRESSION.fullmatch(value)):
        return None
    # `password: required` and `the token is gone` are prose; a value that could be a word must be set tightly.
    tight = name != "bare" or (match["gap"] == "=" and match["password"] is not None)
    if match["password"] and len(value) < _SHORTEST_PASSWORD:
        return None
    if match["key"] and (len(value) < _SHORTEST_KEY or not _is_mixed(value)):
        return None
    if not tight and value.isalpha():
        return None
    if " " in value and not match["password"]:
        return None
    return match.start(name), match.start(name) + len(value)


def _is_mixed(value: str) -> bool:
    """True for letters and digits together, as keys have them."""
    return any(char.isdigit() for char in value) and any(char.isalpha() for char in value)
