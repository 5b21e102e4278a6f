// The programs that the first page of the reference gives to integrators, as files that a test can run.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** Writes the block of JavaScript that begins with this name into the folder; gives its address. */
export function recipeFile(name: string, folder: string): string {
  const page = readFileSync(new URL('../../src/api/descriptions/introduction.md', import.meta.url), 'utf8');
  const blocks = [...page.matchAll(/^```js\n(.*?)^```$/gms)].map(([, code = '']) => code);
  const [block = '', ...others] = blocks.filter((code) => code.startsWith(`// ${name}.mjs: `));
  assert.ok(block !== '' && others.length === 0, `one block for ${name}`);
  const file = join(folder, `${name}.mjs`);
  writeFileSync(file, block);
  return pathToFileURL(file).href;
}
