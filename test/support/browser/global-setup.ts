/** One browser and two engines for all files of the level: to start them takes seconds. */
import { existsSync } from 'node:fs';
import { mkdtemp, mkdir, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium, type BrowserServer } from 'playwright-core';
import type { TestProject } from 'vitest/node';
import chromiumPackage from '../../../node_modules/@sparticuz/chromium/package.json' with { type: 'json' };
import { JWT_SECRET } from '../builders/access-token.ts';
import { startEngine, type EngineProcess } from '../worlds/engine-process.ts';

const CACHE = path.resolve(import.meta.dirname, '../../../node_modules/.cache');
/** Pages live for seconds: compiling their scripts for speed takes a fifth of the processor time of a load, and saves less. */
const NO_OPTIMISATION = '--js-flags=--no-maglev --no-turbofan';
const ARCHIVES = ['chromium.br', 'fonts.tar.br', 'al2023.tar.br'];

declare module 'vitest' {
  interface ProvidedContext {
    /** Where tests connect to the browser. */
    browserEndpoint: string;
    engineUrl: string;
    guardedUrl: string;
  }
}

let started: { readonly browser: BrowserServer; readonly engines: readonly EngineProcess[] } | undefined;

export async function setup(project: TestProject): Promise<void> {
  const folder = path.join(CACHE, `chromium-${chromiumPackage.version}`);
  if (!existsSync(folder)) await unpack(folder);
  const [browser, engine, guarded] = await Promise.all([
    startBrowser(folder),
    // Without the limit of calls, which a run reaches on a fast machine: browsers write each refusal to the console.
    startEngine([], { RATE_LIMIT_PER_SECOND: '0' }),
    startEngine([], { AUTH_JWT_SECRET: JWT_SECRET, KAFKA_TOPIC_PREFIX: 'bank.' }),
  ]);
  started = { browser, engines: [engine, guarded] };
  project.provide('browserEndpoint', browser.wsEndpoint());
  project.provide('engineUrl', engine.url);
  project.provide('guardedUrl', guarded.url);
}

export async function teardown(): Promise<void> {
  const { browser, engines = [] } = started ?? {};
  await Promise.all([browser?.close(), ...engines.map((engine) => engine.end('SIGTERM'))]);
}

/** The folder contains the browser, its fonts, and the libraries that a machine may lack. */
function startBrowser(folder: string): Promise<BrowserServer> {
  return chromium.launchServer({
    executablePath: path.join(folder, 'chromium'),
    args: ['--no-sandbox', '--font-render-hinting=none', '--hide-scrollbars', NO_OPTIMISATION],
    env: {
      ...process.env,
      FONTCONFIG_FILE: path.join(folder, 'fonts.conf'),
      // Used where the machine has no library of that name.
      LD_LIBRARY_PATH: [process.env['LD_LIBRARY_PATH'], path.join(folder, 'al2023', 'lib')]
        .filter((part) => part !== undefined && part !== '')
        .join(':'),
    },
  });
}

/** Unpacks beside the folder and renames, so that an interrupted or parallel run never leaves half of it. */
async function unpack(folder: string): Promise<void> {
  await mkdir(CACHE, { recursive: true });
  const staging = await mkdtemp(`${folder}-`);
  const binaries = path.resolve(
    path.dirname(fileURLToPath(import.meta.resolve('@sparticuz/chromium'))),
    '../bin',
  );
  const { TMPDIR } = process.env;
  // The package unpacks into the folder for temporary files.
  process.env['TMPDIR'] = staging;
  try {
    const { inflate } = await import('@sparticuz/chromium');
    await Promise.all(ARCHIVES.map((archive) => inflate(path.join(binaries, archive))));
  } finally {
    if (TMPDIR === undefined) delete process.env['TMPDIR'];
    else process.env['TMPDIR'] = TMPDIR;
  }
  await writeFile(path.join(staging, 'fonts.conf'), fontConfiguration(path.join(folder, 'fonts')));
  await rename(staging, folder).catch(async (error: unknown) => {
    await rm(staging, { recursive: true, force: true });
    if (!existsSync(folder)) throw error;
  });
}

/** The configuration of the package names a folder that exists elsewhere, and the browser crashes at a text field without a font. */
function fontConfiguration(fonts: string): string {
  return `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir>/usr/share/fonts</dir>
  <dir>${fonts}</dir>
  <cachedir prefix="xdg">fontconfig</cachedir>
</fontconfig>
`;
}
