"""Finds what a team file names as `module:attribute`; a wrong name gets one line that says which part is wrong."""

import importlib
import re
from types import ModuleType

from rapidfuzz import process

from orchestrator.errors import TeamError

_REFERENCE = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)*:[A-Za-z_]\w*")


def resolved(reference: str) -> object:
    """The object that `module:attribute` names. Raises TeamError."""
    if not _REFERENCE.fullmatch(reference):
        raise TeamError("this is no reference", where=f"`{reference}`", mend="Write it as `package.module:name`.")
    module_name, _, attribute = reference.partition(":")
    module = _imported(module_name, reference)
    if not hasattr(module, attribute):
        public = [name for name in vars(module) if not name.startswith("_")]
        what = f"`{module_name}` has no `{attribute}`"
        raise TeamError(what, where=f"`{reference}`", mend=nearest(attribute, public))
    return getattr(module, attribute)


def nearest(name: str, names: list[str], *, most: int = 3) -> str:
    """A sentence with the names that come nearest to `name`."""
    found = [one for one, _, _ in process.extract(name, names, limit=most, score_cutoff=60)]
    if not found:
        return "It has: " + ", ".join(sorted(names)[:20]) + "." if names else "It is empty."
    return "Did you mean " + " or ".join(f"`{one}`" for one in found) + "?"


def _imported(module: str, reference: str) -> ModuleType:
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        where = f"`{reference}`"
        if error.name and (module == error.name or module.startswith(f"{error.name}.")):
            mend = "It must be importable on every worker: install it there, or put its folder on PYTHONPATH."
            raise TeamError(f"there is no module `{error.name}`", where=where, mend=mend) from None
        raise TeamError(
            f"`{module}` needs the module `{error.name}`, which is not installed", where=where, mend="Install it."
        ) from None
    except TeamError:
        raise
    except (Exception, SystemExit) as error:
        what = f"`{module}` cannot be imported: {type(error).__name__}: {error}"
        raise TeamError(" ".join(what.split())[:300], where=f"`{reference}`", mend="Mend the module.") from error
