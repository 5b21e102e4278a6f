// Prints the bill of materials (CycloneDX): what package-lock.json installs for production, Node included, with
// licences and hashes.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import packageFacts from '../package.json' with { type: 'json' };

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
  // npm takes the name of the folder.
  bill.metadata.component.name = packageFacts.name;
  console.log(JSON.stringify(bill, null, 2));
}
