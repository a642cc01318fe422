import { useLocation } from 'preact-iso';
import { codeOf } from './product-address.ts';
import { ProductDetail } from './product-detail.tsx';
import { ProductSearch } from './product-search.tsx';

/** The catalogue (/workbench/products), or one product of it (/workbench/products/CODE). */
export function ProductsPage() {
  const { path } = useLocation();
  const code = codeOf(path);
  return code === '' ? <ProductSearch /> : <ProductDetail key={code} code={code} />;
}
