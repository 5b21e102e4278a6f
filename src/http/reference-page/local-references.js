// A plugin of the viewer: resolves the references within a part of the description. The viewer's own resolver reads the
// whole description anew for each operation that is opened, which takes seconds (swagger-ui, issue 10748); ours has
// references to itself alone.

/** The part of a description at a path of member names. */
function partAt(description, path) {
  return path.reduce((part, name) => part?.[name], description);
}

/** The path of a JSON pointer in a fragment (RFC 6901, section 6), such as `#/components/schemas/Order`. */
function pathOf(reference) {
  const parts = decodeURIComponent(reference).split('/').slice(1);
  return parts.map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** @param within references that are being resolved: one to itself stays as it is */
function resolved(value, description, within) {
  if (Array.isArray(value)) return value.map((element) => resolved(element, description, within));
  if (typeof value !== 'object' || value === null) return value;
  const { $ref: reference, ...own } = value;
  const isReference = typeof reference === 'string' && reference.startsWith('#/');
  if (isReference && within.includes(reference)) return value;
  const members = Object.fromEntries(
    Object.entries(isReference ? own : value).map(([name, member]) => [name, resolved(member, description, within)]),
  );
  if (!isReference) return members;
  const target = resolved(partAt(description, pathOf(reference)), description, [...within, reference]);
  // The viewer takes the name of a schema from the last member.
  return { ...target, ...members, $$ref: reference };
}

function localReferences() {
  return {
    fn: {
      resolveSubtree: async (description, path) => ({
        spec: resolved(partAt(description, path), description, []),
        errors: [],
      }),
    },
  };
}
