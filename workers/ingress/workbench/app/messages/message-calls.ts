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
/** Longer than the 50 s within which the engine answers an action. */
const ACTION_TIMEOUT_MS = 60_000;

/** The filters in the address of the list. An empty text does not filter. Times are local times of the browser. */
export type DeadLetterFilters = typeof NO_FILTERS;

export const NO_FILTERS = {
  topic: '',
  channel: '',
  code: '',
  type: '',
  since: '',
  until: '',
  id: '',
  /** `true` shows handled dead letters too. */
  all: '',
};

export type DeadLetter = z.infer<typeof shownLetter>;
export type EditDeadLetters = z.input<typeof editBody>;
export type DeadLetterSelection = EditDeadLetters['selection'];
export type DeadLetterAction = 'redrive' | 'edit' | 'discard' | 'mark-sent';
export type Override = NonNullable<ActionReply['letters'][number]['override']>;

/** The address from which a page of the list is loaded: the first page if `cursor` is empty. */
export function addressOfDeadLetters(filters: DeadLetterFilters, cursor: string): string {
  const times = { since: momentOf(filters.since), until: momentOf(filters.until) };
  return withQuery(`${OPERATIONS}/dead-letters`, { ...filters, ...times, cursor });
}

/** Sends an action once and waits at most 60 s for its result. Rejects with an EngineError. */
export function actOnDeadLetters(action: DeadLetterAction, body: EditDeadLetters): Promise<ActionReply> {
  return postJson(`${OPERATIONS}/dead-letters/${action}`, body, { timeoutMs: ACTION_TIMEOUT_MS });
}

export function readFilters(query: Readonly<Record<string, string>>): DeadLetterFilters {
  const known = Object.entries(query).filter(([name]) => name in NO_FILTERS);
  return { ...NO_FILTERS, ...Object.fromEntries(known) };
}

/** Selects all dead letters that match the filters. The engine checks the values. */
export function selectionOf(filters: DeadLetterFilters): DeadLetterSelection {
  const { topic, channel, code, type, since, until, id } = filters;
  const lists = { topics: [topic], codes: [code], types: [type], ids: [id] };
  const selection = { ...lists, channel, since: momentOf(since), until: momentOf(until) };
  return Object.fromEntries(
    Object.entries(selection).filter(([, wanted]) => wanted.length > 0 && wanted[0] !== ''),
  );
}

/** Converts a local time of the browser to UTC in ISO format. Other text stays unchanged for the engine to refuse. */
function momentOf(value: string): string {
  const moment = new Date(value);
  return Number.isNaN(moment.getTime()) ? value : moment.toISOString();
}
