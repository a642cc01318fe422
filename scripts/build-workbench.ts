/** `npm run build:workbench`: compiles the workbench beforehand, for images without a compiler. */
import { writeBuiltFolder } from '../workers/ingress/workbench/bundle.ts';

if (process.argv.includes('--help')) {
  console.log(`Usage: npm run build:workbench

Compiles the pages at /workbench into workers/ingress/workbench/built. An ingress that finds this folder serves it and ignores later
changes of the sources. Without it an ingress compiles the pages on their first request.`);
} else {
  for (const name of await writeBuiltFolder()) console.log(name);
}
