"""Which addresses may be reached: public ones, and exactly what an operator allows beyond."""

from ipaddress import IPv4Address, ip_address

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.tools.builtin.web.reach import is_public, reach_of


@pytest.mark.parametrize("address", ["93.184.216.34", "8.8.8.8", "2606:4700::1111", "2a00:1450:4001::200e"])
def test_public_addresses(address: str) -> None:
    """Of the internet."""
    assert is_public(ip_address(address))


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1",
        "127.8.8.8",
        "0.0.0.0",
        "10.1.2.3",
        "172.16.0.1",
        "172.31.255.255",
        "192.168.1.1",
        "100.64.0.1",
        "100.100.100.200",
        "169.254.169.254",
        "168.63.129.16",
        "192.0.0.192",
        "192.0.2.1",
        "198.18.0.1",
        "224.0.0.251",
        "240.0.0.1",
        "255.255.255.255",
        "::",
        "::1",
        "::ffff:127.0.0.1",
        "::ffff:169.254.169.254",
        "::127.0.0.1",
        "64:ff9b::7f00:1",
        "64:ff9b:1::a00:1",
        "2002:7f00:1::",
        "2002:a9fe:a9fe::1",
        "fe80::1",
        "fc00::1",
        "fd00:ec2::254",
        "ff02::1",
        "2001:db8::1",
        "100::1",
    ],
)
def test_addresses_that_are_not_public(address: str) -> None:
    """Local, private, link-local, shared, reserved, multicast, of clouds, and IPv6 ways to write them."""
    assert not is_public(ip_address(address))


@given(st.ip_addresses(v=4))
def test_an_address_is_judged_alike_in_both_versions(address: IPv4Address) -> None:
    """`::ffff:a.b.c.d` is `a.b.c.d`."""
    assert is_public(ip_address(f"::ffff:{address}")) == is_public(address)


@pytest.mark.parametrize(
    ("allow", "host", "address", "allowed"),
    [
        ("", "wiki.intern", "10.1.2.3", False),
        ("wiki.intern", "wiki.intern", "10.1.2.3", True),
        ("wiki.intern", "WIKI.intern.", "10.1.2.3", True),
        ("wiki.intern", "evil.wiki.intern", "10.1.2.3", False),
        ("*.intern", "wiki.intern", "10.1.2.3", True),
        ("*.intern", "a.b.intern", "10.1.2.3", True),
        ("*.intern", "intern", "10.1.2.3", False),
        ("*.intern", "notintern", "10.1.2.3", False),
        ("10.1.0.0/16", "wiki.intern", "10.1.2.3", True),
        ("10.1.0.0/16", "wiki.intern", "10.2.2.3", False),
        ("10.1.0.0/16", "wiki.intern", "::ffff:10.1.2.3", True),
        ("10.1.2.3", "10.1.2.3", "10.1.2.3", True),
        ("a.intern; 10.1.0.0/16 ,b.intern", "b.intern", "192.168.0.1", True),
        ("fd00::/8", "x", "fd00::1", True),
        ("fd00::/8", "x", "10.0.0.1", False),
    ],
)
def test_an_operator_allows_more(allow: str, host: str, address: str, allowed: bool) -> None:
    """Hosts by name, everything below a name, networks."""
    assert reach_of(allow, None).allows(host, ip_address(address)) == allowed


def test_an_operator_allows_less() -> None:
    """Only the hosts that are named; what is allowed beyond the public ones stays allowed."""
    reach = reach_of("wiki.intern", "*.wikipedia.org, arxiv.org")
    assert [reach.allows_host(host) for host in ("de.wikipedia.org", "arxiv.org", "wiki.intern")] == [True] * 3
    assert [reach.allows_host(host) for host in ("wikipedia.org", "example.org", "evilarxiv.org")] == [False] * 3
    assert reach_of("", "").allows_host("example.org")
