// The programs that the first page of the reference gives to integrators, as files that a test can run.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
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

/** Refuses each page but the first with 429 and then 503, for a second each; gives what was asked, as it comes. */
export function refuseForAMoment(t: TestContext): readonly { readonly url: string; readonly status: number }[] {
  const ask = globalThis.fetch;
  const asked: { readonly url: string; readonly status: number }[] = [];
  t.mock.method(globalThis, 'fetch', async (...given: Parameters<typeof ask>) => {
    const url = String(given[0]);
    const before = asked.filter((each) => each.url === url).length;
    const status = [429, 503][asked.length === 0 ? 2 : before];
    const answer =
      status === undefined ? await ask(...given) : new Response('{}', { status, headers: { 'Retry-After': '1' } });
    asked.push({ url, status: answer.status });
    return answer;
  });
  return asked;
}
