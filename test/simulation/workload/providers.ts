import type { Channel, Outbound } from '../../../shared/notification/command.ts';
import type { Provider, SendResult } from '../../../shared/notification/provider.ts';
import type { SystemPorts } from '../../../shared/platform/system-ports.ts';
import type { ProviderSet } from '../../../workers/notification/providers/configured-providers.ts';
import { guard } from '../../../workers/notification/providers/guarded-provider.ts';
import { Picks } from '../../support/random/pick.ts';
import type { History, ProviderCall } from '../check/history.ts';
import type { Journal } from '../check/journal.ts';
import type { CallFates } from '../faults/call-fates.ts';
import type { CallFault, FaultPlan } from '../faults/fault-plan.ts';
import type { Host } from '../sim-process.ts';

/** How long a worker waits for a provider's answer. */
export const PROVIDER_TIMEOUT_MS = 2_000;
const RATE_PER_SECOND = 20;
const USUAL_MS = 500;
const LATE_MS = 5_000;
const MAX_RETRY_AFTER_MS = 30_000;

/** What a provider does with a call. `delivers`: it sends the message on. */
interface Behaviour {
  readonly name: string;
  readonly fault?: CallFault;
  readonly delivers: boolean;
  /** Undefined: it never answers. */
  readonly answer: SendResult | undefined;
  readonly answersAfterMs: number;
  readonly deliversAfterMs: number;
}

/** Shares of the behaviours of one provider, as weights. */
interface Character {
  readonly good: number;
  readonly busy: number;
  readonly refusing: number;
  readonly silent: number;
  readonly late: number;
}

/** The providers outside the system, which all processes share. */
export interface ProviderWorld {
  /** The providers as a process has them. */
  open(host: Host): ProviderSet;
}

export interface ProviderWorldOptions {
  readonly system: SystemPorts;
  readonly fates: CallFates;
  readonly plan: FaultPlan;
  readonly history: History;
  readonly journal: Journal;
  /** Called when a provider sends a message on. */
  readonly onDelivery: (call: ProviderCall) => void;
}

/** Two providers of each channel. Whether they recognise repeated ids, and how they fail, depends on the seed. */
export function createProviderWorld(options: ProviderWorldOptions): ProviderWorld {
  const { system, fates, plan, history, journal, onDelivery } = options;
  const { seed } = plan;
  const picks = new Picks(seed ^ 0x2545f491);
  const outside = (['sms', 'email'] as const).flatMap((channel) =>
    ['first', 'second'].map((place) => ({
      name: `${place}-${channel}`,
      channel,
      isIdempotent: picks.chance(40),
      character: restrict(chooseCharacter(picks), plan),
      delivered: new Set<string>(),
    })),
  );
  let calls = 0;
  const send = (
    host: Host,
    provider: Outside,
    message: Outbound,
    signal: AbortSignal,
  ): Promise<SendResult> => {
    calls += 1;
    const own = new Picks(seed ^ Math.imul(calls, 0x9e3779b1));
    const behaviour = chooseBehaviour(own, fates.isActive ? provider.character : GOOD, message);
    if (behaviour.fault !== undefined) fates.count(behaviour.fault);
    return perform({ system, host, journal, history, onDelivery, provider, behaviour, message, signal });
  };
  return {
    open: (host) => {
      const clients = outside.map((provider) => {
        const client: Provider = {
          name: provider.name,
          channel: provider.channel,
          isIdempotent: provider.isIdempotent,
          send: (message, signal) => send(host, provider, message, signal),
          close: () => Promise.resolve(),
        };
        return guard(client, { ratePerSecond: RATE_PER_SECOND }, host.ports.monotonic);
      });
      return {
        of: (channel) => clients.filter((client) => client.channel === channel),
        health: () => ({ status: 'ready' }),
        close: () => Promise.resolve(),
      };
    },
  };
}

interface Outside {
  readonly name: string;
  readonly channel: Channel;
  readonly isIdempotent: boolean;
  readonly character: Character;
  /** Ids of what it has sent on. */
  readonly delivered: Set<string>;
}

interface Performance {
  readonly system: SystemPorts;
  readonly host: Host;
  readonly journal: Journal;
  readonly history: History;
  readonly onDelivery: (call: ProviderCall) => void;
  readonly provider: Outside;
  readonly behaviour: Behaviour;
  readonly message: Outbound;
  readonly signal: AbortSignal;
}

