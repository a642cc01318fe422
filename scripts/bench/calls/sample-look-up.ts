import { SECTION_FLAGS } from '../../../shared/product/look-up/product-by-code.ts';
import type { KafkaCall } from './kafka-scenarios.ts';

/** All flags of a product look-up. */
export const ALL_SECTIONS = Object.fromEntries(SECTION_FLAGS.map((flag) => [flag, true]));

/** A look-up over Kafka with all sections of a product of the example catalogue. */
export const LOOK_UP_CALL = {
  scenario: 'Kafka: product look-up over HTTP',
  worker: 'product',
  path: '/platapi/automation-processors/actions/plat_bp_getbankingproductbycode',
  body: JSON.stringify({ BankingProductCode: 'TL-PERSONAL', ...ALL_SECTIONS }),
  catalogueFolder: 'shared/product/example-catalogue',
} satisfies KafkaCall;
