import { chmodSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { ensureArtifact } from '../local-kafka/artifact-cache.ts';
import { runCommand } from '../local-kafka/run-command.ts';
import { SystemError } from '../../../shared/platform/errors.ts';

/** `mta-missing`: not Debian; `fetch-failed`: no network or packages; `mta-failed`: Exim does not start. */
export type LocalMtaErrorCode = 'mta-missing' | 'fetch-failed' | 'mta-failed';

/** The local mail server cannot be fetched or started. The message contains the reason and advice. */
export class LocalMtaError extends SystemError {
  override readonly name = 'LocalMtaError';
  declare readonly code: LocalMtaErrorCode;

  constructor(code: LocalMtaErrorCode, message: string, cause?: unknown) {
    super(code, message, { canRetry: false, cause });
  }
}

/** Whether Exim is not available on this machine, which allows test suites to be skipped, unlike a failed start. */
export function isMtaMissing(error: unknown): boolean {
  return error instanceof LocalMtaError && error.code !== 'mta-failed';
}

/** Paths in the unpacked packages. */
export interface EximFiles {
  readonly binary: string;
  /** Folder of the libraries that may not be installed. */
  readonly libraries: string;
  /** Library that gives Exim its user from a file instead of the system. */
  readonly nssWrapper: string;
}

const DAEMON = 'exim4-daemon-light';
const NSS_WRAPPER = 'libnss-wrapper';
/** Installed wherever Node runs; a second C library would conflict with the installed one. */
const NEVER_FETCHED = /^(?:libc6|libgcc-s1|libcrypt1|gcc-.*|libstdc\+\+6)$/;
const FETCH_LIMIT_MS = 5 * 60_000;
const QUERY_LIMIT_MS = 60_000;

/**
 * Unpacks Debian's Exim into the cache, without root and without installing it. Throws LocalMtaError `mta-missing` unless the
 * system is Debian or a derivative, and `fetch-failed` if the packages cannot be downloaded.
 */
export async function ensureExim(cacheFolder: string, report: (line: string) => void): Promise<EximFiles> {
  const artifact = {
    name: `exim4-${debianName()}-${process.arch}`,
    fetchInto: async (folder: string) => {
      report(`fetching Exim with apt-get into ${cacheFolder} (about 2 MB, once)`);
      await fetchInto(folder);
    },
  };
  const folder = await ensureArtifact(cacheFolder, artifact, report);
  const libraries = readdirSync(path.join(folder, 'usr', 'lib'), { recursive: true, encoding: 'utf8' }).find(
    (name) => path.basename(name) === 'libnss_wrapper.so',
  );
  if (libraries === undefined) throw new LocalMtaError('fetch-failed', `${NSS_WRAPPER} is not in ${folder}`);
  const nssWrapper = path.join(folder, 'usr', 'lib', libraries);
  return {
    binary: path.join(folder, 'usr', 'sbin', 'exim4'),
    libraries: path.dirname(nssWrapper),
    nssWrapper,
  };
}

/** Id and version of the system, `debian-12`. */
function debianName(): string {
  const file = '/etc/os-release';
  const release = existsSync(file) ? readFileSync(file, 'utf8') : '';
  const value = (name: string): string =>
    (new RegExp(`^${name}="?([A-Za-z0-9._ -]*)`, 'm').exec(release)?.[1] ?? '').trim();
  if (!`${value('ID')} ${value('ID_LIKE')}`.split(' ').includes('debian')) {
    throw new LocalMtaError('mta-missing', 'the packages of Exim require Debian or a derivative');
  }
  return `${value('ID')}-${value('VERSION_ID') || 'testing'}`;
}

async function fetchInto(folder: string): Promise<void> {
  const downloads = path.join(folder, 'packages');
  mkdirSync(downloads);
  if (!(await download(downloads))) {
    /** A new container has no package lists yet. If the update fails, so does the second download. */
    await runCommand('apt-get', ['update', '-q'], { limitMs: FETCH_LIMIT_MS });
    if (!(await download(downloads))) {
      throw new LocalMtaError(
        'fetch-failed',
        'apt-get could not download Exim: check the network, or run apt-get update',
      );
    }
  }
  for (const name of readdirSync(downloads).filter((file) => file.endsWith('.deb'))) {
    const unpacked = await runCommand('dpkg', ['-x', path.join(downloads, name), folder], {
      limitMs: QUERY_LIMIT_MS,
    });
    if (unpacked.code !== 0) throw new LocalMtaError('fetch-failed', `dpkg -x ${name}: ${unpacked.output}`);
  }
  rmSync(downloads, { recursive: true });
  /** Removes the set-user-id bit, so that Exim runs as the current user. */
  chmodSync(path.join(folder, 'usr', 'sbin', 'exim4'), 0o755);
}

/** Returns false if a package cannot be found or downloaded. */
async function download(folder: string): Promise<boolean> {
  const libraries = await missingLibraries();
  if (libraries === undefined) return false;
  const result = await runCommand('apt-get', ['download', '-q', DAEMON, NSS_WRAPPER, ...libraries], {
    limitMs: FETCH_LIMIT_MS,
    cwd: folder,
  });
  return result.code === 0;
}

/** The libraries that Exim requires, directly or indirectly, and that are not installed. */
async function missingLibraries(): Promise<string[] | undefined> {
  const direct = await query('apt-cache', ['depends', ...ONLY_NEEDED, DAEMON]);
  const wanted = [...direct.matchAll(/^\s*Depends: (lib[^\s<>]+)$/gm)].map((match) => match[1] ?? '');
  if (wanted.length === 0) return undefined;
  const all = await query('apt-cache', ['depends', '--recurse', ...ONLY_NEEDED, ...wanted]);
  const libraries = all.split('\n').filter((line) => /^lib[^\s<>]+$/.test(line) && !NEVER_FETCHED.test(line));
  const states = await query('dpkg-query', ['-W', '-f', '${Package} ${db:Status-Status}\n']);
  const installed = new Set(
    states
      .split('\n')
      .filter((line) => line.endsWith(' installed'))
      .map((line) => line.slice(0, line.indexOf(' '))),
  );
  return [...new Set(libraries)].filter((name) => !installed.has(name));
}

const ONLY_NEEDED = ['recommends', 'suggests', 'conflicts', 'breaks', 'replaces', 'enhances'].map(
  (kind) => `--no-${kind}`,
);

async function query(command: string, args: readonly string[]): Promise<string> {
  const result = await runCommand(command, args, { limitMs: QUERY_LIMIT_MS });
  if (result.code === 'missing') throw new LocalMtaError('mta-missing', `${command} is not installed`);
  return result.code === 0 ? result.output : '';
}
