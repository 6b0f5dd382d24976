"""What must not leave is found by pattern and taken out of texts and JSON values."""

import pytest

from orchestrator.domain.withholding import MARK, SETS, find, redact
from orchestrator.errors import TeamError

PRIVATE_KEY = "-----BEGIN RSA PRIVATE KEY-----\nMIIEow\nIBAAK\n-----END RSA PRIVATE KEY-----"
JWT = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.dozjgNryP4J3jVmNHl0w"

SECRETS = {
    "the key AKIAIOSFODNN7EXAMPLE is old": "AKIAIOSFODNN7EXAMPLE",
    f"push with ghp_{'a1B2' * 9}.": "ghp_" + "a1B2" * 9,
    "OPENAI_API_KEY=sk-proj-abcDEF1234567890abcdef": "sk-proj-abcDEF1234567890abcdef",
    "sk_live_4eC39HqLyjWDarjtT1zdp7dc": "sk_live_4eC39HqLyjWDarjtT1zdp7dc",
    f"AIza{'Sy12345' * 5} here": "AIza" + "Sy12345" * 5,
    "xoxb-123456789012-abcdefABCDEF": "xoxb-123456789012-abcdefABCDEF",
    f"see {JWT}": JWT,
    f"so:\n{PRIVATE_KEY}\nend": PRIVATE_KEY,
    "cut: -----BEGIN PRIVATE KEY-----\nMIIE": "-----BEGIN PRIVATE KEY-----\nMIIE",
    "Authorization: Bearer abcdef1234567890abcdef": "abcdef1234567890abcdef",
    "postgresql://remit:s3cr3tpw@db:5432/remit": "s3cr3tpw",
    "https://hooks.slack.com/services/T01234567/B01234567/abcdefghij0123456789abcd": (
        "T01234567/B01234567/abcdefghij0123456789abcd"
    ),
    "password: Summer2026!": "Summer2026!",
    "Password = 'correct horse'": "correct horse",
    '{"db_password": "hunter22"}': "hunter22",
    "userPassword=geheim": "geheim",
    "密码：abc123，": "abc123",
    "Kennwort lautet Tr0ub4dor.": "Tr0ub4dor",
    "client_secret: Zx81kQ07Lm55": "Zx81kQ07Lm55",
    "| **api key**: `A1B2C3D4E5F6G7` |": "A1B2C3D4E5F6G7",
}


@pytest.mark.parametrize("text", SECRETS)
def test_secrets_are_found(text: str) -> None:
    """Of an assignment, an address or a header only the secret itself."""
    assert [hit.text for hit in find(text, ["secrets"])] == [SECRETS[text]]


PERSONAL = {
    ("cards", "paid by 4111 1111 1111 1111 today"): "4111 1111 1111 1111",
    ("cards", "5555-5555-5555-4444"): "5555-5555-5555-4444",
    ("cards", "Amex 3782 822463 10005"): "3782 822463 10005",
    ("cards", "378282246310005"): "378282246310005",
    ("cards", "卡号6200000000000005。"): "6200000000000005",
    ("cards", "卡号４１１１１１１１１１１１１１１１"): "４１１１１１１１１１１１１１１１",
    ("iban", "DE89 3704 0044 0532 0130 00 is ours"): "DE89 3704 0044 0532 0130 00",
    ("iban", "to GB82WEST12345698765432."): "GB82WEST12345698765432",
    ("email", "write to a.b+c@mail.example.com, please"): "a.b+c@mail.example.com",
    ("email", "邮箱foo@example.com。"): "foo@example.com",
    ("phone", "call +49 30 1234567 now"): "+49 30 1234567",
    ("phone", "or (415) 555-2671"): "(415) 555-2671",
    ("phone", "手机13800138000"): "13800138000",
    ("phone", "Tel. 030 / 1234567"): "030 / 1234567",
    ("national_id", "身份证11010519491231002X"): "11010519491231002X",
    ("national_id", "SSN 078-05-1120"): "078-05-1120",
}


