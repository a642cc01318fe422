import { expect, it } from 'vitest';
import { BrokerModel } from '../../simulation/broker/broker-model.ts';
import { Link } from '../../simulation/broker/link.ts';
import { createProcessBroker } from '../../simulation/broker/process-broker.ts';
import { CallFates } from '../../simulation/faults/call-fates.ts';
import { NODES, type FaultPlan } from '../../simulation/faults/fault-plan.ts';
import { seededSystem } from '../../simulation/seeded-system.ts';
import { createMachine, ProcessLife } from '../../simulation/sim-process.ts';

const TOPIC = 'notes';
const PERIOD_MS = 1_000;
/** A request and its response without faults take less. */
const SOON_MS = 20;
/** Longer than the deadline of a publish call. */
const DEADLINE_MS = 60_000;

/** A tail, and the writes to its topic, in a fault period in which every call has these faults. */
async function tailInFaultPeriod(rates: FaultPlan['rates']) {
  const system = seededSystem(1);
  const fates = new CallFates({ seed: 1, rates });
  const model = new BrokerModel(system, fates);
  model.topics.create({ topic: TOPIC, partitions: 1 });
  const life = new ProcessLife('worker-1#1', createMachine(system, 1, undefined));
  const tail = createProcessBroker(life, model).createTail({
    clientId: 'tail',
    topics: [TOPIC],
    from: 'latest',
  });
  const notes: (string | undefined)[] = [];
  await system.run(
    tail.start(({ value }) => notes.push(value?.toString())),
    PERIOD_MS,
  );
  const write = async (note: string): Promise<void> => {
    model.append({ topic: TOPIC, partition: 0, key: null, value: Buffer.from(note) }, life.id);
    await system.pass(SOON_MS);
  };
  // The fetch that waits now was sent without faults: its response calls for the next one, which is sent with them.
  fates.isActive = true;
  return {
    notes,
    write,
    endFaults: () => {
      fates.isActive = false;
    },
  };
}

it.each(['lost-response', 'late-response'] as const)(
  'a fetch that began in the fault period is answered at once after it, despite a %s',
  async (fault) => {
    const { notes, write, endFaults } = await tailInFaultPeriod({ [fault]: 1 });
    await write('first');
    expect(notes).toEqual(['first']);
    endFaults();
    await write('second');
    expect(notes).toEqual(['first', 'second']);
  },
);

it('a call whose messages are stored only in part is in doubt', async () => {
  const system = seededSystem(1);
  const model = new BrokerModel(system, new CallFates({ seed: 1, rates: {} }));
  model.topics.create({ topic: TOPIC, partitions: NODES });
  const life = new ProcessLife('worker-1#1', createMachine(system, 1, undefined));
  const publisher = createProcessBroker(life, model).createPublisher({ clientId: 'publisher' });
  await system.run(publisher.start(), PERIOD_MS);
  const messageTo = (partition: number) => ({ topic: TOPIC, partition, key: null, value: Buffer.alloc(0) });
  // The partitions are led by different nodes; one of these has no leader.
  model.loseLeader(0);
  const all = Array.from({ length: NODES }, (_, partition) => messageTo(partition));
  const outcome = publisher.publish(all).catch((error: unknown) => error);
  await expect(system.run(outcome, DEADLINE_MS)).resolves.toMatchObject({ code: 'send-unknown' });
  const { logs } = model.topics.get(TOPIC);
  const isLost = ({ partition }: { readonly partition: number }) =>
    model.isLeaderless({ topic: TOPIC, partition });
  const refused = logs.find((log) => isLost(log));
  const single = publisher.publish([messageTo(refused?.partition ?? 0)]).catch((error: unknown) => error);
  await expect(system.run(single, DEADLINE_MS)).resolves.toMatchObject({ code: 'not-sent' });
});

it('requests of a connection arrive in the order of sending, even if timers overtake each other', () => {
  const system = seededSystem(1);
  const due: (() => void)[] = [];
  const { clock, monotonic, random, newId } = system;
  const timers = {
    schedule: (callback: () => void) => {
      due.push(callback);
      return () => undefined;
    },
    nextTurn: (callback: () => void) => void due.push(callback),
  };
  const model = new BrokerModel(
    { clock, monotonic, random, newId, timers },
    new CallFates({ seed: 1, rates: {} }),
  );
  const link = new Link(
    'consumer',
    new ProcessLife('worker-1#1', createMachine(system, 1, undefined)),
    model,
  );
  due.length = 0;
  const arrived: string[] = [];
  for (const name of ['commit', 'join']) void link.call(() => arrived.push(name));
  for (const callback of due.toReversed()) callback();
  expect(arrived).toEqual(['commit', 'join']);
});
