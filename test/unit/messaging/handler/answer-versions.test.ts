import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import packageJson from '../../../../package.json' with { type: 'json' };
import { formatVersions, RULES_VERSION } from '../../../../shared/messaging/handler/answer-versions.ts';

const RELEASE = `engine=${packageJson.version}, rules=${RULES_VERSION}`;
const listOf = (code: string, version = 1) => ({ kind: 'interest-list', code, version });

it('names the release and the rules of every answer, and day, calendar, product and lists of those that have them (E7)', () => {
  expect(formatVersions(undefined, undefined)).toBe(RELEASE);
  const records = [{ kind: 'product', code: 'TL-1', version: 2 }, listOf('INT-1', 7)];
  expect(formatVersions({ day: '2026-05-15', records }, 'RO+TARGET;version=2026.1+2026.1')).toBe(
    `${RELEASE}, day=2026-05-15, calendar=RO+TARGET;version=2026.1+2026.1, product=TL-1;version=2, interest-list=INT-1;version=7`,
  );
});

it('names a list once even if it was read twice, and both versions of a list that changed meanwhile (E7)', () => {
  const records = [listOf('A'), listOf('A'), listOf('A', 2)];
  expect(formatVersions({ records }, undefined)).toBe(
    `${RELEASE}, interest-list=A;version=1, interest-list=A;version=2`,
  );
});

it('encodes what separates the items of the list (E7)', () => {
  expect(formatVersions({ records: [listOf('A, b;c ș')] }, undefined)).toBe(
    `${RELEASE}, interest-list=A%2C%20b%3Bc%20%C8%99;version=1`,
  );
});

it('has at most 1,024 characters, and says if records are left out (E7)', () => {
  const records = Array.from({ length: 1_000 }, (_, index) => listOf(`LIST-${index}`));
  const text = formatVersions({ day: '2026-05-15', records }, undefined);
  expect(text.length).toBeLessThanOrEqual(1_024);
  expect(text.length).toBeGreaterThan(950);
  expect(text).toMatch(
    /^engine=[^,]+, rules=\d+, day=2026-05-15, (interest-list=LIST-\d+;version=1, )+truncated$/,
  );
});

it('has the version of the rules that the page of rules names (E7)', () => {
  const page = readFileSync(path.resolve(import.meta.dirname, '../../../../docs/rulings.md'), 'utf8');
  expect(page).toContain(`These are the rules of version ${RULES_VERSION} (E7).`);
});
