import { assertNever } from '../../shared/platform/errors.ts';
import type { DeadLettersCommand } from './arguments.ts';
import { isHandled } from './audit.ts';
import type { CommandContext } from './command-context.ts';
import { editMessage, readEdit } from './edit.ts';
import { type Letter, placeId, sanitise } from './letter.ts';
import { discardLetters, type LetterResult, sendLetters, type Sending } from './letter-actions.ts';
import { type Scan, scanLetters } from './scan-letters.ts';
import { showLetters, shownLines } from './show-letters.ts';

/** The result of a command. */
export interface CommandReport {
  /** False if an action failed or was refused, or no letter was found. */
  readonly ok: boolean;
  /** The lines of the text output. */
  readonly lines: readonly string[];
  /** For --json. */
  readonly result: Readonly<Record<string, unknown>>;
}

const LIST_LIMIT = 100;
const SHOW_LIMIT = 10;

/** Runs a command. Rejects with UsageError for an invalid patch and with SystemError if topics cannot be read. */
export async function runDeadLettersCommand(
  command: DeadLettersCommand,
  context: CommandContext,
): Promise<CommandReport> {
  // Before any topic is read, so that an invalid patch is reported immediately.
  const edit = command.name === 'edit' ? readEdit(command.edit) : undefined;
  const scan = await scanLetters(context, command.selection);
  switch (command.name) {
    case 'list':
      return list(command, scan);
    case 'show':
      return show(command, scan, context);
    case 'redrive':
      return send(command, scan, context, { action: 'redrive', options: command.send });
    case 'edit':
      return send(command, scan, context, {
        action: 'edit',
        options: command.send,
        ...(edit === undefined
          ? {}
          : { changed: edit.changed, change: (one) => editMessage(one, edit, context.codec) }),
      });
    case 'discard': {
      const letters = oldestFirst(scan.letters).slice(0, command.limit);
      const results = await discardLetters(context, letters, scan.states, command);
      return reportActions([...results, ...findMissing(command, scan)], command.dryRun);
    }
    default:
      return assertNever(command);
  }
}

type CommandOf<Name extends DeadLettersCommand['name']> = Extract<DeadLettersCommand, { name: Name }>;

function list(
  { all, limit = LIST_LIMIT }: CommandOf<'list'>,
  { letters, states, unreadable }: Scan,
): CommandReport {
  const visible = newestFirst(letters.filter((letter) => all || !isHandled(states.of(letter.id))));
  const rows = visible.slice(0, limit).map((letter) => ({
    id: letter.id,
    at: new Date(letter.atMs).toISOString(),
    code: sanitise(letter.code),
    from: letter.original === undefined ? null : sanitise(placeId(letter.original)),
    attempts: letter.attempts,
    redrives: letter.redrives,
    status: states.of(letter.id).status,
    notificationId: letter.notificationId && sanitise(letter.notificationId),
    bytes: letter.valueBytes,
  }));
  const codes = countByCode(visible);
  const handled = letters.length - visible.length;
  const counts = Object.entries(codes).map(([code, count]) => `${count} ${code}`);
  return {
    ok: true,
    lines: [
      ...rows.map(
        (row) =>
          `${row.id}  ${row.at}  ${row.code}  ${row.from ?? '-'}  attempts ${row.attempts}  redrives ${row.redrives}  ${row.status}`,
      ),
      `${visible.length} letter${visible.length === 1 ? '' : 's'}${counts.length === 0 ? '' : `: ${counts.join(', ')}`}`,
      ...(visible.length > rows.length ? [`${visible.length - rows.length} older not shown (--limit)`] : []),
      ...(handled > 0 ? [`${handled} handled not shown (--all)`] : []),
      ...(unreadable > 0 ? [`${unreadable} records of the audit topic are invalid`] : []),
    ],
    result: { letters: rows, count: visible.length, codes, handled, unreadableAudit: unreadable },
  };
}

