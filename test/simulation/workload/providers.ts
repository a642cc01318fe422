import type { Provider, SendResult } from '../../../shared/notification/provider.ts';
import type { SystemPorts } from '../../../shared/platform/system-ports.ts';
import { guard } from '../../../workers/notification/providers/guarded-provider.ts';
import { Picks } from '../../support/random/pick.ts';
import type { History, ProviderCall } from '../check/history.ts';
import type { Journal } from '../check/journal.ts';
import type { CallFates } from '../faults/call-fates.ts';
import type { CallFault, FaultPlan } from '../faults/fault-plan.ts';
import type { OpenProviders } from '../restarting-process.ts';
import type { Host } from '../sim-process.ts';

const RATE_PER_SECOND = 20;
const USUAL_MS = 500;
const LATE_MS = 5_000;
const MAX_RETRY_AFTER_MS = 30_000;
const SENT: SendResult = { kind: 'sent', providerMessageId: 'p-1' };

interface Behaviour {
  readonly name: string;
  readonly fault?: CallFault;
  readonly delivers: boolean;
  /** Undefined: it never answers. */
  readonly answer: SendResult | undefined;
  readonly longestMs: number;
}

const GOOD: Behaviour = { name: 'send it', delivers: true, answer: SENT, longestMs: USUAL_MS };

function refuse(answer: SendResult): Behaviour {
  return { name: 'refuse it', fault: 'refusing-provider', delivers: false, answer, longestMs: USUAL_MS };
}

function failures(picks: Picks): readonly Behaviour[] {
  const silent = { fault: 'silent-provider', delivers: true, longestMs: LATE_MS } as const;
  return [
    refuse({ kind: 'transient', code: 'busy' }),
    refuse({ kind: 'transient', code: 'later', retryAfterMs: picks.whole(1, MAX_RETRY_AFTER_MS) }),
    refuse({ kind: 'transient', code: 'mailbox-full', isAboutReceiver: true }),
    refuse({ kind: 'permanent', code: 'rejected' }),
    refuse({ kind: 'misconfigured', code: 'credentials' }),
    { ...silent, name: 'never answer', delivers: picks.chance(70), answer: undefined },
    { ...silent, name: 'send and answer late', answer: SENT },
  ];
}

interface ProviderOptions {
  readonly system: SystemPorts;
  readonly fates: CallFates;
  readonly plan: FaultPlan;
  readonly history: History;
  readonly journal: Journal;
  readonly onDelivery: (call: ProviderCall) => void;
}

interface Outside extends Pick<Provider, 'name' | 'channel' | 'isIdempotent'> {
  readonly failPercent: number;
  readonly delivered: Set<string>;
}

/** Whether a provider recognises repeated ids, and how often it fails, depends on the seed. */
export function createProviders(options: ProviderOptions): OpenProviders {
  const { fates, plan } = options;
  const picks = new Picks(plan.seed ^ 0x2545f491);
  const outside = (['sms', 'email'] as const).flatMap((channel) =>
    ['first', 'second'].map((place): Outside => ({
      name: `${place}-${channel}`,
      channel,
      isIdempotent: picks.chance(40),
      failPercent: picks.of(0, 30, 60),
      delivered: new Set<string>(),
    })),
  );
  let calls = 0;
  const choose = ({ failPercent }: Outside): Behaviour => {
    calls += 1;
    const own = new Picks(plan.seed ^ Math.imul(calls, 0x9e3779b1));
    const possible = failures(own).filter(({ fault }) => fault !== undefined && plan.rates[fault]);
    if (!fates.isActive || possible.length === 0 || !own.chance(failPercent)) return GOOD;
    return own.of(...(possible as [Behaviour, ...Behaviour[]]));
  };
  return (host) => {
    const clients = outside.map((provider) => {
      const send: Provider['send'] = (...call) =>
        perform(options, { host, provider, behaviour: choose(provider) }, ...call);
      const client = { ...provider, send, close: async () => undefined };
      return guard(client, { ratePerSecond: RATE_PER_SECOND }, host.ports.monotonic);
    });
    return {
      of: (channel) => clients.filter((client) => client.channel === channel),
      health: () => ({ status: 'ready' }),
      close: () => Promise.resolve(),
    };
  };
}

function perform(
  { system, fates, history, journal, onDelivery }: ProviderOptions,
  { host, provider, behaviour }: { host: Host; provider: Outside; behaviour: Behaviour },
  ...[message, signal]: Parameters<Provider['send']>
): Promise<SendResult> {
  const { timers, monotonic, random } = system;
  if (!host.mayAct()) return new Promise(() => undefined);
  const { id } = message;
  if (behaviour.fault !== undefined) fates.count(behaviour.fault);
  const startedAtMs = monotonic.elapsedMs();
  const call: ProviderCall = {
    notificationId: id,
    provider: provider.name,
    text: message.message,
    startedAtMs,
  };
  history.providerCalls.push(call);
  journal.note(host.id, `calls ${provider.name}, which will ${behaviour.name}`, id);
  const deliveredAfterMs = 1 + random() * behaviour.longestMs;
  if (behaviour.delivers) {
    timers.schedule(() => {
      if (provider.isIdempotent && provider.delivered.has(id)) {
        journal.note(provider.name, 'recognises the id and sends nothing', id);
        return;
      }
      provider.delivered.add(id);
      call.deliveredAtMs = monotonic.elapsedMs();
      journal.note(provider.name, `sends "${message.message}" to ${message.receiver}`, id);
      onDelivery(call);
    }, deliveredAfterMs);
  }
  return new Promise((resolve) => {
    const end = (result: SendResult): void => {
      if (call.result !== undefined) return;
      call.result = result;
      const code = 'code' in result && result.code !== undefined ? ` ${result.code}` : '';
      journal.note(host.id, `has the result ${result.kind}${code} of ${provider.name}`, id);
      resolve(result);
    };
    const timeOut = (): void => end({ kind: 'unknown', code: 'timeout' });
    if (signal.aborted) timeOut();
    signal.addEventListener('abort', timeOut, { once: true });
    const { answer } = behaviour;
    const answeredAfterMs = deliveredAfterMs + random() * behaviour.longestMs;
    if (answer !== undefined) timers.schedule(() => host.enter(() => end(answer)), answeredAfterMs);
  });
}
