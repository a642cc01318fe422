/** Choices that survive a reload. Tabs share the stored language and theme; each tab has its own access token. */
import { effect, signal, type Signal } from '@preact/signals';
import { store, stored } from './browser-storage.ts';

export type Language = 'en' | 'ro';
export type Theme = 'system' | 'light' | 'dark';

const LANGUAGES: readonly Language[] = ['en', 'ro'];
const THEMES: readonly Theme[] = ['system', 'light', 'dark'];

function createStored<Value extends string>(
  key: Parameters<typeof store>[0],
  read: (text: string) => Value,
): Signal<Value> {
  const kept = signal(read(stored(key)));
  effect(() => store(key, kept.value));
  return kept;
}

const preferred = navigator.languages[0]?.slice(0, 2).toLowerCase();
export const language = createStored<Language>(
  'workbench.language',
  (text) => LANGUAGES.find((one) => one === text) ?? LANGUAGES.find((one) => one === preferred) ?? 'en',
);
export const theme = createStored<Theme>(
  'workbench.theme',
  (text) => THEMES.find((one) => one === text) ?? 'system',
);
/** Empty if the tab has no access token. */
export const token = createStored<string>('workbench.token', (text) => text);

effect(() => {
  document.documentElement.lang = language.value;
});
effect(() => {
  if (theme.value === 'system') delete document.documentElement.dataset['theme'];
  else document.documentElement.dataset['theme'] = theme.value;
});
