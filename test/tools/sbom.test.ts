// The bill of materials: what is installed, and what is built into the console.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, it } from 'node:test';
import { consoleLibraries } from '../../tools/console-libraries.ts';

describe('the bill of materials', { timeout: 900_000 }, () => {
  it('lists the libraries of the console with version, licence and hash, each component once', () => {
    const libraries = consoleLibraries();
    const names = libraries.map(({ name }) => name);
    for (const name of ['react', '@mantine/core', '@tanstack/react-query', 'csv-parse', '@fontsource-variable/inter'])
      assert.ok(names.includes(name), name);
    for (const { name, version, licenses, hashes } of libraries) {
      assert.match(version, /^\d+\.\d+\.\d+/, name);
      assert.ok(
        licenses.every(({ license }) => license.id !== ''),
        name,
      );
      assert.equal(hashes?.[0]?.content.length, 128, name);
    }
    const script = fileURLToPath(new URL('../../tools/sbom.ts', import.meta.url));
    const bill = JSON.parse(execFileSync(process.execPath, [script], { encoding: 'utf8', maxBuffer: 64 << 20 }));
    const refs: readonly string[] = bill.components.map((component: Record<string, string>) => component['bom-ref']);
    for (const { 'bom-ref': ref } of libraries) assert.equal(refs.filter((each) => each === ref).length, 1, ref);
    assert.ok(refs.some((ref) => ref.startsWith('fastify@')));
  });
});
