import { rmSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { runCatalogueCommand } from '../../../scripts/catalogue/catalogue-command.ts';
import { readCatalogueArguments } from '../../../scripts/catalogue/command-arguments.ts';
import { UsageError } from '../../../scripts/command-line/parse-command-line.ts';
import { createEmbeddedBroker } from '../../../shared/messaging/embedded/embedded-broker.ts';
import { MessagingError } from '../../../shared/platform/errors.ts';
import { silentLog } from '../../../shared/platform/log.ts';
import { date } from '../../support/builders/lending-loan.ts';
import {
  CATALOGUE_TOPIC,
  type CatalogueWorld,
  createCatalogueWorld,
  createFolder,
  type Files,
  guidOf,
  interestListValue,
  productValue,
  writeFiles,
} from '../../support/worlds/catalogue-world.ts';

const TODAY = date('2026-01-15');

function run(world: Pick<CatalogueWorld, 'broker' | 'codec'>, ...line: readonly string[]) {
  const args = readCatalogueArguments(line);
  if (args === undefined) throw new Error('unexpected --help');
  const { broker, codec } = world;
  const connection = { broker, codec, topic: CATALOGUE_TOPIC, log: silentLog };
  return runCatalogueCommand(args.command, { connect: () => Promise.resolve(connection), today: TODAY });
}

const withoutBroker = () => Promise.reject(new Error('no broker'));

async function countWritten({ broker }: CatalogueWorld): Promise<number> {
  return (await broker.admin.offsets(CATALOGUE_TOPIC)).reduce((sum, { high }) => sum + high, 0);
}

const item = { Id: guidOf(50), Name: 'Offer', InterestList: 'INT', CommissionList: null, Filters: [] };
const simulatedProduct = { PaymentScheduleTypes: ['EqualInstallments'], InterestsAndCommissions: [item] };
const whole: Files = {
  'products/tl.json': productValue('TL', simulatedProduct),
  'interest-lists/int.json': interestListValue('INT'),
  'periodicities/ten.json': { name: 'Every 10 days', count: 10, unit: 'Days' },
};

describe('validate', () => {
  it('accepts a complete folder without a broker', async () => {
    const command = readCatalogueArguments(['validate', createFolder(whole)])!.command;
    const report = await runCatalogueCommand(command, { connect: withoutBroker, today: TODAY });
    expect(report).toMatchObject({ ok: true, result: { records: 3 } });
  });

  it('reports schema violations, faulty references and files with the same key together', async () => {
    const world = await createCatalogueWorld();
    const folder = createFolder({
      ...whole,
      'products/tl.json': productValue('TL', { ...simulatedProduct, Discounts: ['NONE'] }),
      'interest-lists/int.json': '{"Code": ',
      'products/more.json': { ...productValue('MORE', { Id: guidOf(2) }), Extra: 1 },
    });
    const { ok, faults, lines } = await run(world, 'validate', folder);
    expect(ok).toBe(false);
    const text = lines.join('\n');
    expect(text).toContain('interest-lists/int.json');
    expect(text).toContain('must not have the unknown field Extra');
    expect(text).toContain('products/tl.json: TL: Discounts[0]');
    // The broken file may hold INT, so references to INT are not faults.
    expect(text).not.toContain('InterestsAndCommissions');
    expect(lines.at(-1)).toBe(`${faults.length} faults; nothing was written`);
    const [one, other] = ['TL', 'tl'].map((code) => productValue(code, { Status: 'Draft' }));
    const twice = createFolder({ 'products/a.json': one!, 'products/b.json': other! });
    expect((await run(world, 'validate', twice)).ok).toBe(false);
  });
});

describe('publish', () => {
  it('writes new and changed records once, nothing in a dry run, and deletes nothing by default', async () => {
    const world = await createCatalogueWorld();
    const folder = createFolder(whole);
    const dry = await run(world, 'publish', folder, '--dry-run');
    expect(dry.result).toMatchObject({ dryRun: true });
    expect(dry.lines).toContain('would write product/tl/1');
    expect(await countWritten(world)).toBe(0);
    const first = await run(world, 'publish', folder);
    expect(first).toMatchObject({ ok: true, result: { unchanged: 0, deleted: [] } });
    expect(await countWritten(world)).toBe(3);
    const again = await run(world, 'publish', folder);
    expect(again).toMatchObject({ ok: true, result: { added: [], changed: [], unchanged: 3 } });
    expect(await countWritten(world)).toBe(3);
    writeFiles(folder, { 'interest-lists/int.json': interestListValue('INT', { Name: 'Renamed' }) });
    rmSync(path.join(folder, 'periodicities/ten.json'));
    const changed = await run(world, 'publish', folder);
    expect(changed.result).toMatchObject({ changed: ['interest-list/int/1'], unchanged: 1, deleted: [] });
    expect(changed.lines).toContain('kept periodicity/every 10 days/1, which is not in the folder');
    expect(await countWritten(world)).toBe(4);
  });

  it('deletes missing records with --delete-missing, unless another record refers to them', async () => {
    const world = await createCatalogueWorld();
    await run(world, 'publish', createFolder(whole));
    const { 'interest-lists/int.json': _, ...rest } = whole;
    expect((await run(world, 'publish', createFolder(rest), '--delete-missing')).ok).toBe(false);
    expect(await countWritten(world)).toBe(3);
    const onlyPeriods = createFolder({ 'periodicities/ten.json': whole['periodicities/ten.json']! });
    const report = await run(world, 'publish', onlyPeriods, '--delete-missing');
    expect(report.result).toMatchObject({ deleted: ['interest-list/int/1', 'product/tl/1'], unchanged: 1 });
    expect((await run(world, 'list')).result).toMatchObject({ records: [{ kind: 'periodicity' }] });
  });

  it('refuses a folder without records, which would delete all records', async () => {
    const world = await createCatalogueWorld();
    await run(world, 'publish', createFolder(whole));
    for (const [file, text] of [
      ['README.md', 'must contain a record in one of the folders products'],
      ['product/x.json', 'product: must be one of the folders products'],
    ] as const) {
      const { ok, lines } = await run(world, 'publish', createFolder({ [file]: {} }), '--delete-missing');
      expect([ok, lines.join()]).toEqual([false, expect.stringContaining(text)]);
    }
    expect(await countWritten(world)).toBe(3);
  });

  it('writes nothing if there are faults, and accepts references to records on the topic', async () => {
    const world = await createCatalogueWorld();
    const { 'interest-lists/int.json': list, ...rest } = whole;
    const { ok, lines } = await run(world, 'publish', createFolder(rest));
    expect(ok).toBe(false);
    expect(lines.join()).toContain('products/tl.json: TL: InterestsAndCommissions[0]');
    expect(await countWritten(world)).toBe(0);
    await run(world, 'publish', createFolder({ 'interest-lists/int.json': list! }));
    expect(await run(world, 'publish', createFolder(rest))).toMatchObject({ ok: true });
  });

  it('refuses a version that is valid on the same day as another one on the topic', async () => {
    const world = await createCatalogueWorld();
    await run(world, 'publish', createFolder({ 'products/tl.json': productValue('TL') }));
    const second = productValue('TL', { Version: 2, Id: guidOf(2), StartDate: '2026-01-01' });
    const { ok, lines } = await run(world, 'publish', createFolder({ 'products/tl2.json': second }));
    expect(ok).toBe(false);
    expect(lines.join()).toContain('only one version may be Approved on a day');
    expect(lines.join()).toContain('topic product/tl/1');
  });

  it('replaces an unreadable record, and refuses to leave an unreadable record on the topic', async () => {
    const world = await createCatalogueWorld();
    const folder = createFolder(whole);
    await run(world, 'publish', folder);
    const body = Buffer.from('broken');
    const message = { kind: 'product', code: 'TL', version: 1, encoding: 'json+gzip', body };
    const { value, headers } = await world.codec.encode('CatalogueRecord', message, 'avro');
    await world.write('product/tl/1', value, headers);
    const onlyList = createFolder({ 'interest-lists/int.json': whole['interest-lists/int.json']! });
    expect((await run(world, 'publish', onlyList)).lines.join()).toContain('cannot be read');
    expect((await run(world, 'list')).lines.join('\n')).toMatch(/product .*TL .*CANNOT BE READ/);
    const changed = [{ key: 'product/tl/1', members: [] }];
    expect(await run(world, 'diff', folder)).toMatchObject({ result: { changed } });
    expect((await run(world, 'publish', folder)).result).toMatchObject({ changed: ['product/tl/1'] });
  });
});

describe('diff', () => {
  it('lists the differing fields with the names of their items', async () => {
    const world = await createCatalogueWorld();
    const folder = createFolder(whole);
    await run(world, 'publish', folder);
    expect(await run(world, 'diff', folder)).toMatchObject({ ok: true, result: { unchanged: 3 } });
    const value = interestListValue('INT', { Name: 'Renamed' });
    const [interest] = value['Interests'] as { Values: { Value: number }[] }[];
    interest!.Values[0]!.Value = 8.75;
    const custom = { Code: 'C', Values: [1] };
    writeFiles(folder, { 'interest-lists/int.json': value, 'custom-lists/c.json': custom });
    rmSync(path.join(folder, 'periodicities/ten.json'));
    const { ok, lines } = await run(world, 'diff', folder);
    expect(ok).toBe(false);
    expect(lines).toEqual([
      '+ custom-list/c/1  (only in the folder)',
      '- periodicity/every 10 days/1  (only on the topic)',
      '~ interest-list/int/1',
      '    Name: "Interests" -> "Renamed"',
      '    Interests[Standard].Values[0].Value: 8.5 -> 8.75',
      '1 new, 1 changed, 1 unchanged, 1 only on the topic',
    ]);
    expect(await countWritten(world)).toBe(3);
  });
});

describe('list and show', () => {
  it('show the records on the topic', async () => {
    const world = await createCatalogueWorld();
    const second = productValue('TL', { Version: 2, Id: guidOf(2), Status: 'Draft' });
    await run(world, 'publish', createFolder({ ...whole, 'products/tl2.json': second }));
    const { lines, result } = await run(world, 'list');
    expect(lines).toEqual([
      'interest-list    INT  v1  Active',
      'periodicity      Every 10 days  v1  -',
      'product          TL  v1  Approved  2020-01-01 to ...',
      'product          TL  v2  Draft  2020-01-01 to ...',
    ]);
    expect(result).toMatchObject({ unreadable: 0, records: [{}, {}, { id: guidOf(1) }, { id: guidOf(2) }] });
    expect((await run(world, 'show', 'product', 'tl')).result).toMatchObject({ key: 'product/tl/2' });
    const shown = await run(world, 'show', 'product', 'TL', '1');
    expect(JSON.parse(shown.lines.join('\n'))).toMatchObject({ Code: 'TL', Status: 'Approved' });
    expect(await run(world, 'show', 'product', 'none')).toMatchObject({ ok: false });
  });
});

describe('approve and close', () => {
  const first = productValue('TL');
  const second = productValue('TL', { Version: 2, Id: guidOf(2), Status: 'VersionDraft' });

  it('change the status of one version, and refuse two Approved versions on one day', async () => {
    const world = await createCatalogueWorld();
    await run(world, 'publish', createFolder({ 'products/tl.json': first, 'products/tl2.json': second }));
    const refused = await run(world, 'approve', 'tl', '2');
    expect(refused.ok).toBe(false);
    expect(refused.lines.join()).toContain('only one version may be Approved on a day');
    expect(await countWritten(world)).toBe(2);
    expect(await run(world, 'close', 'tl', '1')).toMatchObject({ ok: true, result: { status: 'Closed' } });
    const approved = await run(world, 'approve', 'tl', '2');
    expect(approved).toMatchObject({ ok: true, result: { status: 'Approved' } });
    expect(await run(world, 'approve', 'tl', '2')).toMatchObject({ ok: true, result: { changed: false } });
    expect(await countWritten(world)).toBe(4);
    const statuses = (await run(world, 'list')).result['records'];
    expect(statuses).toMatchObject([{ status: 'Closed' }, { status: 'Approved' }]);
    expect(await run(world, 'approve', 'tl', '3')).toMatchObject({ ok: false });
  });

  it('refuse to close a list to which a product refers', async () => {
    const world = await createCatalogueWorld();
    await run(world, 'publish', createFolder(whole));
    const refused = await run(world, 'close', 'INT', '1', '--kind', 'interest-list');
    expect(refused.lines.join()).toContain('topic product/tl/1');
    await run(world, 'close', 'TL', '1');
    const closed = await run(world, 'close', 'INT', '1', '--kind', 'interest-list');
    expect(closed).toMatchObject({ ok: true, result: { status: 'Closed' } });
    const back = await run(world, 'approve', 'INT', '1', '--kind', 'interest-list');
    expect(back).toMatchObject({ ok: true, result: { status: 'Active' } });
  });
});

const draft = (Version: number) =>
  productValue('TL', { Version, Id: guidOf(Version), Status: 'VersionDraft' });

describe('two writers at the same time', () => {
  it('do not lose a change that was written after the other had read the topic', async () => {
    const world = await createCatalogueWorld();
    await run(world, 'publish', createFolder({ 'products/2.json': draft(2) }));
    const renamed = createFolder({ 'products/2.json': { ...draft(2), Name: 'Renamed' } });
    const { admin } = world.broker;
    const offsets = admin.offsets.bind(admin);
    let counts = 0;
    vi.spyOn(admin, 'offsets').mockImplementation(async (topic) => {
      counts += 1;
      if (counts === 2) await run(world, 'publish', renamed);
      return offsets(topic);
    });
    const approved = await run(world, 'approve', 'TL', '2');
    expect(approved.lines).toEqual([
      `FAULT  ${CATALOGUE_TOPIC}: was changed by others since it was read: run the command again`,
      '1 fault; nothing was written',
    ]);
    await run(world, 'approve', 'TL', '2');
    const shown = (await run(world, 'show', 'product', 'TL')).result['record'];
    expect(shown).toMatchObject({ Name: 'Renamed', Status: 'Approved' });
  });
});

describe('the command line', () => {
  const lines = [
    '|fly|publish|list more|show thing TL|show product|approve TL 0|approve TL',
    'validate folder --dry-run|list --kind product|list --unknown',
  ];
  it.each(lines.join('|').split('|'))('rejects %j', (line) => {
    expect(() => readCatalogueArguments(line.split(' ').filter(Boolean))).toThrow(UsageError);
  });

  it('reports a missing topic', async () => {
    const world = { ...(await createCatalogueWorld()), broker: createEmbeddedBroker() };
    onTestFinished(() => world.broker.close());
    await expect(run(world, 'list')).rejects.toThrow(MessagingError);
    await expect(run(world, 'list')).rejects.toThrow('npm run topics -- create');
  });
});
