/** The recipe of docs/generated-clients.md for TypeScript, with openapi-typescript and openapi-fetch. */
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, it, onTestFinished } from 'vitest';
import { installOwnPackages } from '../../../scripts/command-packages.ts';
import { openApiDocument } from '../../../shared/api/documents/openapi.ts';
import { startIngressWorker } from '../../../workers/ingress/main.ts';
import { startScheduleWorker } from '../../../workers/schedule/main.ts';
import { createSharedBroker, startOn } from '../../support/worlds/ingress-system.ts';

const run = promisify(execFile);
const ROOT = path.resolve(import.meta.dirname, '../../..');
const PACKAGES = import.meta.dirname;
const COMMAND_LIMIT_MS = 60_000;
/** With the installation of the packages. */
const FIRST_RUN_MS = 2 * COMMAND_LIMIT_MS;
const ACTIONS = '/platapi/automation-processors/actions/';

/** Reads a field of each action's answer as its type. */
const TYPES = `
import createClient from 'openapi-fetch';
import type { paths } from './engine-api.ts';

const engine = createClient<paths>();
const loan = {} as paths['${ACTIONS}PLAT_BP_CalculateRepaymentSchedule']['post']['requestBody']['content']['application/json'];
const schedule = await engine.POST('${ACTIONS}PLAT_BP_CalculateRepaymentSchedule', { body: loan });
if (schedule.error !== undefined) throw new Error(schedule.error.code);
export const payments: number[] = [schedule.data[0].PMT, schedule.data[0].pMT, schedule.data[0].TotalInstallment];
const body = { jsonParam: { InstallmentsNo: 4, PeriodicityType: 'Monthly', InterestCalculationMethod: '30/360' } };
const payment = await engine.POST('${ACTIONS}PLAT_BP_CalculatePMT', { body });
export const value: number | undefined = payment.data?.PMTValue;
const product = await engine.POST('${ACTIONS}plat_bp_getbankingproductdetails', { body: { productCode: 'TL' } });
export const name: string | null | undefined = product.data?.Name;
`;

it(
  'a program of the recipe passes the strict compiler and calls the engine',
  async () => {
    const folder = await openProgram();
    const [program = ''] = Array.from(
      (await readFile(path.join(ROOT, 'docs/generated-clients.md'), 'utf8')).matchAll(/```ts\n([^]*?)```/g),
      ([, code]) => code,
    );
    await writeFile(path.join(folder, 'first-calls.ts'), program);
    await writeFile(path.join(folder, 'types.ts'), TYPES);
    expect(await compile(folder)).toEqual([]);

    const broker = await createSharedBroker(1);
    await startOn(broker, startScheduleWorker);
    const { url } = await startOn(broker, startIngressWorker);
    const example = path.join(folder, 'first-calls.ts');
    const options = { env: { ENGINE_URL: url }, timeout: COMMAND_LIMIT_MS };
    const { stdout } = await run(process.execPath, [example], options);
    expect(stdout.trim().split('\n')).toEqual([
      '17.01',
      ...['02', '03', '04', '05', '06'].map(
        (month, index) => `${index + 1} 2024-${month}-01T00:00:00Z 17.01`,
      ),
      '6 2024-07-01T00:00:00Z 17',
      'pending',
    ]);
  },
  FIRST_RUN_MS,
);

/** A folder with the types of the document, in which the packages of the recipe are installed. */
async function openProgram(): Promise<string> {
  await installOwnPackages(PACKAGES, (line) => process.stderr.write(`${line}\n`));
  const folder = await mkdtemp(path.join(tmpdir(), 'openapi-fetch-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await symlink(path.join(PACKAGES, 'node_modules'), path.join(folder, 'node_modules'));
  await writeFile(path.join(folder, 'package.json'), '{"type":"module"}');
  const document = path.join(folder, 'openapi.json');
  await writeFile(document, JSON.stringify(openApiDocument('1.2.3')));
  const generator = path.join(PACKAGES, 'node_modules/openapi-typescript/bin/cli.js');
  const output = path.join(folder, 'engine-api.ts');
  await run(process.execPath, [generator, document, '--default-non-nullable=false', '--output', output], {
    timeout: COMMAND_LIMIT_MS,
  });
  return folder;
}

/** What the compiler finds in the programs of a folder, with --strict. */
async function compile(folder: string): Promise<readonly string[]> {
  const compilerOptions = {
    strict: true,
    noEmit: true,
    target: 'es2022',
    module: 'nodenext',
    allowImportingTsExtensions: true,
    skipLibCheck: true,
    types: ['node'],
    typeRoots: [path.join(ROOT, 'node_modules/@types')],
  };
  const files = ['first-calls.ts', 'types.ts'];
  await writeFile(path.join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files }));
  const oxlint = path.join(ROOT, 'node_modules/oxlint/bin/oxlint');
  const args = [oxlint, '--type-aware', '--type-check', '-A', 'all', '--format', 'json', ...files];
  const options = { cwd: folder, timeout: COMMAND_LIMIT_MS };
  const { stdout } = await run(process.execPath, args, options).catch((error: { stdout: string }) => error);
  const { diagnostics } = JSON.parse(stdout) as { readonly diagnostics: readonly { message: string }[] };
  return diagnostics.map(({ message }) => message);
}
