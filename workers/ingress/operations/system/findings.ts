import type {
  SystemFinding,
  SystemGroup,
  SystemState,
} from '../../../../shared/api/operations/system-state.ts';
import type { DeadLetterFigures, OpenDeadLetters } from '../../../../shared/dead-letters/count-open.ts';

export type Observed = Omit<SystemState, 'status' | 'findings' | 'at'>;

const STALLED_MS = 60_000;
const SECOND_MS = 1_000;
const MAX_FINDINGS = 100;
const RANK = { critical: 0, warning: 1 } as const;

/** The most severe first. `stalledMs`: time without progress, by group id; `letters`: undefined until they are read. */
export function findFindings(
  observed: Observed,
  stalledMs: ReadonlyMap<string, number>,
  letters: DeadLetterFigures | undefined,
): readonly SystemFinding[] {
  const { broker, processes, groups, breakers, catalogue } = observed;
  const findings = [
    ...(broker.fault === undefined ? [] : [brokerUnreadable(broker)]),
    ...processes.flatMap(findProcess),
    ...groups.flatMap((group) => findGroup(group, stalledMs.get(group.groupId))),
    ...breakers.flatMap(findBreaker),
    ...(letters === undefined ? [] : findDeadLetters(letters)),
    ...(broker.fault === undefined && (catalogue?.version ?? 0) === 0 ? [CATALOGUE_ABSENT] : []),
  ];
  return findings.toSorted((one, other) => RANK[one.severity] - RANK[other.severity]).slice(0, MAX_FINDINGS);
}

export function worstOf(findings: readonly SystemFinding[]): SystemState['status'] {
  if (findings.length === 0) return 'ok';
  return findings.some(({ severity }) => severity === 'critical') ? 'critical' : 'warning';
}

/** Creates a function that returns the idle ms of groups with lag but no progress for a minute, by group id. */
export function createProgressWatch() {
  const since = new Map<string, { readonly done: number; readonly atMs: number }>();
  let lastMs = -Infinity;
  return (groups: readonly SystemGroup[], nowMs: number): ReadonlyMap<string, number> => {
    // Without a sample for a minute, a group may have made progress and stopped again.
    if (nowMs - lastMs > STALLED_MS) since.clear();
    lastMs = nowMs;
    const stalled = new Map<string, number>();
    for (const { groupId, lag, delayed, partitions } of groups) {
      const done = partitions.reduce((sum, { committed = 0 }) => sum + committed, 0);
      const known = since.get(groupId);
      if (lag === 0 || delayed || known?.done !== done) since.set(groupId, { done, atMs: nowMs });
      else if (nowMs - known.atMs >= STALLED_MS) stalled.set(groupId, nowMs - known.atMs);
    }
    return stalled;
  };
}

const CATALOGUE_ABSENT: SystemFinding = {
  severity: 'warning',
  code: 'catalogue-absent',
  subject: 'catalogue',
  text: 'No product catalogue has been published: products and simulations are not found.',
  parameters: {},
};

function findDeadLetters({ open, parked }: DeadLetterFigures): SystemFinding[] {
  const letters = open.count === 1 ? 'dead letter is open' : 'dead letters are open';
  const notifications = parked.count === 1 ? 'notification' : 'notifications';
  const ask = `${notifications} may have been sent: ask the provider`;
  return [
    ...describeDeadLetters('dead-letters-open', letters, open),
    ...describeDeadLetters('notifications-parked', ask, parked),
  ];
}

function describeDeadLetters(
  code: SystemFinding['code'],
  what: string,
  { count, oldestAtMs }: OpenDeadLetters,
): SystemFinding[] {
  if (oldestAtMs === undefined) return [];
  const since = new Date(oldestAtMs).toISOString();
  const text = `${count} ${what}; the oldest since ${since}.`;
  return [{ severity: 'warning', code, subject: 'dead letters', text, parameters: { count, since } }];
}

function brokerUnreadable({ fault, faultCode, faultDetail }: SystemState['broker']): SystemFinding {
  const text = `The state of the broker cannot be read: ${fault}.`;
  const parameters = { faultCode, faultDetail };
  return { severity: 'critical', code: 'broker-unreadable', subject: 'broker', text, parameters };
}

function findProcess(state: SystemState['processes'][number]): SystemFinding[] {
  const { name: process, fault, faultCode, faultDetail, workers } = state;
  if (fault !== undefined) {
    const text = `The process cannot be read: ${fault}.`;
    const parameters = { process, faultCode, faultDetail };
    return [{ severity: 'critical', code: 'process-unreadable', subject: process, text, parameters }];
  }
  return workers
    .filter(({ status }) => status !== 'ready')
    .map(({ name, status, reason }) => ({
      severity: status === 'degraded' ? 'warning' : 'critical',
      code: 'worker-not-ready',
      subject: process === 'this' ? name : `${name} of ${process}`,
      text: `${status}${reason === undefined ? '' : `: ${reason}`}`,
      parameters: { process, worker: name, status, reason },
    }));
}

function findGroup(group: SystemGroup, stalledMs: number | undefined): SystemFinding[] {
  const { groupId, lag, members, state, partitions, topic } = group;
  const messages = lag === 1 ? '1 message waits' : `${lag} messages wait`;
  const parameters = { topic, waiting: lag };
  if (state === 'empty') {
    // A group that has never read anything belongs to a worker that is not used here.
    const isUsed = lag > 0 || partitions.some(({ committed = 0 }) => committed > 0);
    if (!isUsed) return [];
    const text = `No process reads ${topic}${lag === 0 ? '.' : `: ${messages}.`}`;
    const severity = lag === 0 ? 'warning' : 'critical';
    return [{ severity, code: 'group-without-members', subject: groupId, text, parameters }];
  }
  if (stalledMs === undefined || members.length === 0) return [];
  const seconds = Math.floor(stalledMs / SECOND_MS / 10) * 10;
  const text = `${messages}, and none has been completed for ${seconds} s.`;
  const code = 'group-without-progress';
  return [{ severity: 'warning', code, subject: groupId, text, parameters: { ...parameters, seconds } }];
}

function findBreaker({ process, name, state }: SystemState['breakers'][number]): SystemFinding[] {
  if (state === 'closed') return [];
  const where = process === 'this' ? '' : ` in ${process}`;
  const text = `The circuit breaker of the provider is open${where}: its calls failed.`;
  return [{ severity: 'warning', code: 'breaker-open', subject: name, text, parameters: { process } }];
}
