import type { AuditRecord } from '../../shared/dead-letters/audit.ts';
import { sanitise } from '../../shared/dead-letters/letter.ts';
import type { ShownPayload } from '../../shared/dead-letters/masked-payload.ts';
import type { ShownLetter } from '../../shared/dead-letters/show-letters.ts';

/** Renders a letter as lines of text. */
export function shownLines(letter: ShownLetter): readonly string[] {
  const { payload } = letter;
  const from = [
    letter.from ?? 'unknown',
    ...(letter.fromAt === undefined ? [] : [`written ${letter.fromAt}`]),
  ];
  const kind = [sanitise(payload.type ?? 'unknown type'), payload.format, `${payload.bytes} bytes`];
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
    ...section('payload notes', [...payload.notes.map((note) => sanitise(note)), ...revealing(payload)]),
    ...('content' in payload ? [toPlainJson(payload.content)] : []),
  ];
}

function auditLine({ at, operator, action, stage, result, reason, members }: AuditRecord): string {
  const more = [result, members?.join(', '), reason].filter((part) => part !== undefined);
  return sanitise([at, operator, action, stage, ...more].join('  '));
}

function section(title: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : [`  ${title}`, ...lines.map((line) => `    ${line}`)];
}

function revealing({ isHidden }: ShownPayload): readonly string[] {
  return isHidden === true ? ['use --reveal to show it'] : [];
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
