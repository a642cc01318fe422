import type { SystemFinding, SystemState } from '../../../../../shared/api/operations/system-state.ts';
import { formatMoment, formatNumber } from '../format.ts';
import { systemText as t } from '../texts.ts';

/** The text of a finding in the language of the page; for an unknown code, the English text of the engine. */
export function findingText({ code, text, parameters }: SystemFinding): string {
  const {
    status,
    reason,
    topic = '',
    waiting = 0,
    seconds = 0,
    count = 0,
    since = '',
    process = 'this',
  } = parameters;
  const messages = waiting === 0 ? '' : t('d_waiting', { waiting: formatNumber(waiting) });
  switch (code) {
    case 'broker-unreadable':
    case 'process-unreadable':
      return t('unreadable', { fault: faultText(parameters) });
    case 'worker-not-ready':
      if (status === undefined) return text;
      return reason === undefined ? t(status) : `${t(status)}: ${reason}`;
    case 'group-without-members':
      return sentences(t('d_noReader', { topic }), messages);
    case 'group-without-progress':
      return sentences(messages, t('d_noProgress', { seconds: formatNumber(seconds) }));
    case 'breaker-open':
      return sentences(t('d_providerFails'), process === 'this' ? '' : t('d_process', { process }));
    case 'catalogue-absent':
      return t('d_noCatalogue');
    case 'dead-letters-open':
    case 'notifications-parked':
      return t(code === 'dead-letters-open' ? 'd_deadLettersOpen' : 'd_parked', {
        count: formatNumber(count),
        time: formatMoment(since),
      });
    default:
      // A code that a newer engine has added.
      return text;
  }
}

export function faultText(source: Pick<SystemState['broker'], 'faultCode' | 'faultDetail'>): string {
  const { faultCode = 'failed', faultDetail } = source;
  const text = t(`fault_${faultCode}`);
  return faultDetail === undefined ? text : `${text} (${faultDetail})`;
}

function sentences(...parts: readonly string[]): string {
  return parts.filter((part) => part !== '').join(' ');
}
