import type { z } from 'zod';
import type {
  ActionReply,
  ListedLetter,
  shownLetter,
} from '../../shared/contract/operations/dead-letters.ts';

type ShownLetter = z.infer<typeof shownLetter>;

export function listLine({ id, at, code, from = '-', attempts, redrives, status }: ListedLetter): string {
  return `${id}  ${at}  ${code}  ${from}  attempts ${attempts}  redrives ${redrives}  ${status}`;
}

/** How the option that disables a guard is written in a reason. */
const OVERRIDE_TEXT = {
  again: '; use --again to repeat it',
  force: ', or use --force',
  acceptDuplicates: ', or use --accept-duplicates',
} as const;

export function resultLine({
  id,
  code,
  result,
  to,
  why,
  override,
  warnings = [],
}: ActionReply['letters'][number]): string {
  const reason = override === undefined ? why : (why ?? '') + OVERRIDE_TEXT[override];
  const details = [to === undefined ? undefined : `to ${to}`, reason, ...warnings];
  const text = details.filter((part) => part !== undefined).join(': ');
  return [result.replace('-', ' ').padEnd(13), id, code, text].join('  ').trimEnd();
}

/** Renders a letter as lines of text. */
export function shownLines(letter: ShownLetter): readonly string[] {
  const { payload } = letter;
  const from = [
    letter.from ?? 'unknown',
    ...(letter.fromAt === undefined ? [] : [`written ${letter.fromAt}`]),
  ];
  const kind = [payload.type ?? 'unknown type', payload.format, `${payload.bytes} bytes`];
  const facts: readonly (readonly [string, string | number | null | undefined])[] = [
    ['code', letter.code],
    ['reason', letter.reason],
    ['at', letter.at],
    ['from', from.join(', ')],
    ['group', letter.group],
    ['notification', letter.notificationId],
    ['attempts', letter.attempts],
    ['redrives', letter.redrives],
    ['key', letter.key],
    ['payload', kind.filter((part) => part !== undefined).join(', ')],
  ];
  return [
    `${letter.id}  ${letter.status}`,
    ...facts.flatMap(([name, value]) =>
      value === undefined || value === null || value === '' ? [] : [`  ${name.padEnd(13)}${String(value)}`],
    ),
    ...section(
      'headers',
      Object.entries(letter.headers).map(([name, value]) => `${name}: ${value}`),
    ),
    ...section('attempts', letter.history),
    ...section('audit', [
      ...(letter.isAuditComplete ? [] : ['there may be other steps that are not shown']),
      ...letter.audit.map(auditLine),
    ]),
    ...section('payload notes', payload.notes),
    ...('content' in payload ? [toPlainJson(payload.content)] : []),
  ];
}

function auditLine({
  at,
  operator,
  action,
  stage,
  result,
  reason,
  members,
}: ShownLetter['audit'][number]): string {
  const more = [result, members?.join(', '), reason].filter((part) => part !== undefined);
  return [at, operator, action, stage, ...more].join('  ');
}

function section(title: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : [`  ${title}`, ...lines.map((line) => `    ${line}`)];
}

/** JSON that a terminal shows as it is: without the control characters and marks for directions that JSON need not escape. */
export function toPlainJson(value: unknown): string {
  return JSON.stringify(value, undefined, 2).replaceAll(/[\u007F-\u009F\p{Cf}]/gu, escapeUnits);
}

/** As UTF-16, of which a character beyond the first plane has two units. */
function escapeUnits(character: string): string {
  const units = Array.from({ length: character.length }, (_, at) => character.charCodeAt(at));
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('');
}
