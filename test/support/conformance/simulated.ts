import { systemPorts, repeat } from '../../../shared/platform/system-ports.ts';
import { BrokerModel } from '../../simulation/broker/broker-model.ts';
import { createProcessBroker } from '../../simulation/broker/process-broker.ts';
import { CallFates } from '../../simulation/faults/call-fates.ts';
import type { FaultPlan } from '../../simulation/faults/fault-plan.ts';
import type { Host } from '../../simulation/sim-process.ts';
import { leaveEmptyTail } from './embedded.ts';
import type { ConformanceTarget } from './target.ts';
import { eventually, sleep } from './wait.ts';

/** Real time: a member whose process gets no processor for this long is expelled, and receives its messages again. */
const SESSION_TIMEOUT_MS = 1_000;
const STEP_MS = 5_000;
const AWAY_MS = 2 * SESSION_TIMEOUT_MS;
const SWEEP_INTERVAL_MS = 20;
/** Below a session, but so long that a busy machine gives up no late response, which would store its records twice. */
const TIMES = { requestTimeoutMs: 800, lateMs: 40 };

/** A process whose code runs until it is killed. */
function testHost(id: string) {
  const host = { id, ports: systemPorts, isKilled: false, isAlive: () => !host.isKilled };
  const enter = (callback: () => void): void => void (host.isKilled || callback());
  return Object.assign(host, { mayAct: host.isAlive, enter }) satisfies Host;
}

/** The broker model of the simulation in real time, with the faults of calls that a conforming broker may show. */
export function createSimulatedTarget(rates: FaultPlan['rates']): ConformanceTarget {
  const fates = new CallFates({ seed: 1, rates }, TIMES);
  fates.isActive = true;
  const model = new BrokerModel(systemPorts, fates);
  const sweep = () => void model.topics.sweep();
  const stopSweeps = repeat(systemPorts.timers, sweep, SWEEP_INTERVAL_MS, 'background');
  const broker = createProcessBroker(testHost('conformance#1'), model);
  return {
    sessionTimeoutMs: SESSION_TIMEOUT_MS,
    stepMs: STEP_MS,
    slowMs: 1_200,
    trafficMessages: 200,
    broker,
    startKillableWorker: async (options) => {
      const { startEchoWorker } = await import('./echo-worker.ts');
      const host = testHost(`${options.clientId}#1`);
      const worker = await startEchoWorker(createProcessBroker(host, model), options);
      await eventually('assignment', STEP_MS, () => worker.consumer.health().status === 'ready');
      return { kill: async () => void (host.isKilled = true) };
    },
    restart: async () => {
      model.setFault('outage', true);
      await sleep(AWAY_MS);
      model.setFault('outage', false);
    },
    leaveEmptyTail: (topic) => leaveEmptyTail(broker, topic),
    forceRejoin: async (clientId) => {
      for (let round = 0; round < 2; round += 1) {
        for (const client of model.clients) if (client.clientId === clientId) client.disconnect();
        await sleep(AWAY_MS);
      }
    },
    close: async () => {
      stopSweeps();
      await broker.close();
      model.close();
    },
  };
}
