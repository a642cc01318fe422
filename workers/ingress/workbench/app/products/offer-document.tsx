import { useState } from 'preact/hooks';
import { callAction } from '../api.ts';
import { Button, download, Failure, Notice } from '../design/components.tsx';
import { formatNumber } from '../format.ts';
import { language } from '../preferences.ts';
import { productsText as t } from '../texts.ts';
import type { SimulatedOffer } from './simulated-offer.ts';

interface Created {
  readonly ProductCode: string;
  readonly ContentType: string;
  /** The PDF in base64. */
  readonly Content: string;
  readonly Missing: readonly string[];
}

interface Saving {
  readonly isRunning?: boolean;
  readonly missing?: number;
  readonly error?: unknown;
}

/** Saves the European form of an offer as PDF. `request`: the JSON of the simulation that has the offer. */
export function OfferDocumentButton({ request, offer }: { request: string; offer: SimulatedOffer }) {
  const [saving, setSaving] = useState<Saving>({});
  const save = async (): Promise<void> => {
    setSaving({ isRunning: true });
    const { InterestId, InterestCommissionItemId } = offer;
    const wanted = { Language: language.value, Format: 'pdf', InterestId, InterestCommissionItemId };
    try {
      const sent = { ...(JSON.parse(request) as object), ...wanted };
      const { reply } = await callAction<Created>('PLAT_BP_CreateOfferDocument', sent);
      const bytes = Uint8Array.from(atob(reply.Content), (one) => one.charCodeAt(0));
      download(`offer-${reply.ProductCode}.pdf`, bytes, reply.ContentType);
      setSaving({ missing: reply.Missing.length });
    } catch (error) {
      setSaving({ error });
    }
  };
  const { isRunning = false, missing = 0, error } = saving;
  return (
    <div class="stack no-print">
      <div class="row">
        <Button small disabled={isRunning} onClick={() => void save()}>
          {t('offerDocument')}
        </Button>
      </div>
      {missing > 0 && <Notice tone="warn">{t('documentMissing', { number: formatNumber(missing) })}</Notice>}
      {error !== undefined && <Failure error={error} />}
    </div>
  );
}
