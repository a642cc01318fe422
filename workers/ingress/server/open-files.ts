import { readFileSync } from 'node:fs';
import { RAISE_OPEN_FILES } from '../../../shared/platform/errors.ts';
import type { Log } from '../../../shared/platform/log.ts';
import { HTTP_LIMITS } from './http-limits.ts';

/** The limit of this process alone, as Node has raised it at its start. */
const OWN_LIMITS = '/proc/self/limits';

/** How many files and sockets this process may have open; undefined: unlimited, or not known, as on systems other than Linux. */
export function maxOpenFiles(): number | undefined {
  try {
    const [, soft] = /^Max open files +(\d+) /m.exec(readFileSync(OWN_LIMITS, 'utf8')) ?? [];
    return soft === undefined ? undefined : Number(soft);
  } catch {
    return undefined;
  }
}

/** How many connections may be open under this limit of open files. Logs a warning if these are fewer than `HTTP_LIMITS` allows. */
export function limitConnections(openFiles: number | undefined, log: Log): number {
  const { connections: most, endedShare, otherFiles, leastConnections } = HTTP_LIMITS;
  const left = Math.floor(((openFiles ?? Infinity) - otherFiles) / (1 + endedShare));
  if (left >= most) return most;
  const connections = Math.max(leastConnections, left);
  log.warn(
    { maxOpenFiles: openFiles, connections },
    `few connections can be open at a time: ${RAISE_OPEN_FILES}`,
  );
  return connections;
}
