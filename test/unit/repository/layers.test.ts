import { existsSync, readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';

/** The rules for imports, type imports included (docs/decisions/0002-layout-and-layers.md). */
const root = path.resolve(import.meta.dirname, '../../..');
/** If there are fewer modules, the test has missed files. */
const MIN_MODULES = 400;
const ROOT_FOLDERS = ['schemas', 'shared', 'workers', 'scripts', 'test'];
/** Folders whose imports are ruled here; tests may import everything. */
const LISTED_ROOTS = /^(schemas|shared|workers|scripts)\//;
const IMPORT =
  /(?:^|[\s;}])(?:import|export)\s*(?:[^'"();]*?\sfrom\s*)?['"]([^'"]+)['"]|import\(\s*['"]([^'"]+)['"]\s*\)/g;

const files = ROOT_FOLDERS.flatMap((folder) =>
  readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name) && !/(?:^|[\\/])(?:node_modules|dist)[\\/]/.test(name))
    .map((name) => path.posix.join(folder, name.replaceAll('\\', '/'))),
);

interface Import {
  readonly from: string;
  readonly to: string;
}

const imports: Import[] = files.flatMap((from) => {
  const source = readFileSync(path.join(root, from), 'utf8').replaceAll(/^\s*(?:\/?\*|\/\/).*$/gm, '');
  return [...source.matchAll(IMPORT)].map((match) => {
    const target = match[1] ?? match[2] ?? '';
    return { from, to: target.startsWith('.') ? path.posix.join(path.posix.dirname(from), target) : target };
  });
});

const NOTHING = /^$/;
/** What a part may import besides itself; the other parts are bound by the absence of cycles only. */
const WALLS: Readonly<Record<string, RegExp>> = {
  schemas: NOTHING,
  'shared/platform': NOTHING,
  'shared/lending': NOTHING,
  'shared/product': /^(schemas|shared\/(lending|messaging|platform))$/,
  'shared/messaging': /^(schemas|shared\/platform)$/,
  'shared/notification': /^shared\/platform$/,
  'shared/api': /^(schemas|shared\/(platform|lending|messaging|notification|product))$/,
  'workers/ingress': /^(schemas|shared\/\w.*|workers\/runtime)$/,
  'workers/notification': /^(shared\/\w.*|workers\/runtime)$/,
  'workers/product': /^(shared\/\w.*|workers\/runtime)$/,
  'workers/schedule': /^(shared\/\w.*|workers\/runtime)$/,
  'workers/simulation': /^(shared\/\w.*|workers\/runtime)$/,
};

/** Packages that no start needs without their settings. */
const LOADED_ON_USE = new Set(
  'jose nodemailer undici kafkajs @platformatic/kafka pdfkit piscina rate-limiter-flexible'.split(' '),
);
const BROWSER_PACKAGES =
  /^(preact|preact-iso|preact\/hooks|@preact\/signals|d3-(scale|shape)|csv-parse\/browser\/esm\/sync)$/;
const TYPES = /^(?:zod$|shared\/api\/|shared\/platform\/problem\.ts$)/;
const FOR_BROWSERS =
  /^shared\/(portfolio\/|lending\/numbers\/money\.ts$|platform\/(?:parse-json|json-pointer)\.ts$|messaging\/header-text\.ts$)/;
