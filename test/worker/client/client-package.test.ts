/** The client as others use it: what its package contains, and whether their programs compile with it. */
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { brotliCompressSync } from 'node:zlib';
import { build } from 'esbuild';
import { expect, it, onTestFinished } from 'vitest';

const run = promisify(execFile);
const ROOT = path.resolve(import.meta.dirname, '../../..');
const CLIENT = path.join(ROOT, 'shared/client');
const COMMAND_LIMIT_MS = 60_000;
/** As the README states it. */
const HTTP_KILOBYTES = 5;

/** Options of a careful consumer. */
const STRICT = {
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  noPropertyAccessFromIndexSignature: true,
  noEmit: true,
  target: 'es2022',
  module: 'esnext',
  moduleResolution: 'bundler',
  allowImportingTsExtensions: true,
  paths: {
    'banking-product-engine-client': [path.join(CLIENT, 'client.ts')],
    'banking-product-engine-client/kafka': [path.join(CLIENT, 'kafka/kafka-client.ts')],
    kafkajs: [path.join(ROOT, 'node_modules/kafkajs/types/index.d.ts')],
  },
};
/** A page knows nothing of Node. */
const BROWSER = { ...STRICT, lib: ['es2022', 'dom'], types: [] };
const NODE = { ...STRICT, types: ['node'], typeRoots: [path.join(ROOT, 'node_modules/@types')] };

const PAGE = `
import { createClient, EngineError, type Schemas } from 'banking-product-engine-client';

const session: { token?: string } = {};
const engine = createClient({ token: () => session.token });

export async function follow(signal: AbortSignal, caller?: string): Promise<string | undefined> {
  const query = { reference: 'loan-4711', caller };
  const { reply } = await engine.call('get', '/api/operations/v1/notifications', { query, signal });
  const status: Schemas['FoundNotification']['status'] | undefined = reply.notifications[0]?.status;
  try {
    for await (const event of engine.events('/api/operations/v1/system/events', {
      signal,
      onConnection: (connection) => {
        if (connection.kind === 'waiting') console.log(connection.delayMs, connection.error.code);
      },
    })) {
      if (event.event === 'system') return event.data.findings[0]?.text;
      const reason: 'renew' | 'stopping' = event.data.reason;
      console.log(reason);
    }
  } catch (error) {
    if (error instanceof EngineError) return error.faults[0]?.path;
  }
  return status;
}
`;

const FAULTS = `
import { createClient } from 'banking-product-engine-client';

const engine = createClient();
engine.events('/metrics');
void engine.calculatePmt({ jsonParam: {} });
void engine.call('get', '/api/operations/v1/notifications', { query: {} });
`;

it('compiles in a page that knows nothing of Node, with typed events and optional parameters', async () => {
  expect(await compile(BROWSER, { page: PAGE })).toEqual([]);
});

it('compiles in the examples of its README', async () => {
  const blocks = (await readFile(path.join(CLIENT, 'README.md'), 'utf8')).matchAll(/```ts\n([^]*?)```/g);
  const [http = '', events = '', kafka = ''] = Array.from(blocks, ([, code = '']) => code);
  const given = 'declare const session: { readonly token: string };\n';
  expect(await compile(BROWSER, { http: given + http + events })).toEqual([]);
  const portfolio = `
    import type { BulkRequest, RequestOf } from 'banking-product-engine-client/kafka';
    declare const terms: RequestOf<'calculatePmt'>['jsonParam'];
    declare const contracts: readonly BulkRequest<'calculateRepaymentSchedule'>[];
    declare function store(id: string | number | undefined, result: unknown): void;\n`;
  expect(await compile(NODE, { kafka: portfolio + kafka })).toEqual([]);
});

it('does not compile with an address without events, or without required fields', async () => {
  const faults = await compile(BROWSER, { faults: FAULTS });
  expect(faults.map(({ line }) => line)).toEqual([5, 6, 7]);
});

it('is a package with its licence and its documentation', async () => {
  const args = ['pack', '--dry-run', '--json', '--ignore-scripts'];
  const { stdout } = await run('npm', args, { cwd: CLIENT, timeout: COMMAND_LIMIT_MS });
  const [{ files }] = JSON.parse(stdout) as [{ files: readonly { path: string }[] }];
  const names = files.map(({ path: name }) => name);
  expect(names).toEqual(expect.arrayContaining(['LICENSE', 'README.md', 'package.json']));
  expect(names.filter((name) => !name.startsWith('dist/'))).toHaveLength(3);
  const licence = await readFile(path.join(ROOT, 'LICENSE'), 'utf8');
  expect(await readFile(path.join(CLIENT, 'LICENSE'), 'utf8')).toBe(licence);
});

it('contains for pages neither Kafka nor anything of Node, and is small', async () => {
  const { metafile, outputFiles } = await build({
    entryPoints: [path.join(CLIENT, 'client.ts')],
    bundle: true,
    minify: true,
    write: false,
    metafile: true,
    platform: 'browser',
    format: 'esm',
    absWorkingDir: CLIENT,
  });
  const files = Object.keys(metafile.inputs);
  expect(files).toContain('server-events.ts');
  expect(files.filter((file) => file.includes('/'))).toEqual([]);
  const [script] = outputFiles;
  expect(brotliCompressSync(script?.contents ?? '').length).toBeLessThan(HTTP_KILOBYTES * 1_000);
});

interface Fault {
  readonly line: number;
  readonly message: string;
}

interface LintReport {
  readonly diagnostics: readonly {
    readonly code?: string;
    readonly message: string;
    readonly labels: readonly { readonly span: { readonly line: number } }[];
  }[];
}

/** The faults that the compiler finds in these files of a consumer. */
async function compile(
  compilerOptions: object,
  sources: Readonly<Record<string, string>>,
): Promise<readonly Fault[]> {
  const folder = await mkdtemp(path.join(tmpdir(), 'client-consumer-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const files = Object.entries(sources).map(([name, text]) => [`${name}.ts`, text] as const);
  for (const [name, text] of files) await writeFile(path.join(folder, name), text);
  const names = files.map(([name]) => name);
  await writeFile(path.join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: names }));
  const oxlint = path.join(ROOT, 'node_modules/oxlint/bin/oxlint');
  const args = [oxlint, '--type-aware', '--type-check', '-A', 'all', '--format', 'json', ...names];
  const options = { cwd: folder, timeout: COMMAND_LIMIT_MS };
  const { stdout } = await run(process.execPath, args, options).catch((error: { stdout: string }) => error);
  const { diagnostics } = JSON.parse(stdout) as LintReport;
  return diagnostics.map(({ message, labels: [label] }) => ({ line: label?.span.line ?? 0, message }));
}
