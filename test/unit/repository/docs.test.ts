import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';

const root = path.resolve(import.meta.dirname, '../../..');
const read = (file: string): string => readFileSync(path.join(root, file), 'utf8');

const documents = ['README.md', 'CONTRIBUTING.md', 'SECURITY.md', ...globSync('docs/**/*.md', { cwd: root })];

const isThere = (from: string, target: string): boolean =>
  globSync(path.posix.normalize(path.posix.join(from, target)), { cwd: root }).length > 0;

/** The anchors to which links may lead: those of headings, and those that are written. */
const anchors = (file: string): ReadonlySet<string> => {
  const text = read(file).replaceAll(/```[^]*?```/g, '');
  const headings = [...text.matchAll(/^#+ (.+)$/gm)].map(([, title = '']) =>
    title
      .toLowerCase()
      .replaceAll(/[^\w -]/g, '')
      .replaceAll(' ', '-'),
  );
  return new Set([...headings, ...[...text.matchAll(/<a id="([^"]+)"/g)].map(([, id = '']) => id)]);
};

it('docs/settings.md lists exactly the settings that the configuration reads', () => {
  const settings = [...read('shared/platform/settings.ts').matchAll(/^ {2}([A-Z][A-Z_]+): /gm)].map(
    (match) => match[1],
  );
  const documented = new Set(
    [...read('docs/settings.md').matchAll(/`([A-Z][A-Z_]{3,})`/g)].map((match) => match[1]),
  );
  expect(settings.length).toBeGreaterThan(20);
  expect([...settings].filter((name) => !documented.has(name))).toEqual([]);
  expect([...documented].filter((name) => !settings.includes(name) && name !== 'AUTH_')).toEqual([]);
});

it('docs/README.md lists exactly the existing npm scripts', () => {
  const scripts = Object.keys((JSON.parse(read('package.json')) as { scripts: object }).scripts);
  const named = new Set(
    [...read('docs/README.md').matchAll(/`npm (?:run )?([a-z:-]+)/g)].map((match) => match[1]),
  );
  const documented = scripts.filter((name) => !['format', 'lint'].includes(name));
  expect(named).toEqual(new Set(documented));
});

it('all documents name only existing paths, and link to existing headings and anchors', () => {
  const missing = documents.flatMap((document) => {
    const text = read(document);
    const named = [...text.matchAll(/`((?:shared|workers|schemas|scripts|test|docs)\/[\w./*-]+)`/g)];
    const linked = [...text.matchAll(/\]\((?![a-z]+:|#)([^)#\s]+)/g)];
    return [
      ...named.filter(([, target = '']) => !isThere('.', target)),
      ...linked.filter(([, target = '']) => !isThere(path.posix.dirname(document), target)),
    ].map(([, target]) => `${document}: ${target}`);
  });
  expect(documents.length).toBeGreaterThan(10);
  expect(missing).toEqual([]);
  const dead = documents.flatMap((document) =>
    [...read(document).matchAll(/\]\((?![a-z]+:)([^)#\s]*)#([^)\s]+)\)/g)].flatMap(
      ([link, file = '', anchor = '']) => {
        const target = file === '' ? document : path.posix.join(path.posix.dirname(document), file);
        return anchors(target).has(anchor) ? [] : [`${document}: ${link}`];
      },
    ),
  );
  expect(dead).toEqual([]);
});

it('docs/architecture.md numbers the files from the socket to the engine, at most 30, and back', () => {
  const rows = [...read('docs/architecture.md').matchAll(/^\| (\d+) \| (`.*)$/gm)];
  expect(rows.map(([, number]) => Number(number))).toEqual(rows.map((_, index) => index + 1));
  const engine = rows.findIndex(([row]) => row.includes('shared/lending/calculate-repayment-schedule.ts'));
  const before = rows.slice(0, engine).flatMap(([row]) => row.match(/`[\w./-]+\.ts`/g));
  expect(before.length).toBeGreaterThan(20);
  expect(new Set(before).size).toBeLessThanOrEqual(30);
  expect(rows.length).toBeGreaterThan(engine + 3);
});
