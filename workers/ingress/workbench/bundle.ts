import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readdir, readFile, mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { scheduleFormFields } from './schedule-form-fields.ts';

export interface Asset {
  readonly type: string;
  readonly body: Buffer;
  readonly gzip: Buffer;
}

/** The files of the workbench by their names, which contain a hash of their content. */
export interface Bundle {
  readonly assets: ReadonlyMap<string, Asset>;
  readonly script: string;
  readonly styles: string;
}

const APP_FOLDER = path.join(import.meta.dirname, 'app');
/** The script of the workbench, its styles, and the script of /docs. */
const ENTRIES = ['main.tsx', 'styles.css', 'docs.ts'];
/** Written by `npm run build:workbench` for images, which have no compiler. */
const BUILT_FOLDER = path.join(import.meta.dirname, 'built');
const TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
};
const HASH_LENGTH = 12;

/** Reads the built folder or, without one, compiles the sources (0.1 s in a process of its own). Rejects when neither is possible. */
export async function loadBundle(): Promise<Bundle> {
  const files = existsSync(BUILT_FOLDER) ? await readFiles(BUILT_FOLDER) : await compile(ENTRIES);
  const assets = new Map<string, Asset>();
  for (const [name, body] of files) {
    assets.set(name, { type: TYPES[path.extname(name)] ?? '', body, gzip: gzipSync(body) });
  }
  return { assets, script: findName(files, 'main-'), styles: findName(files, 'styles-') };
}

export async function loadDocsScript(): Promise<string> {
  const files = existsSync(BUILT_FOLDER) ? await readFiles(BUILT_FOLDER) : await compile(['docs.ts']);
  return files.get(findName(files, 'docs-'))?.toString() ?? '';
}

export async function writeBuiltFolder(): Promise<readonly string[]> {
  const files = await compile(ENTRIES);
  await rm(BUILT_FOLDER, { recursive: true, force: true });
  await mkdir(BUILT_FOLDER, { recursive: true });
  for (const [name, body] of files) await writeFile(path.join(BUILT_FOLDER, name), body);
  return [...files.keys()];
}

async function compile(entries: readonly string[]): Promise<ReadonlyMap<string, Buffer>> {
  const { build, stop } = await import('esbuild');
  try {
    const { outputFiles } = await build({
      entryPoints: entries.map((name) => path.join(APP_FOLDER, name)),
      outdir: '/',
      entryNames: '[name]-[hash]',
      bundle: true,
      write: false,
      minify: true,
      format: 'esm',
      platform: 'browser',
      target: ['es2022', 'chrome123', 'firefox120', 'safari17.5'],
      jsx: 'automatic',
      jsxImportSource: 'preact',
      alias: { react: 'preact/compat', 'react-dom': 'preact/compat' },
      define: { SCHEDULE_FORM_FIELDS: JSON.stringify(scheduleFormFields()) },
      legalComments: 'none',
      logLevel: 'silent',
    });
    return new Map(
      outputFiles.map(({ path: name, contents }) => [path.basename(name), Buffer.from(contents)]),
    );
  } finally {
    // The compiler is a process that would stay, with its memory.
    await stop();
  }
}

async function readFiles(folder: string): Promise<ReadonlyMap<string, Buffer>> {
  const files = new Map<string, Buffer>();
  for (const name of await readdir(folder)) files.set(name, await readFile(path.join(folder, name)));
  return files;
}

function findName(files: ReadonlyMap<string, Buffer>, prefix: string): string {
  const name = [...files.keys()].find((candidate) => candidate.startsWith(prefix));
  if (name === undefined) throw new Error(`the workbench has no file ${prefix}*`);
  return name;
}

export function entityTag(text: string | Buffer): string {
  return `"${createHash('sha256').update(text).digest('base64url').slice(0, HASH_LENGTH)}"`;
}
