import packageJson from '../../../package.json' with { type: 'json' };
import { HEADER_TEXT_CHARACTERS, joinWithin, safeItemText } from '../header-text.ts';
import type { AnswerSources } from '../outcome.ts';

/** The version of docs/rulings.md. It increases with every change that gives an accepted request other figures. */
export const RULES_VERSION = 1;
const OF_RELEASE = [`engine=${safeItemText(packageJson.version)}`, `rules=${RULES_VERSION}`];

/**
 * The header `engine=0.1.0, rules=1, day=2026-05-15, calendar=RO;version=2026.1, product=TL-1;version=2` (E7), in ASCII.
 * Over 1,024 characters it ends in `truncated`.
 */
export function formatVersions(sources: AnswerSources | undefined, calendar: string | undefined): string {
  const { day, records = [] } = sources ?? {};
  const named = records.map(({ kind, code, version }) => `${kind}=${safeItemText(code)};version=${version}`);
  const items = [
    ...OF_RELEASE,
    ...(day === undefined ? [] : [`day=${day}`]),
    ...(calendar === undefined ? [] : [`calendar=${calendar}`]),
    ...new Set(named),
  ];
  return joinWithin(items, HEADER_TEXT_CHARACTERS);
}
