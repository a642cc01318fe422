import { createTexts } from '../texts.ts';

export const t = createTexts({
  en: {
    loading: 'Loading…',
    close: 'Close',
    retry: 'Try again',
    copied: 'Copied',
    notCopied: 'The browser did not copy it',
    copy: 'Copy',
    correlationId: 'Correlation id',
    unreachable: 'The engine cannot be reached. Is it still running?',
    noResponse: 'The engine did not respond in time.',
    forbidden: 'Your token does not permit this.',
    unexpected: 'Something went wrong on this page',
  },
  ro: {
    loading: 'Se încarcă…',
    close: 'Închide',
    retry: 'Încearcă din nou',
    copied: 'Copiat',
    notCopied: 'Browserul nu a copiat',
    copy: 'Copiază',
    correlationId: 'Identificator de corelare',
    unreachable: 'Motorul nu poate fi contactat. Mai rulează?',
    noResponse: 'Motorul nu a răspuns la timp.',
    forbidden: 'Tokenul nu permite această operațiune.',
    unexpected: 'A apărut o eroare pe această pagină',
  },
});
