/** Child process with a fastify server that calls the engine in its handler: the least that a schedule over HTTP can cost. */
import fastify from 'fastify';
import { repaymentScheduleRequest } from '../../../shared/contract/schedule/calculate-repayment-schedule.ts';
import { renderRepaymentSchedule } from '../../../shared/contract/schedule/render-schedule.ts';
import { answerParent } from '../processes.ts';
import { calculate, SCHEDULE_CALL } from '../samples.ts';

const server = fastify({ logger: false });
server.post(SCHEDULE_CALL.path, (request, reply) => {
  const read = repaymentScheduleRequest.read(request.body);
  if (read.kind !== 'valid') return reply.code(400).send(read.faults);
  return reply.type('application/json').send(renderRepaymentSchedule(calculate(read.payload)));
});
console.log(await server.listen({ host: '127.0.0.1', port: 0 }));
answerParent(() => Promise.resolve(undefined));
