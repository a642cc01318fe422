import type { ActionReply, ListedLetter } from '../../shared/contract/operations/dead-letter-calls.ts';

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

/** JSON that a terminal shows as it is: without the control characters and marks for directions that JSON need not escape. */
export function toPlainJson(value: unknown): string {
  return JSON.stringify(value, undefined, 2).replaceAll(/[\u007F-\u009F\p{Cf}]/gu, escapeUnits);
}

/** As UTF-16, of which a character beyond the first plane has two units. */
function escapeUnits(character: string): string {
  const units = Array.from({ length: character.length }, (_, at) => character.charCodeAt(at));
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('');
}
