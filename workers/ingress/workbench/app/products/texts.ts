import { createTexts } from '../texts.ts';

export const t = createTexts('products');
