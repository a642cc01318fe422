import type { Sample } from '../../../../shared/platform/metrics.ts';

const LINE = /^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? (\S+)(?: -?\d+)?$/;
/** Each begins where the one before ends: looking for it in other text takes minutes for a MiB of letters. */
const LABEL = /([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\]|\\.)*)",? */gy;
/** Ours are names of workers, actions and providers. Another process is not trusted to be short. */
const MAX_LABEL_LENGTH = 200;
const ESCAPES: Readonly<Record<string, string>> = { n: '\n', '"': '"', '\\': '\\' };

/** Reads Prometheus text as another process exposes it. Comments and lines that cannot be read are left out. */
export function parseSamples(text: string, maxSamples: number): readonly Sample[] {
  const samples: Sample[] = [];
  for (const line of text.split('\n')) {
    if (samples.length >= maxSamples) break;
    if (line === '' || line.startsWith('#')) continue;
    const [, name, labels = '', number = ''] = LINE.exec(line) ?? [];
    const value = readNumber(number);
    if (name === undefined || Number.isNaN(value)) continue;
    samples.push({ name, labels: readLabels(labels), value });
  }
  return samples;
}

function readLabels(text: string): Readonly<Record<string, string>> {
  return Object.fromEntries(
    [...text.matchAll(LABEL)].map(([, name = '', value = '']) => [
      name,
      value
        .slice(0, MAX_LABEL_LENGTH)
        .replaceAll(/\\(.)/g, (_, character: string) => ESCAPES[character] ?? character),
    ]),
  );
}

function readNumber(text: string): number {
  if (text === '+Inf') return Infinity;
  return text === '' ? Number.NaN : Number(text);
}
