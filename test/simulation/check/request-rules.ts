import { HEADER, headerNumber, headerText } from '../../../shared/messaging/headers.ts';
import type { ReplyBatch } from '../../../shared/messaging/codec/request-batch.ts';
import type { Problem } from '../../../shared/platform/problem.ts';
import { TOPIC } from '../../../shared/messaging/topics/topic-list.ts';
import { actionOf, type Expected } from '../workload/expected-answers.ts';
import { isLastCall, REQUESTS, type UpstreamRequest } from '../workload/plan.ts';
import type { Answer } from '../ingress-call.ts';
import { COMMANDS, DEAD_LETTERS, placeOf, UPSTREAM_REPLIES, type SeenRecord } from './history.ts';
import { type Finding, finding, type Rule, type RuleContext } from './rule.ts';

const REQUEST_TOPICS: ReadonlySet<string> = new Set(REQUESTS.map((key) => TOPIC[key]));
const UNREACHABLE: ReadonlySet<string> = new Set(['broker-unavailable', 'not-ready']);
const TRANSIENT_CODES = new Set([...UNREACHABLE, 'overloaded', 'reply-timeout', 'deadline-exceeded']);

const RESULT_GONE = 'result-gone';

const answerIsRight: Rule = {
  name: 'the answer to a call is that of the calculation of its own request',
  source: 'E1, docs/api.md',
  onActionAnswer: ({ id, answer, expected }, context) => {
    if (answer === undefined) return isLastCall(id) ? finding(`${id} got no answer`, id) : undefined;
    if (answer.status === 202) return undefined;
    const isCalm = context.isCalm || isLastCall(id);
    const fault = faultOfAnswer(answer, expected, { ...context, isCalm });
    return fault === undefined ? undefined : finding(`${id}: ${fault}`, id);
  },
};

function faultOfAnswer({ status, body }: Answer, expected: Expected, context: RuleContext) {
  const code = status === 200 ? undefined : (JSON.parse(body) as Problem).code;
  if (code !== undefined && TRANSIENT_CODES.has(code))
    return context.isCalm ? `${status} ${code} without a fault` : undefined;
  if (code === RESULT_GONE && context.mayEvictResults) return undefined;
  return compare(code === undefined ? { status: 200, body } : { status, code }, expected);
}

function compare(
  got: { readonly status: number; readonly body?: string; readonly code?: string },
  expected: Expected | undefined,
): string | undefined {
  if (expected === undefined) return 'it was not asked for';
  const isSame = 'body' in expected ? sameJson(got.body, expected.body) : got.code === expected.code;
  if (got.status === expected.status && isSame) return undefined;
  const wanted = 'body' in expected ? shorten(expected.body) : expected.code;
  return `${got.status} ${got.code ?? shorten(got.body)} instead of ${expected.status} ${wanted}`;
}

function sameJson(one: string | undefined, other: string): boolean {
  if (one === undefined || one === other) return one === other;
  return JSON.stringify(JSON.parse(one)) === JSON.stringify(JSON.parse(other));
}

function shorten(text = ''): string {
  return text.length > 160 ? `${text.slice(0, 160)}...` : text;
}

const replyIsRight: Rule = {
  name: 'the reply to a request message is that of the calculation of this request',
  source: 'E1, docs/api.md Over Kafka',
  onRecord: (record, context) => {
    if (!UPSTREAM_REPLIES.has(record.topic)) return undefined;
    const id = headerText(record.headers, HEADER.correlationId) ?? '';
    const request = context.history.upstream.find((one) => one.id === id);
    if (request?.activity.kind !== 'request') return finding(`a reply to an unknown request ${id}`, id);
    const { activity, expected } = request;
    if (activity.replyTopic !== record.topic) return finding(`the reply to ${id} is on ${record.topic}`, id);
    const fault = faultOfReply(record, { activity, expected }, context);
    return fault === undefined ? undefined : finding(`reply to ${id}: ${fault}`, id);
  },
};

function faultOfReply(
  record: SeenRecord,
  { activity, expected }: { readonly activity: UpstreamRequest; readonly expected: readonly Expected[] },
  context: RuleContext,
): string | undefined {
  const items = activity.isBatch
    ? batchItems(record, activity.format, context)
    : [singleReply(record, context)];
  if (items === undefined) return 'it cannot be read';
  if (items.length !== activity.items.length)
    return `it has ${items.length} items instead of ${activity.items.length}`;
  for (const [index, item] of items.entries()) {
    const fault = item === undefined ? 'it cannot be read' : compare(item, expected[index]);
    if (fault !== undefined) return `item ${index + 1}: ${fault}`;
  }
  return undefined;
}

