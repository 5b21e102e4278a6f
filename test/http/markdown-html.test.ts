// Markdown as HTML: the forms that the changelog has, and nothing of it as markup.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { markdownToHtml } from '../../src/http/markdown-html.ts';

describe('Markdown as HTML', () => {
  const forms: readonly (readonly [what: string, text: string, html: string])[] = [
    ['headings', '# One\n## [1.0.0] - 2026-11-22\ntext', '<h1>One</h1>\n<h2>1.0.0 - 2026-11-22</h2>\n<p>text</p>'],
    ['paragraphs', 'one\ntwo\n\nthree', '<p>one two</p>\n<p>three</p>'],
    ['lists', '- one\n- two\n  goes on\n- three', '<ul>\n<li>one</li>\n<li>two goes on</li>\n<li>three</li>\n</ul>'],
    [
      'code, in which nothing means anything',
      '`[a](https://b) <c> **d**`',
      '<p><code>[a](https://b) &lt;c&gt; **d**</code></p>',
    ],
    ['links', '[a & b](https://c.example/?d=1&e)', '<p><a href="https://c.example/?d=1&amp;e">a &amp; b</a></p>'],
    ['links into the repository', '[docs](a/file)', '<p>docs</p>'],
    ['links of other kinds', '[a](javascript:alert`1`)', '<p>[a](javascript:alert<code>1</code>)</p>'],
    ['bold words', '**now**', '<p><strong>now</strong></p>'],
    ['markup', '<script>"&amp;', '<p>&lt;script&gt;&quot;&amp;amp;</p>'],
    ['a quote in an address', '[a](https://b"onclick=c)', '<p><a href="https://b&quot;onclick=c">a</a></p>'],
    ['nothing', '', ''],
  ];
  for (const [what, text, html] of forms) it(`has ${what}`, () => assert.equal(markdownToHtml(text), html));

  it('leaves no mark of the changelog over', () => {
    const html = markdownToHtml(readFileSync(new URL('../../CHANGELOG.md', import.meta.url), 'utf8'));
    const text = html.replaceAll(/<code>[^<]*<\/code>/g, '').replaceAll(/<[^>]+>/g, '');
    assert.doesNotMatch(text, /`|\*\*|\]\(|^#|^- /m);
    assert.match(html, /<h1>Changelog<\/h1>[\s\S]*<h2>Unreleased<\/h2>\n<h3>[\w ]+<\/h3>\n<ul>\n<li>/);
  });
});
