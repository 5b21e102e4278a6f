// Reads our own HTML strictly: every character is a tag of known shape or text; anything else is an error.

interface ReadPage {
  /** Tags with their attribute names, values and texts left out: what must not depend on what is put in. */
  readonly shape: readonly string[];
  /** Value of an attribute of the first element `input` or `input name=csrf`. */
  attribute(element: string, name: string): string | undefined;
  /** Text of the first element of this name. */
  textOf(element: string): string | undefined;
  textsOf(element: string): readonly string[];
}

interface Tag {
  readonly name: string;
  readonly closes: boolean;
  readonly attributes: ReadonlyMap<string, string>;
  text: string;
}

/** Throws when the text is not made of plain tags, double-quoted attributes and escaped text. */
export function readPage(page: string): ReadPage {
  const tags: Tag[] = [];
  const source = page.replace(/^<!doctype html>/, '').replace(/<style>[\s\S]*?<\/style>/, '<style></style>');
  const token = /<(\/?)([a-z][a-z0-9]*)((?: [a-z-]+(?:="[^"<>]*")?)*)\/?>|([^<>"']+)/iy;
  for (let at = 0; at < source.length; at = token.lastIndex) {
    token.lastIndex = at;
    const found = token.exec(source);
    if (found === null) throw new Error(`not plain HTML: ${JSON.stringify(source.slice(at, at + 60))}`);
    const [, slash, name, attributes = '', text] = found;
    if (name === undefined) {
      const last = tags.at(-1);
      if (last !== undefined) last.text += decoded(text ?? '');
      continue;
    }
    const pairs = [...attributes.matchAll(/ ([a-z-]+)(?:="([^"]*)")?/gi)].map(
      ([, key = '', value = '']) => [key, decoded(value)] as const,
    );
    tags.push({ name, closes: slash === '/', attributes: new Map(pairs), text: '' });
  }
  const opening = (element: string): readonly Tag[] => {
    const [name, key, value] = element.split(/[ =]/);
    return tags.filter(
      (tag) => tag.name === name && !tag.closes && (key === undefined || tag.attributes.get(key) === value),
    );
  };
  return {
    shape: tags.map((tag) => `${tag.closes ? '/' : ''}${tag.name} ${[...tag.attributes.keys()].join(' ')}`),
    attribute: (element, name) => opening(element)[0]?.attributes.get(name),
    textOf: (element) => opening(element)[0]?.text,
    textsOf: (element) => opening(element).map((tag) => tag.text),
  };
}

const entities: Readonly<Record<string, string>> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
  '&#13;': '\r',
};

function decoded(text: string): string {
  return text.replaceAll(/&[^;]{0,8};?/g, (entity) => {
    const character = entities[entity];
    if (character === undefined) throw new Error(`unknown or unfinished reference ${entity}`);
    return character;
  });
}
