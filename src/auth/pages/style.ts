// The style sheet of all pages: narrow and wide, light and dark, without motion for people who prefer none.
/**
 * The colours are those of the problem pages. Text has a contrast of at least 4.5 to 1 on its background, edges of 3 to
 * 1 (WCAG 2.2, 1.4.3 and 1.4.11).
 */
export const style = `
:root { color-scheme: light dark; --ink: #1c2430; --soft: #566173; --line: #d9dee6; --accent: #0b5cad; \
--page: #f2f4f7; --card: #fff; --edge: #758194; --fill: #0b5cad; --fill-hover: #084a8d; --on-fill: #fff; \
--hover: #eef3f9; --fault: #a11a22; --fault-ground: #fdf1f1; }
@media (prefers-color-scheme: dark) {
:root { --ink: #e6e9ee; --soft: #a3adbb; --line: #343c48; --accent: #7db7f5; --page: #10141a; --card: #1a2029; \
--edge: #8391a5; --fill: #7db7f5; --fill-hover: #a5cef9; --on-fill: #0b1a2c; --hover: #242c38; --fault: #ffb4b1; \
--fault-ground: #391c20; }
}
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; text-size-adjust: 100%; }
body { display: flex; flex-direction: column; align-items: center; margin: 0; \
padding: clamp(1rem, 9vh, 6rem) 1rem 2rem; min-height: 100vh; color: var(--ink); background: var(--page); \
font: 1rem/1.5 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; overflow-wrap: anywhere; }
header { display: flex; align-items: center; gap: .6rem; margin-bottom: 1.25rem; font-weight: 600; \
letter-spacing: .005em; }
header svg { flex: none; color: var(--accent); }
main { width: 100%; max-width: 27rem; padding: 1.75rem 1.25rem; background: var(--card); \
border: 1px solid var(--line); border-radius: .75rem; \
box-shadow: 0 1px 2px rgb(16 24 40 / .05), 0 8px 24px -12px rgb(16 24 40 / .12); }
h1 { margin: 0; font-size: 1.5rem; line-height: 1.25; font-weight: 650; letter-spacing: -.01em; text-wrap: balance; }
h2 { margin: 1.5rem 0 .5rem; font-size: 1rem; font-weight: 600; }
p { margin: .5rem 0 0; }
strong { font-weight: 600; }
.soft { color: var(--soft); font-size: .9375rem; }
.fault { display: flex; gap: .65rem; margin: 1.25rem 0 0; padding: .75rem .875rem; color: var(--fault); \
background: var(--fault-ground); border: 1px solid currentColor; border-radius: .5rem; }
.fault svg { flex: none; margin-top: .125rem; }
.fault p { margin: 0; }
form { margin-top: 1.5rem; }
label { display: block; margin: 1.125rem 0 .375rem; font-weight: 600; }
input { width: 100%; min-height: 2.875rem; padding: .5rem .75rem; color: inherit; background: transparent; \
border: 1px solid var(--edge); border-radius: .5rem; font: inherit; }
input[aria-invalid="true"] { border-color: var(--fault); }
button, .button { display: block; width: 100%; min-height: 2.875rem; padding: .625rem 1rem; \
border: 1px solid transparent; border-radius: .5rem; font: inherit; font-weight: 600; line-height: 1.5; \
text-align: center; text-decoration: none; cursor: pointer; }
.first { color: var(--on-fill); background: var(--fill); }
.first:hover { background: var(--fill-hover); }
.second { color: var(--ink); background: transparent; border-color: var(--edge); }
.second:hover { background: var(--hover); }
.plain { display: inline-flex; align-items: center; justify-content: center; min-height: 2.875rem; color: \
var(--accent); background: transparent; font-weight: 400; text-decoration: underline; text-underline-offset: .15em; }
.links { display: flex; flex-wrap: wrap; gap: 0 1.5rem; margin-top: .75rem; }
.pair + .plain { margin-top: .5rem; }
.code { display: block; width: 13rem; max-width: 100%; margin: .75rem 0; border: 1px solid var(--line); \
border-radius: .5rem; }
.codes { display: grid; grid-template-columns: repeat(auto-fit, minmax(12rem, 1fr)); gap: .25rem 1rem; margin-top: \
1rem; padding: .75rem; border: 1px solid var(--line); border-radius: .5rem; }
.programs { margin-top: .75rem; border: 1px solid var(--line); border-radius: .5rem; }
.programs > li { padding: .75rem; }
.programs > li + li { border-top: 1px solid var(--line); }
.programs h3 { margin: 0; font-size: 1rem; font-weight: 600; }
.programs form { margin-top: .75rem; }
details { margin-top: .25rem; }
summary { display: flex; align-items: center; min-height: 2.75rem; color: var(--accent); cursor: pointer; \
text-decoration: underline; text-underline-offset: .15em; }
.check { display: flex; align-items: center; gap: .625rem; min-height: 2.75rem; font-weight: 400; }
.check input { flex: none; width: 1.25rem; min-height: 1.25rem; height: 1.25rem; }
.done { margin: 1.25rem 0 0; padding: .75rem .875rem; border: 1px solid var(--edge); border-radius: .5rem; }
.actions { display: grid; gap: .75rem; margin-top: 1.75rem; }
a { color: var(--accent); text-underline-offset: .15em; }
input:focus, :focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
ul { margin: 0; padding: 0; list-style: none; }
.granted li { display: flex; gap: .625rem; padding: .1875rem 0; }
.granted svg { flex: none; margin-top: .25rem; color: var(--accent); }
.granted .withheld svg { color: var(--soft); }
.activities { border: 1px solid var(--line); border-radius: .5rem; }
.many { max-height: 18rem; overflow: auto; }
.activities li { display: flex; align-items: baseline; gap: .75rem; padding: .5rem .75rem; }
.activities li + li { border-top: 1px solid var(--line); }
code { font: 600 .875em/1.5 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; }
.activities code { flex: none; min-width: 2.25rem; color: var(--soft); }
.roles li { justify-content: space-between; }
.notes > :first-child { margin-top: 0; }
.notes { margin-top: 1.5rem; padding-top: 1rem; border-top: 1px solid var(--line); }
@media (min-width: 30rem) {
main { padding: 2.25rem 2.25rem 2rem; }
.pair { grid-template-columns: 1fr 1fr; }
}
@media (prefers-reduced-motion: no-preference) { button, .button, input { \
transition: background-color .12s, border-color .12s; } }
@media (prefers-contrast: more) { :root { --soft: var(--ink); --line: var(--edge); } }
`;
