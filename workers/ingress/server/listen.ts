import type { AddressInfo } from 'node:net';
import underPressure from '@fastify/under-pressure';
import type { FastifyInstance } from 'fastify';

/** Makes the server reachable at an address, and resolves with its port. Rejects when the address cannot be bound. */
export type Listen = (
  app: FastifyInstance,
  address: { readonly host: string; readonly port: number },
) => Promise<number>;

/** How often the delay of the event loop is read, by which calls are refused (admission.ts). */
const SAMPLE_MS = 1_000;

/** Listens on TCP sockets, port 0: any free one, and watches the delay of the event loop. */
export const listenOnSockets: Listen = async (app, { host, port }) => {
  await app.register(underPressure, { sampleInterval: SAMPLE_MS });
  await app.listen({ host, port });
  return (app.server.address() as AddressInfo).port;
};
