import { setTimeout as sleep } from 'node:timers/promises';
import type { ActionReply, LetterPage, ListedLetter } from '../../shared/api/operations/dead-letter-calls.ts';
import { OPERATIONS_LIMITS } from '../../shared/api/operations/operation-fields.ts';
import type { Problem } from '../../shared/platform/problem.ts';
import { errorText, InfrastructureError, MessagingError } from '../../shared/platform/errors.ts';
import { type DeadLettersArguments, readEdit } from './dead-letters-arguments.ts';

export interface CommandReport {
  readonly ok: boolean;
  /** What is printed without --json. */
  readonly lines: readonly string[];
  /** What is printed with --json. */
  readonly result: Readonly<Record<string, unknown>>;
}

export interface CommandContext {
  readonly api: DeadLetterApi;
  readonly onProgress: (line: string) => void;
  readonly signal: AbortSignal;
}

/** Stops after the current call when `signal` aborts. Rejects with SystemError if a call fails or is refused. */
export async function runDeadLettersCommand(
  args: DeadLettersArguments,
  context: CommandContext,
): Promise<CommandReport> {
  if (args.name === 'list') return list(args, context);
  return args.isAction ? act(args, context) : show(args, context);
}

function listLine({ id, at, code, from = '-', attempts, redrives, status }: ListedLetter): string {
  return `${id}  ${at}  ${code}  ${from}  attempts ${attempts}  redrives ${redrives}  ${status}`;
}

const OVERRIDE_TEXT = {
  again: '; use --again to include it',
  force: ', or use --force',
  acceptDuplicates: ', or use --accept-duplicates',
} as const;

function resultLine(letter: ActionReply['letters'][number]): string {
  const { id, code, result, to, why, override, warnings = [] } = letter;
  const reason = override === undefined ? why : (why ?? '') + OVERRIDE_TEXT[override];
  const details = [to === undefined ? undefined : `to ${to}`, reason, ...warnings];
  const text = details.filter((part) => part !== undefined).join(': ');
  return [result.replace('-', ' ').padEnd(13), id, code, text].join('  ').trimEnd();
}

/** Renders JSON, and escapes the control and format characters on which a terminal would act. */
export function toPlainJson(value: unknown): string {
  return JSON.stringify(value, undefined, 2).replaceAll(/[\u007F-\u009F\p{Cf}]/gu, escapeUnits);
}

/** An action on 500 dead letters takes 10 s. The ingress answers within 50 s, even if the broker does not. */
const CALL_TIMEOUT_MS = 120_000;
/** Attempts of a call that gets 429: a long list uses up the caller's rate limit, which is refilled within seconds. */
const MAX_ATTEMPTS = 10;

type DeadLetterApi = ReturnType<typeof createDeadLetterApi>;

/** `url` is that of the ingress, with any base path. The methods reject with SystemError `refused` or `no-process`. */
export function createDeadLetterApi(url: string, token: string | undefined) {
  const base = `${url}/api/operations/v1/dead-letters`;
  const call = async (address: string, init: RequestInit = {}): Promise<unknown> => {
    for (let attempt = 1; ; attempt += 1) {
      const response = await send(address, init);
      if (response.status === 429 && attempt < MAX_ATTEMPTS) {
        await sleep(Number(response.headers.get('retry-after') ?? 1) * 1_000);
        continue;
      }
      const body: unknown = await response.json().catch(() => undefined);
      if (response.ok) return body;
      throw new MessagingError('refused', refusalText(response.status, body), { canRetry: false });
    }
  };
  const send = async (address: string, init: RequestInit): Promise<Response> => {
    const headers = {
      'content-type': 'application/json',
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    };
    const signal = AbortSignal.timeout(CALL_TIMEOUT_MS);
    try {
      return await fetch(base + address, { ...init, headers, signal });
    } catch (error) {
      const { cause = error } = error as Error;
      const text = `no ingress answers at ${url} (${errorText(cause)}): start one with npm start, or name another one with --url`;
      throw new InfrastructureError('no-process', text, error);
    }
  };
  return {
    get: (address: string, query?: URLSearchParams) =>
      call(query === undefined ? address : `${address}?${query.toString()}`),
    post: (action: string, body: object) =>
      call(`/${action}`, { method: 'POST', body: JSON.stringify(body) }),
  };
}

async function list(args: DeadLettersArguments, context: CommandContext): Promise<CommandReport> {
  const { limit = 100, all } = args;
  const { letters, ...page } = await readPages(args, context, { limit, all });
  const { count, codes, handled, isComplete, isAuditComplete } = page;
  const counts = Object.entries(codes).map(([code, number]) => `${number} ${code}`);
  return {
    ok: isComplete && !context.signal.aborted,
    lines: [
      ...letters.map(listLine),
      `${count} letter${count === 1 ? '' : 's'}${counts.length === 0 ? '' : `: ${counts.join(', ')}`}`,
      ...(count > letters.length ? [`${count - letters.length} older not shown (--limit)`] : []),
      ...(handled > 0 ? [`${handled} handled not shown (--all)`] : []),
      ...(isAuditComplete
        ? []
        : ['the audit was read in part: dead letters that were handled may appear as open']),
      ...(isComplete
        ? []
        : [`not all dead letters were searched, at most the newest ${OPERATIONS_LIMITS.scannedLetters}`]),
    ],
    result: { letters, ...page },
  };
}

