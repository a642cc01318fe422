"""Recalculates a portfolio over Kafka alone (docs/bulk-events.md):

    python -m venv .venv && .venv/bin/pip install -r requirements.txt
    KAFKA_BROKERS=127.0.0.1:9092 .venv/bin/python recalculate.py portfolio.ndjson results.ndjson

A line of the portfolio is a contract, {"id": ..., "jsonParam": {...}}. Each gives exactly one line of results,
{"id", "schedule"}, or of results.ndjson.failures.ndjson, {"line", "id", "problem"}, in the order of the replies.
Exit code: 0 all well, 1 some contracts failed, 2 wrong usage, 3 given up.
"""

from __future__ import annotations

import os
import sys
import time
import uuid
from collections import Counter, deque
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, BinaryIO, TextIO, cast

import simplejson
from confluent_kafka import Consumer, KafkaError, KafkaException, Message, Producer
from confluent_kafka.admin import AdminClient, NewTopic

BROKERS = os.environ.get("KAFKA_BROKERS", "127.0.0.1:9092")
REQUEST_TOPIC = os.environ.get("REQUEST_TOPIC", "plat.schedule.requests.bulk.v1")
# Ours alone, and for one run at a time: two in one group would share out the partitions, and so the replies.
REPLY_TOPIC = os.environ.get("REPLY_TOPIC", "upstream.recalculation.replies.v1")
# 1 to 500 contracts fit a message; the rows bound its reply, which has some 330 bytes for each of them.
CONTRACTS_PER_MESSAGE = int(os.environ.get("CONTRACTS_PER_MESSAGE", "100"))
ROWS_PER_MESSAGE = 12_000
# Fewer would leave workers idle; more only wait longer.
MESSAGES_IN_FLIGHT = int(os.environ.get("MESSAGES_IN_FLIGHT", "16"))
# A message without a reply is repeated after this, then after twice as long each time up to the longest.
REPEAT_AFTER_S = float(os.environ.get("REPEAT_AFTER_S", "30"))
LONGEST_REPEAT_S = 300.0
# The client repeats a send by itself for so long; then it is reported, and repeated with the others.
SEND_TIMEOUT_MS = 30_000
# What is refused but may succeed later waits so long, then twice as long each time.
BACKOFF_S = 1.0
# Without any reply for this long, no worker seems to be running.
PATIENCE_S = float(os.environ.get("PATIENCE_S", "600"))
LOOK_EVERY_S = 0.5
# What depends on today is calculated for this moment; the same moment again gives the same answers again.
RUN_TIME_MS = int(os.environ.get("RUN_TIME_MS", str(time.time_ns() // 1_000_000)))
RUN = uuid.uuid4().hex[:8]
MAX_REQUEST_BYTES = 4 * 1024 * 1024
# Of syslog.
LOG_WARNINGS = 4
# In UTF-16 units, as the engine counts.
MAX_ID_LENGTH = 200
MAX_SAFE_INTEGER = 2**53 - 1


@dataclass(frozen=True)
class Contract:
    line: int
    id: str | int
    # The line itself is an item of the message, so that no figure is written anew.
    text: str
    rows: int


@dataclass
class Batch:
    correlation_id: str
    contracts: list[Contract]
    sent: int = 0
    due_at: float = 0.0


class GivenUp(Exception):
    """No replies come any more, or one that does not fit its request."""


class Recalculation:
    """One run: one thread that sends, receives and repeats."""

    def __init__(self, lines: BinaryIO, results: TextIO, failures: TextIO) -> None:
        self.count: Counter[str] = Counter(read=0, calculated=0, failed=0, messages=0, repeated=0, dropped=0)
        self.waiting: dict[str, Batch] = {}
        self._halves: deque[Batch] = deque()
        self._lines = lines
        self._results = results
        self._failures = failures
        self._last_reply_at = time.monotonic()
        self._producer = Producer(
            {
                "bootstrap.servers": BROKERS,
                "enable.idempotence": True,
                # The partition of a key as the Java client chooses it; librdkafka's own default differs.
                "partitioner": "murmur2_random",
                "message.timeout.ms": SEND_TIMEOUT_MS,
                # 500 contracts with all their commissions and rates may be more than the client's own 1 MB.
                "message.max.bytes": MAX_REQUEST_BYTES,
            }
        )
        self._consumer = Consumer(
            {
                "bootstrap.servers": BROKERS,
                "group.id": f"{REPLY_TOPIC}.reader",
                # From the first reply that this group has not seen: none is missed, however early it comes.
                "auto.offset.reset": "earliest",
            }
        )

    def run(self) -> None:
        """Keeps the window full until everything is answered. Raises GivenUp when replies have stopped coming."""
        create_reply_topic()
        self._consumer.subscribe([REPLY_TOPIC])
        batches = self._read_batches()
        try:
            while True:
                while len(self.waiting) < MESSAGES_IN_FLIGHT:
                    batch = self._halves.popleft() if self._halves else next(batches, None)
                    if batch is None:
                        break
                    self.waiting[batch.correlation_id] = batch
                    self.count["messages"] += 1
                    self._send(batch)
                if not self.waiting:
                    return
                self._receive()
                self._repeat_late()
        finally:
            self._consumer.close()
            self._producer.flush(5)

    def _receive(self) -> None:
        self._producer.poll(0)
        message = self._consumer.poll(LOOK_EVERY_S)
        if message is None:
            return
        error = message.error()
        if error is None:
            self._take_reply(message)
        elif error.fatal():
            raise GivenUp(str(error))
        else:
            print(f"reading replies: {error}", file=sys.stderr)

    def _repeat_late(self) -> None:
        now = time.monotonic()
        if now - self._last_reply_at > PATIENCE_S:
            raise GivenUp(f"no reply for {PATIENCE_S:.0f} s")
        for batch in self.waiting.values():
            if now >= batch.due_at:
                self.count["repeated"] += 1
                self._send(batch)

    def _send(self, batch: Batch) -> None:
        """Sends a message, for the first time or again: the same bytes and headers always, so the same answer."""
        batch.due_at = time.monotonic() + min(REPEAT_AFTER_S * 2**batch.sent, LONGEST_REPEAT_S)
        batch.sent += 1
        try:
            self._producer.produce(
                REQUEST_TOPIC,
                value=f"[{','.join(contract.text for contract in batch.contracts)}]",
                # A key of its own spreads messages over the partitions: those of one key are calculated one by one.
                key=batch.correlation_id,
                headers={
                    "kafka_correlationId": batch.correlation_id,
                    "kafka_replyTopic": REPLY_TOPIC,
                    "plat-message-type": "CalculateRepaymentScheduleRequest",
                    "plat-origin-timestamp": str(RUN_TIME_MS),
                },
                on_delivery=report_delivery,
            )
        except (BufferError, KafkaException) as error:
            print(f"message {batch.correlation_id} was not sent, it will be again: {error}", file=sys.stderr)

    def _read_batches(self) -> Iterator[Batch]:
        contracts: list[Contract] = []
        rows = 0
        number = 0
        # Of bytes, whose lines end with \n or \r\n and with nothing else.
        for line, content in enumerate(self._lines, start=1):
            self.count["read"] += 1
            contract = read_contract(content, line)
            if contract is None:
                self._fail(line, None, {"code": "malformed-line", "title": "The line is not a contract"})
                continue
            is_full = len(contracts) == CONTRACTS_PER_MESSAGE or rows + contract.rows > ROWS_PER_MESSAGE
            if is_full and contracts:
                number += 1
                yield Batch(f"{RUN}-{number}", contracts)
                contracts, rows = [], 0
            contracts.append(contract)
            rows += contract.rows
        if contracts:
            yield Batch(f"{RUN}-{number + 1}", contracts)

    def _take_reply(self, message: Message) -> None:
        headers = read_headers(message)
        correlation_id = headers.get("kafka_correlationId", "")
        batch = self.waiting.get(correlation_id)
        if batch is None:
            # A second copy, or of another run: deliveries are at least once, and repeats make more.
            self.count["dropped"] += 1
            return
        self._last_reply_at = time.monotonic()
        is_error = "plat-error-code" in headers
        if is_error and headers.get("plat-error-retryable") == "true":
            batch.due_at = time.monotonic() + min(BACKOFF_S * 2**batch.sent, LONGEST_REPEAT_S)
            return
        del self.waiting[correlation_id]
        # Numbers become Decimal, so that 100.00 stays 100.00.
        body = simplejson.loads(message.value() or b"null", use_decimal=True)
        if is_error:
            self._divide(batch, body)
        else:
            self._settle(batch, body)

    def _settle(self, batch: Batch, items: list[dict[str, Any]]) -> None:
        """Items come in the order of the contracts, each with the id sent, or none where it was not readable."""
        if len(items) != len(batch.contracts):
            raise GivenUp(f"the reply to {batch.correlation_id} has another length")
        for contract, item in zip(batch.contracts, items, strict=True):
            if item.get("id", contract.id) != contract.id:
                raise GivenUp(f"the reply to {batch.correlation_id} has another id for line {contract.line}")
            if item["status"] != 200:
                self._fail(contract.line, contract.id, item["body"])
                continue
            self.count["calculated"] += 1
            result = {"id": contract.id, "schedule": item["body"]}
            warnings = item.get("headers", {}).get("plat-warnings")
            write(self._results, result if warnings is None else {**result, "warnings": warnings})

    def _divide(self, batch: Batch, problem: object) -> None:
        """The message as a whole was refused: `reply-too-large`. Halves may do; a single contract has failed."""
        if len(batch.contracts) == 1:
            [contract] = batch.contracts
            self._fail(contract.line, contract.id, problem)
            return
        middle = (len(batch.contracts) + 1) // 2
        self._halves.append(Batch(f"{batch.correlation_id}a", batch.contracts[:middle]))
        self._halves.append(Batch(f"{batch.correlation_id}b", batch.contracts[middle:]))

    def _fail(self, line: int, contract_id: str | int | None, problem: object) -> None:
        self.count["failed"] += 1
        known = {} if contract_id is None else {"id": contract_id}
        write(self._failures, {"line": line, **known, "problem": problem})


def read_contract(content: bytes, line: int) -> Contract | None:
    """None where the line is not JSON or has no usable id. Whether the request is right is for the engine to say."""
    try:
        # Without the byte order mark that some editors put before the first line.
        text = content.decode("utf-8-sig").rstrip("\r\n")
        # NaN and Infinity are not JSON, whatever the library's default.
        given = simplejson.loads(text, allow_nan=False)
    except (ValueError, RecursionError):
        return None
    contract_id = given.get("id") if isinstance(given, dict) else None
    match contract_id:
        case str() if 1 <= len(contract_id.encode("utf-16-le", "surrogatepass")) // 2 <= MAX_ID_LENGTH:
            pass
        case int() if type(contract_id) is int and abs(contract_id) <= MAX_SAFE_INTEGER:
            pass
        case _:
            return None
    json_param = given.get("jsonParam")
    rows = json_param.get("InstallmentsNo") if isinstance(json_param, dict) else None
    return Contract(line, contract_id, text, rows if type(rows) is int and rows > 0 else 1)


def read_headers(message: Message) -> dict[str, str]:
    """Headers as text; a foreign correlation id may be any bytes."""
    headers = cast("list[tuple[str, bytes | None]]", message.headers() or [])
    return {name: (value or b"").decode("utf-8", "replace") for name, value in headers}


def create_reply_topic() -> None:
    """Replies come in packed batches (gzip), each at most 8 MiB. Changes nothing where the topic exists."""
    config = {"max.message.bytes": str(8 * 1024 * 1024), "retention.ms": str(24 * 3_600_000)}
    topic = NewTopic(REPLY_TOPIC, num_partitions=3, config=config)
    admin = AdminClient({"bootstrap.servers": BROKERS, "log_level": LOG_WARNINGS})
    try:
        admin.create_topics([topic])[REPLY_TOPIC].result(timeout=30)
    except KafkaException as error:
        if error.args[0].code() != KafkaError.TOPIC_ALREADY_EXISTS:
            raise


def report_delivery(error: KafkaError | None, message: Message) -> None:
    if error is not None:
        key = (message.key() or b"").decode()
        print(f"message {key} was not sent, it will be again: {error}", file=sys.stderr)


def open_output(path: str) -> TextIO:
    """Half a surrogate pair, which JSON allows as an escape, is written as that escape again."""
    return open(path, "w", encoding="utf-8", errors="backslashreplace", newline="\n")


def write(file: TextIO, line: dict[str, Any]) -> None:
    file.write(simplejson.dumps(line, use_decimal=True, ensure_ascii=False, separators=(",", ":")) + "\n")


def main() -> int:
    if len(sys.argv) != 3 or not os.path.isfile(sys.argv[1]):
        print("Usage: KAFKA_BROKERS=host:port python recalculate.py PORTFOLIO RESULTS", file=sys.stderr)
        return 2
    portfolio, output = sys.argv[1:]
    with (
        open(portfolio, "rb") as lines,
        open_output(output) as results,
        open_output(f"{output}.failures.ndjson") as failures,
    ):
        recalculation = Recalculation(lines, results, failures)
        try:
            recalculation.run()
            exit_code = 1 if recalculation.count["failed"] > 0 else 0
        except (GivenUp, KafkaException) as error:
            print(f"given up with {len(recalculation.waiting)} messages unanswered: {error}", file=sys.stderr)
            exit_code = 3
    print(f"run {RUN} of {RUN_TIME_MS}: {simplejson.dumps(recalculation.count)}", file=sys.stderr)
    return exit_code


if __name__ == "__main__":
    sys.exit(main())
