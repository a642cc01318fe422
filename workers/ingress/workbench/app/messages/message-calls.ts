/** The addresses of the pages of messages, and their calls on dead letters. */
import type {
  ActionReply,
  editBody,
  shownLetter,
} from '../../../../../shared/api/operations/dead-letter-calls.ts';
import type { z } from 'zod';
import { postJson, withQuery } from '../api.ts';
import { WORKBENCH_PATH } from '../page-settings.ts';

export const MESSAGES_PATH = `${WORKBENCH_PATH}/messages`;

export const OPERATIONS = '/api/operations/v1';
/** An action on 500 dead letters takes 10 s. */
const ACTION_TIMEOUT_MS = 60_000;

/** The filters of the list, as in the address of the page; empty: not filtered. */
export type DeadLetterFilters = typeof NO_FILTERS;

export const NO_FILTERS = {
  topic: '',
  channel: '',
  code: '',
  type: '',
  since: '',
  until: '',
  id: '',
  /** `true`: also those that have been handled. */
  all: '',
};

export type DeadLetter = z.infer<typeof shownLetter>;
export type EditDeadLetters = z.input<typeof editBody>;
export type DeadLetterSelection = EditDeadLetters['selection'];
export type DeadLetterAction = 'redrive' | 'edit' | 'discard' | 'mark-sent';
export type Override = NonNullable<ActionReply['letters'][number]['override']>;

/** The address of a page of the list; an empty `cursor` is the first. */
export function addressOfDeadLetters(filters: DeadLetterFilters, cursor: string): string {
  const times = { since: momentOf(filters.since), until: momentOf(filters.until) };
  return withQuery(`${OPERATIONS}/dead-letters`, { ...filters, ...times, cursor });
}

export function actOnDeadLetters(action: DeadLetterAction, body: EditDeadLetters): Promise<ActionReply> {
  return postJson(`${OPERATIONS}/dead-letters/${action}`, body, { timeoutMs: ACTION_TIMEOUT_MS });
}

export function readFilters(query: Readonly<Record<string, string>>): DeadLetterFilters {
  const known = Object.entries(query).filter(([name]) => name in NO_FILTERS);
  return { ...NO_FILTERS, ...Object.fromEntries(known) };
}

/** The selection of an action on all dead letters of these filters; the engine refuses what an address typed by hand has wrong. */
export function selectionOf(filters: DeadLetterFilters): DeadLetterSelection {
  const { topic, channel, code, type, since, until, id } = filters;
  const lists = { topics: [topic], codes: [code], types: [type], ids: [id] };
  const selection = { ...lists, channel, since: momentOf(since), until: momentOf(until) };
  return Object.fromEntries(
    Object.entries(selection).filter(([, wanted]) => wanted.length > 0 && wanted[0] !== ''),
  );
}

/** The moment of a local time of the browser. What is none is sent for the engine to refuse. */
function momentOf(value: string): string {
  const moment = new Date(value);
  return Number.isNaN(moment.getTime()) ? value : moment.toISOString();
}
