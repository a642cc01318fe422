import { existsSync } from 'node:fs';
import { readdir, readFile, mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { scheduleFormFields } from './schedule-form-fields.ts';

interface Asset {
  readonly type: string;
  readonly body: Buffer;
  readonly gzip: Buffer;
}

/** The compiled files by name, and the names of the script and the styles of the page. Each name contains a hash. */
export interface Bundle {
  readonly assets: ReadonlyMap<string, Asset>;
  readonly script: string;
  readonly styles: string;
  /** The text of the script of /docs. */
  readonly docsScript: string;
}

const APP_FOLDER = path.join(import.meta.dirname, 'app');
/** The script and the styles of the workbench, and the script of /docs. */
const ENTRIES = ['main.tsx', 'styles.css', 'docs.ts'];
/** `npm run build:workbench` writes this folder for container images, which do not have the compiler esbuild. */
const BUILT_FOLDER = path.join(import.meta.dirname, 'built');
const TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
};

let loading: Promise<Bundle> | undefined;

/**
 * Reads the built folder, or else compiles, once for all pages: of two compilations that overlap, the first to end
 * would abort the other. Rejects if that fails, or if a file of the page is missing; the next call tries again.
 */
export async function loadBundle(): Promise<Bundle> {
  loading ??= readBundle();
  try {
    return await loading;
  } catch (error) {
    loading = undefined;
    throw error;
  }
}

async function readBundle(): Promise<Bundle> {
  const files = existsSync(BUILT_FOLDER) ? await readFiles(BUILT_FOLDER) : await compile();
  const assets = new Map<string, Asset>();
  for (const [name, body] of files) {
    assets.set(name, { type: TYPES[path.extname(name)] ?? '', body, gzip: gzipSync(body) });
  }
  const docsScript = files.get(findName(files, 'docs-'))?.toString() ?? '';
  return { assets, docsScript, script: findName(files, 'main-'), styles: findName(files, 'styles-') };
}

/** Compiles the sources into an emptied built folder and resolves to the names of the files. Rejects if that fails. */
export async function writeBuiltFolder(): Promise<readonly string[]> {
  const files = await compile();
  await rm(BUILT_FOLDER, { recursive: true, force: true });
  await mkdir(BUILT_FOLDER, { recursive: true });
  for (const [name, body] of files) await writeFile(path.join(BUILT_FOLDER, name), body);
  return [...files.keys()];
}

async function compile(): Promise<ReadonlyMap<string, Buffer>> {
  const { build, stop } = await import('esbuild');
  try {
    const { outputFiles } = await build({
      entryPoints: ENTRIES.map((name) => path.join(APP_FOLDER, name)),
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
    // Ends the process of the compiler, which would otherwise keep running and keep its memory.
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
  if (name === undefined)
    throw new Error(`the workbench has no file ${prefix}*; run npm run build:workbench again`);
  return name;
}