async function show(args: DeadLettersArguments, context: CommandContext): Promise<CommandReport> {
  const { letters, count, isComplete } = await readPages(args, context, {
    limit: args.limit ?? 10,
    all: true,
  });
  if (letters.length === 0) return reportNoMatch(0);
  const shown: unknown[] = [];
  for (const { id } of letters) {
    if (context.signal.aborted) break;
    shown.push(await context.api.get(`/${id}`));
  }
  const notShown = count - shown.length;
  return {
    ok: isComplete && !context.signal.aborted,
    lines: [...shown.map(toPlainJson), ...(notShown > 0 ? [`${notShown} older not shown (--limit)`] : [])],
    result: { letters: shown, notShown },
  };
}

async function readPages(
  { criteria, ids }: DeadLettersArguments,
  { api, signal }: CommandContext,
  { limit, all }: { readonly limit: number; readonly all: boolean },
): Promise<Omit<LetterPage, 'nextCursor'>> {
  const { topics, codes, types, channel, key, since, until } = criteria;
  const lists = { topic: topics, code: codes, type: types, id: ids };
  const query = new URLSearchParams({ all: String(all) });
  for (const [name, values] of Object.entries(lists)) for (const value of values) query.append(name, value);
  for (const [name, value] of Object.entries({ channel, key, since, until })) {
    if (value !== undefined) query.set(name, value);
  }
  const letters: ListedLetter[] = [];
  for (;;) {
    query.set('limit', String(Math.min(limit - letters.length, OPERATIONS_LIMITS.pageLetters)));
    const { letters: more, nextCursor, ...page } = (await api.get('', query)) as LetterPage;
    letters.push(...more);
    if (nextCursor === undefined || letters.length >= limit || signal.aborted) return { ...page, letters };
    query.set('cursor', nextCursor);
  }
}

async function act(args: DeadLettersArguments, context: CommandContext): Promise<CommandReport> {
  const { name, limit = Infinity } = args;
  let selected = args.ids;
  if (args.isFiltered) {
    const { letters, handled } = await readPages(args, context, { limit: Infinity, all: args.again });
    if (letters.length === 0) return reportNoMatch(handled);
    selected = letters
      .map(({ id }) => id)
      .toReversed()
      .slice(0, limit);
  }
  const body = bodyOf(args);
  const all: ActionReply[] = [];
  let left = Math.min(limit, selected.length);
  for (let at = 0; left > 0 && !context.signal.aborted; at += OPERATIONS_LIMITS.actionLetters) {
    const ids = selected.slice(at, at + OPERATIONS_LIMITS.actionLetters);
    const portion = { ...body, selection: { ids }, limit: Math.min(left, OPERATIONS_LIMITS.actionLetters) };
    const reply = (await context.api.post(name, portion)) as ActionReply;
    all.push(reply);
    left -= ids.length;
    if (reply.counts['failed'] !== undefined) break;
    if (left > 0) context.onProgress(`${at + ids.length} of ${selected.length} letters done`);
  }
  return reportActions(all, { dryRun: args['dry-run'], notBegun: Math.max(0, left) });
}

function bodyOf(args: DeadLettersArguments): object {
  const { name, reason, again, force, 'dry-run': dryRun, 'accept-duplicates': acceptDuplicates } = args;
  const body = { reason, dryRun, again };
  if (name === 'discard' || name === 'mark-sent') return body;
  const send = { ...body, force, acceptDuplicates };
  return name === 'edit' ? { ...send, ...readEdit(args) } : send;
}

function reportActions(
  replies: readonly ActionReply[],
  { dryRun, notBegun }: { readonly dryRun: boolean; readonly notBegun: number },
): CommandReport {
  const counts = new Map<string, number>();
  for (const reply of replies)
    for (const [result, count] of Object.entries(reply.counts))
      counts.set(result, (counts.get(result) ?? 0) + count);
  const letters = replies.flatMap((reply) => reply.letters);
  const notListed = replies.reduce((sum, reply) => sum + reply.notListed, 0);
  const summary = [...counts].map(([result, count]) => `${count} ${result.replace('-', ' ')}`).join(', ');
  return {
    ok: notBegun === 0 && !counts.has('refused') && !counts.has('failed'),
    lines: [
      ...letters.map(resultLine),
      ...(notListed > 0 ? [`${notListed} more skipped, not listed`] : []),
      summary + (dryRun ? ' (dry run: nothing was written)' : ''),
      ...(notBegun > 0 ? [`${notBegun} not begun`] : []),
    ],
    result: { dryRun, counts: Object.fromEntries(counts), letters, notListed, notBegun },
  };
}

function reportNoMatch(handled: number): CommandReport {
  const text =
    handled > 0
      ? `all ${handled} that match have already been handled; use --again to include them`
      : 'no dead letter matches; `npm run dead-letters -- list --all` lists all of them';
  return { ok: handled > 0, lines: [text], result: { letters: [], handled } };
}

/** Escapes each UTF-16 unit of a character; a character above U+FFFF has two. */
function escapeUnits(character: string): string {
  const units = Array.from({ length: character.length }, (_, at) => character.charCodeAt(at));
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('');
}

const HINTS: Readonly<Record<number, string>> = {
  401: '; name the file of an access token with --token-file, or set AUTH_JWT_SECRET',
  403: '; the access token needs the scopes operations:read and operations:write',
};

function refusalText(status: number, body: unknown): string {
  const { title = `status ${status}`, detail = '', errors = [] } = (body ?? {}) as Partial<Problem>;
  const faults = errors.map(({ path, message }) => `\n  ${path} ${message}`).join('');
  return `the ingress refused the call: ${detail === '' ? title : detail}${HINTS[status] ?? ''}${faults}`;
}
