import { examplesOf } from '../support/builders/action-examples.ts';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, describe, expect, it, onTestFinished } from 'vitest';
import { guidOf, productValue } from '../support/worlds/catalogue-world.ts';
import { runEngine, startEngine, type EngineProcess } from '../support/worlds/engine-process.ts';
import { lookUp } from '../support/builders/look-up-call.ts';
import { callAction } from '../support/builders/schedule-call.ts';

const running: EngineProcess[] = [];
async function start(folder?: string): Promise<EngineProcess> {
  const engine = await startEngine([], folder === undefined ? {} : { CATALOGUE_FOLDER: folder });
  running.push(engine);
  return engine;
}
afterEach(async () => {
  for (const engine of running.splice(0)) await engine.end('SIGKILL');
});

/** Writes product files into a temporary folder. */
function folderOf(products: Readonly<Record<string, object>>): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'catalogue-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  mkdirSync(path.join(folder, 'products'));
  for (const [name, product] of Object.entries(products)) {
    writeFileSync(path.join(folder, 'products', name), JSON.stringify(product));
  }
  return folder;
}

describe('npm start with a catalogue', () => {
  it('serves the example catalogue by default', async () => {
    const { url } = await start();
    expect(await lookUp(url, 'tl-personal')).toEqual({ status: 200, name: 'Personal loan' });
    expect(await lookUp(url, 'TL-BRIDGE')).toEqual({ status: 404, name: undefined });
    const [insurances] = examplesOf('PLAT_BP_GetProductInsuranceList');
    const list = await callAction(url, 'PLAT_BP_GetProductInsuranceList', insurances.request);
    expect(list).toEqual(insurances.reply);
    const [details] = examplesOf('plat_bp_getbankingproductdetails');
    const found = await callAction(url, 'plat_bp_getbankingproductdetails', details.request);
    expect(found).toEqual(details.reply);
  });

  it('reads the catalogue folder again after a restart', async () => {
    const folder = folderOf({ 'own.json': productValue('OWN', { Name: 'First' }) });
    const first = await start(folder);
    expect(await lookUp(first.url, 'OWN')).toEqual({ status: 200, name: 'First' });
    expect(await lookUp(first.url, 'TL-PERSONAL')).toMatchObject({ status: 404 });
    expect(await first.end('SIGTERM')).toBe(0);

    writeFileSync(
      path.join(folder, 'products/own.json'),
      JSON.stringify(productValue('OWN', { Name: 'Second' })),
    );
    writeFileSync(
      path.join(folder, 'products/other.json'),
      JSON.stringify(productValue('OTHER', { Id: guidOf(2) })),
    );
    const second = await start(folder);
    expect(await lookUp(second.url, 'OWN')).toEqual({ status: 200, name: 'Second' });
    expect(await lookUp(second.url, 'OTHER')).toMatchObject({ status: 200 });
  });

  it('exits with code 2 on an invalid catalogue, naming the file and field', async () => {
    const folder = folderOf({ 'own.json': productValue('OWN', { PaymentScheduleTypes: ['None'] }) });
    const { code, stderr } = await runEngine([], { CATALOGUE_FOLDER: folder });
    expect(code).toBe(2);
    expect(stderr).toContain('products/own.json: OWN: PaymentScheduleTypes[0]');
  });
});