/** If fewer modules are reached, the test has missed imports. */
const MIN_LOADED = 250;
const VALUE_IMPORT = /^(?:import|export)\s+(?!type\s)(?:[^'"();]*?\sfrom\s*)?['"]([^'"]+)['"]/gm;

/** The files and packages that are loaded with a file: without imports of types only, and those that wait for their use. */
function valueImports(file: string): readonly string[] {
  if (!/\.tsx?$/.test(file) || !existsSync(path.join(root, file))) return [];
  return [...readFileSync(path.join(root, file), 'utf8').matchAll(VALUE_IMPORT)].map(([, to = '']) =>
    to.startsWith('.') ? path.posix.join(path.posix.dirname(file), to) : to,
  );
}

/** The workbench runs in browsers: it has a rule of its own. */
const APP = 'workers/ingress/workbench/app/';

const listed = files.filter((file) => LISTED_ROOTS.test(file) && !file.startsWith(APP));
const byText = (one: string, other: string): number => (one < other ? -1 : 1);
const folderOf = (file: string): string => path.posix.dirname(file);

const fileGraph = new Map<string, Set<string>>(listed.map((file) => [file, new Set()]));
for (const { from, to } of imports) {
  if (LISTED_ROOTS.test(to) && !to.startsWith(APP)) fileGraph.get(from)?.add(to);
}

/** The part of a file: `shared/lending` for all files below it, `workers` for a file directly in it. */
const partOf = (file: string): string => folderOf(file).split('/').slice(0, 2).join('/');

function grouped(groupOf: (file: string) => string | undefined): Map<string, Set<string>> {
  const graph = new Map<string, Set<string>>();
  for (const [file, targets] of fileGraph) {
    const group = groupOf(file);
    if (group === undefined) continue;
    const known = graph.get(group) ?? new Set();
    graph.set(group, known);
    for (const other of [...targets].map(groupOf))
      if (other !== undefined && other !== group) known.add(other);
  }
  return graph;
}

function findCycle(graph: ReadonlyMap<string, ReadonlySet<string>>): string | undefined {
  const done = new Set<string>();
  const trail: string[] = [];
  const visit = (node: string): string | undefined => {
    if (trail.includes(node)) return [...trail.slice(trail.indexOf(node)), node].join(' -> ');
    if (done.has(node)) return undefined;
    trail.push(node);
    for (const next of graph.get(node) ?? []) {
      const cycle = visit(next);
      if (cycle !== undefined) return cycle;
    }
    trail.pop();
    done.add(node);
    return undefined;
  };
  for (const node of graph.keys()) {
    const cycle = visit(node);
    if (cycle !== undefined) return cycle;
  }
  return undefined;
}

const offenders = (wrong: (edge: Import) => boolean): string[] =>
  imports.filter(wrong).map((edge) => `${edge.from} -> ${edge.to}`);
const inFolder = (file: string, folder: string): boolean => file.startsWith(`${folder}/`);
const isProject = (target: string): boolean => ROOT_FOLDERS.some((folder) => inFolder(target, folder));
const isUpwards = ({ from, to }: Import): boolean =>
  (/^(schemas|shared)\//.test(from) && /^(workers|scripts|test)\//.test(to)) ||
  (inFolder(from, 'workers') && /^(scripts|test)\//.test(to));

it('lets each part import only what is below it, and the calculation a package for exact decimals', () => {
  expect(listed.length).toBeGreaterThan(MIN_MODULES);
  const parts = grouped(partOf);
  for (const [part, allowed] of Object.entries(WALLS)) {
    const others = [...(parts.get(part) ?? [])].filter((other) => !allowed.test(other));
    expect({ part, others }).toEqual({ part, others: [] });
  }
  expect(offenders(isUpwards)).toEqual([]);
  const packages: readonly (readonly [folder: string, allowed: RegExp])[] = [
    ['shared/lending', /^decimal\.js$/],
    ['shared/product', /^(decimal\.js|zod)$/],
  ];
  /** Reads the holiday files of the package, and keeps the catalogue: these calculate nothing. */
  const reading = ['shared/lending/calendars/library', 'shared/product/storage'];
  for (const [part, allowed] of packages)
    expect(
      offenders(
        ({ from, to }) =>
          inFolder(from, part) &&
          !reading.some((folder) => inFolder(from, folder)) &&
          !isProject(to) &&
          !allowed.test(to),
      ),
    ).toEqual([]);
});

it('has no cycle between parts, the folders of a part, and files', () => {
  expect(findCycle(grouped(partOf))).toBeUndefined();
  for (const part of new Set(listed.map(partOf))) {
    const folders = grouped((file) => (partOf(file) === part ? folderOf(file) : undefined));
    expect({ part, cycle: findCycle(folders) }).toEqual({ part, cycle: undefined });
  }
  expect(findCycle(fileGraph)).toBeUndefined();
});

it('lets the workbench load only its own files, those of shared that browsers load too, and packages for browsers', () => {
  const own = imports.filter(({ from }) => from.startsWith(APP));
  expect(own.length).toBeGreaterThan(10);
  const others = own.filter(
    ({ to }) => !to.startsWith(APP) && !FOR_BROWSERS.test(to) && !BROWSER_PACKAGES.test(to),
  );
  expect(others.filter(({ from, to }) => !TYPES.test(to) || valueImports(from).includes(to))).toEqual([]);
});

it('keeps the report of portfolios small enough for browsers: it loads amounts, JSON and the escaping of HTML only', () => {
  const own = listed.filter((file) => inFolder(file, 'shared/portfolio'));
  expect(own.length).toBeGreaterThan(5);
  const loaded = new Set(own.flatMap(valueImports).filter((file) => !inFolder(file, 'shared/portfolio')));
  expect([...loaded].toSorted(byText)).toEqual([
    'shared/api/documents/html.ts',
    'shared/api/json/faults.ts',
    'shared/lending/numbers/money.ts',
    'shared/platform/parse-json.ts',
  ]);
  expect(new Set([...loaded].flatMap(valueImports))).toEqual(
    new Set(['decimal.js', 'shared/platform/problem.ts']),
  );
});

it('lets only shared/messaging/kafka import kafkajs, and scripts and tests date-holidays', () => {
  expect(
    offenders(
      (edge) =>
        edge.to === 'kafkajs' &&
        !inFolder(edge.from, 'shared/messaging/kafka') &&
        !inFolder(edge.from, 'test'),
    ),
  ).toEqual([]);
  const users = files.filter((file) =>
    /(?:import|require|from)\b[^;\n]*'date-holidays'/.test(readFileSync(path.join(root, file), 'utf8')),
  );
  expect(users).toContain('scripts/calendars/public-holidays.ts');
  expect(users.filter((file) => !/^(scripts|test)\//.test(file))).toEqual([]);
});

it('loads clients, token checks, Kafka and metadata of numbers on use: they slow the start', () => {
  const importers = imports.filter((edge) => edge.to === 'libphonenumber-js').map((edge) => edge.from);
  expect(importers).toEqual(['shared/api/notification/phone-number.ts']);
  const source = readFileSync(path.join(root, 'shared/api/notification/phone-number.ts'), 'utf8');
  expect(source.match(/^import (?!type ).*libphonenumber-js.*$/gm)).toBeNull();
  const starts = [
    'workers/run-process.ts',
    ...listed.filter((file) => /^workers\/\w+\/main\.ts$/.test(file)),
  ];
  const reached = new Set(starts);
  for (const file of reached) for (const to of valueImports(file)) reached.add(to);
  expect(reached.size).toBeGreaterThan(MIN_LOADED);
  expect([...reached].filter((name) => LOADED_ON_USE.has(name))).toEqual([]);
});

it('imports only types of node:http, and lets only the configuration read the environment', () => {
  const importers = listed.filter((file) => /^(shared|workers)\//.test(file));
  expect(importers.filter((file) => valueImports(file).includes('node:http'))).toEqual([]);
  const readers = files
    .filter((file) => (inFolder(file, 'shared') || inFolder(file, 'workers')) && file !== 'workers/main.ts')
    .filter((file) => readFileSync(path.join(root, file), 'utf8').includes('process.env'))
    .filter((file) => !/^shared\/platform\/load-config\.ts$/.test(file));
  expect(readers).toEqual([]);
});
