import { useLocation } from 'preact-iso';
import { codeOf } from './product-address.ts';
import { ProductPage } from './product-page.tsx';
import { ProductSearch } from './product-search.tsx';

/** The catalogue (/workbench/products), or one product of it (/workbench/products/CODE). */
export function ProductsRoom() {
  const { path } = useLocation();
  const code = codeOf(path);
  return code === '' ? <ProductSearch /> : <ProductPage key={code} code={code} />;
}
