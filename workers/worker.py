"""A worker process: takes wake-ups from the broker and runs turns until it is told to stop."""

import logging
import os
import socket
import uuid
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

from agents.isolation import Isolation
from agents.tools.mcp.servers import McpServers
from orchestrator.config import Settings, environment
from orchestrator.engine.services.claims import Claims
from orchestrator.engine.services.ending import Endings
from orchestrator.engine.services.sweeping import Sweeper
from orchestrator.engine.services.turns import Turns
from orchestrator.errors import ConfigError
from orchestrator.ports.limiter import Limiter
from workers.assembly import Assembly
from workers.celery_app import make_app, register_turn
from workers.embedded.ready import tell_ready
from workers.keeper import Keeper
from workers.metering import Metering
from workers.models import ConfiguredModels
from workers.pool_worker import PoolWorker, leave
from workers.rates import open_limiter
from workers.runtime import Runtime, runtime
from workers.tries import Tries
from workers.turn import Agents, TurnRunner

log = logging.getLogger(__name__)


def new_worker_id() -> str:
    """`host:pid:uuid`: another incarnation has another id, also on the same host with the same pid."""
    return f"{socket.gethostname()}:{os.getpid()}:{uuid.uuid4().hex[:12]}"


def work(settings: Settings, worker_id: str | None, ready_fd: int | None) -> int:
    """Run a worker until it is told to stop; its exit code. Raises ConfigError without a broker."""
    if settings.broker_url is None:
        raise ConfigError(
            "a worker needs a broker and a database",
            where="REMIT_BROKER_URL",
            mend="Set REMIT_BROKER_URL and REMIT_DATABASE_URL; on one machine `remit up` brings its own.",
        )
    with runtime(settings, settings.broker_url, "remit-worker") as rt:
        code, abandoned = _work(rt, worker_id or new_worker_id(), ready_fd)
    if abandoned:
        leave(code)
    return code


def _work(rt: Runtime, worker_id: str, ready_fd: int | None) -> tuple[int, int]:
    executor = ThreadPoolExecutor(max_workers=max(8, rt.settings.threads), thread_name_prefix="call")
    isolation = Isolation()
    servers = McpServers(environment())
    limiter = _limiter(rt)
    tries = Tries(limiter, rt.settings.rates)
    models = ConfiguredModels(rt.settings, tries)
    settings = rt.settings.for_tools()
    assembly = Assembly(
        rt.store, rt.blobs, rt.checker, models, isolation, settings=settings, servers=servers, clock=rt.clock
    )
    metering = Metering(rt.store, models.price, tries)
    runner = _runner(rt, worker_id, executor, assembly, metering)
    app = make_app(rt.settings.broker_url or "", rt.settings.instance)
    register_turn(app, _hearing(rt.settings, runner.run))
    stopping = False

    def stop_requested() -> None:
        nonlocal stopping
        stopping = True
        log.info("worker %s stops; it finishes the steps in hand first", worker_id)

    def ready() -> None:
        log.info("worker %s takes work", worker_id)
        if ready_fd is not None:
            tell_ready(ready_fd)

    pool = PoolWorker(app, rt.settings.threads, _once(ready), stop_requested)
    runner.stop_when(lambda: stopping)
    keeper = Keeper(
        store=rt.store,
        sweeper=Sweeper(rt.store, rt.broker, rt.applier),
        runner=runner,
        worker_id=worker_id,
        lease_seconds=rt.settings.lease_seconds,
        broker=rt.broker,
        pool=pool,
    )
    runner.begin_while(lambda: keeper.holds)
    keeper.start()
    try:
        code = pool.run()
    finally:
        keeper.close()
        isolation.close()
        servers.close()
        models.close()
        limiter.close()
        executor.shutdown(wait=False, cancel_futures=True)
    return code, pool.abandoned


def _runner(
    rt: Runtime, worker_id: str, executor: ThreadPoolExecutor, assembly: Assembly, metering: Metering
) -> TurnRunner:
    endings = Endings(rt.store, rt.applier, rt.checker, rt.clock)
    return TurnRunner(
        store=rt.store,
        blobs=rt.blobs,
        clock=rt.clock,
        telemetry=rt.telemetry,
        claims=Claims(rt.store),
        turns=Turns(rt.store, rt.applier, endings, rt.clock, timedelta(seconds=rt.settings.grace_seconds)),
        endings=endings,
        assembly=_agents(rt, assembly, metering.tries),
        executor=executor,
        worker_id=worker_id,
        metering=metering,
        outdated=assembly.outdated,
    )


def _hearing(settings: Settings, run: Callable[[str], None]) -> Callable[[str], None]:
    """What is done with a wake-up; only `remit chaos` puts something before it."""
    if settings.chaos is None:
        return run
    from workers.chaos.wrapping import disturbed_hearing  # noqa: PLC0415  # only where `remit chaos` breaks things

    return disturbed_hearing(settings, run)


def _limiter(rt: Runtime) -> Limiter:
    """What keeps the rates of models, shared by all workers; only `remit chaos` puts something around it."""
    limiter = open_limiter(rt.settings.broker_url or "", rt.settings.instance, rt.store)
    if rt.settings.chaos is None:
        return limiter
    from workers.chaos.wrapping import disturbed_limiter  # noqa: PLC0415  # as above

    return disturbed_limiter(rt.settings, limiter)


def _agents(rt: Runtime, assembly: Assembly, tries: Tries) -> Agents:
    """Who works on what is claimed; only `remit chaos` puts something around their calls."""
    if rt.settings.chaos is None:
        return assembly
    from workers.chaos.wrapped_agents import disturbed_agents  # noqa: PLC0415  # as above

    return disturbed_agents(rt.settings, assembly, tries)


def _once(call: Callable[[], None]) -> Callable[[], None]:
    """The pool says that it is ready after each reconnect; the supervisor is told once."""
    done = False

    def first() -> None:
        nonlocal done
        if not done:
            done = True
            call()

    return first
