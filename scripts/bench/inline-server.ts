/** A child process: a fastify server that calls the engine in its handler, as a lower bound for the cost over HTTP. */
import fastify from 'fastify';
import { repaymentScheduleRequest } from '../../shared/api/actions/schedule-action.ts';
import { renderRepaymentSchedule } from '../../shared/api/actions/render-schedule.ts';
import { calculate, SCHEDULE_PATH } from './samples.ts';

const server = fastify({ logger: false });
server.post(SCHEDULE_PATH, (request, reply) => {
  const read = repaymentScheduleRequest.read(request.body);
  if (read.kind !== 'valid') return reply.code(400).send(read.faults);
  return reply.type('application/json').send(renderRepaymentSchedule(calculate(read.payload)));
});
console.log(`READY ${await server.listen({ host: '127.0.0.1', port: 0 })}`);
