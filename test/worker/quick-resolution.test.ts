import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, it } from 'vitest';

const ROOT = path.resolve(import.meta.dirname, '../..');

/** Runs a program in a process of its own, whose imports are resolved quickly from then on. */
function run(program: string, options: readonly string[] = []) {
  const quick = pathToFileURL(path.join(ROOT, 'workers/quick-resolution.ts')).href;
  const source = `import { resolveQuickly } from '${quick}'; resolveQuickly(process.env); ${program}`;
  const args = [...options, '--input-type=module', '--eval', source];
  return spawnSync(process.execPath, args, { cwd: ROOT, encoding: 'utf8', timeout: 20_000 });
}

it('loads zod with English messages and no other language', () => {
  const { stdout, stderr } = run(`
    const { z } = await import('zod');
    console.log(Object.keys(z.locales).length, z.string().safeParse(1).error.issues[0].message);
  `);
  expect([stderr, stdout]).toEqual(['', '1 Invalid input: expected string, received number\n']);
});

it('loads sources of the project, which import packages and JSON files', () => {
  const { stdout, stderr } = run(`
    const { createLibraryCalendars } = await import('./shared/calendars/library-calendars.ts');
    const { startWorkers } = await import('./workers/start-workers.ts');
    console.log(createLibraryCalendars().find('Andorra').name, typeof startWorkers);
  `);
  expect([stderr, stdout]).toEqual(['', 'AD function\n']);
});

it('names the file that an import misses', () => {
  const { status, stderr } = run(`await import('./workers/missing.ts');`);
  expect(status).toBe(1);
  expect(stderr).toContain('workers/missing.ts');
});

it('leaves imports to the hooks of others', () => {
  const hooks = `import { registerHooks } from 'node:module';
    registerHooks({ resolve: (name, context, next) => { console.log(name); return next(name, context); } });`;
  const options = ['--import', `data:text/javascript,${encodeURIComponent(hooks)}`];
  const { stdout } = run(`await import('node:os'); await import('./shared/platform/fifo.ts');`, options);
  expect(stdout).toMatch(/^node:os\n\.\/shared\/platform\/fifo\.ts\n/m);
});