/** The provider acts whether the caller still waits or not; the answer reaches a process that is still alive. */
function perform(performance: Performance): Promise<SendResult> {
  const { system, host, journal, history, onDelivery, provider, behaviour, message, signal } = performance;
  const { timers, monotonic } = system;
  if (!host.mayAct()) return new Promise(() => undefined);
  const { id } = message;
  const call: ProviderCall = {
    provider: provider.name,
    isIdempotent: provider.isIdempotent,
    channel: provider.channel,
    process: host.id,
    notificationId: id,
    receiver: message.receiver,
    text: message.message,
    startedAtMs: monotonic.elapsedMs(),
  };
  history.providerCalls.push(call);
  journal.note(host.id, `calls ${provider.name}, which will ${behaviour.name}`, id);
  if (behaviour.delivers) {
    timers.schedule(() => {
      if (provider.isIdempotent && provider.delivered.has(id)) {
        call.isRepeat = true;
        journal.note(provider.name, 'recognises the id and sends nothing', id);
        return;
      }
      provider.delivered.add(id);
      call.deliveredAtMs = monotonic.elapsedMs();
      journal.note(provider.name, `sends "${message.message}" to ${message.receiver}`, id);
      onDelivery(call);
    }, behaviour.deliversAfterMs);
  }
  return new Promise((resolve) => {
    const end = (result: SendResult): void => {
      if (call.endedAtMs !== undefined) return;
      call.endedAtMs = monotonic.elapsedMs();
      call.result = result;
      const code = 'code' in result && result.code !== undefined ? ` ${result.code}` : '';
      journal.note(host.id, `has the result ${result.kind}${code} of ${provider.name}`, id);
      resolve(result);
    };
    const timeOut = (): void => end({ kind: 'unknown', code: 'timeout' });
    if (signal.aborted) timeOut();
    signal.addEventListener('abort', timeOut, { once: true });
    const { answer } = behaviour;
    if (answer !== undefined) timers.schedule(() => host.enter(() => end(answer)), behaviour.answersAfterMs);
  });
}

const GOOD: Character = { good: 1, busy: 0, refusing: 0, silent: 0, late: 0 };

function chooseCharacter(picks: Picks): Character {
  return picks.of(
    GOOD,
    { good: 6, busy: 2, refusing: 1, silent: 1, late: 1 },
    { good: 2, busy: 4, refusing: 0, silent: 0, late: 0 },
    { good: 2, busy: 0, refusing: 0, silent: 2, late: 2 },
    { good: 3, busy: 1, refusing: 3, silent: 0, late: 0 },
  );
}

/** Without the failures that the plan of the seed leaves out. */
function restrict(character: Character, { rates }: FaultPlan): Character {
  return {
    ...character,
    ...(rates['refusing-provider'] === undefined ? { busy: 0, refusing: 0 } : {}),
    ...(rates['silent-provider'] === undefined ? { silent: 0, late: 0 } : {}),
  };
}

function chooseBehaviour(picks: Picks, character: Character, message: Outbound): Behaviour {
  const names = Object.keys(character) as (keyof Character)[];
  const kind = picks.of(...names.flatMap((name) => Array.from({ length: character[name] }, () => name)));
  const usual = { answersAfterMs: picks.whole(1, USUAL_MS), deliversAfterMs: picks.whole(1, USUAL_MS) };
  const sent: SendResult = { kind: 'sent', providerMessageId: `p-${message.id}` };
  switch (kind) {
    case 'good':
      return {
        ...usual,
        deliversAfterMs: Math.min(usual.deliversAfterMs, usual.answersAfterMs),
        name: 'send it',
        delivers: true,
        answer: sent,
      };
    case 'busy':
      return {
        ...usual,
        name: 'be busy',
        fault: 'refusing-provider',
        delivers: false,
        answer: picks.of<SendResult>(
          { kind: 'transient', code: 'busy' },
          { kind: 'transient', code: 'later', retryAfterMs: picks.whole(1, MAX_RETRY_AFTER_MS) },
          { kind: 'transient', code: 'mailbox-full', isAboutReceiver: true },
        ),
      };
    case 'refusing':
      return {
        ...usual,
        name: 'refuse it',
        fault: 'refusing-provider',
        delivers: false,
        answer: picks.of<SendResult>(
          { kind: 'permanent', code: 'rejected' },
          { kind: 'permanent', code: 'rejected' },
          { kind: 'misconfigured', code: 'credentials' },
        ),
      };
    case 'silent':
      return {
        ...usual,
        name: 'never answer',
        fault: 'silent-provider',
        delivers: picks.chance(70),
        answer: undefined,
      };
    case 'late':
      return {
        name: 'send and answer late',
        fault: 'silent-provider',
        delivers: true,
        deliversAfterMs: picks.whole(1, LATE_MS),
        answersAfterMs: picks.whole(PROVIDER_TIMEOUT_MS / 2, LATE_MS),
        answer: sent,
      };
    default:
      return kind satisfies never;
  }
}
