import { readFileSync } from 'node:fs';
import type { LayerName, PriceLayer } from './price-layer.js';
import { PriceList } from './price-list.js';
import { readPriceFile } from './price-reader.js';

/** Beside this file; the build copies it (`assets` in nest-cli.json). */
const BUILT_IN_FILE = new URL('./prices.json', import.meta.url);

let builtIn: PriceList | undefined;

/** The prices of the product and, if there is one, of the operator's file; throws when that is invalid. */
export function readPriceList(operatorFile: string | null): PriceList {
  builtIn ??= new PriceList([readLayer(BUILT_IN_FILE, 'built-in')]);
  return operatorFile === null ? builtIn : builtIn.with(readLayer(operatorFile, 'operator'));
}

function readLayer(file: string | URL, name: LayerName): PriceLayer {
  return readPriceFile(JSON.parse(readFileSync(file, 'utf8')), name);
}
