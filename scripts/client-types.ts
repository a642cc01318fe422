/** `npm run client-types`: writes the types of the client from the OpenAPI document. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { errorText, SystemError } from '../shared/platform/errors.ts';
import { clientDocument, documentMark } from './client-types/client-document.ts';
import { installOwnPackages } from './command-packages.ts';
import { runCommand } from './dev/local-kafka/run-command.ts';

const HELP = `Usage: npm run client-types

Writes shared/client/document-types.ts from the OpenAPI document, with openapi-typescript, which it installs into
shared/client on first use. Run it after a change of the document; a unit test fails until then.
`;

const CLIENT = path.resolve(import.meta.dirname, '../shared/client');
const TYPES = path.join(CLIENT, 'document-types.ts');
/** A field with a default may be left out of a request, so it stays optional. */
const GENERATOR_OPTIONS = ['--immutable', '--default-non-nullable=false'];
/** The generator takes a second. */
const STEP_LIMIT_MS = 60_000;
const FILE_COMMENT = /^\/\*\*[^]*?\*\/\n/;

if (process.argv.includes('--help')) {
  process.stdout.write(HELP);
} else {
  try {
    await installOwnPackages(CLIENT, (line) => process.stderr.write(`${line}\n`));
    writeFileSync(
      TYPES,
      `/** Written by \`npm run client-types\`. ${documentMark()} */\n${await generateTypes()}`,
    );
    await run('oxfmt', [TYPES]);
  } catch (error) {
    process.stderr.write(`client-types: ${errorText(error)}\n`);
    process.exitCode = 1;
  }
}

async function generateTypes(): Promise<string> {
  const folder = mkdtempSync(path.join(tmpdir(), 'client-types-'));
  try {
    const [document, types] = [path.join(folder, 'openapi.json'), path.join(folder, 'types.ts')];
    writeFileSync(document, JSON.stringify(clientDocument()));
    const generator = path.join(CLIENT, 'node_modules/openapi-typescript/bin/cli.js');
    await run(process.execPath, [generator, document, ...GENERATOR_OPTIONS, '--output', types]);
    return readFileSync(types, 'utf8').replace(FILE_COMMENT, '');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function run(command: string, args: readonly string[]): Promise<void> {
  const { code, output } = await runCommand(command, args, { limitMs: STEP_LIMIT_MS });
  if (code === 0) return;
  throw new SystemError(
    'types-not-written',
    `${path.basename(args[0] ?? command)} failed (${code}):\n${output.trim()}`,
    {
      canRetry: false,
    },
  );
}
