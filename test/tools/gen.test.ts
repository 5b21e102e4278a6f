// Generated reference: what it covers, and that a stale, missing or superfluous file is noticed.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { settings } from '../../src/config/settings.ts';
import { problems } from '../../src/model/problem.ts';
import { type Fields, isScalar } from '../../src/model/resource.ts';
import { resources } from '../../src/resources/index.ts';
import { generatedFiles, staleFiles } from '../../tools/gen.ts';

const files = await generatedFiles();
const textOf = (name: string): string => files.get(name) ?? assert.fail(`${name} is not generated`);

describe('the generated reference', () => {
  it('is marked as generated in each file', () => {
    for (const [name, text] of files)
      assert.match(text.slice(0, 300), /[Gg]enerated.*[Bb]y tools\/gen\.ts|By tools\/gen\.ts/, name);
  });

  it('comes out the same each time', async () => {
    assert.deepEqual(await generatedFiles(), files);
  });

  it('explains every setting, every problem and every field', () => {
    for (const { name, meaning } of Object.values(settings))
      assert.ok(textOf('settings.md').includes(`\`${name}\``) && textOf('settings.md').includes(meaning), name);
    for (const [slug, { page }] of Object.entries(problems))
      assert.ok(textOf('problems.md').includes(`## ${slug}\n`) && textOf('problems.md').includes(page), slug);
    for (const { name, fields, unpublished } of resources) {
      for (const field of [...namesIn(fields), ...Object.keys(unpublished)])
        assert.ok(textOf(`${name}.md`).includes(`\`${field}\``), `${name}: ${field}`);
    }
  });

  it('has no table row with a cell too many', () => {
    for (const [name, text] of files) {
      if (!name.endsWith('.md')) continue;
      for (const [head = '', ...rows] of tablesIn(text))
        for (const row of rows) assert.equal(cells(row), cells(head), `${name}: ${row}`);
    }
  });

  it('is found stale, missing or superfluous', () => {
    const folder = mkdtempSync(join(tmpdir(), 'logistics-connect-'));
    try {
      const wanted = new Map([
        ['a.md', 'new\n'],
        ['b.md', 'same\n'],
        ['c.md', 'more\n'],
      ]);
      writeFileSync(join(folder, 'a.md'), 'old\n');
      writeFileSync(join(folder, 'b.md'), 'same\n');
      writeFileSync(join(folder, 'd.md'), 'gone\n');
      // What is measured is written by runs of the benchmarks.
      writeFileSync(join(folder, 'benchmarks.md'), 'measured\n');
      assert.deepEqual(staleFiles(folder, wanted), [
        'a.md is stale',
        'c.md is missing',
        'd.md is not generated any more',
      ]);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

function namesIn(fields: Fields): readonly string[] {
  return Object.entries(fields).flatMap(([name, field]) => [name, ...(isScalar(field) ? [] : namesIn(field.fields))]);
}

function tablesIn(text: string): readonly (readonly string[])[] {
  return text
    .trimEnd()
    .split(/\n\n+/)
    .filter((block) => block.startsWith('| '))
    .map((block) => block.split('\n'));
}

function cells(row: string): number {
  return row.replaceAll('\\|', '').split('|').length;
}
