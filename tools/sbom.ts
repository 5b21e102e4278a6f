// Prints the bill of materials (CycloneDX): what package-lock.json installs for production, including Node, and what is
// bundled into the web console, with licences and hashes.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import packageFacts from '../package.json' with { type: 'json' };
import { consoleLibraries } from './console-libraries.ts';

const options = ['--package-lock-only', '--omit', 'dev', '--sbom-format', 'cyclonedx', '--sbom-type', 'application'];
const { status, stdout, stderr, error } = spawnSync('npm', ['sbom', ...options], {
  cwd: fileURLToPath(new URL('../', import.meta.url)),
  encoding: 'utf8',
  maxBuffer: 64 << 20,
});
if (status !== 0) {
  console.error(`npm sbom: ${error?.message ?? stderr}`);
  process.exitCode = 1;
} else {
  const bill = JSON.parse(stdout);
  // npm uses the name of the folder.
  bill.metadata.component.name = packageFacts.name;
  const known = new Set(bill.components.map((component: { readonly 'bom-ref': string }) => component['bom-ref']));
  const built = consoleLibraries().filter(({ 'bom-ref': ref }) => !known.has(ref) && known.add(ref));
  bill.components.push(...built);
  bill.dependencies.push(...built.map((component) => ({ ref: component['bom-ref'], dependsOn: [] })));
  console.log(JSON.stringify(bill, null, 2));
}
