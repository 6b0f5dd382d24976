"""Planning: an accepted plan becomes subtasks and edges; a replan replaces only what has not started."""

from collections.abc import Sequence

from orchestrator.domain.changes import AddSubtasks, Change, ReplaceUnstarted, RevisePlan
from orchestrator.domain.graph import REPLACED, Graph
from orchestrator.domain.plan import Plan, PlannedSubtask
from orchestrator.domain.run import Run
from orchestrator.domain.subtask import Edge, NewSubtask, Subtask, SubtaskSpec, subtask_id
from orchestrator.engine.collecting import released

COMPOSE = "compose"
REVIEW = "review"


def first(run: Run, planner: Subtask, plan: Plan) -> list[Change]:
    """The changes that carry out the first plan; a direct answer goes straight to the reviewer."""
    revise = RevisePlan(run.id, run.revision, run.version, run.replans, run.reviews)
    if plan.answer is not None:
        review = _reviewer(run)
        edge = Edge(from_id=planner.id, to_id=review.id)
        return [revise, AddSubtasks(run.id, (review,), (edge,)), released(edge, usable=True)]
    ids = {one.key: subtask_id(run.id, _key(run, one.key)) for one in plan.subtasks}
    work = [_planned(run, one, ids[one.key], run.version) for one in plan.subtasks]
    compose, review = _composer(run), _reviewer(run)
    edges = [*_edges(plan.subtasks, ids, ids), *_into(compose, work), Edge(from_id=compose.id, to_id=review.id)]
    return [revise, AddSubtasks(run.id, (*work, compose, review), tuple(edges))]


def again(run: Run, planner: Subtask, plan: Plan, graph: Graph, held: Sequence[Edge]) -> list[Change]:
    """The changes that carry out a replan. `held` are the edges of failed subtasks that waited for it.

    A plan that only answers gives up: the failure is said in the composed answer.
    """
    version = run.version + 1
    revise = RevisePlan(run.id, run.revision, version, run.replans, run.reviews)
    composer = graph.the("composer")
    freed = [released(edge, usable=False, because=f"{edge.from_id} failed") for edge in held]
    if not plan.subtasks or composer is None:
        return [revise, *freed, *_done(planner, composer)]
    current = {key: one.id for key, one in graph.current().items()}
    taken = {one.key for one in graph.subtasks}
    ids = {one.key: subtask_id(run.id, _free(one.key, version, taken)) for one in plan.subtasks}
    work = [_planned(run, one, ids[one.key], version) for one in plan.subtasks]
    edges = [*_edges(plan.subtasks, ids, {**current, **ids}), *_into(composer, work)]
    replace = ReplaceUnstarted(run.id, REPLACED)
    return [revise, replace, AddSubtasks(run.id, tuple(work), tuple(edges)), *freed, *_done(planner, composer)]


def _done(planner: Subtask, composer: Subtask | None) -> list[Change]:
    if composer is None:
        return []
    return [released(Edge(from_id=planner.id, to_id=composer.id, needs="any"), usable=True)]


def _key(run: Run, key: str) -> str:
    """A planner that was sent back plans in a later version: its keys must not meet the earlier ones."""
    return key if run.version == 1 else f"{key}@{run.version}"


def _free(key: str, version: int, taken: set[str]) -> str:
    return f"{key}@{version}" if key in taken else key


def _planned(run: Run, planned: PlannedSubtask, id_: str, version: int) -> NewSubtask:
    spec = SubtaskSpec(
        kind="group" if planned.over else "specialist",
        agent=planned.agent,
        title=planned.title,
        instruction=planned.instruction,
        inputs=planned.inputs,
        over=planned.over,
        call=planned.call,
        output=planned.output,
    )
    key = id_.split("/", 1)[1]
    return NewSubtask(id=id_, run_id=run.id, key=key, version=version, spec=spec, priority=run.rules.priority)


def _edges(planned: Sequence[PlannedSubtask], ids: dict[str, str], known: dict[str, str]) -> list[Edge]:
    return [
        Edge(from_id=known[after.subtask], to_id=ids[one.key], needs=after.needs)
        for one in planned
        for after in one.after
    ]


def _into(composer: NewSubtask, work: Sequence[NewSubtask]) -> list[Edge]:
    return [Edge(from_id=one.id, to_id=composer.id, needs="any") for one in work]


def _composer(run: Run) -> NewSubtask:
    instruction = "Write the answer to the goal from the findings. Say what could not be done."
    return _role(run, COMPOSE, SubtaskSpec(kind="composer", agent="composer", title="Compose", instruction=instruction))


def _reviewer(run: Run) -> NewSubtask:
    instruction = "Check the composed answer against the goal and the evidence."
    return _role(run, REVIEW, SubtaskSpec(kind="reviewer", agent="reviewer", title="Review", instruction=instruction))


def _role(run: Run, key: str, spec: SubtaskSpec) -> NewSubtask:
    key = _key(run, key)
    return NewSubtask(
        id=subtask_id(run.id, key),
        run_id=run.id,
        key=key,
        version=run.version,
        spec=spec,
        priority=run.rules.priority,
    )
