/** The calls of this page: notifications, dead letters and the outbox. */
import type { Schemas } from '../schemas.ts';
import { getJson, postJson } from '../api.ts';
import { WORKBENCH_PATH } from '../page-settings.ts';

export const MESSAGES_PATH = `${WORKBENCH_PATH}/messages`;

const OPERATIONS = '/api/operations/v1';
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

export const NO_FILTERS: LetterFilters = {
  topic: '',
  channel: '',
  code: '',
  type: '',
  since: '',
  until: '',
  id: '',
  all: false,
};

export type LetterAction = 'redrive' | 'edit' | 'discard' | 'mark-sent';
export type Override = NonNullable<Schemas['DeadLetterResult']['override']>;

export function findTimeline(
  notificationId: string,
  signal: AbortSignal,
): Promise<Schemas['NotificationTimeline']> {
  return getJson(`${OPERATIONS}/notifications/${encodeURIComponent(notificationId)}`, {}, { signal });
}

export function findByReference(
  reference: string,
  caller: string,
  signal: AbortSignal,
): Promise<Schemas['FoundNotifications']> {
  return getJson(`${OPERATIONS}/notifications`, { reference, caller }, { signal });
}

export function listLetters(
  filters: LetterFilters,
  cursor: string,
  signal: AbortSignal,
): Promise<Schemas['DeadLetterPage']> {
  const query = {
    ...filters,
    since: momentOf(filters.since),
    until: momentOf(filters.until),
    all: filters.all ? 'true' : undefined,
    cursor,
  };
  return getJson(`${OPERATIONS}/dead-letters`, query, { signal });
}

/** `place`: topic, partition and offset, divided by slashes. */
export function showLetter(place: string, signal: AbortSignal): Promise<Schemas['DeadLetter']> {
  const path = place.split('/').map(encodeURIComponent).join('/');
  return getJson(`${OPERATIONS}/dead-letters/${path}`, {}, { signal });
}

export function actOnLetters(
  action: LetterAction,
  body: Schemas['EditDeadLetters'],
): Promise<Schemas['DeadLetterResults']> {
  return postJson(`${OPERATIONS}/dead-letters/${action}`, body, { timeoutMs: ACTION_TIMEOUT_MS });
}

export function listOutbox(signal: AbortSignal): Promise<Schemas['OutboxMessages']> {
  return getJson(`${OPERATIONS}/outbox`, {}, { signal });
}

export function readOutbox(messageId: string, signal: AbortSignal): Promise<Schemas['OutboxMessage']> {
  return getJson(`${OPERATIONS}/outbox/${encodeURIComponent(messageId)}`, {}, { signal });
}

/** The parameters of an address for these filters. */
export function filterQuery({ all, ...filters }: LetterFilters): URLSearchParams {
  const query = new URLSearchParams(Object.entries(filters).filter(([, value]) => value !== ''));
  if (all) query.set('all', 'true');
  return query;
}

export function readFilters({ all, ...query }: Readonly<Record<string, string>>): LetterFilters {
  const known = Object.entries(query).filter(([name]) => name in NO_FILTERS);
  return { ...NO_FILTERS, ...Object.fromEntries(known), all: all === 'true' };
}

/** The selection of an action on all dead letters of these filters. */
export function selectionOf(filters: LetterFilters): Schemas['DeadLetterSelection'] {
  const { topic, channel, code, type, since, until, id } = filters;
  return {
    ...(topic === '' ? {} : { topics: [topic] }),
    ...(code === '' ? {} : { codes: [code] }),
    ...(type === '' ? {} : { types: [type] }),
    ...(id === '' ? {} : { ids: [id] }),
    ...(channel === '' ? {} : { channel: channel as Channel }),
    ...(since === '' ? {} : { since: momentOf(since) }),
    ...(until === '' ? {} : { until: momentOf(until) }),
  };
}

/** Of an address that was typed by hand it may be another one, which the engine refuses. */
type Channel = NonNullable<Schemas['DeadLetterSelection']['channel']>;

/** The moment of a local time of the browser. What is none, in an address that was typed by hand, is sent for the engine to refuse. */
function momentOf(value: string): string {
  const moment = new Date(value);
  return Number.isNaN(moment.getTime()) ? value : moment.toISOString();
}
