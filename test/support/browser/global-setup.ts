/** Unpacks the browser of the package once, before the first test file of the level. */
import { existsSync } from 'node:fs';
import { mkdtemp, mkdir, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { TestProject } from 'vitest/node';
import chromiumPackage from '../../../node_modules/@sparticuz/chromium/package.json' with { type: 'json' };

const CACHE = path.resolve(import.meta.dirname, '../../../node_modules/.cache');
const ARCHIVES = ['chromium.br', 'fonts.tar.br', 'al2023.tar.br'];

declare module 'vitest' {
  interface ProvidedContext {
    /** The folder with the browser, its fonts, and the libraries that a machine may lack. */
    browserFolder: string;
  }
}

export async function setup(project: TestProject): Promise<void> {
  const folder = path.join(CACHE, `chromium-${chromiumPackage.version}`);
  if (!existsSync(folder)) await unpack(folder);
  project.provide('browserFolder', folder);
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
