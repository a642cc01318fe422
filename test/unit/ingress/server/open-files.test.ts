import { expect, it } from 'vitest';
import type { Log } from '../../../../shared/platform/log.ts';
import { limitConnections } from '../../../../workers/ingress/server/open-files.ts';

it.each([
  [undefined, 10_000, false],
  [11_400, 10_000, false],
  [4_000, 3_272, true],
  [500, 90, true],
  [256, 50, true],
])('with at most %s open files there are at most %s connections', (maxOpenFiles, connections, isLogged) => {
  const logged: unknown[] = [];
  const log = { warn: (...line: unknown[]) => logged.push(line) } as unknown as Log;
  expect(limitConnections(maxOpenFiles, log)).toBe(connections);
  const warning = [{ maxOpenFiles, connections }, expect.stringContaining('ulimit -n')];
  expect(logged).toEqual(isLogged ? [warning] : []);
});
