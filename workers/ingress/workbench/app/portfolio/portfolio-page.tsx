import { signal } from '@preact/signals';
import { useLayoutEffect, useState } from 'preact/hooks';
import { reportSections } from '../../../../../shared/portfolio/report-sections.ts';
import { createReportWords } from '../../../../../shared/portfolio/report-words.ts';
import { callAction } from '../api.ts';
import { Button, Failure, Notice, PageHead, download } from '../design/components.tsx';
import { formatNumber, locale } from '../format.ts';
import { SCHEDULE_FORM } from '../page-settings.ts';
import { SCHEDULE_ACTION } from '../schedules/call-formats.ts';
import {
  createPortfolioRun,
  type PortfolioRun,
  type RunEnd,
  failuresToCsv,
  resultsToCsv,
} from './portfolio-run.ts';
import {
  FileError,
  MAX_CONTRACTS,
  MAX_FILE_BYTES,
  readContracts,
  type CsvChoice,
  type FileFault,
} from './read-contracts.ts';
import type { NotationFault } from '../../../../../shared/portfolio/csv-columns.ts';
import { portfolioText as t, reportText } from '../texts.ts';

interface Shown {
  readonly name: string;
  readonly run: PortfolioRun;
  /** Undefined during the run. */
  readonly end: RunEnd | undefined;
}

interface Refusal {
  readonly text: string;
  readonly remedies: readonly Remedy[];
  readonly again?: (choice: CsvChoice) => void;
}

type Remedy = readonly [
  label: 'ignoreColumns' | 'decimalPoint' | 'decimalComma' | 'dayFirst' | 'monthFirst',
  choice: CsvChoice,
];

const NOTATIONS: Readonly<Record<NotationFault['kind'], readonly Remedy[]>> = {
  'ambiguous-number': [
    ['decimalPoint', { decimal: '.' }],
    ['decimalComma', { decimal: ',' }],
  ],
  'ambiguous-date': [
    ['dayFirst', { dates: 'day-first' }],
    ['monthFirst', { dates: 'month-first' }],
  ],
};
const MEBIBYTE = 1_024 * 1_024;
/** Drawing the page after each contract would take longer than the calculation. */
const DRAW_EVERY_MS = 200;
/** While the engine is unavailable, a contract gets this many calls within TIMEOUT_MS; then the run is interrupted. */
const ATTEMPTS = 15;
const TIMEOUT_MS = 60_000;
/** The run of this tab. It goes on while the user looks at another page of the workbench. */
const current = signal<Shown | undefined>(undefined);
let abort: AbortController | undefined;

export function PortfolioPage() {
  const shown = current.value;
  const [fault, setFault] = useState<Refusal>();
  useLayoutEffect(keepPageOnDrop, []);
  const start = (name: string, content: Uint8Array<ArrayBuffer>, choice: CsvChoice = {}): void => {
    const read = readOrExplain(name, content, choice);
    const isRefused = 'text' in read;
    const again = (remedy: CsvChoice) => start(name, content, { ...choice, ...remedy });
    setFault(isRefused ? { ...read, again } : undefined);
    if (!isRefused) void go(name, read);
  };
  const refuse = (text: string): void => setFault({ text, remedies: [] });
  const open = (file: File | undefined): void => {
    if (file === undefined) return;
    if (file.size > MAX_FILE_BYTES) return refuse(t('tooLarge', { max: MAX_FILE_BYTES / MEBIBYTE }));
    if (/\.gz$/i.test(file.name)) return refuse(t('compressed'));
    file.arrayBuffer().then(
      (content) => start(file.name, new Uint8Array(content)),
      () => refuse(t('unreadableFile')),
    );
  };
  return (
    <>
      <PageHead title={t('title')} lead={t('lead')}>
        {shown !== undefined && shown.end === undefined && (
          <Button onClick={() => abort?.abort()}>{t('cancel')}</Button>
        )}
        {shown?.end !== undefined && (
          <EndActions
            shown={shown}
            onContinue={() => void go(shown.name, shown.run)}
            onAgain={() => {
              current.value = undefined;
            }}
          />
        )}
      </PageHead>
      <div class="stack">
        {fault !== undefined && (
          <Notice tone="bad">
            {fault.text}{' '}
            {fault.remedies.map(([label, choice]) => (
              <Button key={label} small onClick={() => fault.again?.(choice)}>
                {t(label)}
              </Button>
            ))}
          </Notice>
        )}
        {shown === undefined ? (
          <FileChoice
            onFile={open}
            onExample={() => start('example.ndjson', new TextEncoder().encode(EXAMPLE))}
          />
        ) : (
          <Results shown={shown} onContinue={() => void go(shown.name, shown.run)} />
        )}
      </div>
    </>
  );
}

/** Without this, the browser would open a file that is dropped beside the drop area, and the results would be lost. */
function keepPageOnDrop(): () => void {
  const left = new AbortController();
  for (const kind of ['dragover', 'drop']) addEventListener(kind, preventDefault, { signal: left.signal });
  return () => left.abort();
}

function preventDefault(event: Event): void {
  event.preventDefault();
}

function readOrExplain(
  name: string,
  content: Uint8Array<ArrayBuffer>,
  choice: CsvChoice,
): PortfolioRun | Refusal {
  try {
    const run = createPortfolioRun(readContracts(name, content, SCHEDULE_FORM, choice));
    return run.all === 0 ? { text: t('empty'), remedies: [] } : run;
  } catch (error) {
    if (!(error instanceof FileError)) throw error;
    return { text: explain(error.fault), remedies: remediesOf(error.fault, choice) };
  }
}

