"""Decides which hosts and addresses may be reached: public ones, and what an operator allows beyond them."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_network

Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network

_SEPARATORS = re.compile(r"[\s,;]+")
_NOT_PUBLIC = tuple(
    map(
        ip_network,
        (
            "168.63.129.16/32",  # answers the machines of one cloud with what is theirs alone
            "192.0.0.0/24",  # of protocols, and of another cloud's metadata
            "3fff::/20",  # of examples
            "5f00::/16",  # of routers
            "::/96",  # these stand for an IPv4 address, which may be a private one
            "64:ff9b::/96",
            "64:ff9b:1::/48",
            "2002::/16",
        ),
    )
)
"""Beside what Python knows not to be public; older versions of it know less."""


@dataclass(frozen=True, slots=True)
class Reach:
    """Where requests may go. Hosts are lower-case names, or `*.name` for everything below one."""

    hosts: frozenset[str] = frozenset()
    networks: tuple[Network, ...] = ()
    only: frozenset[str] = frozenset()
    """When not empty: the only hosts that may be reached, beside the allowed ones."""

    def allows_host(self, host: str) -> bool:
        """False: no request may go to this host, wherever its name leads."""
        return not self.only or _matches(host, self.only) or _matches(host, self.hosts)

    def allows(self, host: str, address: Address) -> bool:
        """True when a connection to this address, which the host's name led to, may be made."""
        if _matches(host, self.hosts):
            return True
        plain = _unmapped(address)
        if any(plain in network for network in self.networks if network.version == plain.version):
            return True
        return is_public(plain)


def reach_of(allow: str | None, only: str | None) -> Reach:
    """What an operator set: `wiki.intern, 10.1.0.0/16` is allowed too; `*.wikipedia.org` alone may be reached."""
    hosts: set[str] = set()
    networks: list[Network] = []
    for one in _listed(allow):
        try:
            networks.append(ip_network(one, strict=False))
        except ValueError:
            hosts.add(one)
    return Reach(frozenset(hosts), tuple(networks), frozenset(_listed(only)))


def is_public(address: Address) -> bool:
    """True for an address that belongs to one host on the internet and to no local network."""
    plain = _unmapped(address)
    if not plain.is_global or plain.is_multicast or plain.is_reserved or plain.is_unspecified:
        return False
    return not any(plain in network for network in _NOT_PUBLIC if network.version == plain.version)


def _unmapped(address: Address) -> Address:
    if isinstance(address, IPv6Address) and address.ipv4_mapped is not None:
        return address.ipv4_mapped
    return address


def _listed(text: str | None) -> Sequence[str]:
    return [part.casefold().strip("[]").rstrip(".") for part in _SEPARATORS.split(text or "") if part]


def _matches(host: str, names: frozenset[str]) -> bool:
    plain = host.casefold().strip("[]").rstrip(".")
    if plain in names:
        return True
    labels = plain.split(".")
    return any(f"*.{'.'.join(labels[place:])}" in names for place in range(1, len(labels)))
