"""The same client for asyncio: each call in a thread."""

from __future__ import annotations

import asyncio
import inspect
import threading
from collections.abc import AsyncIterator, Callable
from typing import Any

from ._client import Client

_END = object()


class AsyncClient:
    """Every method of `Client`, awaited; iterators are async ones.

    Cancelling the task ends the wait between two attempts; a request under way goes on in its thread until its timeout.
    """

    def __init__(self, *args: Any, **options: Any) -> None:
        self._client = Client(*args, **options)

    def __repr__(self) -> str:
        return f"Async{self._client!r}"

    async def __aenter__(self) -> AsyncClient:
        return self

    async def __aexit__(self, *_: object) -> None:
        """Nothing is held open: each call has a connection of its own."""

    def with_options(self, **options: Any) -> AsyncClient:
        copy = object.__new__(AsyncClient)
        copy._client = self._client.with_options(**options)
        return copy

    def __getattr__(self, name: str) -> Callable[..., Any]:
        method = None if name.startswith("_") else getattr(Client, name, None)
        if not callable(method):
            raise AttributeError(name)
        # Annotations are text: an iterator says so.
        if str(inspect.signature(method).return_annotation).startswith("Iterator["):
            return lambda *args, **named: self._walk(name, *args, **named)
        return lambda *args, **named: self._run(name, *args, **named)

    async def _run(self, name: str, *args: Any, **named: Any) -> Any:
        cancel = threading.Event()
        client = self._client.with_options(cancel=cancel)
        try:
            return await asyncio.to_thread(getattr(client, name), *args, **named)
        except asyncio.CancelledError:
            cancel.set()
            raise

    async def _walk(self, name: str, *args: Any, **named: Any) -> AsyncIterator[Any]:
        items = getattr(self._client, name)(*args, **named)
        while (item := await asyncio.to_thread(next, items, _END)) is not _END:
            yield item
