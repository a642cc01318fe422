/** The calls of this page: notifications, dead letters and the outbox. */
import type {
  ActionReply,
  LetterPage,
  editBody,
  shownLetter,
} from '../../../../../shared/api/operations/dead-letter-calls.ts';
import type {
  NotificationTimeline,
  OutboxList,
  OutboxReply,
  foundNotifications,
} from '../../../../../shared/api/operations/notification-lists.ts';
import type { z } from 'zod';
import { getJson, postJson } from '../api.ts';
import { WORKBENCH_PATH } from '../page-settings.ts';

export const MESSAGES_PATH = `${WORKBENCH_PATH}/messages`;

const OPERATIONS = '/api/operations/v1';
/** An action on 500 dead letters takes 10 s. */
const ACTION_TIMEOUT_MS = 60_000;

/** The filters of the list, as in the address of the page; empty: not filtered. */
export type LetterFilters = typeof NO_FILTERS;

export const NO_FILTERS = {
  topic: '',
  channel: '',
  code: '',
  type: '',
  since: '',
  until: '',
  id: '',
  all: false,
};

export type DeadLetter = z.infer<typeof shownLetter>;
/** As it is sent. */
export type EditDeadLetters = z.input<typeof editBody>;
export type LetterSelection = EditDeadLetters['selection'];
export type LetterAction = 'redrive' | 'edit' | 'discard' | 'mark-sent';
export type Override = NonNullable<ActionReply['letters'][number]['override']>;

export function findTimeline(notificationId: string, signal: AbortSignal): Promise<NotificationTimeline> {
  return getJson(`${OPERATIONS}/notifications/${encodeURIComponent(notificationId)}`, {}, { signal });
}

export function findByReference(
  reference: string,
  caller: string,
  signal: AbortSignal,
): Promise<z.infer<typeof foundNotifications>> {
  return getJson(`${OPERATIONS}/notifications`, { reference, caller }, { signal });
}

export function listLetters(
  filters: LetterFilters,
  cursor: string,
  signal: AbortSignal,
): Promise<LetterPage> {
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
export function showLetter(place: string, signal: AbortSignal): Promise<DeadLetter> {
  const path = place.split('/').map(encodeURIComponent).join('/');
  return getJson(`${OPERATIONS}/dead-letters/${path}`, {}, { signal });
}

export function actOnLetters(action: LetterAction, body: EditDeadLetters): Promise<ActionReply> {
  return postJson(`${OPERATIONS}/dead-letters/${action}`, body, { timeoutMs: ACTION_TIMEOUT_MS });
}

export function listOutbox(signal: AbortSignal): Promise<OutboxList> {
  return getJson(`${OPERATIONS}/outbox`, {}, { signal });
}

export function readOutbox(messageId: string, signal: AbortSignal): Promise<OutboxReply> {
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
export function selectionOf(filters: LetterFilters): LetterSelection {
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
type Channel = NonNullable<LetterSelection['channel']>;

/** The moment of a local time of the browser. What is none, in an address that was typed by hand, is sent for the engine to refuse. */
function momentOf(value: string): string {
  const moment = new Date(value);
  return Number.isNaN(moment.getTime()) ? value : moment.toISOString();
}
