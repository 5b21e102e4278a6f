// The package as its users get it: packed, installed into a folder of theirs, compiled against under strict settings,
// and run.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { startService } from '../auth/flow.ts';
import { articleLike, tokenOf } from './fixture.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

const program = `
import { createClient, ProblemError, type Article, type Page } from '@logistics-connect/client';

const client = createClient({ baseUrl: process.env['BASE_URL'] ?? '', token: process.env['TOKEN'] ?? '' });
const page: Page<Article> = await client.articles.page({ limit: 2, articleType: [0], disableProduit: [false] });
const references: string[] = [];
for await (const article of client.articles.records({ limit: 2 })) references.push(article.articleReference);
const fault = await client.orders.page({ filter: 'x' }).catch((error: unknown) => error);
const slug = fault instanceof ProblemError ? fault.slug : null;
// @ts-expect-error an order has no such parameter
client.orders.page({ articleReference: ['A1'] }).catch(() => undefined);
// @ts-expect-error an article has no such field
page.records[0]?.reference;
console.log(JSON.stringify({ references, slug }));
declare const process: { readonly env: Readonly<Record<string, string | undefined>> };
declare const console: { readonly log: (text: string) => void };
`;

describe('the package of the client', { timeout: 900_000 }, () => {
  it('is installed without anything else, compiled against, and run', async (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'client-package-'));
    t.after(() => rmSync(folder, { recursive: true }));
    const installed = join(folder, 'node_modules/@logistics-connect/client');
    mkdirSync(installed, { recursive: true });
    const { stdout } = await run('npm', ['pack', '--json', '--pack-destination', folder], `${root}packages/client`);
    const [{ filename, files }] = JSON.parse(stdout.slice(stdout.indexOf('[')));
    assert.ok(files.some((file: { readonly path: string }) => file.path === 'dist/index.d.ts'));
    await run('tar', ['-xzf', join(folder, filename), '--strip-components=1', '-C', installed], folder);
    assert.equal(JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8')).dependencies, undefined);

    writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
    writeFileSync(join(folder, 'program.ts'), program);
    for (const lib of [
      ['es2023', 'dom', 'dom.iterable'],
      ['esnext', 'dom', 'dom.iterable', 'dom.asynciterable'],
    ]) {
      const compilerOptions = {
        ...{ strict: true, exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true, skipLibCheck: false },
        ...{ target: 'es2022', module: 'nodenext', lib, types: [] },
      };
      writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['program.ts'] }));
      await run(
        process.execPath,
        [`${root}node_modules/typescript/bin/tsc`, '--pretty', 'false', '-p', folder],
        folder,
      );
    }

    const service = await startService(t);
    const token = await tokenOf(service);
    const env = { ...process.env, BASE_URL: service.baseUrl, TOKEN: token };
    await fetch(`${service.baseUrl}/articles`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(['A1', 'A2', 'A3'].map(articleLike)),
    });
    const ran = await run(process.execPath, [join(folder, 'program.js')], folder, env);
    assert.deepEqual(JSON.parse(ran.stdout), { references: ['A1', 'A2', 'A3'], slug: 'invalid-filter' });
  });
});

async function run(
  command: string,
  parameters: readonly string[],
  cwd: string,
  env = process.env,
): Promise<{ readonly stdout: string }> {
  try {
    return await promisify(execFile)(command, [...parameters], { cwd, env });
  } catch (error) {
    throw new Error(`${command}: ${Reflect.get(Object(error), 'stdout')} ${Reflect.get(Object(error), 'stderr')}`);
  }
}