type Got = Parameters<typeof compare>[0];

function singleReply(record: SeenRecord, { decode }: RuleContext): Got | undefined {
  const code = headerText(record.headers, HEADER.errorCode);
  if (headerText(record.headers, HEADER.contentType) === 'application/json') {
    const body = record.value?.toString() ?? '';
    return code === undefined
      ? { status: 200, body }
      : { status: (JSON.parse(body) as Problem).status, code };
  }
  const decoded = decode(record);
  if (decoded === undefined) return undefined;
  if (decoded.type === 'ProblemReply') {
    const problem = decoded.payload as Problem;
    return { status: problem.status, code: problem.code };
  }
  const action = actionOf(decoded.type.replace(/Reply$/, 'Request'));
  return { status: 200, body: action.render(decoded.payload) };
}

function batchItems(
  record: SeenRecord,
  format: 'json' | 'avro',
  context: RuleContext,
): readonly (Got | undefined)[] | undefined {
  if (headerText(record.headers, HEADER.errorCode) !== undefined) return undefined;
  if (format === 'json') {
    const items = JSON.parse(record.value?.toString() ?? '[]') as { status: number; body: unknown }[];
    return items.map(({ status, body }) =>
      status === 200 ? { status, body: JSON.stringify(body) } : { status, code: (body as Problem).code },
    );
  }
  const decoded = context.decode(record);
  if (decoded === undefined) return undefined;
  return (decoded.payload as ReplyBatch).items.map(({ value }) =>
    singleReply({ ...record, value, headers: {} }, context),
  );
}

const requestsAreAnswered: Rule = {
  name: 'every request on a topic gets a reply or becomes a dead letter',
  source: 'docs/health.md When something fails',
  atEnd: (_end, { history: { byId } }) =>
    [...byId].flatMap(([id, records]): readonly Finding[] => {
      // A request that is on its topic several times is answered as often.
      const requests = records.filter(({ topic }) => REQUEST_TOPICS.has(topic)).length;
      const missing = 2 * requests - records.length;
      if (missing <= 0) return [];
      return [finding(`${missing} of ${requests} requests ${id} have neither a reply nor a dead letter`, id)];
    }),
};

const acknowledgedIsStored: Rule = {
  name: 'what the broker acknowledged is on its topic',
  source: 'shared/messaging/ports.ts Publisher',
  atEnd: (_end, { history: { records, upstream } }) => {
    const stored = new Set(records.map(({ headers }) => headerText(headers, HEADER.correlationId)));
    return upstream.flatMap(({ id, activity, acknowledgedAtMs }): readonly Finding[] => {
      if (acknowledgedAtMs === undefined || activity.kind === 'command' || stored.has(id)) return [];
      return [finding(`${id} was acknowledged and is on no topic`, id)];
    });
  },
};

const deadLettersAreDeserved: Rule = {
  name: 'a request whose topics are sound never becomes a dead letter',
  source: 'docs/health.md Replies that cannot be sent, docs/dead-letters.md',
  onRecord: ({ topic, headers }, { history }) => {
    if (!DEAD_LETTERS.has(topic)) return undefined;
    const code = headerText(headers, HEADER.deadLetterCode) ?? 'without a code';
    const id = headerText(headers, HEADER.correlationId) ?? headerText(headers, HEADER.notificationId) ?? '';
    if (code === 'unexpected') return finding(`${id} failed unexpectedly`, id);
    if (history.upstream.find((one) => one.id === id)?.activity.kind === 'poison') return undefined;
    // Two instances may accept different texts under a new key at the same moment: one of them is sent.
    const commands = (history.byId.get(id) ?? []).filter((record) => COMMANDS.has(record.topic));
    const texts = new Set(commands.map((record) => headerText(record.headers, HEADER.commandProof)));
    if (code === 'duplicate-id' && texts.size > 1) return undefined;
    // Its owner may report afterwards that it was sent after all, while the dead letter is being written.
    const ends = (history.states.get(id) ?? []).filter(
      ({ status }) => status === 'failed' || status === 'parked',
    );
    if (topic === TOPIC.notificationDeadLetters && ends.length > 0) return undefined;
    return finding(`${id} became a dead letter: ${code}`, id);
  },
};