@pytest.mark.parametrize(("kind", "text"), PERSONAL)
def test_personal_data_is_found(kind: str, text: str) -> None:
    """Cards, accounts, addresses, phones and national ids, also beside Chinese and in full-width digits."""
    hits = find(text, [kind])
    assert [(hit.set, hit.text) for hit in hits] == [(kind, PERSONAL[kind, text])]
    assert text[hits[0].start : hits[0].end] == hits[0].text


@pytest.mark.parametrize(
    "text",
    [
        "INV-20263973 of 2026-03-01 over 1,234.56 EUR, row 12 [E3.1]",
        f"sha256:{'0123456789abcdef' * 4}",
        "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
        "password: required, the secret is out, secret: none, token: E4.2",
        "tokens: 123456789012, input_tokens=4096, max_token = 100000",
        "api_key: ${API_KEY}, token = os.environ['TOKEN'], password: ********",
        "password = settings.database.password",
        "Passwort: siehe Tresor",
        "INV-4111111111111111, 4,111,111,111,111,111 and 4111111111111112",
        "order 1234567890123456 at 20260301120000 or 1772323200000",
        "4006381333931 (EAN), ISBN 978-3-16-148410-0",
        "DE89 3704 0044 0532 0130 01 and DE00ABC",
        "+12 345 678 EUR, −1,234.56, 0012345678, 555 1234",
        "2026-03-01T12:00:00+00:00 to https://example.com:8080/a@b",
        "11010519491231002Y, 110105194912310021, 000-12-3456, 123-45-67890",
        "a @ b and @name, x@y",
        "sk-learn is no key, task-force-one-two-three neither",
    ],
)
def test_what_only_looks_like_it_is_left(text: str) -> None:
    """Numbers of documents, amounts, dates, hashes, wrong check digits, placeholders and prose."""
    assert find(text, SETS) == ()


def test_hits_come_in_order_and_once() -> None:
    """A hit inside another is part of it."""
    text = "a@example.com then password=sk-proj-abcDEF1234567890abcdef"
    assert [hit.set for hit in find(text, ["secrets", "email", "secrets"])] == ["email", "secrets"]


def test_only_the_named_sets_are_looked_for() -> None:
    """No set, no hit."""
    assert find("4111 1111 1111 1111", ["secrets", "iban"]) == ()
    assert find("4111 1111 1111 1111", []) == ()


def test_an_unknown_set_is_an_error_of_the_team() -> None:
    """The message names the sets there are."""
    with pytest.raises(TeamError, match=r"`creditcards` is no pattern set.*secrets, cards"):
        find("x", ["creditcards"])


def test_strings_are_taken_out_of_a_text() -> None:
    """Every occurrence, the longer string first, overlapping ones as one."""
    assert redact("a key, the key", ["key"]) == f"a {MARK}, the {MARK}"
    assert redact("abcdef", ["bcd", "abc", "cdef"]) == MARK
    assert redact("key and keyhole", ["key", "keyhole"]) == f"{MARK} and {MARK}"


def test_the_shape_of_a_value_stays() -> None:
    """Texts anywhere in it change, keys, numbers and truth values do not."""
    value = {"key": ["a key", {"n": 1, "b": True, "x": None}], "other": 1.5, "t": ("key",)}
    assert redact(value, ["key"]) == {
        "key": [f"a {MARK}", {"n": 1, "b": True, "x": None}],
        "other": 1.5,
        "t": (MARK,),
    }
    assert value["key"] == ["a key", {"n": 1, "b": True, "x": None}]


def test_a_card_is_a_card_without_quotation_marks() -> None:
    """A number with these very digits goes too; short ones are figures."""
    assert redact([4111111111111111, 41], ["4111111111111111", "41"]) == [MARK, 41]


def test_the_mark_holds_none_of_the_strings() -> None:
    """Where it would, another mark is used."""
    assert redact("it is held", ["held"]) == "it is ▒▒▒"
    assert redact("▒ is held", ["held", "▒"]) == "███ is ███"


def test_nothing_to_take_out() -> None:
    """Empty strings and blanks are nobody's secret."""
    assert redact("a b", ["", " "]) == "a b"
    assert redact({"a": "b"}, []) == {"a": "b"}
