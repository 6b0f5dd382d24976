"""Which stored contents the rows refer to: a field of a record that names one is called `blob`, or ends so."""

import re
from collections.abc import Iterator
from typing import Any

from sqlalchemy import Column, Table, Text

from orchestrator.adapters.sql.care.paging import Read, rows_of
from orchestrator.adapters.sql.schema import metadata, runs
from orchestrator.ports.care import BlobUse

_NAMED = re.compile(r'blob":"(sha256:[0-9a-f]{64})"')


def blobs_in_use(read: Read[Any]) -> Iterator[BlobUse]:
    """Every reference, as often as it is made."""
    for row in rows_of(read, runs, runs.c.team_blob.is_not(None), runs.c.team_blob):
        yield BlobUse(row.team_blob, row.id)
    for table in metadata.sorted_tables:
        for column in table.columns:
            if isinstance(column.type, Text) and not column.primary_key:
                yield from _in_documents(read, table, column)


def _in_documents(read: Read[Any], table: Table, column: Column[Any]) -> Iterator[BlobUse]:
    for row in rows_of(read, table, column.like('%blob":"sha256:%'), column.label("a_document")):
        run_id = str(row[0]).partition("/")[0]  # a row is known by its run's id, or by that of a subtask, `<run>/<key>`
        for address in _NAMED.findall(row.a_document):
            yield BlobUse(address, run_id)
