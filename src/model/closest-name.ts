// Suggests the known name that a mistyped name was probably meant to be.

/**
 * The candidate that `name` was probably meant to be: equal apart from case, else at most two edits away (one for names
 * of up to four characters). Null when none is close enough.
 */
export function closestName(name: string, candidates: Iterable<string>): string | null {
  if (name.length > 64) return null;
  const lower = name.toLowerCase();
  let best: string | null = null;
  let bestDistance = lower.length <= 4 ? 1 : 2;
  for (const candidate of candidates) {
    const distance = editDistance(lower, candidate.toLowerCase(), bestDistance);
    if (distance < bestDistance || (distance === bestDistance && best === null)) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best;
}

/** Levenshtein distance in UTF-16 units; when it exceeds `max`, any number above `max`. */
function editDistance(left: string, right: string, max: number): number {
  if (Math.abs(left.length - right.length) > max) return max + 1;
  let row = Array.from({ length: right.length + 1 }, (_, column) => column);
  for (let line = 1; line <= left.length; line += 1) {
    const next = [line];
    for (let column = 1; column <= right.length; column += 1) {
      const substitution = (row[column - 1] ?? 0) + (left[line - 1] === right[column - 1] ? 0 : 1);
      next.push(Math.min(substitution, (row[column] ?? 0) + 1, (next[column - 1] ?? 0) + 1));
    }
    // The minimum of a row never decreases from one row to the next.
    if (Math.min(...next) > max) return max + 1;
    row = next;
  }
  return row[right.length] ?? 0;
}
