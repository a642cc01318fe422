import type { LetterContext } from '../../shared/dead-letters/letter-context.ts';
import { editMessage } from '../../shared/dead-letters/edit.ts';
import {
  countByCode,
  discardSelected,
  type ActionSummary,
  isDone,
  newestFirst,
  sendSelected,
  visibleLetters,
} from '../../shared/dead-letters/handle-letters.ts';
import type { LetterResult, Sending } from '../../shared/dead-letters/letter-actions.ts';
import { placeId, sanitise } from '../../shared/dead-letters/letter.ts';
import type { Override } from '../../shared/dead-letters/redrive-rules.ts';
import { type Scan, scanLetters } from '../../shared/dead-letters/scan-letters.ts';
import { showLetters } from '../../shared/dead-letters/show-letters.ts';
import { assertNever, SystemError } from '../../shared/platform/errors.ts';
import type { DeadLettersCommand } from './arguments.ts';
import { readEdit } from './edit-options.ts';
import { shownLines } from './letter-lines.ts';

/** The result of a command. */
export interface CommandReport {
  /** False if an action failed or was refused, no letter was found, or a list is incomplete. */
  readonly ok: boolean;
  /** The lines of the text output. */
  readonly lines: readonly string[];
  /** For --json. */
  readonly result: Readonly<Record<string, unknown>>;
}

const LIST_LIMIT = 100;
const SHOW_LIMIT = 10;
const PARTIAL_AUDIT = 'the audit was not read completely, so that handled letters may appear as open';

/** Runs a command. Rejects with UsageError for an invalid patch and with SystemError if topics cannot be read. */
export async function runDeadLettersCommand(
  command: DeadLettersCommand,
  context: LetterContext,
): Promise<CommandReport> {
  // Before any topic is read, so that an invalid patch is reported immediately.
  const edit = command.name === 'edit' ? readEdit(command.edit) : undefined;
  const scan = await scanLetters(context, command.selection);
  const isAction = command.name !== 'list' && command.name !== 'show';
  if (isAction && !scan.audit.isComplete) {
    const text = `${PARTIAL_AUDIT}; nothing was done`;
    throw new SystemError('audit-incomplete', text, { canRetry: false });
  }
  switch (command.name) {
    case 'list':
      return list(command, scan);
    case 'show':
      return show(command, scan, context);
    case 'redrive':
    case 'mark-sent':
      return send(command, scan, context, { action: command.name, options: command.send });
    case 'edit':
      return send(command, scan, context, {
        action: 'edit',
        options: command.send,
        ...(edit === undefined
          ? {}
          : { changed: edit.changed, change: (one) => editMessage(one, edit, context.codec) }),
      });
    case 'discard': {
      return reportActions(await discardSelected(context, scan, command, command), command.dryRun);
    }
    default:
      return assertNever(command);
  }
}

type CommandOf<Name extends DeadLettersCommand['name']> = Extract<DeadLettersCommand, { name: Name }>;

function list({ all, limit = LIST_LIMIT }: CommandOf<'list'>, scan: Scan): CommandReport {
  const { letters, states, audit, isComplete } = scan;
  const { unreadable } = audit;
  const visible = visibleLetters(scan, all);
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
    ok: isComplete,
    lines: [
      ...rows.map(
        (row) =>
          `${row.id}  ${row.at}  ${row.code}  ${row.from ?? '-'}  attempts ${row.attempts}  redrives ${row.redrives}  ${row.status}`,
      ),
      `${visible.length} letter${visible.length === 1 ? '' : 's'}${counts.length === 0 ? '' : `: ${counts.join(', ')}`}`,
      ...(visible.length > rows.length ? [`${visible.length - rows.length} older not shown (--limit)`] : []),
      ...(handled > 0 ? [`${handled} handled not shown (--all)`] : []),
      ...(unreadable > 0 ? [`${unreadable} records of the audit topic are invalid`] : []),
      ...(audit.isComplete ? [] : [PARTIAL_AUDIT]),
      ...(isComplete ? [] : ['interrupted: there may be more letters']),
    ],
    result: {
      letters: rows,
      count: visible.length,
      codes,
      handled,
      unreadableAudit: unreadable,
      isAuditComplete: audit.isComplete,
      isComplete,
    },
  };
}

async function show(
  { limit = SHOW_LIMIT, reveal }: CommandOf<'show'>,
  { letters, states }: Scan,
  context: LetterContext,
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
  command: Pick<DeadLettersCommand, 'limit' | 'selection'>,
  scan: Scan,
  context: LetterContext,
  sending: Sending,
): Promise<CommandReport> {
  return reportActions(await sendSelected(context, scan, command, sending), sending.options.dryRun);
}

/** How the option that disables a guard is written in a reason. */
const OVERRIDE_TEXT: Readonly<Record<Override, string>> = {
  again: '; use --again to repeat it',
  force: ', or use --force',
  acceptDuplicates: ', or use --accept-duplicates',
};

function withOption({ override, why = '', ...result }: LetterResult): LetterResult {
  if (override !== undefined) return { ...result, why: why + OVERRIDE_TEXT[override] };
  return why === '' ? result : { ...result, why };
}

function reportActions(handled: ActionSummary, dryRun: boolean): CommandReport {
  const { counts, notListed } = handled;
  if (handled.results.length === 0) return reportNoMatch();
  const results = handled.results.map(withOption);
  const summary = Object.entries(counts)
    .map(([result, count]) => `${count} ${result.replace('-', ' ')}`)
    .join(', ');
  return {
    ok: isDone(handled.results),
    lines: [
      ...results.map(resultLine),
      ...(notListed > 0 ? [`${notListed} more skipped, not listed`] : []),
      summary + (dryRun ? ' (dry run: nothing was written)' : ''),
    ],
    result: { dryRun, counts, letters: results, notListed },
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
