import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { pathToFileURL } from 'node:url';
import { markdownPage } from '../../src/http/markdown-page.ts';

describe('a page of Markdown', () => {
  const folder = mkdtempSync(join(tmpdir(), 'markdown-page-'));
  after(() => rmSync(folder, { recursive: true }));
  const page = (text: string): URL => {
    const path = join(folder, 'page.md');
    writeFileSync(path, text);
    return pathToFileURL(path);
  };

  it('is its text, byte by byte, with values in their places', () => {
    const text = '# É\n\nAt most MOST of `{id}`, MOST: $1 $ {x} `$"a"`\n\n';
    assert.equal(
      markdownPage(page(text.replaceAll('MOST', () => `\${most}`)), { most: '$$1' }),
      text.replaceAll('MOST', () => '$$1'),
    );
    assert.equal(markdownPage(page(`\${count}`), { count: 0 }), '0');
  });

  it('is none with a place that has no value, or a value that has no place', () => {
    assert.throws(() => markdownPage(page(`\${most} \${least}`), { most: 1 }), /names least/);
    assert.throws(() => markdownPage(page(`\${most}`), { most: 1, least: 2, first: 3 }), /does not name least, first/);
    assert.throws(() => markdownPage(page(`\${constructor}`), {}), /names constructor/);
  });
});
