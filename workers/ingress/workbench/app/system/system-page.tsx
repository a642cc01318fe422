import type { SystemState, systemSettingsReply } from '../../../../../shared/api/operations/system-state.ts';
import { getJson } from '../api.ts';
import { Badge, Definitions, Failure, Loading, Notice, PageHead } from '../design/components.tsx';
import { useLoaded, useReload, WhenLoaded } from '../design/loaded.tsx';
import { EngineError } from '../engine-error.ts';
import { formatDuration, formatMoment, formatNumber } from '../format.ts';
import { systemText as t } from '../texts.ts';
import { Lag, Breakers, Processes } from './process-list.tsx';
import { findingText } from './system-finding.ts';
import { Table } from '../design/table.tsx';
import type { z } from 'zod';

/** Longer than the 0.9 s for which the engine reuses a reading (cached-reading.ts), so each load shows a new state. */
const POLL_MS = 2_000;
const LOOKS = { ok: 'good', warning: 'warn', critical: 'bad' } as const;
/** The state of the installation. Unless the engine refuses, a visible page loads it again after two seconds. */
export function SystemPage() {
  const loaded = useLoaded(
    (signal) => getJson<SystemState>('/api/operations/v1/system', { signal, attempts: 1 }),
    [],
  );
  const { value: state, error, reload } = loaded;
  const isGone = error instanceof EngineError && error.isTemporary;
  const isRefused = error !== undefined && !isGone;
  useReload(loaded, isRefused ? undefined : POLL_MS);
  return (
    <>
      <PageHead title={t('title')} lead={t('lead')} />
      <div class="stack system">
        {isRefused && <Failure error={error} onRetry={reload} />}
        {isGone && (
          <Notice tone="bad">
            <strong>{t('goneTitle')}</strong>
            <p>{state === undefined ? t('goneFirst') : t('goneText', { time: formatMoment(state.at) })}</p>
          </Notice>
        )}
        {state === undefined && error === undefined && <Loading />}
        {state !== undefined && !isRefused && (
          <>
            <Verdict state={state} isCurrent={!isGone} />
            <Overview state={state} />
            <Processes state={state} />
            <Breakers breakers={state.breakers} />
            <Lag groups={state.groups} />
            <Settings startedAt={state.processes[0]?.startedAt} />
          </>
        )}
      </div>
    </>
  );
}

/** Says that everything is well, or lists the findings. Screen readers announce a change of its first line. */
function Verdict({ state, isCurrent }: { state: SystemState; isCurrent: boolean }) {
  const { status, findings, at } = state;
  const known = t(status, { count: findings.length });
  const text = isCurrent ? known : t('lastKnown', { text: known });
  return (
    <section class={`verdict stack verdict-${LOOKS[status]}`} data-stale={isCurrent ? undefined : 'true'}>
      <p class="visually-hidden" role="status">
        {text}
      </p>
      <div class="stack tight">
        <div class="row-between">
          <h2>{text}</h2>
          <span class="small figures">{t('observed', { time: formatMoment(at) })}</span>
        </div>
        {findings.length === 0 && <p>{t('okText')}</p>}
      </div>
      {findings.length > 0 && (
        <ul class="stack tight" aria-label={t('findings')}>
          {findings.map((finding) => (
            <li key={`${finding.code} ${finding.subject}`} class="row">
              <Badge tone={finding.severity === 'critical' ? 'bad' : 'warn'}>
                {t(finding.severity === 'critical' ? 'severityCritical' : 'severityWarning')}
              </Badge>
              <div>
                <strong>{t(finding.code)}</strong> <code>{finding.subject}</code>
                <p>{findingText(finding)}</p>
              </div>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

function Overview({ state: { groups, catalogue, at, version } }: { state: SystemState }) {
  // Without the messages that wait until they are due, such as retries.
  const waiting = groups.reduce((sum, { lag, delayed }) => sum + (delayed ? 0 : lag), 0);
  const { version: published, changedAt } = catalogue ?? {};
  const age =
    changedAt === undefined
      ? t('noCatalogue')
      : t('changedAgo', { age: formatDuration(Math.max(0, Date.parse(at) - Date.parse(changedAt))) });
  return (
    <Definitions
      class="figure-list card card-tight"
      items={[
        [t('waiting'), formatNumber(waiting)],
        [
          t('catalogue'),
          published !== undefined && (
            <>
              {formatNumber(published)} <div class="figure-note">{age}</div>
            </>
          ),
        ],
        [t('version'), version],
      ]}
    />
  );
}

type SystemSettings = z.infer<typeof systemSettingsReply>;

/** The settings of the answering instance. The page loads them again when the instance has restarted. */
function Settings({ startedAt }: { startedAt: string | undefined }) {
  const loaded = useLoaded(
    (signal) => getJson<SystemSettings>('/api/operations/v1/system/settings', { signal }),
    [startedAt],
  );
  return (
    <section class="stack table-scroll">
      <div>
        <h2>{t('settings')}</h2>
        <p class="small soft">{t('settingsLead')}</p>
      </div>
      <WhenLoaded loaded={loaded}>
        {({ settings }) => (
          <Table
            label={t('settings')}
            class="table-dense"
            rows={settings}
            columns={[
              [t('setting'), ({ name }) => <code>{name}</code>],
              [t('value'), valueOf],
              [
                t('source'),
                ({ source }) => <Badge tone={source === 'default' ? 'neutral' : 'accent'}>{t(source)}</Badge>,
              ],
            ]}
          />
        )}
      </WhenLoaded>
    </section>
  );
}

function valueOf({ value, source }: SystemSettings['settings'][number]) {
  if (value !== undefined) return <code>{value}</code>;
  return <span class="soft">{t(source === 'default' ? 'noValue' : 'hidden')}</span>;
}
