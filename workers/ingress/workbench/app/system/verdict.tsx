import type { SystemFinding, SystemState } from '../../../../../shared/api/operations/system-state.ts';
import { Badge } from '../design/components.tsx';
import { formatMoment } from '../format.ts';
import { findingText } from './finding-text.ts';
import { t } from './texts.ts';

const LOOKS = { ok: 'good', warning: 'warn', critical: 'bad' } as const;
const SIGNS = {
  ok: 'M5 12.5l4.5 4.5L19 7.5',
  warning: 'M12 5v9m0 4v.5',
  critical: 'M6.5 6.5l11 11m0-11l-11 11',
};

/** Whether everything is well, in one glance, and otherwise what is not. Changes of it are announced to screen readers. */
export function SystemVerdict({ state, isCurrent }: { state: SystemState; isCurrent: boolean }) {
  const { status, findings, at } = state;
  const count = findings.length;
  const known = t(status, { count });
  const text = isCurrent ? known : t('lastKnown', { text: known });
  return (
    <section class={`verdict verdict-${LOOKS[status]}`} data-stale={isCurrent ? undefined : 'true'}>
      <svg class="verdict-sign" viewBox="0 0 24 24" aria-hidden="true" focusable="false">
        <path d={SIGNS[status]} />
      </svg>
      <p class="visually-hidden" role="status">
        {text}
      </p>
      <div class="stack tight">
        <div class="row-between">
          <h2>{text}</h2>
          <span class="small figures">{t('observed', { time: formatMoment(at) })}</span>
        </div>
        {count === 0 && <p>{t('okText')}</p>}
      </div>
      {count > 0 && <Findings findings={findings} />}
    </section>
  );
}

function Findings({ findings }: { findings: readonly SystemFinding[] }) {
  return (
    <ul class="stack tight" aria-label={t('findings')}>
      {findings.map((finding) => (
        <li key={`${finding.code} ${finding.subject}`}>
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
  );
}
