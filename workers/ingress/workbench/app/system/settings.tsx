import { useState } from 'preact/hooks';
import { getJson } from '../api.ts';
import { Badge } from '../design/components.tsx';
import { Check, TextField } from '../design/fields.tsx';
import { useLoaded, WhenLoaded } from '../design/loaded.tsx';
import { Table } from '../design/table.tsx';
import type { z } from 'zod';
import type { systemSettingsReply } from '../../../../../shared/api/operations/system-state.ts';
import { t } from './texts.ts';

type SystemSettings = z.infer<typeof systemSettingsReply>;

/** The settings of the instance, to search; after a restart it may have others. */
export function Settings({ startedAt }: { startedAt: string | undefined }) {
  const loaded = useLoaded(
    (signal) => getJson<SystemSettings>('/api/operations/v1/system/settings', {}, { signal }),
    [startedAt],
  );
  return (
    <section class="stack table-scroll">
      <div>
        <h2>{t('settings')}</h2>
        <p class="small soft">{t('settingsLead')}</p>
      </div>
      <WhenLoaded loaded={loaded}>{({ settings }) => <SettingTable settings={settings} />}</WhenLoaded>
    </section>
  );
}

function SettingTable({ settings }: SystemSettings) {
  const [search, setSearch] = useState('');
  const [onlySet, setOnlySet] = useState(false);
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  const found = settings.filter(({ name, value = '', source }) => {
    const text = `${name} ${value}`.toLowerCase();
    return words.every((word) => text.includes(word)) && (!onlySet || source !== 'default');
  });
  return (
    <>
      <div class="search-form">
        <TextField label={t('search')} type="search" value={search} onChange={setSearch} />
        <Check label={t('onlySet')} checked={onlySet} onChange={setOnlySet} />
        <span class="small soft" role="status">
          {found.length === 0 ? t('noneFound') : t('found', { count: found.length, all: settings.length })}
        </span>
      </div>
      {found.length > 0 && (
        <Table
          label={t('settings')}
          class="table-dense"
          rows={found}
          columns={[
            [t('setting'), ({ name }) => <code>{name}</code>],
            [t('value'), valueOf],
            [
              t('source'),
              ({ source }) =>
                source === 'default' ? (
                  <span class="soft">{t('default')}</span>
                ) : (
                  <Badge tone="accent">{t(source)}</Badge>
                ),
            ],
          ]}
        />
      )}
    </>
  );
}

function valueOf({ value, source }: SystemSettings['settings'][number]) {
  if (value !== undefined) return <code>{value}</code>;
  return <span class="soft">{t(source === 'default' ? 'noValue' : 'hidden')}</span>;
}
