"""What a call of a model costs, by the public price lists that `genai-prices` ships; unknown models have no price."""

from collections.abc import Sequence
from decimal import Decimal


def cost(
    models: Sequence[str], address: str | None, *, input_tokens: int, output_tokens: int, cached_tokens: int = 0
) -> str | None:
    """US dollars as a decimal text, for the first of these names of one model that has a price; None when none has.

    `address` is looked up first; behind an unknown one (a proxy, a local server) a name counts only when it
    is its maker's own, so that `llama3.1` or `deepseek-r1:7b` on this machine stay without a price.
    """
    # Import takes 0.3 s and reads large tables: only whoever pays for calls needs it.
    from genai_prices import Usage, calc_price  # noqa: PLC0415

    usage = Usage(
        input_tokens=input_tokens,
        output_tokens=output_tokens,
        cache_read_tokens=min(cached_tokens, input_tokens) or None,
    )
    for name in dict.fromkeys(models):
        try:
            return _text(calc_price(usage, name, provider_api_url=address).total_price)
        except LookupError:
            pass
        try:
            if address is not None and ":" not in name:
                return _text(calc_price(usage, name).total_price)
        except LookupError:
            continue
    return None


def _text(dollars: Decimal) -> str:
    text = f"{dollars:f}"
    return text.rstrip("0").rstrip(".") if "." in text else text
