import { readWholeCatalogue } from '../../../shared/product/storage/catalogue-folder.ts';
import type { CatalogueView } from '../../../shared/product/catalogue/catalogue-view.ts';

const FOLDER = new URL('../../../shared/product/example-catalogue', import.meta.url).pathname;

const read = readWholeCatalogue(FOLDER);
if (read.catalogue === undefined) throw new Error(JSON.stringify(read.faults));

/** Its records, with the built-in schedule types, periodicities and calendars. */
export const EXAMPLE_CATALOGUE: CatalogueView = read.catalogue;

/** The time of the requests in the documented examples. */
export const EXAMPLE_TIME_MS = Date.UTC(2026, 0, 15, 12);
