// Reads and updates the sections of CHANGELOG.md, in the format of keepachangelog.com.

/** The text under a second-level heading, without blank lines around it; null when there is none. */
export function sectionOf(changelog: string, name: string): string | null {
  const lines = changelog.split('\n');
  const start = lines.findIndex((line) => isHeadingOf(line, name));
  if (start === -1) return null;
  const length = lines.slice(start + 1).findIndex((line) => line.startsWith('## '));
  return lines
    .slice(start + 1, length === -1 ? undefined : start + 1 + length)
    .join('\n')
    .trim();
}

/**
 * Turns the unreleased section into that of a version, and adds a new empty one above it.
 * @param date `2026-11-22`
 * @throws Error when nothing is unreleased, or the version already has a section
 */
export function released(changelog: string, version: string, date: string): string {
  const unreleased = sectionOf(changelog, 'Unreleased');
  if (unreleased === null) throw new Error('CHANGELOG.md has no section [Unreleased]');
  if (!/^- /m.test(unreleased)) throw new Error('CHANGELOG.md says of nothing that it changed: [Unreleased] is empty');
  if (sectionOf(changelog, version) !== null) throw new Error(`CHANGELOG.md has a section [${version}] already`);
  return changelog.replace(/^## \[Unreleased\].*$/m, () => `## [Unreleased]\n\n## [${version}] - ${date}`);
}

/** The versions that have sections, the latest first. */
export function releasedVersions(changelog: string): readonly string[] {
  return [...changelog.matchAll(/^## \[(\d[^\]]*)\]/gm)].map(([, version = '']) => version);
}

function isHeadingOf(line: string, name: string): boolean {
  return line === `## [${name}]` || line.startsWith(`## [${name}] `);
}
