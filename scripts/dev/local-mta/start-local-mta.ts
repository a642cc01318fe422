import { type ChildProcess, spawn } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { cacheDirectory } from '../local-kafka/artifact-cache.ts';
import { startGuard } from '../local-kafka/guard.ts';
import { findFreePorts } from '../local-kafka/ports.ts';
import { type MtaPlan, renderEximSettings } from './exim-settings.ts';
import { type EximFiles, ensureExim, LocalMtaError } from './fetch-exim.ts';

export interface LocalMta {
  readonly port: number;
  /** Maildirs by user: `<folder>/mail/<user>/new`. */
  readonly folder: string;
  /** The logs of Exim, for a failed test. */
  log(): string;
  /** Stops the process and removes its folder. Idempotent. */
  stop(): Promise<void>;
}

/** Exim listens within half a second on an idle machine. */
const READY_LIMIT_MS = 15_000;
const POLL_MS = 20;
const STOP_LIMIT_MS = 5_000;
/** The user `nobody`, since Exim does not continue to run as root after startup. */
const UNPRIVILEGED_ID = 65_534;

/**
 * Starts Debian's Exim from the cache on 127.0.0.1, with its configuration and spool in a temporary folder; resolves when it
 * responds. Process and folder do not outlive the calling process, even if it is killed. Throws LocalMtaError.
 */
export async function startLocalMta(
  options: Omit<MtaPlan, 'folder' | 'port'>,
  report: (line: string) => void = () => undefined,
): Promise<LocalMta> {
  const files = await ensureExim(cacheDirectory(process.env), report);
  const [port = 0] = await findFreePorts(1);
  const folder = mkdtempSync(path.join(tmpdir(), 'local-mta-'));
  const guard = startGuard(folder);
  const child = launch(files, { ...options, folder, port });
  if (child.pid !== undefined) guard.watch(child.pid);
  const log = (): string =>
    ['output', 'log/main', 'log/panic', 'log/reject']
      .map((name) => path.join(folder, name))
      .filter((file) => existsSync(file))
      .map((file) => readFileSync(file, 'utf8'))
      .join('');
  let stopping: Promise<void> | undefined;
  const stop = async (): Promise<void> => {
    await end(child);
    await guard.close();
    rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  };
  const stopOnce = (): Promise<void> => (stopping ??= stop());
  try {
    await untilReady(child, port);
    return { port, folder, log, stop: stopOnce };
  } catch (error) {
    const output = log();
    await stopOnce();
    throw new LocalMtaError('mta-failed', `Exim did not start: ${output}`, error);
  }
}

function launch(files: EximFiles, plan: MtaPlan): ChildProcess {
  const { folder } = plan;
  const isRoot = process.getuid?.() === 0;
  const userId = isRoot ? UNPRIVILEGED_ID : (process.getuid?.() ?? UNPRIVILEGED_ID);
  const groupId = isRoot ? UNPRIVILEGED_ID : (process.getgid?.() ?? UNPRIVILEGED_ID);
  for (const name of ['spool', 'log', 'mail']) mkdirSync(path.join(folder, name));
  writeFileSync(path.join(folder, 'tls.cert'), plan.certificate.cert);
  writeFileSync(path.join(folder, 'tls.key'), plan.certificate.key, { mode: 0o600 });
  const [exim, root] = [
    `Debian-exim:x:${userId}:${groupId}::/nonexistent:/bin/false`,
    'root:x:0:0::/:/bin/false',
  ];
  writeFileSync(path.join(folder, 'passwd'), `${exim}\n${root}\n`);
  writeFileSync(path.join(folder, 'group'), `Debian-exim:x:${groupId}:\nroot:x:0:\n`);
  writeFileSync(path.join(folder, 'exim.conf'), renderEximSettings(plan), { mode: 0o640 });
  if (isRoot) {
    for (const name of ['', 'spool', 'log', 'mail', 'tls.key'])
      chownSync(path.join(folder, name), userId, groupId);
  }
  chmodSync(folder, 0o755);
  const output = openSync(path.join(folder, 'output'), 'a');
  const child = spawn(files.binary, ['-C', path.join(folder, 'exim.conf'), '-bdf', '-q1h'], {
    cwd: folder,
    detached: true,
    stdio: ['ignore', output, output],
    env: {
      PATH: process.env['PATH'],
      LD_LIBRARY_PATH: files.libraries,
      LD_PRELOAD: files.nssWrapper,
      NSS_WRAPPER_PASSWD: path.join(folder, 'passwd'),
      NSS_WRAPPER_GROUP: path.join(folder, 'group'),
    },
  });
  closeSync(output);
  child.on('error', () => undefined);
  return child;
}

async function untilReady(child: ChildProcess, port: number): Promise<void> {
  const giveUpAt = Date.now() + READY_LIMIT_MS;
  while (!(await isGreeting(port))) {
    if (child.exitCode !== null || child.signalCode !== null) throw new Error('it ended');
    if (Date.now() > giveUpAt) throw new Error(`it did not respond within ${READY_LIMIT_MS / 1_000} s`);
    await sleep(POLL_MS);
  }
}

function isGreeting(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    const settle = (answer: boolean): void => {
      socket.destroy();
      resolve(answer);
    };
    socket.setTimeout(READY_LIMIT_MS, () => settle(false));
    socket.once('error', () => settle(false));
    socket.once('close', () => settle(false));
    socket.once('data', (data) => settle(data.toString('latin1').startsWith('220')));
  });
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
  const ended = new Promise((resolve) => child.once('close', resolve));
  child.kill('SIGTERM');
  const force = setTimeout(() => child.kill('SIGKILL'), STOP_LIMIT_MS);
  await ended;
  clearTimeout(force);
}
