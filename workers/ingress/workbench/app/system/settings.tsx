import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { getJson } from '../api.ts';
import { Badge, Failure, Field, Loading, TableFrame } from '../design/components.tsx';
import { useLoaded } from '../design/use-loaded.ts';
import type { Schemas } from '../schemas.ts';
import { t } from './texts.ts';

/** The settings of the instance, to search. They are read again when the connection is back. */
export function Settings({ isLive }: { isLive: boolean }) {
  const [loaded, reload] = useLoaded(
    (signal) => getJson<Schemas['SystemSettings']>('/api/operations/v1/system/settings', {}, { signal }),
    [],
  );
  const wasLive = useRef(isLive);
  // Before the failure of the time without a connection is painted. The process may have been started with other settings.
  useLayoutEffect(() => {
    if (isLive && !wasLive.current) reload();
    wasLive.current = isLive;
  }, [isLive]);
  return (
    <section class="stack settings">
      <div>
        <h2>{t('settings')}</h2>
        <p class="small soft">{t('settingsLead')}</p>
      </div>
      {loaded.state === 'loading' && <Loading />}
      {loaded.state === 'failed' && isLive && <Failure error={loaded.error} onRetry={reload} />}
      {loaded.state === 'loaded' && <SettingTable settings={loaded.value.settings} />}
    </section>
  );
}

function SettingTable({ settings }: Schemas['SystemSettings']) {
  const [search, setSearch] = useState('');
  const [onlySet, setOnlySet] = useState(false);
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  const found = settings.filter(({ name, value = '', source }) => {
    const text = `${name} ${value}`.toLowerCase();
    return words.every((word) => text.includes(word)) && (!onlySet || source !== 'default');
  });
  return (
    <>
      <div class="row setting-search">
        <Field label={t('search')}>
          {(control) => (
            <input
              {...control}
              class="input"
              type="search"
              autocomplete="off"
              spellcheck={false}
              value={search}
              onInput={(event) => setSearch(event.currentTarget.value)}
            />
          )}
        </Field>
        <label class="check">
          <input
            type="checkbox"
            checked={onlySet}
            onChange={(event) => setOnlySet(event.currentTarget.checked)}
          />
          {t('onlySet')}
        </label>
        <span class="small soft" role="status">
          {found.length === 0 ? t('noneFound') : t('found', { count: found.length, all: settings.length })}
        </span>
      </div>
      {found.length > 0 && <Rows settings={found} />}
    </>
  );
}

function Rows({ settings }: Schemas['SystemSettings']) {
  return (
    <TableFrame label={t('settings')}>
      <table class="table table-dense setting-table">
        <thead>
          <tr>
            <th scope="col">{t('setting')}</th>
            <th scope="col">{t('value')}</th>
            <th scope="col">{t('source')}</th>
          </tr>
        </thead>
        <tbody>
          {settings.map((setting) => (
            <tr key={setting.name}>
              <th scope="row">
                <code>{setting.name}</code>
              </th>
              <td>{valueOf(setting)}</td>
              <td>
                {setting.source === 'default' ? (
                  <span class="soft">{t('default')}</span>
                ) : (
                  <Badge tone="accent">{t(setting.source)}</Badge>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </TableFrame>
  );
}

function valueOf({ value, source }: Schemas['SystemSetting']) {
  if (value !== undefined) return <code>{value}</code>;
  return <span class="soft">{t(source === 'default' ? 'noValue' : 'hidden')}</span>;
}
