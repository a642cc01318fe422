import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';

/** The layout's one rule: imports point one way (docs/decisions/0002-layout-and-layers.md). */
const root = path.resolve(import.meta.dirname, '../../..');
const ROOT_FOLDERS = ['schemas', 'shared', 'workers', 'scripts', 'test'];
/** Fewer modules than this means that the walk is broken, not that the project shrank. */
const FLOOR_OF_MODULES = 80;
const IMPORT =
  /(?:^|[\s;}])(?:import|export)\s*(?:[^'"();]*?\sfrom\s*)?['"]([^'"]+)['"]|import\(\s*['"]([^'"]+)['"]\s*\)/g;

const files = ROOT_FOLDERS.flatMap((folder) =>
  readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.split(path.sep).includes('node_modules'))
    .map((name) => path.posix.join(folder, name.replaceAll('\\', '/'))),
);

interface Import {
  readonly from: string;
  /** Path inside the project, or the package's name. */
  readonly to: string;
}

const imports: Import[] = files.flatMap((from) => {
  const source = readFileSync(path.join(root, from), 'utf8').replaceAll(/^\s*(?:\/?\*|\/\/).*$/gm, '');
  return [...source.matchAll(IMPORT)].map((match) => {
    const target = match[1] ?? match[2] ?? '';
    return { from, to: target.startsWith('.') ? path.posix.join(path.posix.dirname(from), target) : target };
  });
});

const offenders = (wrong: (edge: Import) => boolean): string[] =>
  imports.filter(wrong).map((edge) => `${edge.from} -> ${edge.to}`);
const inFolder = (file: string, folder: string): boolean => file.startsWith(`${folder}/`);
const workerOf = (file: string): string | undefined => /^workers\/(?!runtime\/)([^/]+)\//.exec(file)?.[1];
const isProject = (target: string): boolean => ROOT_FOLDERS.some((folder) => inFolder(target, folder));

describe('layers', () => {
  it('sees the whole project', () => {
    expect(files.length).toBeGreaterThan(FLOOR_OF_MODULES);
    expect(imports.filter((edge) => isProject(edge.to)).length).toBeGreaterThan(FLOOR_OF_MODULES);
  });

  it('lets shared import nothing of workers, scripts or test', () => {
    expect(
      offenders((edge) => inFolder(edge.from, 'shared') && /^(workers|scripts|test)\//.test(edge.to)),
    ).toEqual([]);
  });

  it('keeps the calculation pure: shared/lending imports itself and decimal.js only', () => {
    expect(
      offenders(
        (edge) =>
          inFolder(edge.from, 'shared/lending') &&
          !inFolder(edge.to, 'shared/lending') &&
          edge.to !== 'decimal.js',
      ),
    ).toEqual([]);
  });

  it('keeps the product model pure: shared/product imports itself, shared/lending and decimal.js only', () => {
    expect(
      offenders(
        (edge) =>
          inFolder(edge.from, 'shared/product') &&
          !inFolder(edge.to, 'shared/product') &&
          !inFolder(edge.to, 'shared/lending') &&
          edge.to !== 'decimal.js',
      ),
    ).toEqual([]);
  });

  it('lets no worker import another worker', () => {
    expect(
      offenders((edge) => {
        const from = workerOf(edge.from);
        const to = workerOf(edge.to);
        return from !== undefined && to !== undefined && from !== to;
      }),
    ).toEqual([]);
  });

  it('lets production code import nothing of test or scripts', () => {
    expect(offenders((edge) => inFolder(edge.from, 'workers') && /^(test|scripts)\//.test(edge.to))).toEqual(
      [],
    );
  });

  it('lets only shared/messaging/kafka import kafkajs', () => {
    expect(
      offenders(
        (edge) =>
          edge.to === 'kafkajs' &&
          !inFolder(edge.from, 'shared/messaging/kafka') &&
          !inFolder(edge.from, 'test'),
      ).filter((edge) => !edge.startsWith('scripts/bench/')),
    ).toEqual([]);
  });

  it('lets nothing but scripts and tests import date-holidays, whose rules cost seconds', () => {
    const users = files.filter((file) =>
      /(?:import|require|from)\b[^;\n]*'date-holidays'/.test(readFileSync(path.join(root, file), 'utf8')),
    );
    expect(users).toContain('scripts/calendars/public-holidays.ts');
    expect(users.filter((file) => !/^(scripts|test)\//.test(file))).toEqual([]);
  });

  it('loads the numbering plans of libphonenumber-js where a number is met only: they cost a start a tenth of a second', () => {
    const importers = imports.filter((edge) => edge.to === 'libphonenumber-js').map((edge) => edge.from);
    expect(importers).toEqual(['shared/contract/notification/phone-number.ts']);
    const source = readFileSync(path.join(root, 'shared/contract/notification/phone-number.ts'), 'utf8');
    expect(source.match(/^import (?!type ).*libphonenumber-js.*$/gm)).toBeNull();
  });

  it('lets only the configuration read the environment of production code', () => {
    const readers = files
      .filter((file) => (inFolder(file, 'shared') || inFolder(file, 'workers')) && file !== 'workers/main.ts')
      .filter((file) => readFileSync(path.join(root, file), 'utf8').includes('process.env'))
      .filter((file) => !/^shared\/platform\/config\.ts$/.test(file));
    expect(readers).toEqual([]);
  });

  it('keeps clock, randomness and process out of shared/lending', () => {
    const impure = files
      .filter((file) => inFolder(file, 'shared/lending'))
      .filter((file) =>
        /\bnew Date\b|\bDate\.now\b|Math\.random|\bprocess\.|performance\./.test(
          readFileSync(path.join(root, file), 'utf8'),
        ),
      );
    expect(impure).toEqual([]);
  });
});