async function show(
  { limit = SHOW_LIMIT, reveal }: CommandOf<'show'>,
  { letters, states }: Scan,
  context: CommandContext,
): Promise<CommandReport> {
  const chosen = newestFirst(letters).slice(0, limit);
  const all = await showLetters(context, chosen, ({ id }) => states.of(id).status, reveal);
  const more = letters.length - chosen.length;
  const lines = all.flatMap((letter) => [...shownLines(letter), '']);
  if (all.length === 0) return reportNoMatch();
  return {
    ok: true,
    lines: more > 0 ? [...lines, `${more} older not shown (--limit)`] : lines,
    result: { letters: all, notShown: more },
  };
}

async function send(
  { limit, selection }: Pick<DeadLettersCommand, 'limit' | 'selection'>,
  scan: Scan,
  context: CommandContext,
  sending: Sending,
): Promise<CommandReport> {
  const { states } = scan;
  const isSkipped = ({ id }: Letter): boolean => !sending.options.again && isHandled(states.of(id));
  const skipped = scan.letters.filter(isSkipped).map(({ id, code }): LetterResult => ({
    id,
    code,
    result: 'skipped',
    why: `it has already been ${states.of(id).status}; use --again to repeat it`,
  }));
  const open = oldestFirst(scan.letters.filter((letter) => !isSkipped(letter))).slice(0, limit);
  const results = await sendLetters(context, open, states, sending);
  return reportActions([...skipped, ...results, ...findMissing({ selection }, scan)], sending.options.dryRun);
}

/** The selected ids without a letter, or whose letter other options exclude. */
function findMissing(
  { selection }: Pick<DeadLettersCommand, 'selection'>,
  { letters, prefix }: Scan,
): LetterResult[] {
  const known = new Set(letters.flatMap(({ id, notificationId }) => [id, notificationId?.toLowerCase()]));
  return selection.ids
    .filter((id) => !known.has(id) && !known.has(prefix + id) && !known.has(id.toLowerCase()))
    .map((id) => ({
      id: sanitise(id),
      code: '-',
      result: 'failed',
      why: 'no letter with this id matches the selection',
    }));
}

function reportActions(results: readonly LetterResult[], dryRun: boolean): CommandReport {
  if (results.length === 0) return reportNoMatch();
  const counts = new Map<string, number>();
  for (const { result } of results) counts.set(result, (counts.get(result) ?? 0) + 1);
  const summary = [...counts].map(([result, count]) => `${count} ${result.replace('-', ' ')}`).join(', ');
  return {
    ok: !results.some(({ result }) => result === 'refused' || result === 'failed'),
    lines: [...results.map(resultLine), summary + (dryRun ? ' (dry run: nothing was written)' : '')],
    result: { dryRun, counts: Object.fromEntries(counts), letters: results },
  };
}

function resultLine({ id, code, result, to, why, warnings = [] }: LetterResult): string {
  const details = [to === undefined ? undefined : `to ${to}`, why, ...warnings].filter(
    (part) => part !== undefined,
  );
  return [result.replace('-', ' ').padEnd(13), id, code, details.join(': ')].join('  ').trimEnd();
}

function reportNoMatch(): CommandReport {
  const text = 'no dead letter matches; `npm run dead-letters -- list --all` lists all of them';
  return { ok: false, lines: [text], result: { letters: [] } };
}

function countByCode(letters: readonly Letter[]): Readonly<Record<string, number>> {
  const counts = new Map<string, number>();
  for (const { code } of letters) counts.set(sanitise(code), (counts.get(sanitise(code)) ?? 0) + 1);
  return Object.fromEntries([...counts].toSorted(([, one], [, other]) => other - one));
}

function newestFirst(letters: readonly Letter[]): readonly Letter[] {
  return letters.toSorted((one, other) => other.atMs - one.atMs || other.offset - one.offset);
}

function oldestFirst(letters: readonly Letter[]): readonly Letter[] {
  return letters.toSorted((one, other) => one.atMs - other.atMs || one.offset - other.offset);
}
