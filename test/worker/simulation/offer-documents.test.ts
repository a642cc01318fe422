import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CREATE_OFFER_DOCUMENT } from '../../../shared/api/actions/offer-document-action.ts';
import { HEADER } from '../../../shared/messaging/headers.ts';
import { TOPIC } from '../../../shared/messaging/topics/topic-list.ts';
import { loadConfig } from '../../../shared/platform/load-config.ts';
import { startIngressWorker } from '../../../workers/ingress/main.ts';
import { ThreadPool } from '../../../workers/runtime/thread-pool.ts';
import { createDocumentHandlers, createPrinter } from '../../../workers/simulation/document-requests.ts';
import { startSimulationWorker } from '../../../workers/simulation/main.ts';
import { SimulationQueue } from '../../../workers/simulation/simulation-queue.ts';
import { WorkSlices } from '../../../shared/messaging/handler/work-slices.ts';
import { systemPorts } from '../../../shared/platform/system-ports.ts';
import { EXAMPLE_CATALOGUE, EXAMPLE_TIME_MS } from '../../support/builders/example-catalogue.ts';
import { BUILT_IN_ENVIRONMENT } from '../../support/builders/lending-environment.ts';
import { post, waitForResult } from '../../support/builders/schedule-call.ts';
import { fakeRequest } from '../../support/fakes/messages.ts';
import { plain, readPdf } from '../../support/read-pdf.ts';
import { bodyOf, createBatchWorld, jsonBatch, textOf } from '../../support/worlds/batch-world.ts';
import { createSharedBroker, startOn } from '../../support/worlds/ingress-system.ts';
import { startOverLog, startSimulationWithExamples } from '../../support/worlds/product-worker.ts';

const PREFIX = '/platapi/automation-processors/actions';
const DOCUMENT = `${PREFIX}/plat_bp_createofferdocument`;
const TYPE = 'CreateOfferDocumentRequest';
const PROGRAM = new URL('../../../workers/calculation-thread.ts', import.meta.url);
const [CONSUMER] = CREATE_OFFER_DOCUMENT.examples;
const HOME = {
  productCode: 'MG-HOME',
  amount: 100_000,
  downPayment: 20_000,
  loanPeriod: 120,
  scheduleType: 'EqualInstallments',
  interestTypeName: 'Variable',
  jsonFilterCommission: [
    { name: 'Amount', value: 100_000 },
    { name: 'HomeNumber', value: 1 },
  ],
};
const HIGHER = { HighestRate: 9, HighestRateFrom: 1, Language: 'ro' };

async function startSystem(env: Record<string, string> = {}): Promise<string> {
  const broker = await createSharedBroker(1);
  await startOverLog(broker, (context) =>
    startSimulationWorker({ ...context, config: { ...context.config, lender: loadConfig(env).lender } }),
  );
  return (await startOn(broker, startIngressWorker)).url;
}

const typeOf = (response: Response): string => response.headers.get('content-type') ?? '';

