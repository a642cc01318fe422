import { useEffect, useRef, useState } from 'preact/hooks';
import { EngineError } from '../../../../../shared/client/client.ts';
import { callAction } from '../api.ts';
import { asProblem, Button, Notice, RoomHead, TableFrame } from '../design/components.tsx';
import { formatAmount, formatNumber } from '../format.ts';
import { DistributionChart } from './distribution-chart.tsx';
import {
  changeOf,
  distribution,
  largestMovers,
  resultsToCsv,
  sumResults,
  sumSchedule,
  unitsToText,
  type ContractResult,
} from './portfolio-summary.ts';
import { MAX_CONTRACTS, MAX_FILE_BYTES, readContracts, type Contract } from './read-contracts.ts';
import { runContracts } from './run-contracts.ts';
import { t } from './texts.ts';

type Rows = readonly Readonly<Record<string, unknown>>[];

interface FailedContract {
  readonly id: string;
  readonly line: number;
  readonly reason: string;
}

interface Run {
  readonly all: number;
  readonly results: readonly ContractResult[];
  readonly failures: readonly FailedContract[];
  readonly state: 'running' | 'finished' | 'stopped';
}

const MEBIBYTE = 1_024 * 1_024;
const MAX_SHOWN = 10;
/** Redrawing for every contract would cost more than its calculation. */
const DRAW_EVERY_MS = 200;
const MAX_ATTEMPTS = 20;
const RETRY_MS = 1_000;

/** Lower than before, higher than before, and without a previous schedule. */
const EXAMPLE = [8.9, 7.2, 9.5]
  .map((rate, index) => {
    const jsonParam = {
      ScheduleType: 'EqualInstallments',
      ProductType: 'TL',
      InterestPercent: rate,
      Amount: 10_000 * (index + 1),
      InstallmentsNo: 2,
      PeriodicityType: 'Monthly',
      InstallmentDay: 1,
      ActivationDate: '2026-01-01',
    };
    const half = 5_000 * (index + 1);
    const schedule = index === 2 ? undefined : [exampleRow(1, half), exampleRow(2, half)];
    return JSON.stringify({ id: `EXAMPLE-${index + 1}`, jsonParam, schedule });
  })
  .join('\n');

function exampleRow(InstallmentNo: number, half: number) {
  return { InstallmentNo, Principal: half, Interest: half / 100, TotalInstallment: half + half / 100 };
}

/** Recalculates a file of contracts through the public interface. */
export function PortfolioRoom() {
  const [run, setRun] = useState<Run>();
  const [fault, setFault] = useState<string>();
  const abort = useRef<AbortController>(undefined);
  useEffect(() => () => abort.current?.abort(), []);

  const start = async (name: string, text: string): Promise<void> => {
    setFault(undefined);
    const read = readOrExplain(name, text);
    if (typeof read === 'string') return setFault(read);
    const controller = new AbortController();
    abort.current = controller;
    await recalculate(read, controller.signal, setRun);
  };
  const open = (file: File | undefined): void => {
    if (file === undefined) return;
    if (file.size > MAX_FILE_BYTES) {
      setFault(t('tooLarge', { max: MAX_FILE_BYTES / MEBIBYTE }));
      return;
    }
    void file.text().then((text) => start(file.name, text));
  };
  return (
    <>
      <RoomHead title={t('title')} lead={t('lead')}>
        {run?.state === 'running' && <Button onClick={() => abort.current?.abort()}>{t('cancel')}</Button>}
        {run !== undefined && run.state !== 'running' && (
          <>
            <Button onClick={() => download(resultsToCsv(run.results))}>{t('download')}</Button>
            <Button onClick={() => setRun(undefined)}>{t('again')}</Button>
          </>
        )}
      </RoomHead>
      <div class="stack">
        {fault !== undefined && <Notice tone="bad">{fault}</Notice>}
        {run === undefined ? (
          <FileDrop onFile={open} onExample={() => void start('example.ndjson', EXAMPLE)} />
        ) : (
          <Results run={run} />
        )}
      </div>
    </>
  );
}

