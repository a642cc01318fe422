import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';

/**
 * Clocks, timers and randomness come in through the ports of shared/platform/system-ports.ts, so that a simulation can repeat
 * a run. The files below use those of the system directly, each for the stated reason.
 */
const DIRECT: Readonly<Record<string, string>> = {
  'shared/platform/system-ports.ts': 'implements the port',
  'shared/messaging/codec/schema-registry.ts':
    'limits the time of HTTP calls to a registry outside the process',
  'workers/run-process.ts': 'handles signals and ends the process',
  'workers/ingress/server/malformed-http.ts':
    'closes sockets, and names responses to bytes that are not a request',
  'workers/ingress/server/send-answer.ts': 'closes sockets that keep sending a body',
  'workers/runtime/thread-pool.ts': 'limits the time of threads, which a simulation does not have',
  'workers/runtime/result-secret.ts': 'creates a secret, which must not come from a seed',
};

/** Adapters of systems outside the process, which a simulation replaces by models, and code that runs elsewhere. */
const DIRECT_FOLDERS: Readonly<Record<string, string>> = {
  'shared/messaging/kafka/': 'a simulation has a model of the brokers',
  'workers/ingress/workbench/app/': 'runs in browsers',
};

/** The files that choose the ports of the system: where a process or thread starts, and defaults for commands and tests. */
const CHOOSING: Readonly<Record<string, string>> = {
  'shared/platform/system-ports.ts': 'lists the ports of the system',
  'shared/messaging/embedded/embedded-broker.ts': 'default for a broker of its own',
  'shared/messaging/start-wait.ts': 'default for commands',
  'shared/messaging/topics/check-topics.ts': 'default for commands and for Kafka',
  'workers/start-workers.ts': 'the start of a process',
  'workers/run-process.ts': 'a process after its start',
  'workers/calculation-thread.ts': 'the start of a thread',
};

const USES = new RegExp(
  [
    String.raw`\bDate\.now\b`,
    String.raw`\bnew Date\(\)`,
    String.raw`\bperformance\.now\b`,
    String.raw`\bhrtime\b`,
    String.raw`\bset(?:Timeout|Interval|Immediate)\(`,
    String.raw`[=(,]\s*set(?:Timeout|Interval|Immediate)\b`,
    String.raw`\btimers/promises\b`,
    String.raw`\bAbortSignal\.timeout\b`,
    String.raw`\bMath\.random\b`,
    String.raw`\b(?:randomUUID|randomBytes|randomInt|randomFill|randomFillSync|getRandomValues)\b`,
  ].join('|'),
);
const CHOICES = /\b(?:systemPorts|systemTimers|systemClock|monotonicClock)\b/;
const COMMENT = /^\s*(?:\/?\*|\/\/).*$/gm;

const root = path.resolve(import.meta.dirname, '../../..');
const files = ['shared', 'workers'].flatMap((folder) =>
  readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !/(?:^|[\\/])(?:node_modules|dist)[\\/]/.test(name))
    .map((name) => path.posix.join(folder, name.replaceAll('\\', '/'))),
);

function filesWith(pattern: RegExp): string[] {
  return files
    .filter((file) => pattern.test(readFileSync(path.join(root, file), 'utf8').replaceAll(COMMENT, '')))
    .toSorted();
}

const isInFolder = (file: string): boolean =>
  Object.keys(DIRECT_FOLDERS).some((folder) => file.startsWith(folder));

it('the clocks, timers and randomness of the system are used and chosen by the listed files only', () => {
  const direct = filesWith(USES).filter((file) => !isInFolder(file));
  expect(direct).toEqual(Object.keys(DIRECT).toSorted());
  const choosing = filesWith(CHOICES).filter((file) => !isInFolder(file));
  expect(choosing).toEqual(Object.keys(CHOOSING).toSorted());
});