const poisonBecomesDeadLetter: Rule = {
  name: 'a message that cannot be handled becomes a dead letter',
  source: 'docs/health.md When something fails',
  atEnd: (_end, { history: { byId, upstream } }) =>
    upstream.flatMap(({ id, activity }): readonly Finding[] => {
      if (activity.kind !== 'poison') return [];
      const records = byId.get(id) ?? [];
      const dead = new Set(records.filter(({ topic }) => DEAD_LETTERS.has(topic)).map(placeOfOriginal));
      return records
        .filter((record) => REQUEST_TOPICS.has(record.topic) || COMMANDS.has(record.topic))
        .map(({ topic, partition, offset }) => placeOf(topic, partition, offset))
        .filter((place) => !dead.has(place))
        .map((place) => finding(`${id} at ${place} is no dead letter`, id));
    }),
};

function placeOfOriginal({ headers }: SeenRecord): string {
  const topic = headerText(headers, HEADER.deadLetterTopic) ?? '';
  const number = headerNumber(headers, HEADER.deadLetterPartition) ?? -1;
  return placeOf(topic, number, headerNumber(headers, HEADER.deadLetterOffset) ?? -1);
}

const asyncResultsArrive: Rule = {
  name: 'a request that was accepted with 202 has a result',
  source: 'E5, docs/api.md respond-async',
  atEnd: ({ isCalm }, { history }) =>
    history.actions.flatMap(({ id, acceptedAtMs, answer }): readonly Finding[] => {
      if (acceptedAtMs === undefined || answer === undefined) return [];
      if (answer.status === 202) return [finding(`${id} was accepted and has no result`, id)];
      if (isCalm && answer.status === 504) return [finding(`the result of ${id} came too late`, id)];
      return [];
    }),
};

const repliesKeepOrder: Rule = {
  name: 'requests with the same key are answered in their order',
  source: 'docs/bulk-events.md The message',
  atEnd: (_end, { history: { records, upstream }, isEmbedded }) => {
    // Workers get requests from an embedded broker before they are on its disk, and answer them even if they never will be.
    const refused = new Set(upstream.flatMap(({ id, wasRefused }) => (wasRefused === true ? [id] : [])));
    const positions = new Map<string, number>();
    const latest = new Map<string, { readonly id: string; readonly at: number }>();
    const findings: Finding[] = [];
    for (const record of records) {
      const { topic, partition, offset } = record;
      const id = headerText(record.headers, HEADER.correlationId) ?? '';
      const isFirst = !positions.has(`${topic} ${id}`);
      positions.set(`${topic} ${id}`, Math.min(offset, positions.get(`${topic} ${id}`) ?? Infinity));
      if (!isFirst || !UPSTREAM_REPLIES.has(topic) || (isEmbedded && refused.has(id))) continue;
      const origin = [...REQUEST_TOPICS].find((one) => positions.has(`${one} ${id}`)) ?? '';
      const place = `${origin} ${topic}/${partition} ${record.key}`;
      const at = positions.get(`${origin} ${id}`) ?? 0;
      const before = latest.get(place);
      if (before !== undefined && at < before.at) {
        findings.push(finding(`${id} was answered after ${before.id}, which came later`, id, before.id));
      } else latest.set(place, { id, at });
    }
    return findings;
  },
};

/** A refusal within this time is immediate. */
const IMMEDIATE_MS = 50;
/** A call waits for a lost connection for a second, which a fast clock shortens a little. */
const PATIENCE_MS = 990;

const shortAbsencesAreWaitedOut: Rule = {
  name: 'a call is refused at once only when a connection to the broker has been absent for a second',
  source: 'docs/health.md When something fails',
  onActionAnswer: ({ id, sentAtMs, answeredAtMs = sentAtMs, absentMs = Infinity, answer }) => {
    if (answer?.status !== 503 || answeredAtMs - sentAtMs > IMMEDIATE_MS || absentMs >= PATIENCE_MS)
      return undefined;
    const { code } = JSON.parse(answer.body) as Problem;
    if (!UNREACHABLE.has(code)) return undefined;
    return finding(`${id} got 503 ${code} after an absence of ${absentMs.toFixed(0)} ms`, id);
  },
};

export const REQUEST_RULES: readonly Rule[] = [
  shortAbsencesAreWaitedOut,
  repliesKeepOrder,
  answerIsRight,
  replyIsRight,
  requestsAreAnswered,
  acknowledgedIsStored,
  deadLettersAreDeserved,
  poisonBecomesDeadLetter,
  asyncResultsArrive,
];
