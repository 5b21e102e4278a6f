// Versions of the product (semver.org), and the files that contain the current one.

/** Files besides package.json and package-lock.json, and the text before the version in each. */
export const namedIn: readonly (readonly [path: string, before: RegExp])[] = [
  ['deploy/container/Dockerfile', /^ARG VERSION=/],
  ['deploy/container/Dockerfile', /-t logistics-connect:/],
  ['deploy/compose/compose.yaml', /image: logistics-connect:/],
  ['deploy/kubernetes/kustomization.yaml', /newTag: /],
  ['deploy/kubernetes/migrate.yaml', /image: registry\.example\.com\/logistics-connect:/],
  ['deploy/kubernetes/backup.example.yaml', /image: registry\.example\.com\/logistics-connect:/],
];

const form = /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)$/;

/** `1.2.3`, with nothing before or after it: this product has no pre-releases. */
export function isVersion(text: string): boolean {
  return form.test(text);
}

/** Negative when the first is earlier. */
export function compareVersions(one: string, other: string): number {
  const [a, b] = [one, other].map((version) => version.split('.').map(Number));
  return [0, 1, 2].map((index) => (a?.[index] ?? 0) - (b?.[index] ?? 0)).find((difference) => difference !== 0) ?? 0;
}

/**
 * Replaces the version in a file that contains the current one.
 * @throws Error unless it occurs exactly once
 */
export function withVersion(text: string, before: RegExp, from: string, to: string): string {
  const place = new RegExp(`(${before.source})${from.replaceAll('.', '\\.')}(?![\\d.])`, 'gm');
  const count = [...text.matchAll(place)].length;
  if (count !== 1) throw new Error(`${from} stands ${count} times behind ${before.source}, not once`);
  return text.replace(place, (_all, kept: string) => kept + to);
}