describe('over HTTP', () => {
  it('Accept selects JSON, HTML or PDF of the same document (T1, T6)', async () => {
    const url = await startSystem({ LENDER_NAME: 'Banca Țării', LENDER_ADDRESS: 'Iași' });
    const request = { ...HOME, ...HIGHER };
    const json = await post(url, request, { path: DOCUMENT });
    expect([json.status, typeOf(json), json.headers.get('vary')]).toEqual([
      200,
      'application/json; charset=utf-8',
      'accept',
    ]);
    expect(json.headers.get('holiday-calendar')).toMatch(/^Bank;version=/);
    expect(json.headers.get('versions')).toMatch(
      /, day=[\d-]{10}, calendar=Bank;.*, product=MG-HOME;version=\d+, /,
    );
    const document = (await json.json()) as Readonly<Record<string, string>>;
    expect(document).toMatchObject({
      Form: 'ESIS',
      LenderName: 'Banca Țării',
      Figures: { HighestRate: '9' },
      Content: null,
    });
    const html = await post(url, request, { path: DOCUMENT, headers: { accept: 'text/html' } });
    expect(typeOf(html)).toBe('text/html; charset=utf-8');
    expect(html.headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(await html.text()).toContain(`<h1>${document['Title']}</h1>`);
    const pdf = await post(url, request, { path: DOCUMENT, headers: { accept: 'application/pdf' } });
    expect(typeOf(pdf)).toBe('application/pdf');
    const { text, pages } = await readPdf(new Uint8Array(await pdf.arrayBuffer()));
    expect(text).toContain(plain(document['Title'] ?? '-'));
    expect(text).toContain('Banca Țării');
    expect(pages.length).toBeGreaterThan(2);
  });

  it('a stored result is in the format that its request and the call for it accept (T6)', async () => {
    const url = await startSystem();
    const accept = { accept: 'application/pdf' };
    const stored = await post(url, CONSUMER.request, {
      path: DOCUMENT,
      headers: { ...accept, prefer: 'respond-async' },
    });
    const address = new URL(stored.headers.get('location') ?? '', url);
    await waitForResult(url, address.href);
    const pdf = await fetch(address, { headers: accept });
    expect(Buffer.from(await pdf.arrayBuffer()).toString('latin1', 0, 5)).toBe('%PDF-');
    expect(typeOf(await fetch(address, { headers: { accept: 'text/html' } }))).toBe(
      'application/json; charset=utf-8',
    );
    expect(await (await fetch(address)).json()).toMatchObject({
      ContentType: 'application/pdf',
      Missing: (CONSUMER.reply as { Missing: readonly string[] }).Missing,
      Sections: null,
    });
  });

  it('a refusal is a problem document in every format, with all faults (E1)', async () => {
    const url = await startSystem();
    const request = {
      ...HOME,
      ...HIGHER,
      Language: 'xx',
      HighestRateFrom: 121,
      Entries: [{ Point: 'Nothing', Text: 'x' }],
    };
    const refused = await post(url, request, { path: DOCUMENT, headers: { accept: 'application/pdf' } });
    expect([refused.status, typeOf(refused)]).toEqual([422, 'application/problem+json; charset=utf-8']);
    const { errors } = (await refused.json()) as { errors: readonly { path: string }[] };
    expect(errors.map((one) => one.path)).toEqual(['Language', 'HighestRateFrom', 'Entries[0].Point']);
  });
});

it('over Kafka Format selects HTML as text or PDF in base64 in place of the sections, in JSON and Avro (T1)', async () => {
  const { ask, askAvro } = await createBatchWorld({ start: startSimulationWithExamples });
  const sent = { topic: TOPIC.simulationRequests, timestampMs: EXAMPLE_TIME_MS };
  const pdf = await ask(jsonBatch({ ...CONSUMER.request, Format: 'PDF' }, TYPE, sent));
  expect(textOf(pdf, HEADER.messageType)).toBe('CreateOfferDocumentReply');
  const { Content, ...others } = bodyOf(pdf) as { Content: string };
  const { Content: _, ...expected } = CONSUMER.reply as { Content: null };
  expect(others).toEqual({ ...expected, ContentType: 'application/pdf', Sections: null });
  const { text } = await readPdf(Buffer.from(Content, 'base64'));
  expect(text).toContain('Standard European Consumer Credit Information');
  const read = CREATE_OFFER_DOCUMENT.read({ ...CONSUMER.request, Format: 'html' });
  if (read.kind === 'invalid') throw new Error(JSON.stringify(read.faults));
  const { decoded } = await askAvro(TYPE, read.payload, sent);
  expect(decoded).toMatchObject({
    payload: { contentType: 'text/html', content: expect.stringContaining('<!doctype html>') as string },
  });
});

it('is refused while too many documents are printed, or tried again later if no caller waits', async () => {
  const queue = new SimulationQueue(new WorkSlices({ ...systemPorts, sliceMs: 10 }), systemPorts.clock);
  const lender = { name: undefined, address: undefined, contact: undefined, logo: undefined };
  const { CreateOfferDocumentRequest: handler } = createDocumentHandlers(
    EXAMPLE_CATALOGUE,
    BUILT_IN_ENVIRONMENT,
    { queue, lender, print: () => Promise.resolve(undefined) },
  );
  const read = CREATE_OFFER_DOCUMENT.read({ ...CONSUMER.request, Format: 'pdf' });
  if (read.kind === 'invalid') throw new Error(JSON.stringify(read.faults));
  const at = { originTimestampMs: EXAMPLE_TIME_MS };
  expect(await handler(read.payload, { ...fakeRequest(), ...at, deadlineMs: undefined })).toMatchObject({
    kind: 'retry',
    problem: { code: 'overloaded' },
  });
  expect(
    await handler(read.payload, { ...fakeRequest(), ...at, deadlineMs: Date.now() + 60_000 }),
  ).toMatchObject({ kind: 'refused', problem: { code: 'overloaded' } });
});

const workOf = (requester: string) => ({ requester, units: 50_000, deadlineMs: 1_000, isPatient: false });

describe('in a thread', { timeout: 60_000 }, () => {
  let threads: ThreadPool;
  beforeAll(() => {
    threads = new ThreadPool(PROGRAM, loadConfig({}), { now: () => 0 });
  });
  afterAll(() => threads.stop());

  it('a document is printed with the same bytes as on the event loop', async () => {
    const document = CONSUMER.reply as never;
    const expected = await createPrinter(undefined)(document, workOf('one'));
    expect(await createPrinter(threads)(document, workOf('one'))).toBe(expected);
  });

  it('a document is not printed if its deadline cannot be met, unless it is of another requester or a batch (E6)', async () => {
    const text = JSON.stringify(CONSUMER.reply);
    const calls = Array.from({ length: 50 }, () => threads.print(text, workOf('one')));
    const others = [
      threads.print(text, workOf('other')),
      threads.print(text, { ...workOf('one'), isPatient: true }),
    ];
    const late = threads.print(text, { ...workOf('third'), deadlineMs: -1 });
    const ends = await Promise.all(calls);
    expect(ends[0]).toBeDefined();
    expect(ends.filter((end) => end === undefined).length).toBeGreaterThanOrEqual(25);
    expect(await Promise.all(others)).not.toContain(undefined);
    expect(await late).toBeUndefined();
    expect(await threads.print(text, workOf('one'))).toBeDefined();
  });
});
