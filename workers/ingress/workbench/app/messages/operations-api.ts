/** The calls of this room: notifications, dead letters and the outbox (/api/operations/v1). */
import type {
  ActionReply,
  FoundNotification,
  LetterPage,
  ShownLetter,
  NotificationTimeline,
  OutboxList,
  OutboxMail,
} from './operations-replies.ts';
import { callJson } from '../api.ts';

const BASE = '/api/operations/v1';
/** An action on 500 dead letters takes 10 s. */
const ACTION_TIMEOUT_MS = 60_000;

/** The filters of the list, as in the address of the page; empty: not filtered. */
export interface LetterFilters {
  readonly topic: string;
  readonly channel: string;
  readonly code: string;
  readonly type: string;
  readonly since: string;
  readonly until: string;
  readonly id: string;
  readonly all: boolean;
}

export type LetterAction = 'redrive' | 'edit' | 'discard';
export type Override = 'again' | 'force' | 'acceptDuplicates';

/** The body of an action. */
export interface ActionCall {
  readonly selection: Readonly<Record<string, unknown>>;
  readonly limit?: number;
  readonly dryRun: boolean;
  readonly reason?: string;
  readonly again?: boolean;
  readonly force?: boolean;
  readonly acceptDuplicates?: boolean;
  readonly patch?: unknown;
  readonly headers?: Readonly<Record<string, string | null>>;
}

export function findTimeline(id: string, signal: AbortSignal): Promise<NotificationTimeline> {
  return callJson(`${BASE}/notifications/${encodeURIComponent(id)}`, { signal });
}

export function findByReference(
  reference: string,
  caller: string,
  signal: AbortSignal,
): Promise<{ readonly notifications: readonly FoundNotification[] }> {
  const query = new URLSearchParams({ reference, ...(caller === '' ? {} : { caller }) });
  return callJson(`${BASE}/notifications?${query}`, { signal });
}

export function listLetters(
  filters: LetterFilters,
  cursor: string,
  signal: AbortSignal,
): Promise<LetterPage> {
  const query = filterQuery(filters);
  for (const name of ['since', 'until'] as const) {
    if (filters[name] !== '') query.set(name, new Date(filters[name]).toISOString());
  }
  if (cursor !== '') query.set('cursor', cursor);
  return callJson(`${BASE}/dead-letters?${query}`, { signal });
}

export function showLetter(place: string, signal: AbortSignal): Promise<ShownLetter> {
  return callJson(`${BASE}/dead-letters/${place}`, { signal });
}

export function actOnLetters(action: LetterAction, body: ActionCall): Promise<ActionReply> {
  return callJson(`${BASE}/dead-letters/${action}`, { method: 'POST', body, timeoutMs: ACTION_TIMEOUT_MS });
}

export function listOutbox(signal: AbortSignal): Promise<OutboxList> {
  return callJson(`${BASE}/outbox`, { signal });
}

export function readOutbox(id: string, signal: AbortSignal): Promise<OutboxMail> {
  return callJson(`${BASE}/outbox/${encodeURIComponent(id)}`, { signal });
}

/** The parameters of an address for these filters. */
export function filterQuery({ all, ...filters }: LetterFilters): URLSearchParams {
  const query = new URLSearchParams(Object.entries(filters).filter(([, value]) => value !== ''));
  if (all) query.set('all', 'true');
  return query;
}

export function readFilters(query: Readonly<Record<string, string>>): LetterFilters {
  const { topic = '', channel = '', code = '', type = '', since = '', until = '', id = '', all } = query;
  return { topic, channel, code, type, since, until, id, all: all === 'true' };
}

/** The selection of an action on all dead letters of these filters. */
export function selectionOf({ topic, channel, code, type, since, until, id }: LetterFilters) {
  return {
    topics: listOf(topic),
    codes: listOf(code),
    types: listOf(type),
    ids: listOf(id),
    channel: channel === '' ? undefined : channel,
    since: momentOf(since),
    until: momentOf(until),
  };
}

function listOf(value: string): readonly string[] | undefined {
  return value === '' ? undefined : [value];
}

/** The moment of a local time of the browser. */
function momentOf(value: string): string | undefined {
  return value === '' ? undefined : new Date(value).toISOString();
}
