import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

const ROOT = path.resolve(import.meta.dirname, '../../..');
const PATCH = '.patch';
const MENDED_BY = /^Mended by ([0-9a-f]{8})\.$/;
/** What a simulation loads. */
const SOURCES = ['package.json', 'schemas', 'shared', 'workers', 'scripts', 'test'];

/** A fault that the project has had, or of its kind, as a change of the sources that brings it back. */
export interface KnownFault {
  /** Name of its file without the extension. */
  readonly name: string;
  /** One sentence. */
  readonly description: string;
  /** The commit that mended the fault; undefined for a fault that the project never had. */
  readonly mendedBy: string | undefined;
  readonly changes: readonly Change[];
}

/** Consecutive lines of a file, and the lines that replace them. */
interface Change {
  /** Relative to the root. */
  readonly file: string;
  readonly before: string;
  readonly after: string;
}

/** Reads all known faults by name. */
export function readKnownFaults(): readonly KnownFault[] {
  return readdirSync(import.meta.dirname)
    .filter((file) => file.endsWith(PATCH))
    .toSorted()
    .map((file) => {
      const text = readFileSync(path.join(import.meta.dirname, file), 'utf8');
      return parsePatch(path.basename(file, PATCH), text);
    });
}

/** Parses a unified diff with its description before it, and the commit that mended it on the next line. Line numbers are not read: lines are found by their content. */
export function parsePatch(name: string, text: string): KnownFault {
  const [head = '', ...files] = text.split(/^--- .*\n\+\+\+ b\//m);
  const changes = files.flatMap((one) => {
    const [file = '', ...hunks] = one.split(/\n@@ .*(?=\n)/);
    return hunks.map((hunk): Change => {
      const lines = hunk.split('\n').filter((line) => line !== '');
      return { file, before: linesOf(lines, '-'), after: linesOf(lines, '+') };
    });
  });
  const [description = '', mended = ''] = head.trim().split('\n');
  return { name, description, mendedBy: MENDED_BY.exec(mended)?.[1], changes };
}

/** The lines of one side of a hunk. */
function linesOf(hunk: readonly string[], side: '-' | '+'): string {
  return hunk
    .filter((line) => line.startsWith(' ') || line.startsWith(side))
    .map((line) => `${line.slice(1)}\n`)
    .join('');
}

/**
 * The changed files by their paths relative to the root, with their contents. Throws when the lines of a change are not in
 * their file exactly once: the sources have changed since the fault was recorded.
 */
export function changedFiles(fault: KnownFault, root: string = ROOT): ReadonlyMap<string, string> {
  const files = new Map<string, string>();
  for (const { file, before, after } of fault.changes) {
    const text = files.get(file) ?? readFileSync(path.join(root, file), 'utf8');
    const parts = text.split(before);
    if (parts.length !== 2) {
      throw new Error(`the fault ${fault.name} changes lines that ${file} has ${parts.length - 1} times`);
    }
    files.set(file, parts.join(after));
  }
  return files;
}

/** Commands may have packages of their own. */
const isSource = (file: string): boolean => path.basename(file) !== 'node_modules';

/** Copies the sources with the fault to a temporary folder, which `dispose` removes. */
export function plant(fault: KnownFault): Disposable & { readonly folder: string } {
  const folder = mkdtempSync(path.join(tmpdir(), `known-fault-${fault.name}-`));
  for (const name of SOURCES)
    cpSync(path.join(ROOT, name), path.join(folder, name), { recursive: true, filter: isSource });
  symlinkSync(path.join(ROOT, 'node_modules'), path.join(folder, 'node_modules'), 'dir');
  for (const [file, text] of changedFiles(fault)) writeFileSync(path.join(folder, file), text);
  return { folder, [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }) };
}