function readOrExplain(name: string, text: string) {
  try {
    const file = readContracts(name, text);
    return file.contracts.length + file.unreadable.length === 0 ? t('empty') : file;
  } catch (error) {
    if (error instanceof RangeError)
      return t('tooMany', { count: error.message, max: formatNumber(MAX_CONTRACTS) });
    return error instanceof Error ? error.message : String(error);
  }
}

/** Calculates all contracts and reports the state of the run a few times a second. */
async function recalculate(
  file: ReturnType<typeof readContracts>,
  signal: AbortSignal,
  report: (run: Run) => void,
): Promise<void> {
  const results: ContractResult[] = [];
  const failures: FailedContract[] = [...file.unreadable];
  const all = file.contracts.length + file.unreadable.length;
  const draw = (state: Run['state']): void =>
    report({ all, results: [...results], failures: [...failures], state });
  draw('running');
  const timer = setInterval(() => draw('running'), DRAW_EVERY_MS);
  await runContracts<Rows>({
    contracts: file.contracts,
    signal,
    calculate: ({ jsonParam }: Contract, abort) =>
      callAction<Rows>('PLAT_BP_CalculateRepaymentSchedule', jsonParam, { signal: abort }),
    retryAfterMs: (error, attempt) => (isTransient(error) && attempt < MAX_ATTEMPTS ? RETRY_MS : undefined),
    wait,
    onOutcome: (outcome) => {
      const { id, line, schedule } = outcome.contract;
      const sums = outcome.kind === 'calculated' ? sumSchedule(outcome.rows) : undefined;
      if (outcome.kind === 'failed' || sums === undefined) {
        failures.push({ id, line, reason: explain(outcome.kind === 'failed' ? outcome.error : undefined) });
        return;
      }
      const before = schedule === undefined ? undefined : sumSchedule(schedule);
      const installments = outcome.kind === 'calculated' ? outcome.rows.length : 0;
      results.push({ id, line, installments, sums, before });
    },
  });
  clearInterval(timer);
  draw(signal.aborted ? 'stopped' : 'finished');
}

/** Refused for now: too many calls, or an engine that starts, stops or is overloaded. */
function isTransient(error: unknown): boolean {
  return error instanceof EngineError && [429, 503].includes(error.status ?? 0);
}

function wait(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}

function explain(error: unknown): string {
  const { title, detail, errors = [] } = asProblem(error ?? new Error('The reply is not a schedule'));
  const faults = errors.map(({ path, message }) => `${path} ${message}`);
  return faults.length > 0 ? faults.join('; ') : (detail ?? title);
}

function download(csv: string): void {
  const address = URL.createObjectURL(new Blob([csv], { type: 'text/csv' }));
  const link = document.createElement('a');
  link.href = address;
  link.download = 'results.csv';
  link.click();
  URL.revokeObjectURL(address);
}

function FileDrop(props: { onFile: (file: File | undefined) => void; onExample: () => void }) {
  const [over, setOver] = useState(false);
  const drop = (event: DragEvent): void => {
    event.preventDefault();
    setOver(false);
    props.onFile(event.dataTransfer?.files[0]);
  };
  return (
    <div
      class={over ? 'empty portfolio-drop portfolio-drop-over' : 'empty portfolio-drop'}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={drop}
    >
      <h2>{t('drop')}</h2>
      <label class="button button-primary portfolio-choose">
        {t('choose')}
        <input
          class="visually-hidden"
          type="file"
          accept=".csv,.ndjson,.jsonl,.json"
          onChange={(event) => props.onFile(event.currentTarget.files?.[0])}
        />
      </label>
      <p>{t('formats', { max: formatNumber(MAX_CONTRACTS) })}</p>
      <Button kind="quiet" onClick={props.onExample}>
        {t('example')}
      </Button>
    </div>
  );
}

