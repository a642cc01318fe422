/** `npm run calendars`: generates and checks the holiday files of countries without a built-in calendar. */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { flag, parseCommandLine, readCommand, UsageError } from './command-line/parse-command-line.ts';
import { printJson, runCommandLine } from './command-line/run-command-line.ts';
import { installOwnPackages } from './command-packages.ts';
import type { LibraryFile } from './calendars/library-files.ts';

const HELP = `Usage: npm run calendars -- COMMAND [COUNTRY...] [OPTIONS]

  generate   writes library-countries.json and a file days/COUNTRY.txt for each country into shared/lending/calendars/library,
             from the package date-holidays; removes the files of all other countries
  check      lists the files that differ from what generate would write; changes nothing

With COUNTRY codes (ISO 3166 alpha-2, such as NO), the command handles only the files of those countries.
All countries take about a minute.
The package is installed into scripts/calendars on first use.

  --json   one JSON document on standard output
  --help   this text

Exit codes: 0 done, or no file differs; 1 a file differs, or a failure; 2 wrong usage.
`;

const COMMANDS = { generate: [], check: [] } as const;

type Arguments = NonNullable<ReturnType<typeof readArguments>>;

await runCommandLine({
  name: 'calendars',
  help: HELP,
  read: readArguments,
  run: async (args) => print(args, await run(args)),
});

function readArguments(argv: readonly string[]) {
  const line = parseCommandLine(argv, { json: flag() });
  if (line === undefined) return undefined;
  const command = readCommand(line, COMMANDS);
  const countries = line.positionals.slice(1).map((country) => country.toUpperCase());
  return { command, countries, json: line.values.json };
}

/** Installs date-holidays and imports library-files.ts only here, since --help needs neither. */
async function run({ command, countries }: Arguments) {
  const own = path.join(import.meta.dirname, 'calendars');
  await installOwnPackages(own, (line) => process.stderr.write(`${line}\n`));
  const { createCountryFile, listFileCountries, createIndexFile, LIBRARY_FOLDER, listStrayFiles } =
    await import('./calendars/library-files.ts');
  const known = listFileCountries();
  const unknown = countries.filter((country) => !known.includes(country));
  if (unknown.length > 0) {
    throw new UsageError(`unknown country, or a built-in calendar: ${unknown.join(', ')} (see --help)`);
  }
  const isAll = countries.length === 0;
  const changed: string[] = [];
  const compare = ({ name, text }: LibraryFile): void => {
    const place = path.join(LIBRARY_FOLDER, name);
    if (existsSync(place) && readFileSync(place, 'utf8') === text) return;
    changed.push(name);
    if (command === 'check') return;
    mkdirSync(path.dirname(place), { recursive: true });
    writeFileSync(place, text);
  };
  if (isAll) compare(createIndexFile());
  for (const country of isAll ? known : countries) compare(createCountryFile(country));
  for (const name of isAll ? listStrayFiles() : []) {
    changed.push(name);
    if (command === 'generate') rmSync(path.join(LIBRARY_FOLDER, name));
  }
  return { files: isAll ? known.length + 1 : countries.length, changed };
}

function print({ command, json }: Arguments, { files, changed }: Awaited<ReturnType<typeof run>>): void {
  const ok = command === 'generate' || changed.length === 0;
  if (!ok) process.exitCode = 1;
  if (json) return printJson({ command, ok, files, changed });
  if (command === 'generate') {
    for (const name of changed) process.stdout.write(`wrote    ${name}\n`);
    process.stdout.write(`${files} files, ${changed.length} of them changed\n`);
    return;
  }
  for (const name of changed) process.stderr.write(`DIFFERS  ${name}\n`);
  if (ok) process.stdout.write(`${files} files match date-holidays\n`);
}