function remediesOf(fault: FileFault, { ignore = [] }: CsvChoice): readonly Remedy[] {
  if (fault.kind === 'columns') {
    const [first, ...others] = fault.faults;
    const isUnknown = first?.kind === 'unknown' && others.length === 0;
    return isUnknown ? [['ignoreColumns', { ignore: [...ignore, ...first.names] }]] : [];
  }
  return fault.kind === 'notation' ? NOTATIONS[fault.fault.kind] : [];
}

function explain(fault: FileFault): string {
  if (fault.kind === 'malformed') return t('malformed', { line: formatNumber(fault.line) });
  if (fault.kind === 'notation') {
    const { kind, line, column, value } = fault.fault;
    return t(kind, { values: t('valueAt', { value, line: formatNumber(line), column }) });
  }
  if (fault.kind === 'columns') {
    return fault.faults.map(({ kind, names }) => t(kind, { names: names.join(', ') })).join(' ');
  }
  if (fault.kind !== 'too-many') return t(fault.kind);
  return t('tooMany', { count: formatNumber(fault.count), max: formatNumber(MAX_CONTRACTS) });
}

async function go(name: string, run: PortfolioRun): Promise<void> {
  abort = new AbortController();
  addEventListener('beforeunload', preventDefault);
  const draw = (end?: RunEnd): void => void (current.value = { name, run, end });
  draw();
  const timer = setInterval(() => draw(), DRAW_EVERY_MS);
  const end = await run.continue({
    signal: abort.signal,
    calculate: async ({ jsonParam }, ended) => {
      const options = { signal: ended, attempts: ATTEMPTS, timeoutMs: TIMEOUT_MS };
      const { reply, warnings } = await callAction(SCHEDULE_ACTION, { jsonParam }, options);
      return { rows: reply, warnings };
    },
  });
  clearInterval(timer);
  draw(end);
  removeEventListener('beforeunload', preventDefault);
}

function EndActions(props: { shown: Shown; onContinue: () => void; onAgain: () => void }) {
  const { run, end, name } = props.shown;
  const base = name.replace(/\.[^.]*$/, '');
  return (
    <>
      {end?.kind === 'stopped' && (
        <Button kind="primary" onClick={props.onContinue}>
          {t('continue')}
        </Button>
      )}
      {run.results.length > 0 && (
        <Button onClick={() => download(`${base}-results.csv`, resultsToCsv(run.results))}>
          {t('downloadResults')}
        </Button>
      )}
      {run.failures.length > 0 && (
        <Button onClick={() => download(`${base}-failures.csv`, failuresToCsv(run.failures))}>
          {t('downloadFailures')}
        </Button>
      )}
      <Button onClick={() => print()}>{t('print')}</Button>
      <Button onClick={props.onAgain}>{t('again')}</Button>
    </>
  );
}

function FileChoice(props: { onFile: (file: File | undefined) => void; onExample: () => void }) {
  return (
    <div class="empty card" onDrop={(event) => props.onFile(event.dataTransfer?.files[0])}>
      <h2>{t('drop')}</h2>
      <input
        type="file"
        class="input"
        aria-label={t('choose')}
        accept=".csv,.ndjson,.jsonl,.json"
        onChange={(event) => {
          props.onFile(event.currentTarget.files?.[0]);
          // An empty value lets the user choose the same file again after a correction.
          event.currentTarget.value = '';
        }}
      />
      <p>{t('formats', { max: formatNumber(MAX_CONTRACTS) })}</p>
      <Button kind="quiet" onClick={props.onExample}>
        {t('example')}
      </Button>
    </div>
  );
}

function Results({ shown, onContinue }: { shown: Shown; onContinue: () => void }) {
  const { name, run, end } = shown;
  const done = run.results.length + run.failures.length;
  const words = createReportWords(locale(), reportText);
  return (
    <>
      <div class="card stack">
        <label class="row-between" for="portfolio-progress">
          <strong>{name}</strong>
          <span role="status">
            {t('progress', { done: formatNumber(done), all: formatNumber(run.all) })}
            {run.failures.length > 0 && `, ${t('failedSoFar', { count: formatNumber(run.failures.length) })}`}
          </span>
        </label>
        <progress id="portfolio-progress" value={done} max={run.all} />
        {end?.kind === 'stopped' && <Notice tone="warn">{t('stopped')}</Notice>}
      </div>
      {end?.kind === 'interrupted' && (
        <>
          <Failure error={end.error} onRetry={onContinue} />
          <Notice tone="warn">{t('interrupted')}</Notice>
        </>
      )}
      {end !== undefined && done > 0 && (
        // `reportSections` escapes the texts.
        <div dangerouslySetInnerHTML={{ __html: reportSections(run.tally, words, run.duplicates).markup }} />
      )}
    </>
  );
}

/** Three contracts: the total rises in the first and falls in the second; the third has no previous schedule. */
const EXAMPLE = [8.9, 7.2, 9.5]
  .map((InterestPercent, index) => {
    const half = 5_000 * (index + 1);
    const terms = { ScheduleType: 'EqualInstallments', ProductType: 'TL', PeriodicityType: 'Monthly' };
    const dates = { InstallmentsNo: 2, InstallmentDay: 1, ActivationDate: '2026-01-01' };
    const row = { Principal: half, Interest: half / 100, TotalInstallment: half + half / 100 };
    const schedule = [1, 2].map((InstallmentNo) => ({ InstallmentNo, ...row }));
    return JSON.stringify({
      id: `EXAMPLE-${index + 1}`,
      jsonParam: { ...terms, ...dates, InterestPercent, Amount: 2 * half },
      ...(index === 2 ? {} : { schedule }),
    });
  })
  .join('\n');