function Results({ run }: { run: Run }) {
  const done = run.results.length + run.failures.length;
  const { after, compared, changed, before, afterCompared } = sumResults(run.results);
  const figures: readonly (readonly [string, string])[] = [
    [t('calculated'), formatNumber(run.results.length)],
    [t('failed'), formatNumber(run.failures.length)],
    [t('principal'), amount(after.principal)],
    [t('interest'), amount(after.interest)],
    [t('fees'), amount(after.fees)],
    [t('total'), amount(after.total)],
  ];
  const comparison: readonly (readonly [string, string])[] = [
    [t('changed'), `${formatNumber(changed)} / ${formatNumber(compared)}`],
    [t('before'), amount(before.total)],
    [t('difference'), amount(afterCompared.total - before.total)],
  ];
  return (
    <>
      <div class="card stack">
        <label class="stack" for="portfolio-progress">
          <span aria-live="polite">
            {t('progress', { done: formatNumber(done), all: formatNumber(run.all) })}
          </span>
        </label>
        <progress id="portfolio-progress" class="portfolio-progress" value={done} max={run.all} />
        {run.state === 'stopped' && <Notice tone="warn">{t('stopped')}</Notice>}
        <Figures figures={figures} />
        <p class="small soft">{t('mixed')}</p>
      </div>
      {run.state !== 'running' && compared === 0 && <Notice>{t('noComparison')}</Notice>}
      {run.state !== 'running' && compared > 0 && (
        <div class="card stack">
          <h2>{t('distribution')}</h2>
          <Figures figures={comparison} />
          <DistributionChart bins={distribution(run.results)} />
        </div>
      )}
      {run.state !== 'running' && compared > 0 && <Movers results={run.results} />}
      {run.failures.length > 0 && <Failures failures={run.failures} />}
    </>
  );
}

function Figures({ figures }: { figures: readonly (readonly [string, string])[] }) {
  return (
    <dl class="figure-list">
      {figures.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

function Movers({ results }: { results: readonly ContractResult[] }) {
  return (
    <TableFrame label={t('movers')}>
      <table class="table">
        <caption>{t('movers')}</caption>
        <thead>
          <tr>
            <th scope="col">{t('contract')}</th>
            <th scope="col" class="number">
              {t('before')}
            </th>
            <th scope="col" class="number">
              {t('total')}
            </th>
            <th scope="col" class="number">
              {t('difference')}
            </th>
          </tr>
        </thead>
        <tbody>
          {largestMovers(results, MAX_SHOWN).map((result) => (
            <tr key={result.line}>
              <th scope="row">{result.id}</th>
              <td class="number">{amount(result.before?.total ?? 0n)}</td>
              <td class="number">{amount(result.sums.total)}</td>
              <td class="number">{amount(changeOf(result) ?? 0n)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </TableFrame>
  );
}

function Failures({ failures }: { failures: readonly FailedContract[] }) {
  return (
    <TableFrame label={t('failures')}>
      <table class="table">
        <caption>{t('failures')}</caption>
        <thead>
          <tr>
            <th scope="col" class="number">
              {t('line')}
            </th>
            <th scope="col">{t('contract')}</th>
            <th scope="col">{t('reason')}</th>
          </tr>
        </thead>
        <tbody>
          {failures.slice(0, MAX_SHOWN).map(({ line, id, reason }) => (
            <tr key={line}>
              <td class="number">{line}</td>
              <th scope="row">{id}</th>
              <td>{reason}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {failures.length > MAX_SHOWN && (
        <p class="small soft portfolio-more">
          {t('moreFailures', { count: formatNumber(failures.length - MAX_SHOWN) })}
        </p>
      )}
    </TableFrame>
  );
}

function amount(units: bigint): string {
  return formatAmount(Number(unitsToText(units)));
}
