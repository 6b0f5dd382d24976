"""The models of one endpoint by name."""

import pytest

from agents.models.openai_chat.endpoint import Endpoint
from agents.models.openai_chat.model import Sampling
from agents.models.openai_chat.registry import Models
from orchestrator.errors import ConfigError


def test_an_agent_that_names_no_model_gets_the_endpoints() -> None:
    """A name counts over the default."""
    with Models(Endpoint("http://127.0.0.1:9/v1", model="small")) as models:
        assert models.model().name == "small"
        assert models.model("large", Sampling(temperature=None)).name == "large"


def test_nobody_names_a_model() -> None:
    """One line that says where to name it."""
    with Models(Endpoint("http://127.0.0.1:9/v1")) as models, pytest.raises(ConfigError) as caught:
        models.model()
    assert str(caught.value) == ("REMIT_MODEL: no model is named. Set it, or name a model for each agent of the team.")


def test_the_client_can_be_opened_ahead_and_is_closed_once() -> None:
    """Warming up asks nothing of the server; closing twice, or unopened, is no error."""
    models = Models(Endpoint("http://127.0.0.1:9/v1"))
    models.close()
    models.warm()
    models.close()
    models.close()
